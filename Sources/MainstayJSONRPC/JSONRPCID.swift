// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// What ties an answer to its request; any value of JSON may be one.
///
/// Two ids are equal where servers mean the same by them: `1` and `1.0` are one number. Source:
/// JSON-RPC 2.0, section 4.
public enum JSONRPCID: Sendable, Hashable {
  /// A number, with all its digits.
  case number(JSONValue.Number)
  /// A text.
  case string(String)
  /// `null`: in an answer, that of a server that could not read the id.
  case null
  /// Any other value, which some servers take and send back as it was.
  case other(JSONValue)

  /// Makes an id of a value of JSON.
  ///
  /// - Parameter value: The value.
  public init(_ value: JSONValue) {
    switch value {
    case .number(let number): self = .number(Self.plain(number))
    case .string(let text): self = .string(text)
    case .null: self = .null
    default: self = .other(value)
    }
  }

  /// Makes the id of a whole number.
  ///
  /// - Parameter number: The number.
  public init(_ number: Int) { self = .number(JSONValue.Number(number)) }

  /// The id as a value of JSON.
  public var value: JSONValue {
    switch self {
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    case .null: .null
    case .other(let value): value
    }
  }

  /// Whether servers mean the same by two ids, however they are written.
  public static func == (left: JSONRPCID, right: JSONRPCID) -> Bool {
    left.plain == right.plain
  }

  /// Feeds what is equal for ids that are.
  public func hash(into hasher: inout Hasher) { hasher.combine(plain) }

  /// The value with a whole number as its digits alone, whichever case has it.
  private var plain: JSONValue {
    if case .number(let number) = value { .number(Self.plain(number)) } else { value }
  }

  /// A whole number without the fraction of zeros that some servers add, and without an exponent.
  private static func plain(_ number: JSONValue.Number) -> JSONValue.Number {
    guard number.text.utf8.contains(where: { !(0x30...0x39).contains($0) }),
      let digits = number.wholeDigits
    else { return number }
    return JSONValue.Number(digits) ?? number
  }
}

extension JSONRPCID: CustomStringConvertible {
  /// The id as JSON, cut to 64 characters, for logs.
  public var description: String {
    String(String(decoding: value.encoded.prefix(256), as: UTF8.self).prefix(64))
  }
}
