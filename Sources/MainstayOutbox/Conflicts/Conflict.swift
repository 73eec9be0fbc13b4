// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What the other side has of a record, with the version by which it knows it.
public struct VersionedState<Record: Sendable>: Sendable {
  /// The record.
  public var state: RecordState<Record>
  /// The other side's name for this version, such as an entity tag; nil where it has none.
  ///
  /// Versions are only compared for being the same.
  public var version: String?

  /// Makes a version.
  public init(_ state: RecordState<Record>, version: String?) {
    self.state = state
    self.version = version
  }
}

extension VersionedState: Equatable where Record: Equatable {}
extension VersionedState: Encodable where Record: Encodable {}
extension VersionedState: Decodable where Record: Decodable {}

/// Two versions of a record that somebody has to put together.
///
/// Only this record waits; readers see the local version, with a mark.
public struct Conflict<Record: Sendable>: Sendable, Identifiable {
  /// The name of the record.
  public let record: String
  /// What the other side had when this side last took it over or wrote it; `missing` where that is
  /// not known.
  public let base: RecordState<Record>
  /// What this side has.
  public let local: RecordState<Record>
  /// What the other side has; the precondition of what resolves the conflict.
  public let remote: VersionedState<Record>
  /// What could be put together, with this side's value of the fields in conflict: a start for
  /// whoever decides.
  ///
  /// It is ``local`` where a cause is ``FieldConflict/Cause/outcomeUnknown``.
  public let suggestion: RecordState<Record>
  /// The fields that somebody has to decide about, each with its cause; at least one.
  public let fields: [FieldConflict]
  /// When the record came into conflict; newer remote versions leave it.
  public let since: Date

  /// The name of the record.
  public var id: String { record }

  /// Why nothing could decide, each cause once.
  public var causes: Set<FieldConflict.Cause> { Set(fields.map(\.cause)) }

  /// Makes a conflict.
  public init(
    record: String, base: RecordState<Record>, local: RecordState<Record>,
    remote: VersionedState<Record>, suggestion: RecordState<Record>, fields: [FieldConflict],
    since: Date
  ) {
    self.record = record
    self.base = base
    self.local = local
    self.remote = remote
    self.suggestion = suggestion
    self.fields = fields
    self.since = since
  }
}

extension Conflict where Record: Equatable {
  /// What becomes of the record by the sides that a person chose; of a field in conflict that is
  /// not named, this side's value stands.
  func decided(
    _ choices: [String: MergeSide], by policy: MergePolicy<Record>
  ) -> MergeResult<Record> {
    var choices = choices
    func merged() -> MergeResult<Record> {
      policy.merge(base: base, local: local, remote: remote.state, choosing: choices)
    }
    // What could be put together has no field in conflict where one of these is the cause.
    let undivided: Set<FieldConflict.Cause> = [.noRemote, .tooManyMerges]
    for conflict in fields where !undivided.contains(conflict.cause) {
      choices[conflict.field] = choices[conflict.field] ?? .local
    }
    let result = merged()
    // The policy may be another one than found the conflict.
    let others = result.conflicts.filter { choices[$0.field] == nil }
    guard !others.isEmpty else { return result }
    for conflict in others { choices[conflict.field] = .local }
    return merged()
  }
}

extension Conflict: Equatable where Record: Equatable {}
extension Conflict: Encodable where Record: Encodable {}
extension Conflict: Decodable where Record: Decodable {}
