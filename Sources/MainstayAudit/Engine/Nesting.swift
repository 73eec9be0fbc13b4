// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// How deep code may nest before it is left alone.
///
/// Parsing and walking recurse, and the parser looks ahead at brackets over and over: its work
/// doubles with each `[` that could begin a type. Code that people write stays far below all of
/// these bounds.
enum Nesting {
  /// Brackets, strings and `#if` within each other.
  static let brackets = 200
  /// `[` within each other, with nothing but types in between.
  static let squares = 10
  /// `<` of generic arguments within each other.
  static let angles = 100
  /// Words without a sign between them, such as `try try try`.
  static let words = 50_000
  /// `#` in a row, before a string.
  static let hashes = 255
  /// Levels of the tree, of which a link of a chain `a.b.c` is one.
  static let levels = 2_000

  /// What nests too deep in a text, told before it is parsed.
  static func trouble(in bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { buffer in
      var scan = NestingScan(buffer)
      return scan.trouble()
    }
  }

  /// What nests too deep in a tree.
  static func trouble(in tree: SourceFileSyntax) -> String? {
    tree.isDeeper(than: levels) ? "its code is more than \(levels) levels deep" : nil
  }
}

/// Goes over the bytes of a file once, past strings and comments.
private struct NestingScan {
  private enum Frame {
    case bracket(isSquare: Bool)
    case string(hashes: Int, isMultiline: Bool)
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0
  private var stack: [Frame] = []
  private var squares = 0
  private var angles = 0
  private var conditions = 0
  private var words = 0
  private var hashes = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func trouble() -> String? {
    while place < bytes.count {
      if case .string(let hashes, let isMultiline)? = stack.last {
        readString(hashes, isMultiline)
      } else {
        readCode()
      }
      if stack.count + conditions > Nesting.brackets {
        return "its code nests more than \(Nesting.brackets) levels deep"
      }
      if squares > Nesting.squares {
        return "it nests more than \(Nesting.squares) square brackets"
      }
      if angles > Nesting.angles {
        return "it nests more than \(Nesting.angles) generic arguments"
      }
      if hashes > Nesting.hashes { return "it has more than \(Nesting.hashes) `#` in a row" }
      if words > Nesting.words {
        return "it has more than \(Nesting.words) words without a sign between them"
      }
    }
    return nil
  }

  private func byte(_ offset: Int) -> UInt8 {
    place + offset < bytes.count ? bytes[place + offset] : 0
  }

  private mutating func readCode() {
    let byte = bytes[place]
    if Self.isWord(byte) {
      words += 1
      repeat { place += 1 } while place < bytes.count && Self.isWord(bytes[place])
      return
    }
    if byte <= 0x20 {
      place += 1
      return
    }
    words = 0
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
    case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"): close()
    case UInt8(ascii: "\""): openString(hashes: 0)
    case UInt8(ascii: "#"): readHash()
    case UInt8(ascii: "/"): readSlash()
    case UInt8(ascii: "<"): readAngle()
    case UInt8(ascii: ">"):
      if angles > 0, place > 0, bytes[place - 1] != UInt8(ascii: "-") { angles -= 1 }
    case UInt8(ascii: ";"), UInt8(ascii: "="): angles = 0
    default: break
    }
    place += 1
  }

  private mutating func open(_ byte: UInt8) {
    let isSquare = byte == UInt8(ascii: "[")
    if isSquare { squares += 1 }
    if byte == UInt8(ascii: "{") {
      angles = 0
      squares = 0
    }
    stack.append(.bracket(isSquare: isSquare))
  }

  private mutating func close() {
    guard case .bracket(let isSquare)? = stack.popLast() else { return }
    if isSquare, squares > 0 { squares -= 1 }
  }

  /// At `"`: stays on the last byte of the quotes.
  private mutating func openString(hashes: Int) {
    // No type holds a string, so that the parser stops to look for one here.
    squares = 0
    let isMultiline = byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
    if isMultiline { place += 2 }
    stack.append(.string(hashes: hashes, isMultiline: isMultiline))
  }

  /// `#"…"#`, `##"…"##`, `#if` and `#endif`.
  private mutating func readHash() {
    var hashes = 1
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    self.hashes = max(self.hashes, hashes)
    if byte(hashes) == UInt8(ascii: "\"") {
      place += hashes
      openString(hashes: hashes)
    } else if hashes == 1, byte(1) == UInt8(ascii: "i"), byte(2) == UInt8(ascii: "f") {
      conditions += 1
    } else if hashes == 1, conditions > 0, byte(1) == UInt8(ascii: "e"),
      byte(2) == UInt8(ascii: "n"), byte(3) == UInt8(ascii: "d"), byte(4) == UInt8(ascii: "i")
    {
      conditions -= 1
    } else {
      place += hashes - 1
    }
  }

  /// Passes comments, which nest.
  private mutating func readSlash() {
    if byte(1) == UInt8(ascii: "/") {
      while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
    } else if byte(1) == UInt8(ascii: "*") {
      var depth = 1
      place += 2
      while place < bytes.count, depth > 0 {
        if bytes[place] == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
          depth -= 1
          place += 1
        } else if bytes[place] == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
          depth += 1
          place += 1
        }
        place += 1
      }
      place -= 1
    }
  }

  /// A `<` right behind a name may open generic arguments; one behind a blank compares.
  private mutating func readAngle() {
    if place > 0, bytes[place - 1] > 0x20 { angles += 1 }
  }

  private mutating func readString(_ hashes: Int, _ isMultiline: Bool) {
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "\\"):
      guard hasHashes(hashes) else { return }
      place += hashes
      guard place < bytes.count else { return }
      if bytes[place] == UInt8(ascii: "(") { stack.append(.bracket(isSquare: false)) }
      place += 1
    case UInt8(ascii: "\""):
      if isMultiline {
        guard self.byte(0) == byte, self.byte(1) == byte else { return }
        place += 2
      }
      guard hasHashes(hashes) else { return }
      place += hashes
      stack.removeLast()
    case 0x0A, 0x0D:
      // A string that is not closed ends with its line.
      if !isMultiline { stack.removeLast() }
    default: break
    }
  }

  private func hasHashes(_ count: Int) -> Bool {
    for offset in 0..<count where byte(offset) != UInt8(ascii: "#") { return false }
    return true
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
      || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= (byte | 0x20)
  }
}

extension SourceFileSyntax {
  /// Whether some node lies deeper than a number of levels.
  ///
  /// Goes without recursion, and only into nodes long enough to nest that deep: three levels take
  /// at least two bytes.
  fileprivate func isDeeper(than limit: Int) -> Bool {
    var open: [(node: Syntax, depth: Int)] = [(Syntax(self), 0)]
    while let (node, depth) = open.popLast() {
      if depth > limit { return true }
      for child in node.children(viewMode: .sourceAccurate)
      where depth + 50 + child.totalLength.utf8Length * 3 > limit {
        open.append((child, depth + 1))
      }
    }
    return false
  }
}
