// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation

/// Decodes settings from the values of a snapshot, which tells a value by its key but lists none.
///
/// A group that is not there looks like one whose keys are all missing, so a group counts as there
/// once one of its keys was found. Where it ends before it has asked for all of them, a probe asks
/// for the others. A group may also be given as a text in JSON, as a list has to be.
struct SettingsDecoder: Decoder {
  /// What was found so far in a group and the groups in it.
  final class Findings {
    private let parent: Findings?
    /// What is known to be wrong, by the path of each key.
    let faults: Faults
    /// Whether what is decoded is thrown away, and only what is asked for counts: then something
    /// stands in the place of all that is missing.
    let isProbe: Bool
    private(set) var count = 0

    init(without faults: Faults) {
      parent = nil
      self.faults = faults
      isProbe = false
    }

    init(in parent: Findings, isProbe: Bool) {
      self.parent = parent
      faults = parent.faults
      self.isProbe = isProbe
    }

    /// What stands in the place of a value that is missing; nil where that is nothing.
    func invention<T>(of type: T.Type, at path: [any CodingKey]) -> T? {
      isProbe ? Faults.anything(of: type) : faults.invention(of: type, at: path)
    }

    func note() {
      count += 1
      parent?.note()
    }
  }

  /// Where the group or value lies: a snapshot that is scoped to what holds it, and its key there.
  let snapshot: ConfigSnapshotReader
  let key: String?
  /// The settings where the snapshot says nothing, each key as a document in JSON.
  let base: [String: Data]
  let codingPath: [any CodingKey]
  let findings: Findings

  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// A decoder of what lies at the top of a snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The values.
  ///   - base: The settings where the snapshot says nothing, each key as a document in JSON.
  ///   - faults: What is known to be wrong, and so passed over.
  init(_ snapshot: ConfigSnapshotReader, base: [String: Data], without faults: Faults) {
    self.snapshot = snapshot
    self.key = nil
    self.base = base
    self.codingPath = []
    self.findings = Findings(without: faults)
  }

  /// A decoder of what has a key in a group.
  init(
    _ key: any CodingKey, in snapshot: ConfigSnapshotReader, path: [any CodingKey],
    base: [String: Data] = [:], findings: Findings
  ) {
    self.snapshot = snapshot
    self.key = key.stringValue
    self.base = base
    self.codingPath = path + [key]
    self.findings = findings
  }

  /// Each key of a document in JSON with its value, again in JSON; none where it has no keys.
  static func documents(in document: Data) throws -> [String: Data] {
    let whole = try JSONSerialization.jsonObject(with: document, options: .fragmentsAllowed)
    guard let keys = whole as? [String: Any] else { return [:] }
    return try keys.mapValues {
      try JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    let scoped = key.map { snapshot.scoped(to: ConfigKey([$0])) } ?? snapshot
    return KeyedDecodingContainer(
      SettingsGroup<Key>(
        snapshot: scoped, base: base, codingPath: codingPath, findings: findings))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DecodingError.typeMismatch(
      [String].self,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "it must be a text in JSON to be a list"))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard let key else {
      throw DecodingError.typeMismatch(
        String.self,
        DecodingError.Context(codingPath: codingPath, debugDescription: "it must be a group"))
    }
    return SettingsValue(
      scalar: Scalar(
        snapshot: snapshot, key: key, isHidden: findings.faults.hide(codingPath)),
      codingPath: codingPath, findings: findings)
  }
}
