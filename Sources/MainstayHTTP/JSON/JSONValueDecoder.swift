// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Reads a `Decodable` type from a ``JSONValue``, numbers with all their digits.
struct JSONValueDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.object else { throw mismatch([String: JSONValue].self, "an object") }
    return KeyedDecodingContainer(Keyed(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.array else { throw mismatch([JSONValue].self, "an array") }
    return Unkeyed(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// Reads one value of any type.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let found: Any? =
      switch type {
      case is JSONValue.Type: value
      case is String.Type: value.string
      case is Bool.Type: value.bool
      case is Date.Type: value.string.flatMap(Self.date)
      case is URL.Type: value.string.flatMap { URL(string: $0) }
      case is Data.Type: value.string.flatMap { Data(base64Encoded: $0) }
      case is Decimal.Type: decimal
      case is Double.Type: value.double
      case is Float.Type: value.double.flatMap { Float(exactly: Float($0)) }
      case let type as any FixedWidthInteger.Type: integer(type)
      default: try T(from: self)
      }
    guard let result = found as? T else { throw mismatch(type, String(describing: type)) }
    return result
  }

  private func integer<I: FixedWidthInteger>(_ type: I.Type) -> Any? {
    value.wholeDigits.flatMap { I($0) }
  }

  private var decimal: Decimal? {
    guard case .number(let number) = value else { return nil }
    return Decimal(string: number.text, locale: Locale(identifier: "en_US_POSIX"))
  }

  /// A date of ISO 8601, with parts of a second or without.
  private static func date(_ text: String) -> Date? {
    let plain = Date.ISO8601FormatStyle()
    return (try? Date(text, strategy: plain))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }

  func mismatch(_ type: Any.Type, _ expected: String) -> any Error {
    guard value != .null else {
      return DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: expected))
    }
    return DecodingError.typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: expected))
  }
}

extension JSONValueDecoder {
  private struct Single: SingleValueDecodingContainer {
    let decoder: JSONValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
    // Decoders that have none of these two refuse them.
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.decode(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.decode(type) }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
      self.elements = elements
      self.codingPath = codingPath
    }

    mutating func decodeNil() throws -> Bool {
      guard try current(JSONValue.self).value == .null else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try taken(type) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try taken(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try taken(type) }

    private mutating func taken<T: Decodable>(_ type: T.Type) throws -> T {
      let result = try current(type).decode(type)
      currentIndex += 1
      return result
    }

    mutating func nestedContainer<Key: CodingKey>(
      keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
      let container = try current(JSONValue.self).container(keyedBy: type)
      currentIndex += 1
      return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      let container = try current(JSONValue.self).unkeyedContainer()
      currentIndex += 1
      return container
    }

    mutating func superDecoder() throws -> any Decoder {
      defer { currentIndex += 1 }
      return try current(JSONValue.self)
    }

    private func current(_ type: Any.Type) throws -> JSONValueDecoder {
      let path = codingPath + [JSONPlace(currentIndex)]
      guard elements.indices.contains(currentIndex) else {
        throw DecodingError.valueNotFound(
          type, DecodingError.Context(codingPath: path, debugDescription: "another element"))
      }
      return JSONValueDecoder(value: elements[currentIndex], codingPath: path)
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value == .null }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try member(key).decode(type)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
      try member(key).decode(type)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
      try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder(of: JSONPlace("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(of: key) }

    private func member(_ key: Key) throws -> JSONValueDecoder {
      guard members[key.stringValue] != nil else {
        throw DecodingError.keyNotFound(
          key,
          DecodingError.Context(codingPath: codingPath + [key], debugDescription: "a member"))
      }
      return decoder(of: key)
    }

    private func decoder(of key: any CodingKey) -> JSONValueDecoder {
      JSONValueDecoder(value: members[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }
  }
}

/// One step on the way to a value.
struct JSONPlace: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
