// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// A form that a text has, such as `[A-Z]{2}[0-9]{2,6}`, matched in linear time.
///
/// It is the part of regular expressions that needs no going back, so no text and no pattern makes
/// it slow: the time is proportional to the text and to the pattern.
///
/// | It has | Meaning |
/// |---|---|
/// | `.` | any character, as a person counts them |
/// | `[a-z_]`, `[^a-z]` | one of these, or any other |
/// | `\d`, `\w`, `\s` | digits `0` to `9`; letters, digits and `_`; white space |
/// | `\D`, `\W`, `\S` | any other |
/// | `\t`, `\n`, `\.` and the like | a tabulator, a new line, the character itself |
/// | `a?`, `a*`, `a+`, `a{2}`, `a{2,}`, `a{2,5}` | how often; counts of 1,000 at most |
/// | `(ab\|c)` | a group, and alternatives |
///
/// The pattern is about the whole text, with or without `^` and `$` around it. References back,
/// looking around, lazy repetition and properties of Unicode are not there: such a pattern is not
/// legal. A pattern has 1,000 states at most, and a text of more than 4,096 characters does not
/// fit.
public struct FormPattern: Sendable {
  /// How many characters a text may have; a longer one does not fit.
  public static let maximumLength = 4_096

  /// The pattern as it is written.
  public let source: String
  private let program: PatternProgram

  /// Makes a pattern from text that was not written in the source.
  ///
  /// - Throws: `ConfigurationError` that says what is not legal, and where.
  public init(validating source: String) throws(ConfigurationError) {
    self.source = source
    var parser = PatternParser(source)
    let pattern = try parser.pattern()
    guard pattern.size < PatternProgram.maximumStates else {
      throw ConfigurationError(
        pattern: source, "it has more than \(PatternProgram.maximumStates) states")
    }
    program = PatternProgram(pattern)
  }

  /// Whether the whole text fits.
  public func matches(_ text: String) -> Bool {
    // A character has 64 bytes at most, or it is made to do harm.
    guard text.utf8.count <= Self.maximumLength * 64,
      text.dropFirst(Self.maximumLength).isEmpty
    else { return false }
    return program.matches(text)
  }
}

extension FormPattern: ExpressibleByStringLiteral {
  /// Makes a pattern from a literal; one that is not legal stops the program.
  public init(stringLiteral value: StaticString) {
    do {
      try self.init(validating: value.description)
    } catch {
      preconditionFailure(error.description)
    }
  }
}

extension FormPattern: Hashable {
  /// Whether both are written alike.
  public static func == (left: FormPattern, right: FormPattern) -> Bool {
    left.source == right.source
  }

  /// Hashes the source.
  public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// A pattern as a machine that is in many states at a time (Thompson, 1968).
struct PatternProgram: Sendable {
  enum State: Sendable {
    case take(CharacterClass)
    /// Goes on at the next state and at another one.
    case fork(Int)
    case jump(Int)
    case end
  }

  static let maximumStates = 1_000

  private var states: [State] = []

  init(_ pattern: PatternNode) {
    emit(pattern)
    states.append(.end)
  }

  private mutating func emit(_ node: PatternNode) {
    switch node {
    case .one(let characters): states.append(.take(characters))
    case .sequence(let nodes): for node in nodes { emit(node) }
    case .choice(let nodes): emit(choice: nodes)
    case .repeated(let node, let minimum, let maximum):
      for _ in 0..<minimum { emit(node) }
      if let maximum {
        var forks: [Int] = []
        for _ in minimum..<maximum {
          forks.append(states.count)
          states.append(.end)
          emit(node)
        }
        for fork in forks { states[fork] = .fork(states.count) }
      } else {
        let fork = states.count
        states.append(.end)
        emit(node)
        states.append(.jump(fork))
        states[fork] = .fork(states.count)
      }
    }
  }

  private mutating func emit(choice nodes: [PatternNode]) {
    var jumps: [Int] = []
    for node in nodes.dropLast() {
      let fork = states.count
      states.append(.end)
      emit(node)
      jumps.append(states.count)
      states.append(.end)
      states[fork] = .fork(states.count)
    }
    if let last = nodes.last { emit(last) }
    for jump in jumps { states[jump] = .jump(states.count) }
  }

  func matches(_ text: String) -> Bool {
    var current = StateSet(capacity: states.count)
    var next = current
    enter(0, &current)
    for character in text {
      next.removeAll()
      for state in current.members {
        if case .take(let characters) = states[state], characters.contains(character) {
          enter(state + 1, &next)
        }
      }
      swap(&current, &next)
      if current.members.isEmpty { return false }
    }
    return current.members.contains { if case .end = states[$0] { true } else { false } }
  }

  /// Enters a state and all that are reached from there without a character, each once.
  private func enter(_ state: Int, _ set: inout StateSet) {
    var pending = [state]
    while let state = pending.popLast() {
      guard set.insert(state) else { continue }
      switch states[state] {
      case .fork(let other): pending += [state + 1, other]
      case .jump(let other): pending.append(other)
      case .take, .end: break
      }
    }
  }
}

/// States in the order in which they were entered.
private struct StateSet {
  private(set) var members: [Int] = []
  private var isMember: [Bool]

  init(capacity: Int) { isMember = Array(repeating: false, count: capacity) }

  mutating func insert(_ state: Int) -> Bool {
    guard !isMember[state] else { return false }
    isMember[state] = true
    members.append(state)
    return true
  }

  mutating func removeAll() {
    for member in members { isMember[member] = false }
    members.removeAll(keepingCapacity: true)
  }
}
