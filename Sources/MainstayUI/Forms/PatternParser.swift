// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension ConfigurationError {
  /// What a pattern is not legal for.
  init(pattern source: some StringProtocol, _ rule: String) {
    self.init(
      subject: "FormPattern",
      violations: [.init(option: "source", value: String(source.prefix(128)), rule: rule)])
  }
}

/// A pattern, taken apart.
indirect enum PatternNode: Sendable {
  case one(CharacterClass)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repeated(PatternNode, minimum: Int, maximum: Int?)

  /// How many states it needs; no more than fits, however deep its repetitions are.
  var size: Int {
    switch self {
    case .one: return 1
    case .sequence(let nodes): return nodes.reduce(0) { Self.sum($0, $1.size) }
    case .choice(let nodes): return nodes.reduce(-2) { Self.sum($0, $1.size + 2) }
    case .repeated(let node, let minimum, let maximum):
      let size = node.size  // asked once: at each depth twice as often would take for ever
      guard let maximum else { return Self.sum(size * minimum, size + 2) }
      return Self.sum(size * minimum, (size + 1) * (maximum - minimum))
    }
  }

  private static func sum(_ left: Int, _ right: Int) -> Int { min(left + right, 1_000_000) }
}

/// One character, or one of many.
struct CharacterClass: Sendable {
  enum Part: Sendable {
    case one(Character)
    case range(Character, Character)
    case digit, letter, space
    indirect case not(Part)
    case any
  }

  var parts: [Part]
  var isNegated = false

  func contains(_ character: Character) -> Bool {
    parts.contains { Self.holds($0, character) } != isNegated
  }

  private static func holds(_ part: Part, _ character: Character) -> Bool {
    switch part {
    case .one(let one): character == one
    case .range(let low, let high): isSingle(character) && low <= character && character <= high
    case .digit: character.isASCII && character.isNumber
    case .letter: character.isLetter || character == "_" || character.isWholeNumber
    case .space: character.isWhitespace
    case .not(let part): !holds(part, character)
    case .any: true
    }
  }

  /// Whether a character is one that a range can hold, and not a letter with marks upon it.
  private static func isSingle(_ character: Character) -> Bool {
    character.unicodeScalars.count == 1
      || String(character).precomposedStringWithCanonicalMapping.unicodeScalars.count == 1
  }
}

/// Reads a pattern.
struct PatternParser {
  private static let maximumDepth = 50
  private static let maximumCount = 1_000
  private static let maximumSource = 10_000

  private let source: [Character]
  private var index = 0
  private var depth = 0

  init(_ source: String) {
    // One more than is legal, so that it is seen.
    self.source = Array(source.prefix(Self.maximumSource + 1))
  }

  /// The whole pattern.
  mutating func pattern() throws(ConfigurationError) -> PatternNode {
    guard source.count <= Self.maximumSource else {
      throw ConfigurationError(
        pattern: String(source), "it is longer than \(Self.maximumSource) characters")
    }
    _ = take("^")
    let node = try choice()
    guard index == source.count else { throw mistake("nothing to close") }
    return node
  }

  private func mistake(_ what: String) -> ConfigurationError {
    ConfigurationError(pattern: String(source), "\(what) at character \(index + 1)")
  }

  private var next: Character? { index < source.count ? source[index] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard next == character else { return false }
    index += 1
    return true
  }

  private mutating func choice() throws(ConfigurationError) -> PatternNode {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(ConfigurationError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let character = next, character != "|", character != ")" {
      if character == "$", index + 1 == source.count, depth == 0 {
        index += 1
        break
      }
      let node = try repeated(try atom())
      // What needs no state fits the empty text alone. It is not kept: how often it is to be
      // repeated has no limit that counts states.
      if node.size > 0 { nodes.append(node) }
    }
    return .sequence(nodes)
  }

  private mutating func atom() throws(ConfigurationError) -> PatternNode {
    guard let character = next else { throw mistake("something is missing") }
    switch character {
    case "(": return try group()
    case "[": return .one(try bracket())
    case "\\": return .one(CharacterClass(parts: [try escaped()]))
    case ".":
      index += 1
      return .one(CharacterClass(parts: [.any]))
    case "*", "+", "?", "{", "}", "]", "^", "$":
      throw mistake("“\(character)” stands alone; write “\\\(character)” for the character")
    default:
      index += 1
      return .one(CharacterClass(parts: [.one(character)]))
    }
  }

  private mutating func group() throws(ConfigurationError) -> PatternNode {
    guard depth < Self.maximumDepth else {
      throw mistake("more than \(Self.maximumDepth) groups inside of each other")
    }
    index += 1
    if take("?"), !take(":") { throw mistake("looking around and named groups are not there") }
    depth += 1
    let node = try choice()
    depth -= 1
    guard take(")") else { throw mistake("a group that does not end") }
    return node
  }

  private mutating func repeated(_ node: PatternNode) throws(ConfigurationError) -> PatternNode {
    let (minimum, maximum): (Int, Int?)
    switch next {
    case "?": (minimum, maximum) = (0, 1)
    case "*": (minimum, maximum) = (0, nil)
    case "+": (minimum, maximum) = (1, nil)
    case "{": (minimum, maximum) = try counts()
    default: return node
    }
    index += 1
    if let character = next, "?*+{".contains(character) {
      throw mistake("a repetition of a repetition; put the first into a group")
    }
    return .repeated(node, minimum: minimum, maximum: maximum)
  }

  /// What stands in braces; the closing one is left.
  private mutating func counts() throws(ConfigurationError) -> (Int, Int?) {
    index += 1
    guard let minimum = try number() else { throw mistake("a count is missing") }
    var maximum: Int? = minimum
    if take(",") { maximum = try number() }
    guard next == "}" else { throw mistake("a count that does not end") }
    if let maximum, maximum < minimum { throw mistake("a count whose end is before its beginning") }
    return (minimum, maximum)
  }

  private mutating func number() throws(ConfigurationError) -> Int? {
    var value: Int?
    while let character = next, character.isASCII, let digit = character.wholeNumberValue {
      let sum = (value ?? 0) * 10 + digit
      guard sum <= Self.maximumCount else {
        throw mistake("a count of more than \(Self.maximumCount)")
      }
      value = sum
      index += 1
    }
    return value
  }

  private mutating func escaped() throws(ConfigurationError) -> CharacterClass.Part {
    index += 1
    guard let character = next else { throw mistake("nothing after “\\”") }
    defer { index += 1 }
    switch character {
    case "d": return .digit
    case "w": return .letter
    case "s": return .space
    case "D": return .not(.digit)
    case "W": return .not(.letter)
    case "S": return .not(.space)
    case "t": return .one("\t")
    case "n": return .one("\n")
    case "r": return .one("\r")
    default:
      guard !character.isLetter, !character.isNumber else {
        throw mistake("“\\\(character)” is not there")
      }
      return .one(character)
    }
  }

  private mutating func bracket() throws(ConfigurationError) -> CharacterClass {
    index += 1
    var characters = CharacterClass(parts: [], isNegated: take("^"))
    while let character = next, character != "]" || characters.parts.isEmpty {
      if character == "[" { throw mistake("“[” in brackets; write “\\[”") }
      let part = try member()
      guard next == "-", index + 1 < source.count, source[index + 1] != "]" else {
        characters.parts.append(part)
        continue
      }
      index += 1
      guard case .one(let low) = part, case .one(let high) = try member(), low <= high else {
        throw mistake("a range that does not go from a character to a later one")
      }
      characters.parts.append(.range(low, high))
    }
    guard take("]") else { throw mistake("brackets that do not end") }
    return characters
  }

  private mutating func member() throws(ConfigurationError) -> CharacterClass.Part {
    guard let character = next else { throw mistake("brackets that do not end") }
    if character == "\\" { return try escaped() }
    index += 1
    return .one(character)
  }
}
