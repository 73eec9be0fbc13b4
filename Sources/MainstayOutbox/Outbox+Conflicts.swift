// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Outbox {
  /// A conflict about a record, with what could be put together.
  ///
  /// What waits in an older form is brought up to the newest of its kind by its worker.
  ///
  /// - Parameters:
  ///   - id: The operation that waits: see ``conflicts()``.
  ///   - type: What it is.
  /// - Returns: The conflict; nil where the operation is in none, is of another type, or cannot be
  ///   read.
  /// - Throws: ``OutboxError``.
  public func conflict<Operation: MergingOperation>(
    _ id: OperationID, of type: Operation.Type
  ) async throws(OutboxError) -> Conflict<Operation.Record>? {
    try await open(id, type)?.conflict
  }

  /// Ends a conflict with what a person decided, and lets what followed the operation go on.
  ///
  /// What was decided is sent on condition that the other side still has the version that it was
  /// made from; where it has not, there may be another conflict. A decision for what the other side
  /// has drops the operation, and a receipt counts it.
  ///
  /// - Parameters:
  ///   - id: The operation that waits.
  ///   - type: What it is.
  ///   - conflict: The conflict as the person saw it.
  ///   - state: What the record is to be.
  /// - Returns: False where the operation is not in this conflict any more: look at it again.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func resolve<Operation: MergingOperation>(
    _ id: OperationID, of type: Operation.Type, _ conflict: Conflict<Operation.Record>,
    with state: RecordState<Operation.Record>
  ) async throws(OutboxError) -> Bool {
    guard let found = try await open(id, type), found.conflict == conflict else { return false }
    var operation = found.operation
    guard state != conflict.remote.state else { return try await acceptRemote(id) }
    operation.base = conflict.remote
    operation.local = state
    return try await resolve(id, with: .send(operation))
  }

  /// Ends a conflict with the side that a person chose for each field.
  ///
  /// - Parameters:
  ///   - id: The operation that waits.
  ///   - type: What it is.
  ///   - conflict: The conflict as the person saw it.
  ///   - choices: The side for each of ``Conflict/fields``, by name; a field that is not named gets
  ///     the value of this side. ``MergePolicy/wholeRecord`` takes a side as it is, with nothing of
  ///     the other one.
  /// - Returns: False where the operation is not in this conflict any more: look at it again. False
  ///   also where what was chosen breaks a rule of the app (`invalidFields`): the conflict stays.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func resolve<Operation: MergingOperation>(
    _ id: OperationID, of type: Operation.Type, _ conflict: Conflict<Operation.Record>,
    choosing choices: [String: MergeSide]
  ) async throws(OutboxError) -> Bool {
    let result = conflict.decided(choices, by: Operation.mergePolicy)
    guard result.isClean else { return false }
    return try await resolve(id, of: type, conflict, with: result.state)
  }

  /// Ends a conflict by putting back what was refused, to be sent once more under a new idempotency
  /// key; for tools that know no types.
  ///
  /// - Parameter id: The operation that waits.
  /// - Returns: Whether it was put back, and what kept it from that.
  /// - Throws: ``OutboxError``.
  package func sendAgain(_ id: OperationID) async throws(OutboxError) -> SendingAgain {
    try await changing { store -> SendingAgain in
      let conflict = try await store.conflicts().first { $0.id == id }
      guard let conflict else { return .notInConflict }
      return try await .put(back: conflict, in: store)
    }
  }

  /// Tells what the other side was heard to have of a record, such as by a list that was fetched.
  ///
  /// The changes of the record that wait are laid over it, without asking the other side first, and
  /// a conflict that has gone with it resolves itself. Nothing happens where no change waits, and
  /// where one runs or may have been sent: the other side will say so again.
  ///
  /// - Parameters:
  ///   - remote: What the other side has; `missing` is no news.
  ///   - orderingKey: The ordering key of what changes the record.
  ///   - type: What changes it; operations of other types under the key are left alone.
  /// - Returns: Whether a change took it in.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func received<Operation: MergingOperation>(
    _ remote: VersionedState<Operation.Record>,
    orderedBy orderingKey: some CustomStringConvertible & Sendable, for type: Operation.Type
  ) async throws(OutboxError) -> Bool {
    let waiting = try await operations(orderedBy: orderingKey)
    guard remote.state != .missing, let first = waiting.first(where: { $0.state != .blocked }),
      let operation = drainer.workers.decoded(first, as: type),
      let plain = try? PayloadCoding.encode(KeptState(remote, of: type.kind))
    else { return false }
    let latest = try await latest(for: first)
      .map { drainer.workers.kept($0, beside: first, as: type) }
    // Anything is news where nobody can read what was known.
    guard remote != (try? operation.remote(latest)) else { return false }
    let step = MergeStep(operation.merged(into: remote), remote)
    var fields: [FieldConflict] = []
    if case .ask(let found) = step.next { fields = found }
    let data = try sealed(plain, as: .record(first.record))
    let news = RecordNews(latest: data, idempotencyKey: IdempotencyKey(), merges: first.merges)
    let isTaken = try await learn(first.id, news, fields)
    return isTaken
  }

  /// What an operation began with, for those behind it; nil where nobody can be, or where it does
  /// not merge.
  func sealedBase<Operation: QueuedOperation>(
    of operation: Operation, _ id: OperationID, _ options: EnqueueOptions
  ) throws(OutboxError) -> Data? {
    guard let key = options.orderingKey, let merging = operation as? any MergingOperation,
      let plain = try merging.encodedBase(of: id)
    else { return nil }
    return try Data.beginningMark + sealed(plain, as: .record(key))
  }

  /// The conflict that an operation is in, and what it wants.
  private func open<Operation: MergingOperation>(
    _ id: OperationID, _ type: Operation.Type
  ) async throws(OutboxError) -> (operation: Operation, conflict: Conflict<Operation.Record>)? {
    let all = try await conflicts()
    guard let found = all.first(where: { $0.id == id }),
      let operation = drainer.workers.decoded(found.operation, as: type)
    else { return nil }
    let known =
      found.remote.map { Operation.known($0, beside: found.operation, drainer.workers) }
      ?? VersionedState(.missing, version: nil)
    let result = operation.merged(into: known)
    let fields = found.fields.isEmpty ? [FieldConflict.noRemote] : found.fields
    let conflict = Conflict(
      record: found.operation.orderingKey ?? id.description, base: operation.base.state,
      local: operation.local, remote: known,
      suggestion: fields.contains(.outcomeUnknown) ? operation.local : result.state,
      fields: fields, since: found.since)
    return (operation, conflict)
  }
}

/// What came of sending a change once more that had met another one.
package enum SendingAgain: Sendable, Hashable {
  /// It runs again.
  case putBack
  /// It is in no conflict.
  case notInConflict
  /// Both sides changed the same, and only the app can put that together: another run would find
  /// the same again before it sends anything. Or nobody knows whether it was done already.
  case needsDecision

  /// Ends a conflict by putting back what was refused, under a new idempotency key.
  package static func put(
    back conflict: OutboxConflict, in store: any OutboxStore
  ) async throws -> SendingAgain {
    guard !conflict.fields.contains(where: \.cause.needsDecision) else { return .needsDecision }
    // As it lies there, sealed or not.
    let resolution = StoredResolution.replaced(
      payload: conflict.operation.payload, idempotencyKey: IdempotencyKey())
    let isDone = try await store.resolve(conflict.id, with: resolution)
    return isDone ? .putBack : .notInConflict
  }
}

extension FieldConflict.Cause {
  /// Whether merging itself found it, and finds it again as long as both sides have what they have;
  /// or sending it again may do it twice.
  fileprivate var needsDecision: Bool {
    switch self {
    case .bothChanged, .noBase, .editedAndDeleted, .invalid: true
    // Sent under another key, it would be done twice.
    case .outcomeUnknown: true
    case .noRemote, .tooManyMerges: false
    }
  }
}
