// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Reads JSON in one pass, with bounds on depth and digits.
///
/// Foundation's decoder makes numbers of 64 bits of all numbers; here they stay as they are. What
/// is open lies in an array and not on the stack, so that no depth can overflow it.
struct JSONReader {
  /// An array or object whose end has not come yet.
  private struct Open {
    let isObject: Bool
    var elements: [JSONValue] = []
    var members: [String: JSONValue] = [:]
    /// The name of the member that is being read.
    var name = ""

    var value: JSONValue { isObject ? .object(members) : .array(elements) }
    var token: String { isObject ? name : String(elements.count) }
  }

  private let bytes: [UInt8]
  private let limits: JSONValue.Limits
  /// Whether what JSON does not forbid, but a value cannot hold, is refused: the second member of
  /// one name, and one half of a pair without the other.
  private let isLossless: Bool
  private var position = 0
  private var open: [Open] = []

  init(
    _ bytes: [UInt8], limits: JSONValue.Limits = JSONValue.Limits(), isLossless: Bool = false
  ) {
    self.bytes = bytes
    self.limits = limits
    self.isLossless = isLossless
  }

  var isAtEnd: Bool { position == bytes.count }

  /// The value that the bytes are.
  mutating func document() throws(JSONValue.ReadingError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw failure("at most \(limits.bytes) bytes") }
    // The mark that some writers put first.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while true {
      guard let value = try begunValue() else { continue }
      guard let document = try added(value) else { continue }
      skipSpaces()
      guard isAtEnd else { throw failure("the end of the document") }
      return document
    }
  }

  /// A whole value; nil where an array or object begins that is not empty.
  private mutating func begunValue() throws(JSONValue.ReadingError) -> JSONValue? {
    skipSpaces()
    guard let byte = peek else { throw failure("a value") }
    switch byte {
    case UInt8(ascii: "{"):
      try begin(isObject: true)
      guard take(UInt8(ascii: "}")) else {
        try readName()
        return nil
      }
      return end()
    case UInt8(ascii: "["):
      try begin(isObject: false)
      return take(UInt8(ascii: "]")) ? end() : nil
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t") where take("true"): return .bool(true)
    case UInt8(ascii: "f") where take("false"): return .bool(false)
    case UInt8(ascii: "n") where take("null"): return .null
    default:
      guard let number = number() else { throw failure("a value") }
      return .number(number)
    }
  }

  private mutating func begin(isObject: Bool) throws(JSONValue.ReadingError) {
    guard open.count < limits.depth else { throw failure("at most \(limits.depth) levels") }
    position += 1
    open.append(Open(isObject: isObject))
    skipSpaces()
  }

  private mutating func end() -> JSONValue { open.removeLast().value }

  /// Puts a value where it belongs, and ends what ends with it; the document where that was all.
  private mutating func added(
    _ value: JSONValue
  ) throws(JSONValue.ReadingError) -> JSONValue? {
    var value = value
    while let last = open.indices.last {
      let isObject = open[last].isObject
      if isObject {
        let former = open[last].members.updateValue(value, forKey: open[last].name)
        guard former == nil || !isLossless else { throw failure("another name") }
      } else {
        open[last].elements.append(value)
      }
      skipSpaces()
      if take(UInt8(ascii: ",")) {
        if isObject { try readName() }
        return nil
      }
      guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw failure(isObject ? "a comma or }" : "a comma or ]")
      }
      value = end()
    }
    return value
  }

  private mutating func readName() throws(JSONValue.ReadingError) {
    skipSpaces()
    guard peek == UInt8(ascii: "\"") else { throw failure("the name of a member") }
    let name = try string()
    open[open.count - 1].name = name
    skipSpaces()
    guard take(UInt8(ascii: ":")) else { throw failure("a colon") }
  }

  private func failure(_ expected: String) -> JSONValue.ReadingError {
    JSONValue.ReadingError(
      at: JSONPointer(tokens: open.map { BoundedText.cut($0.token, to: 64) }), offset: position,
      expected: expected)
  }
}

// Numbers and texts.
extension JSONReader {
  /// A number; nil where none stands here, or one with too many digits.
  mutating func number() -> JSONValue.Number? {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) {
      guard takeDigits() else { return nil }
    }
    if take(UInt8(ascii: ".")) {
      guard takeDigits() else { return nil }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard takeDigits() else { return nil }
    }
    guard position - start <= limits.digits else { return nil }
    return JSONValue.Number(unchecked: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func string() throws(JSONValue.ReadingError) -> String {
    position += 1
    var start = position
    var text: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        // Most texts have nothing escaped, and are read as they lie there.
        if text.isEmpty { return try decoded(bytes[start..<position]) }
        text += bytes[start..<position]
        return try decoded(text[...])
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        position += 1
        guard let scalar = escaped() else { throw failure("an escaped character") }
        text += String(scalar).utf8
        start = position
      case ..<0x20: throw failure("a text without control characters")
      default: position += 1
      }
    }
    throw failure("the end of a text")
  }

  private func decoded(_ bytes: ArraySlice<UInt8>) throws(JSONValue.ReadingError) -> String {
    if limits.repairsText { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("UTF-8") }
    return text
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
    guard (0xd800...0xdbff).contains(unit) else { return Unicode.Scalar(unit) ?? unreadable }
    let before = position
    guard take("\\u"), let low = hexadecimal(), (0xdc00...0xdfff).contains(low) else {
      position = before
      return unreadable
    }
    return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)) ?? unreadable
  }

  private var unreadable: Unicode.Scalar? { isLossless ? nil : "\u{fffd}" }

  private mutating func hexadecimal() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
    position += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpaces() {
    while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
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
