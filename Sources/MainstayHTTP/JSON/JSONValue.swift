// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Any value of JSON, kept as it was written: nothing is rounded and nothing is left out.
///
/// Of members with one name the last counts; names that Unicode calls equal are one. Objects are
/// written in the order of their names. Source: RFC 8259.
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

    /// Makes a whole number of any width.
    public init(_ value: some BinaryInteger) { text = String(value) }

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
    do throws(ReadingError) {
      try self.init(reading: data)
    } catch _ {
      return nil
    }
  }

  /// The document, the same bytes for equal values.
  public var encoded: Data {
    var writer = JSONWriter()
    writer.write(self)
    return Data(writer.bytes)
  }
}

extension JSONValue.Number {
  /// The digits where the number is a whole one, however it was written: `1.0` and `1e3` too.
  ///
  /// A sign stands before them where it is below zero. Nil for any other number, and for one with
  /// more than 1,000 digits.
  public var wholeDigits: String? {
    let bytes = Array(text.utf8)
    let isNegative = bytes.first == UInt8(ascii: "-")
    let mantissa = bytes.dropFirst(isNegative ? 1 : 0).prefix { $0 | 0x20 != UInt8(ascii: "e") }
    let exponentText = String(
      decoding: bytes.dropFirst(mantissa.endIndex + 1), as: UTF8.self)
    let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, let exponent = exponentText.isEmpty ? 0 : Int(exponentText)
    else { return nil }
    var digits = whole + (parts.count > 1 ? parts[1] : [])
    guard digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return "0" }
    let fraction = parts.count > 1 ? parts[1].count : 0
    let (shift, overflow) = exponent.subtractingReportingOverflow(fraction)
    guard !overflow, shift <= 1_000, shift >= -digits.count else { return nil }
    if shift < 0 {
      guard digits.suffix(-shift).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
      digits.removeLast(-shift)
    } else {
      digits += Array(repeating: UInt8(ascii: "0"), count: shift)
    }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard significant.count <= 1_000 else { return nil }
    return (isNegative ? "-" : "") + String(decoding: significant, as: UTF8.self)
  }
}
