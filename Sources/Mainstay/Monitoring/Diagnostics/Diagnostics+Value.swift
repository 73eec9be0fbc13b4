// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Diagnostics {
  /// Any JSON, as a section has it.
  ///
  /// One that is nested more than 100 levels deep stands in no document. Far deeper ones, of many
  /// thousand levels, end the program by themselves: Swift releases them level by level.
  public indirect enum Value: Sendable, Hashable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A whole number.
    case integer(Int64)
    /// A text.
    case string(String)
    /// A list.
    case array([Value])
    /// Values by name.
    case object([String: Value])
  }
}

extension Diagnostics.Value {
  /// The value under a name; nil where it is no object or has none.
  public subscript(name: String) -> Self? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The value at a place; nil where it is no list or is shorter.
  public subscript(index: Int) -> Self? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension Diagnostics.Value {
  /// How many levels a value in a section has at most.
  static let maximumDepth = 100
  /// The same with what a document has around it.
  private static let longestPath = maximumDepth + 20

  /// How many levels of lists and objects it has; looks no deeper than is legal.
  func depth(from level: Int = 0) -> Int {
    guard level <= Self.maximumDepth else { return level }
    return switch self {
    case .array(let elements):
      elements.reduce(level + 1) { max($0, $1.depth(from: level + 1)) }
    case .object(let members):
      members.values.reduce(level + 1) { max($0, $1.depth(from: level + 1)) }
    default: level
    }
  }

  private static func isTooDeep(_ path: [any CodingKey]) -> Bool { path.count > longestPath }
  private static let tooDeep = "It is nested more than \(maximumDepth) levels deep"
}

extension Diagnostics.Value: Codable {
  /// Decodes any JSON.
  ///
  /// - Throws: `DecodingError` also where it is nested too deep.
  public init(from decoder: any Decoder) throws {
    guard !Self.isTooDeep(decoder.codingPath) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: Self.tooDeep))
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([Self].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: Self].self))
    }
  }

  /// Encodes the value as it is.
  ///
  /// - Throws: `EncodingError` also where it is nested too deep: encoders go down level by level,
  ///   and a stack ends.
  public func encode(to encoder: any Encoder) throws {
    guard !Self.isTooDeep(encoder.codingPath) else {
      throw EncodingError.invalidValue(
        "…", .init(codingPath: encoder.codingPath, debugDescription: Self.tooDeep))
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension Diagnostics.Value {
  /// The value without anybody's data: texts are redacted, and what stands under a name that speaks
  /// of a secret is taken out whatever it is.
  var redacted: Self {
    switch self {
    case .null, .bool, .number, .integer: self
    case .string(let text): .string(Redaction.redact(text))
    case .array(let elements): .array(elements.map(\.redacted))
    case .object(let members):
      .object(
        Dictionary(
          members.map { name, value in
            let isSecret = SecretName(name.utf8) != nil
            return (Redaction.redact(name), isSecret ? .string("<redacted>") : value.redacted)
          },
          uniquingKeysWith: { first, _ in first }))
    }
  }
}
