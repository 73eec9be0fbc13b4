// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Worker {
  /// This worker, and one for the form that came before: what waits in that form on a disk is
  /// brought up to this worker's, each time it is run.
  ///
  /// ```swift
  /// Worker(for: SyncTwin.self) { twin, context in … }
  ///   .upcasting(from: SyncTwinV1.self) { old in SyncTwin(id: old.id, isNew: false) }
  /// ```
  ///
  /// Forms go up step by step: call it again for the form before that. The bytes on the disk stay
  /// as they are until the operation is done, so an app that goes back a version still reads them.
  ///
  /// Of a ``MergingOperation``, what the other side is known to have is brought up with it:
  /// `upcast` is asked for it as the ``MergingOperation/base`` of the operation, and so more than
  /// once.
  ///
  /// - Parameters:
  ///   - old: The form before; the same kind, and a smaller version.
  ///   - upcast: Makes the newer form of the older; what it throws parks the operation.
  /// - Returns: Both workers, for the list of an outbox.
  public func upcasting<Old: QueuedOperation, New: QueuedOperation>(
    from old: Old.Type, _ upcast: @escaping @Sendable (Old) throws -> New
  ) -> [Worker] {
    [self].upcasting(from: old, upcast)
  }

  /// A worker of the same rules for payloads of another form.
  fileprivate func reading(
    _ type: PayloadType, kept: Kept?, _ convert: @escaping @Sendable (Data) throws -> Data
  ) -> Worker {
    var ask: Ask?
    if let reconcile {
      ask = { data, context in try await reconcile(try convert(data), context) }
    }
    var step: MergeStep.Make?
    if let merge { step = { data, latest in try merge(try convert(data), latest) } }
    var left: MergeStep.Applied?
    if let applied {
      left = { data, latest in
        try applied(try convert(data), latest.map { kept?(data, $0) ?? $0 })
      }
    }
    var there: MergeStep.IsThere?
    if let isThere {
      there = { data, latest, remote in
        try isThere(try convert(data), latest.map { kept?(data, $0) ?? $0 }, remote)
      }
    }
    var worker = Worker(
      type: type, newest: newest, rules: rules,
      perform: { [perform] data, context in
        let latest = context.run.latest
        var context = context
        context.run.latest = { try await latest().map { kept?(data, $0) ?? $0 } }
        return try await perform(try convert(data), context)
      },
      reconcile: ask, merge: step, applied: left, isThere: there, kept: kept,
      read: { [read] data in try read(try convert(data)) })
    (worker.gates, worker.site) = (gates, site)
    return worker
  }
}

extension [Worker] {
  /// These workers, and one for the form before the oldest that they read.
  ///
  /// - Parameters:
  ///   - old: The form before; the same kind, and a smaller version.
  ///   - upcast: Makes the newer form of the older; what it throws parks the operation.
  /// - Returns: All workers, for the list of an outbox.
  public func upcasting<Old: QueuedOperation, New: QueuedOperation>(
    from old: Old.Type, _ upcast: @escaping @Sendable (Old) throws -> New
  ) -> [Worker] {
    guard let newer = last else { return self }
    let (oldType, newType) = (Old.payloadType, New.payloadType)
    precondition(
      newType == newer.type,
      "upcasting to \(newType.kind) \(newType.version), but the worker before it reads "
        + "\(newer.type.kind) \(newer.type.version)")
    precondition(
      oldType.kind == newType.kind && oldType.version < newType.version,
      "upcasting from \(oldType.kind) \(oldType.version) to \(newType.kind) \(newType.version) is "
        + "not legal: the same kind and a smaller version")
    let kept = Worker.kept(newer.kept, from: old, upcast)
    let worker = newer.reading(oldType, kept: kept) { data in
      let old = try Old.decode(data)
      do {
        return try upcast(old).encoded()
      } catch {
        throw UnreadablePayload(cause: error)
      }
    }
    return self + [worker]
  }
}

extension [PayloadType: Worker] {
  /// What a payload of a type is brought up to by the worker that reads it.
  func newest(of type: PayloadType) -> PayloadType { self[type]?.newest ?? type }

  /// An operation as a value of a type, which is that of the form that it waits in, or the newest
  /// that its worker brings it up to.
  ///
  /// - Returns: Nil where the type is neither, or it cannot be read.
  func decoded<Operation: QueuedOperation>(
    _ stored: StoredOperation, as type: Operation.Type = Operation.self
  ) -> Operation? {
    if let operation = stored.decoded(as: type) { return operation }
    guard stored.type != type.payloadType, let worker = self[stored.type],
      worker.newest == type.payloadType
    else { return nil }
    // What cannot be brought up is parked by its run, which says why.
    return (try? worker.read(stored.payload)).flatMap { try? Operation.decode($0) }
  }
}
