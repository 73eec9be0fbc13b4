// SPDX-License-Identifier: Apache-2.0

// There is no literal for `nil`, which stands for "no parameters" where those are optional, and
// none for a fraction: as a `Double` it is not what was written.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes `true` or `false` of a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes a whole number of a literal.
  public init(integerLiteral value: Int) { self = .integer(value) }

  /// Makes a text of a literal.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a list of a literal.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Makes an object of a literal; of members with one name the last counts, as in a document.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

extension JSONValue: CustomStringConvertible {
  /// The document as text, as ``encoded`` has it.
  public var description: String { String(decoding: encoded, as: UTF8.self) }
}
