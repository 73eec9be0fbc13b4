// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import MainstayHTTP

/// Reads a part of an answer, and says where something is not as it has to be.
///
/// Members that nobody asks for are passed over: Ogmios adds some with each version.
struct OgmiosReader {
  let value: JSONValue
  let method: String
  /// Where the part stands in the result, as a JSON pointer (RFC 6901).
  let path: String

  init(_ value: JSONValue, method: String, path: String = "") {
    self.value = value
    self.method = method
    self.path = path
  }

  /// A member; where there is none, `null`.
  subscript(name: String) -> OgmiosReader {
    OgmiosReader(value[name] ?? .null, method: method, path: path + "/" + name)
  }

  var isNull: Bool { value == .null }

  /// Reads it where it is not `null`.
  func optional<T>(_ read: (OgmiosReader) throws(OgmiosError) -> T) throws(OgmiosError) -> T? {
    isNull ? nil : try read(self)
  }

  func text() throws(OgmiosError) -> String {
    guard let text = value.string else { throw wrong("a text") }
    return text
  }

  func flag() throws(OgmiosError) -> Bool {
    guard case .bool(let flag) = value else { throw wrong("true or false") }
    return flag
  }

  /// A whole number of any size that 128 bits hold.
  func amount() throws(OgmiosError) -> Int128 {
    guard case .number(let number) = value, let amount = Int128(number.text) else {
      throw wrong("a whole number")
    }
    return amount
  }

  func natural() throws(OgmiosError) -> UInt64 {
    guard case .number(let number) = value, let natural = UInt64(number.text) else {
      throw wrong("a whole number from zero on")
    }
    return natural
  }

  func integer() throws(OgmiosError) -> Int {
    guard let integer = value.integer else { throw wrong("a whole number") }
    return integer
  }

  /// A number of lovelace: as a value, as its part in ada, or bare.
  func lovelace() throws(OgmiosError) -> Int128 {
    if case .number = value { return try amount() }
    let ada = self["ada"]
    return try (ada.isNull ? self : ada)["lovelace"].amount()
  }

  func list<T>(_ read: (OgmiosReader) throws(OgmiosError) -> T) throws(OgmiosError) -> [T] {
    guard let items = value.array else { throw wrong("a list") }
    var result: [T] = []
    result.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      result.append(try read(OgmiosReader(item, method: method, path: "\(path)/\(index)")))
    }
    return result
  }

  func members<T>(
    _ read: (OgmiosReader) throws(OgmiosError) -> T
  ) throws(OgmiosError) -> [String: T] {
    guard case .object(let members) = value else { throw wrong("an object") }
    var result: [String: T] = [:]
    for name in members.keys { result[name] = try read(self[name]) }
    return result
  }

  /// A length of time: milliseconds, or as in older servers seconds.
  func length() throws(OgmiosError) -> Duration {
    let milliseconds = self["milliseconds"]
    if !milliseconds.isNull { return .milliseconds(Int64(clamping: try milliseconds.natural())) }
    let seconds = self["seconds"].isNull ? self : self["seconds"]
    guard case .number(let number) = seconds.value, let count = number.double,
      (0...1e12).contains(count)
    else { throw wrong("a length of time") }
    return .seconds(count)
  }

  /// A time by ISO 8601, with any number of digits for the part of a second: servers write nine of
  /// them, and twelve.
  func time() throws(OgmiosError) -> Date {
    var text = try text()
    var fraction = 0.0
    if let dot = text.firstIndex(of: ".") {
      let digits = text[text.index(after: dot)...].prefix { ("0"..."9").contains($0) }
      guard !digits.isEmpty, let part = Double("0." + digits.prefix(18)) else {
        throw wrong("a time by ISO 8601")
      }
      fraction = part
      text.removeSubrange(dot..<digits.endIndex)
    }
    guard let whole = try? Date(text, strategy: .iso8601) else {
      throw wrong("a time by ISO 8601")
    }
    return whole + fraction
  }

  func wrong(_ expected: String) -> OgmiosError {
    let found =
      switch value {
      case .null: "nothing"
      case .bool: "true or false"
      case .number: "a number"
      case .string: "a text"
      case .array: "a list"
      case .object: "an object"
      }
    let text = String(decoding: value.encoded.prefix(200), as: UTF8.self)
    return OgmiosError(
      .invalidResponse, method: method,
      note: "the result has \(found) at \"\(path)\" instead of \(expected): \(text)")
  }
}
