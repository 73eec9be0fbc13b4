// SPDX-License-Identifier: Apache-2.0

/// Reads JSON in one pass, with a bound on its depth.
///
/// Foundation's decoder makes numbers of 64 bits of all numbers; here they stay as they are.
struct JSONReader {
  private static let maximumDepth = 64
  private static let maximumDigits = 1_000

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// The value that the bytes are; nil where they are no document.
  mutating func document() -> JSONValue? {
    // The mark that some writers put first.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    guard let value = value(depth: 0) else { return nil }
    skipSpaces()
    return isAtEnd ? value : nil
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth < Self.maximumDepth else { return nil }
    skipSpaces()
    guard let byte = peek else { return nil }
    switch byte {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number().map(JSONValue.number)
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    position += 1
    var members: [String: JSONValue] = [:]
    skipSpaces()
    if take("}") { return .object(members) }
    while true {
      skipSpaces()
      guard peek == UInt8(ascii: "\""), let name = string() else { return nil }
      skipSpaces()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      members[name] = value
      skipSpaces()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    position += 1
    var elements: [JSONValue] = []
    skipSpaces()
    if take("]") { return .array(elements) }
    while true {
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
      skipSpaces()
      if take("]") { return .array(elements) }
      guard take(",") else { return nil }
    }
  }

  mutating func number() -> JSONValue.Number? {
    let start = position
    _ = take("-")
    if !take("0") {
      guard takeDigits() else { return nil }
    }
    if take(".") {
      guard takeDigits() else { return nil }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard takeDigits() else { return nil }
    }
    guard position - start <= Self.maximumDigits else { return nil }
    return JSONValue.Number(unchecked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text += String(scalar).utf8
      case ..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = peek else { return nil }
    position += 1
    switch Unicode.Scalar(byte) {
    case "\"", "\\", "/": return Unicode.Scalar(byte)
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return unicode()
    default: return nil
    }
  }

  /// One half of a pair without the other becomes the sign for what cannot be read.
  private mutating func unicode() -> Unicode.Scalar? {
    guard let unit = hexadecimal() else { return nil }
    guard (0xd800...0xdbff).contains(unit) else { return Unicode.Scalar(unit) ?? "\u{fffd}" }
    let before = position
    guard take("\\u"), let low = hexadecimal(), (0xdc00...0xdfff).contains(low) else {
      position = before
      return "\u{fffd}"
    }
    return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)) ?? "\u{fffd}"
  }

  private mutating func hexadecimal() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
    position += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpaces() {
    while let byte = peek, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, word.description.utf8.elementsEqual(bytes[position..<end]) else {
      return false
    }
    position = end
    return true
  }
}
