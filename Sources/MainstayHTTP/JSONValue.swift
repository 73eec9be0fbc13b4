// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Any value of JSON, kept as it was written: nothing is rounded and nothing is left out.
///
/// Of members with one name the last counts, and objects are written in the order of their names.
/// Source: RFC 8259.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with all its digits.
  case number(Number)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by their names.
  case object([String: JSONValue])

  /// A number as JSON writes it; those beyond 64 bits keep all their digits.
  public struct Number: Sendable, Hashable {
    /// The number as it was written.
    public let text: String

    /// Makes a whole number.
    public init(_ value: Int) { text = String(value) }

    /// Reads a number; nil for what JSON does not take as one, such as `1.` or `NaN`.
    ///
    /// - Parameter text: The number, of at most 1,000 characters.
    public init?(_ text: String) {
      guard text.utf8.count <= 1_000 else { return nil }
      var reader = JSONReader(Array(text.utf8))
      guard let number = reader.number(), reader.isAtEnd else { return nil }
      self = number
    }

    init(unchecked text: String) { self.text = text }

    /// The number where it is a whole one of 64 bits; nil for any other, `1.0` and `1e3` included.
    public var integer: Int? { Int(text) }

    /// The number as nearly as 64 bits allow; nil where it is too large for that.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
  }

  /// Reads a document.
  ///
  /// Nil is returned for what is no JSON and for what is longer than 1,000,000 bytes, deeper than
  /// 64 levels, or has a number of more than 1,000 digits. Bytes in texts that are not valid UTF-8
  /// are replaced.
  ///
  /// - Parameter data: The document.
  public init?(json data: Data) {
    guard data.count <= 1_000_000 else { return nil }
    var reader = JSONReader(Array(data))
    guard let value = reader.document() else { return nil }
    self = value
  }

  /// The document, the same bytes for equal values.
  public var encoded: Data {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return Data(bytes)
  }
}

extension JSONValue {
  /// A whole number.
  public static func integer(_ value: Int) -> JSONValue { .number(Number(value)) }

  /// A member of an object; nil where there is none, and for what is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text; nil for any other value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number of 64 bits; nil for any other value.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The elements of a list; nil for any other value.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension JSONValue {
  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += String(value).utf8
    case .number(let number): bytes += number.text.utf8
    case .string(let text): JSONText.write(text, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
