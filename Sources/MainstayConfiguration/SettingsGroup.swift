// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation

/// A group of settings, some of them in a snapshot and some in what they are laid over.
struct SettingsGroup<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let snapshot: ConfigSnapshotReader
  let base: [String: Data]
  let codingPath: [any CodingKey]
  let findings: SettingsDecoder.Findings

  /// The keys of what is below; a snapshot does not list its own.
  var allKeys: [Key] { base.keys.sorted().compactMap { Key(stringValue: $0) } }

  /// Whether a single value is there, or null: a group is there once it was decoded.
  func contains(_ key: Key) -> Bool {
    let isThere = scalar(key).isThere
    if isThere { findings.note() }
    return isThere || base[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    scalar(key).isThere ? scalar(key).isNull : base[key.stringValue].map(isNull) ?? true
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(type, key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try composed(type, key) ?? missing(type, key)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard scalar(key).isNull else { return try composed(type, key) }
    findings.note()
    return nil
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try below(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try below(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    SettingsDecoder(
      Super.super, in: snapshot, path: codingPath,
      findings: .init(in: findings, isProbe: findings.isProbe))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }

  private enum Super: String, CodingKey {
    case `super`
  }
}

extension SettingsGroup {
  private func scalar(_ key: Key) -> Scalar {
    Scalar(
      snapshot: snapshot, key: key.stringValue, isHidden: findings.faults.hide(codingPath + [key]))
  }

  /// A decoder of what has a key here; that of a probe goes by what is laid under as well.
  private func below(_ key: Key, isProbe: Bool = false) throws -> SettingsDecoder {
    let isProbe = isProbe || findings.isProbe
    let documents = try isProbe ? base[key.stringValue].map(SettingsDecoder.documents) : nil
    return SettingsDecoder(
      key, in: snapshot, path: codingPath, base: documents ?? [:],
      findings: .init(in: findings, isProbe: isProbe))
  }

  private func isNull(_ document: Data) -> Bool { document == Data("null".utf8) }

  /// A value of a type that providers know.
  private func plain<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
    let scalar = scalar(key)
    guard scalar.isThere else {
      return try laidUnder(type, key) ?? missing(type, key)
    }
    findings.note()
    return try scalar.decode(type, at: codingPath + [key])
  }

  /// What stands in the place of a value that is missing.
  private func missing<T>(_ type: T.Type, _ key: Key) throws -> T {
    if let value = findings.invention(of: type, at: codingPath + [key]) { return value }
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: "it must be set"))
  }

  /// A value that says itself what it is made of; nil where nothing of it is there.
  private func composed<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    if let text = scalar(key).text, text.hasPrefix("{") || text.hasPrefix("[") {
      findings.note()
      return try document(Data(text.utf8), as: type, at: codingPath + [key])
    }
    let decoder = try below(key)
    let result = Result { try T(from: decoder) }
    if let text = scalar(key).text, case .failure(DecodingError.dataCorrupted(let context)) = result
    {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: context.codingPath,
          debugDescription: Self.words(of: type) ?? context.debugDescription,
          underlyingError: UnfitText(text: text)))
    }
    let isThere =
      try decoder.findings.count > 0 || scalar(key).isThere || isMentioned(type, key, result)
    if isThere { return try result.get() }
    if let value = try laidUnder(type, key) { return value }
    // A probe goes on with whatever there is.
    guard findings.isProbe, case .success(let value) = result else { return nil }
    return value
  }

  /// Whether something of a group is there that ended before it had asked for it.
  private func isMentioned<T: Decodable>(
    _ type: T.Type, _ key: Key, _ result: Result<T, any Error>
  ) throws -> Bool {
    guard !findings.isProbe, case .failure = result else { return false }
    let probe = try below(key, isProbe: true)
    // How it ends is of no interest.
    _ = Result { try T(from: probe) }
    return probe.findings.count > 0
  }

  /// The words that are legal for a type that lists them; nil for others.
  private static func words(of type: Any.Type) -> String? {
    func list<C: CaseIterable>(_ type: C.Type) -> [String] {
      type.allCases.map { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\($0)" }
    }
    guard let words = (type as? any CaseIterable.Type).map({ list($0) }) else { return nil }
    return "it must be one of " + words.joined(separator: ", ")
  }

  /// What is said below; nil where nothing is.
  private func laidUnder<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    guard let document = base[key.stringValue], !isNull(document) || T.self is any Nullable.Type
    else { return nil }
    return try self.document(document, as: type, at: codingPath + [key])
  }

  /// A document in JSON, whose mistakes are told where the text stands.
  private func document<T: Decodable>(
    _ data: Data, as type: T.Type, at path: [any CodingKey]
  ) throws -> T {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      let text = String(decoding: data.prefix(200), as: UTF8.self)
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: path, debugDescription: "it must be in JSON what this setting is made of",
          underlyingError: UnfitText(text: text, cause: error)))
    }
  }
}

/// An optional type, whose value may be the JSON word `null`.
private protocol Nullable {}
extension Optional: Nullable {}
