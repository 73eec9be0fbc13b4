// SPDX-License-Identifier: Apache-2.0

/// A word or a single sign of Swift code.
package struct Token: Sendable {
  package let text: String

  /// The first byte in the file.
  package let offset: Int

  package let isWord: Bool
}

/// Splits Swift into words and signs, and leaves out comments, text literals and regex literals.
///
/// The code inside an interpolation `\(…)` counts as code. It is no parser: it knows as much of
/// the language as is needed to never take a text for code or code for a text.
package struct Tokenizer {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [Token] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  package static func tokens(in bytes: [UInt8]) -> [Token] {
    var tokenizer = Tokenizer(bytes)
    while tokenizer.position < bytes.count { tokenizer.scanOne() }
    return tokenizer.tokens
  }

  private func byte(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return bytes.indices.contains(index) ? bytes[index] : nil
  }

  private func isAt(_ text: StaticString, _ distance: Int = 0) -> Bool {
    text.withUTF8Buffer { wanted in
      wanted.indices.allSatisfy { byte(distance + $0) == wanted[$0] }
    }
  }

  private mutating func scanOne() {
    guard let next = byte() else { return }
    switch next {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      position += 1
    case UInt8(ascii: "/") where isAt("//"):
      skipLine()
    case UInt8(ascii: "/") where isAt("/*"):
      skipBlockComment()
    case UInt8(ascii: "/") where startsRegex():
      skipRegex(hashes: 0)
    case UInt8(ascii: "\""):
      skipText(hashes: 0)
    case UInt8(ascii: "#"):
      scanHash()
    case UInt8(ascii: "`"):
      scanRawIdentifier()
    case let first where Self.isWordByte(first):
      scanWord()
    default:
      append(from: position, count: 1, isWord: false)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func append(from start: Int, count: Int, isWord: Bool) {
    let text = String(decoding: bytes[start..<(start + count)], as: UTF8.self)
    tokens.append(Token(text: text, offset: start, isWord: isWord))
    position = start + count
  }

  private mutating func scanWord() {
    var count = 1
    while let next = byte(count), Self.isWordByte(next) { count += 1 }
    append(from: position, count: count, isWord: true)
  }

  /// A raw identifier is one word, spaces and quotes included.
  private mutating func scanRawIdentifier() {
    var count = 1
    while let next = byte(count), next != UInt8(ascii: "`"), next != UInt8(ascii: "\n") {
      count += 1
    }
    append(from: position + 1, count: count - 1, isWord: true)
    if byte() == UInt8(ascii: "`") { position += 1 }
  }

  private mutating func scanHash() {
    var hashes = 0
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    switch byte(hashes) {
    case UInt8(ascii: "\""):
      position += hashes
      skipText(hashes: hashes)
    case UInt8(ascii: "/"):
      position += hashes
      skipRegex(hashes: hashes)
    default:
      append(from: position, count: 1, isWord: false)
    }
  }

  private mutating func skipLine() {
    while let next = byte(), next != UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if isAt("/*") {
        depth += 1
        position += 2
      } else if isAt("*/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < bytes.count
  }

  /// Whether as many hash signs as the literal began with stand at a distance.
  private func hasHashes(_ count: Int, at distance: Int) -> Bool {
    (0..<count).allSatisfy { byte(distance + $0) == UInt8(ascii: "#") }
  }

  private mutating func skipText(hashes: Int) {
    // A line end must follow three quotes; `#"""#` is a text that holds one quote.
    let isMultiline =
      isAt("\"\"\"") && (byte(3) == UInt8(ascii: "\n") || byte(3) == UInt8(ascii: "\r"))
    let quotes = isMultiline ? 3 : 1
    position += quotes
    while let next = byte() {
      if next == UInt8(ascii: "\\"), hasHashes(hashes, at: 1) {
        position += 1 + hashes
        if byte() == UInt8(ascii: "(") { scanInterpolation() } else { position += 1 }
      } else if isMultiline ? isAt("\"\"\"") : next == UInt8(ascii: "\""),
        hasHashes(hashes, at: quotes)
      {
        position += quotes + hashes
        return
      } else if next == UInt8(ascii: "\n"), !isMultiline {
        return
      } else {
        position += 1
      }
    }
  }

  private mutating func scanInterpolation() {
    var depth = 0
    repeat {
      let opens = byte() == UInt8(ascii: "(")
      let closes = byte() == UInt8(ascii: ")")
      scanOne()
      depth += opens ? 1 : closes ? -1 : 0
    } while depth > 0 && position < bytes.count
  }

  /// Whether a slash begins a regex literal: it stands where a value is due, and has an end.
  private func startsRegex() -> Bool {
    guard let next = byte(1), next != UInt8(ascii: " "), next != UInt8(ascii: "\n") else {
      return false
    }
    let before = tokens.last
    let valueIsDue =
      before?.isWord == true
      ? ["return", "case", "in", "try", "await"].contains(before?.text)
      : ![")", "]", "}", ">", "?", "!"].contains(before?.text)
    let rest = bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }
    return valueIsDue && rest.contains(UInt8(ascii: "/"))
  }

  private mutating func skipRegex(hashes: Int) {
    position += 1
    while let next = byte() {
      if next == UInt8(ascii: "\\") {
        position += 2
      } else if next == UInt8(ascii: "/"), hasHashes(hashes, at: 1) {
        position += 1 + hashes
        return
      } else if next == UInt8(ascii: "\n"), hashes == 0 {
        return
      } else {
        position += 1
      }
    }
  }
}
