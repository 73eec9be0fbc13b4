// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What is kept of a record: a `VersionedState`, and whose base it is where nothing was heard yet.
struct KeptState<Record: Codable & Sendable>: Codable {
  let state: RecordState<Record>
  let version: String?
  let beginning: OperationID?
  /// The kind of what wrote it; nil where a worker threw it.
  let kind: String?

  init(_ remote: VersionedState<Record>, of kind: OperationKind, beginning: OperationID? = nil) {
    (state, version) = (remote.state, remote.version)
    (self.kind, self.beginning) = (kind.rawValue, beginning)
  }

  /// Reads what is kept, with a mark or without; nil where it has another form.
  init?(_ latest: Data) {
    guard let kept = try? PayloadCoding.decode(Self.self, from: latest.withoutMark) else {
      return nil
    }
    self = kept
  }

  var remote: VersionedState<Record> { VersionedState(state, version: version) }
}

/// What can be read of what is kept where the record has another form.
struct KeptNote: Decodable {
  let version: String?
  let beginning: OperationID?
  let kind: String?
  private let state: Unread

  private struct Unread: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// Reads what is kept, with a mark or without; nil where it is none of a ``MergingOperation``.
  init?(_ latest: Data) {
    guard let note = try? PayloadCoding.decode(Self.self, from: latest.withoutMark) else {
      return nil
    }
    self = note
  }
}

extension Data {
  /// What is kept of a record, as far as it is news to an operation: what it began with itself may
  /// have been replaced with its payload since.
  func news(to id: OperationID) -> Data? {
    // What cannot be read is no base of anybody.
    KeptNote(self)?.beginning == id ? nil : self
  }
}

/// What lies beside a payload is brought up with it by the app's own step, which makes a newer base
/// of an older one.
extension MergingOperation {
  /// Whether what is kept is in the form of this operation.
  static func reads(_ latest: Data) -> Bool { KeptState<Record>(latest) != nil }

  /// What a document of the other side says; its version alone where the record has another form.
  static func known(
    _ remote: Data, beside stored: StoredOperation, _ workers: [PayloadType: Worker]
  ) -> VersionedState<Record> {
    let remote = workers.kept(remote, beside: stored, as: Self.self)
    if let kept = KeptState<Record>(remote) { return kept.remote }
    return VersionedState(.missing, version: KeptNote(remote)?.version)
  }

  /// The same operation, as if it had begun with what is kept; nil where that has another form.
  func begun(with latest: Data) -> Self? {
    guard let kept = KeptState<Record>(latest) else { return nil }
    var operation = self
    operation.base = kept.remote
    return operation
  }

  /// What this operation began with, in the place of what is kept in an older form.
  func base(insteadOf latest: Data) -> Data? {
    guard let note = KeptNote(latest) else { return nil }
    let base = VersionedState(base.state, version: base.version ?? note.version)
    let kept = KeptState(
      base, of: note.kind.map { OperationKind(rawValue: $0) } ?? Self.kind,
      beginning: note.beginning)
    // What cannot be encoded stays as it is.
    return (try? PayloadCoding.encode(kept)).map { latest.isOutdated ? $0.outdated : $0 }
  }
}

extension Worker {
  /// Brings up what is kept of a record to the newest form; nil where that cannot be done.
  typealias Kept = @Sendable (_ payload: Data, _ latest: Data) -> Data?

  /// Brings up what is kept beside a payload of an older form, step by step.
  ///
  /// - Parameters:
  ///   - newer: Does so from the next form on; nil where nothing is merged.
  ///   - old: The older form.
  ///   - upcast: Makes the newer form of the older.
  /// - Returns: Nil where nothing is merged.
  static func kept<Old: QueuedOperation, New: QueuedOperation>(
    _ newer: Kept?, from old: Old.Type, _ upcast: @escaping @Sendable (Old) throws -> New
  ) -> Kept? {
    guard let newer else { return nil }
    return { payload, latest in
      // What cannot be brought up is parked by its run, which says why.
      guard let old = try? Old.decode(payload), let next = try? upcast(old).encoded() else {
        return nil
      }
      // The newest form first: an older one often reads it, too, and knows nothing of what is new.
      if let found = newer(next, latest) { return found }
      guard let merging = old as? any MergingOperation,
        let begun = merging.begun(with: latest) as? Old,
        let later = try? upcast(begun) as? any MergingOperation,
        let lifted = later.base(insteadOf: latest)
      else { return nil }
      return newer(next, lifted)
    }
  }
}

extension [PayloadType: Worker] {
  /// What is kept of the record of an operation, in the form of the type that it is read as.
  func kept<Operation: MergingOperation>(
    _ latest: Data, beside stored: StoredOperation, as type: Operation.Type
  ) -> Data {
    guard stored.type != type.payloadType, let worker = self[stored.type],
      worker.newest == type.payloadType
    else { return latest }
    return worker.kept?(stored.payload, latest) ?? latest
  }
}
