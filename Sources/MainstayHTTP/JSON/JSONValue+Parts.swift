// SPDX-License-Identifier: Apache-2.0

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

  /// `true` or `false`; nil for any other value.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The whole number of 64 bits; nil for any other value.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The whole number of 64 bits without a sign; nil for any other value.
  public var unsigned: UInt64? {
    if case .number(let number) = self { UInt64(number.text) } else { nil }
  }

  /// The number as nearly as 64 bits allow; nil for any other value, and where it is too large.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The digits of a whole number of any size, with its sign; nil for any other value.
  public var wholeDigits: String? {
    if case .number(let number) = self { number.wholeDigits } else { nil }
  }

  /// The elements of a list; nil for any other value.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; nil for any other value.
  public var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }
}
