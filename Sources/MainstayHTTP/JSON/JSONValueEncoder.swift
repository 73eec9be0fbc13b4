// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Makes a ``JSONValue`` of an `Encodable` value, numbers with all their digits.
struct JSONValueEncoder: Encoder {
  /// The most levels; a type that holds itself for ever must not use up the stack.
  private static let maximumDepth = 512

  /// What is being written: containers of one encoder all write into it.
  final class Slot {
    var value: JSONValue?
    var elements: [Slot]?
    var members: [String: Slot]?

    var result: JSONValue? {
      if let members { return .object(members.compactMapValues(\.result)) }
      if let elements { return .array(elements.map { $0.result ?? .null }) }
      return value
    }
  }

  let slot: Slot
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(slot: Slot = Slot(), codingPath: [any CodingKey] = []) {
    self.slot = slot
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if slot.members == nil { slot.members = [:] }
    return KeyedEncodingContainer(Keyed(slot: slot, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if slot.elements == nil { slot.elements = [] }
    return Unkeyed(slot: slot, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  /// Writes one value of any type.
  func encode<T: Encodable>(_ value: T) throws {
    guard codingPath.count < Self.maximumDepth else {
      throw illegal(value, "at most \(Self.maximumDepth) levels")
    }
    switch value {
    case let value as JSONValue: slot.value = value
    case let value as String: slot.value = .string(value)
    case let value as Bool: slot.value = .bool(value)
    case let value as Date: slot.value = .string(Self.text(of: value))
    case let value as URL: slot.value = .string(value.absoluteString)
    case let value as Data: slot.value = .string(value.base64EncodedString())
    case let value as Decimal: slot.value = try number(value.description, value)
    case let value as Double: slot.value = try number(value.description, value)
    case let value as Float: slot.value = try number(value.description, value)
    case let value as any FixedWidthInteger: slot.value = .number(JSONValue.Number(value))
    default: try value.encode(to: self)
    }
  }

  /// Not a number, and the infinities, are no numbers of JSON.
  private func number(_ text: String, _ value: Any) throws -> JSONValue {
    let plain = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    guard let number = JSONValue.Number(plain) else { throw illegal(value, "a finite number") }
    return .number(number)
  }

  /// ISO 8601, with parts of a second where there are any.
  private static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let hasFraction = seconds != seconds.rounded()
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }

  private func illegal(_ value: Any, _ expected: String) -> any Error {
    EncodingError.invalidValue(
      value, EncodingError.Context(codingPath: codingPath, debugDescription: expected))
  }
}

extension JSONValueEncoder {
  private struct Single: SingleValueEncodingContainer {
    let encoder: JSONValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.slot.value = .null }
    func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
    // Encoders that have none of these two refuse them.
    func encode(_ value: Int128) { encoder.slot.value = .number(.init(value)) }
    func encode(_ value: UInt128) { encoder.slot.value = .number(.init(value)) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var count: Int { slot.elements?.count ?? 0 }

    func encodeNil() { next().slot.value = .null }
    func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }
    func encode(_ value: Int128) { next().slot.value = .number(.init(value)) }
    func encode(_ value: UInt128) { next().slot.value = .number(.init(value)) }
    func superEncoder() -> any Encoder { next() }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

    func nestedContainer<Key: CodingKey>(
      keyedBy type: Key.Type
    ) -> KeyedEncodingContainer<Key> {
      next().container(keyedBy: type)
    }

    private func next() -> JSONValueEncoder {
      let element = JSONValueEncoder(codingPath: codingPath + [JSONPlace(count)])
      slot.elements?.append(element.slot)
      return element
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { member(key).slot.value = .null }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

    func encode(_ value: Int128, forKey key: Key) {
      member(key).slot.value = .number(.init(value))
    }

    func encode(_ value: UInt128, forKey key: Key) {
      member(key).slot.value = .number(.init(value))
    }

    func superEncoder() -> any Encoder { member(JSONPlace("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      member(key).unkeyedContainer()
    }

    private func member(_ key: any CodingKey) -> JSONValueEncoder {
      // Asked for twice, a nested container goes on where it was.
      let known = slot.members?[key.stringValue]
      let member = JSONValueEncoder(slot: known ?? Slot(), codingPath: codingPath + [key])
      if known == nil { slot.members?[key.stringValue] = member.slot }
      return member
    }
  }
}
