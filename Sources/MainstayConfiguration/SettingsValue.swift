// SPDX-License-Identifier: Apache-2.0

/// A single value, as the decoder of an enum or of an optional asks for it.
struct SettingsValue: SingleValueDecodingContainer {
  let scalar: Scalar
  let codingPath: [any CodingKey]
  let findings: SettingsDecoder.Findings

  func decodeNil() -> Bool { scalar.isNull || !scalar.isThere }

  func decode(_ type: Bool.Type) throws -> Bool { try found(type) }
  func decode(_ type: String.Type) throws -> String { try found(type) }
  func decode(_ type: Double.Type) throws -> Double { try found(type) }
  func decode(_ type: Float.Type) throws -> Float { try found(type) }
  func decode(_ type: Int.Type) throws -> Int { try found(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try found(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try found(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try found(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try found(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try found(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try found(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try found(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try found(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try found(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    switch type {
    case is Int.Type, is Double.Type, is Bool.Type, is String.Type: return try found(type)
    default:
      throw DecodingError.typeMismatch(
        type, .init(codingPath: codingPath, debugDescription: "it must be a plain value"))
    }
  }

  private func found<T>(_ type: T.Type) throws -> T {
    if scalar.isThere {
      findings.note()
    } else if findings.isProbe, let value = Faults.anything(of: type) {
      return value
    }
    return try scalar.decode(type, at: codingPath)
  }
}
