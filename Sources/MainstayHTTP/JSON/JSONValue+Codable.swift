// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension JSONValue {
  /// Makes a value of one that can be encoded, numbers with all their digits.
  ///
  /// Dates become texts of ISO 8601 and bytes texts of base 64.
  ///
  /// - Parameter value: What is encoded, of at most 512 levels.
  /// - Throws: `EncodingError` where it has more levels or a number that is not finite, and what
  ///   the value itself throws.
  public init(encoding value: some Encodable) throws {
    let encoder = JSONValueEncoder()
    try encoder.encode(value)
    self = encoder.slot.result ?? .null
  }

  /// Reads a type, numbers with all their digits.
  ///
  /// Dates are texts of ISO 8601 and bytes texts of base 64. A whole number may be written in any
  /// way, `1.0` and `1e3` included, as long as the type has room for it.
  ///
  /// - Parameter type: The type.
  /// - Returns: A value of the type.
  /// - Throws: ``ReadingError`` with the place and the type that was expected there.
  public func decode<T: Decodable>(as type: T.Type) throws(ReadingError) -> T {
    do {
      return try JSONValueDecoder(value: self, codingPath: []).decode(type)
    } catch {
      throw ReadingError(error)
    }
  }
}

extension JSONValue.ReadingError {
  fileprivate init(_ error: any Error) {
    func made(_ context: DecodingError.Context, _ expected: String) -> Self {
      let tokens = context.codingPath.map { key in
        BoundedText.cut(key.intValue.map(String.init) ?? key.stringValue, to: 64)
      }
      return Self(at: JSONPointer(tokens: tokens), expected: expected, cause: error)
    }
    self =
      switch error {
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
        made(context, context.debugDescription)
      case let error as JSONValue.ReadingError: error
      default: Self(at: JSONPointer(tokens: []), expected: "what the type takes", cause: error)
      }
  }
}

extension JSONValue: Codable {
  /// Decodes any value.
  ///
  /// Foundation's decoder has rounded large numbers by then; ``init(reading:limits:)`` does not.
  ///
  /// - Throws: `DecodingError` where it is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.value
    } else if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .number(Number(value))
    } else if let value = try? container.decode(Decimal.self),
      let number = Number(value.description)
    {
      self = .number(number)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Encodes the value.
  ///
  /// Foundation's encoder takes numbers of at most 38 digits; ``encoded`` takes any.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    case .number(let number):
      if let value = Int(number.text) {
        try container.encode(value)
      } else if let value = UInt64(number.text) {
        try container.encode(value)
      } else if let value = Decimal(string: number.text) {
        try container.encode(value)
      } else {
        try container.encode(number.double)
      }
    }
  }
}
