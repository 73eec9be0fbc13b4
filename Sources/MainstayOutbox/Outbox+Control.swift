// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Outbox {
  /// How many operations stand where.
  ///
  /// - Throws: ``OutboxError``.
  public func snapshot() async throws(OutboxError) -> OutboxSnapshot {
    await drainer.estimated(try await calling { try await $0.snapshot() })
  }

  /// How many operations stand where, now and after each change; the newest is never missed, older
  /// ones may be.
  public var changes: some AsyncSequence<OutboxSnapshot, Never> & Sendable {
    changeFeed.subscribe()
  }

  /// What came and what became of it.
  ///
  /// - Throws: ``OutboxError``.
  public func ledger() async throws(OutboxError) -> OutboxLedger {
    try await calling { try await $0.ledger() }
  }

  /// An operation that is not finished; nil where there is none.
  ///
  /// - Throws: ``OutboxError``.
  public func operation(_ id: OperationID) async throws(OutboxError) -> StoredOperation? {
    try await calling { try await $0.operation(id) }.map(vault.opened)
  }

  /// The operations of an ordering key that are not finished, in order: what a screen lays over
  /// what the other side has.
  ///
  /// - Throws: ``OutboxError``.
  public func operations(
    orderedBy orderingKey: some CustomStringConvertible & Sendable
  ) async throws(OutboxError) -> [StoredOperation] {
    try await calling { try await $0.operations(orderedBy: orderingKey.description) }
      .map(vault.opened)
  }

  /// A dead letter; nil where there is none.
  ///
  /// - Throws: ``OutboxError``.
  public func deadLetter(_ id: OperationID) async throws(OutboxError) -> DeadLetter? {
    try await calling { try await $0.deadLetter(id) }.map(vault.opened)
  }

  /// What the other side was last known to have of the record that an operation changes.
  func latest(for operation: StoredOperation) async throws(OutboxError) -> Data? {
    try await calling { try await $0.latest(for: operation) }
      .flatMap { try? vault.opened(kept: $0, of: operation.record).news(to: operation.id) }
  }

  func learn(
    _ id: OperationID, _ news: RecordNews, _ fields: [FieldConflict]
  ) async throws(OutboxError) -> Bool {
    try await changing(id) { try await $0.learn(id, news, conflicts: fields) }
  }

  /// How an operation ended; nil where that is not known, or not any more.
  func outcome(_ id: OperationID) async throws(OutboxError) -> StoredOutcome? {
    try await calling { try await $0.outcome(id) }
  }

  /// The last runs of an operation or dead letter that did not end it, the oldest first, at most
  /// ``OperationAttempt/maximumKept``; none once it has ended.
  ///
  /// - Throws: ``OutboxError``.
  public func attempts(of id: OperationID) async throws(OutboxError) -> [OperationAttempt] {
    try await calling { try await $0.attempts(of: id) }
  }

  /// The operations that are not finished, the oldest first.
  ///
  /// - Parameters:
  ///   - id: The one after which the list begins; nil for the first. It may have become a dead
  ///     letter, or have been redriven. A file remembers where its last 100 lists ended, also where
  ///     that operation has gone. Behind one that nobody knows, the list begins with the first.
  ///   - limit: How many at most; the default is 100.
  /// - Returns: The operations.
  /// - Throws: ``OutboxError``.
  public func operations(
    after id: OperationID? = nil, limit: Int = 100
  ) async throws(OutboxError) -> [StoredOperation] {
    try await calling { try await $0.operations(after: id, limit: limit) }.map(vault.opened)
  }

  /// What was given up, the oldest operation first.
  ///
  /// - Parameters:
  ///   - id: The one after which the list begins; nil for the first. It may have become a dead
  ///     letter, or have been redriven. A file remembers where its last 100 lists ended, also where
  ///     that operation has gone. Behind one that nobody knows, the list begins with the first.
  ///   - limit: How many at most; the default is 100.
  /// - Returns: The dead letters.
  /// - Throws: ``OutboxError``.
  public func deadLetters(
    after id: OperationID? = nil, limit: Int = 100
  ) async throws(OutboxError) -> [DeadLetter] {
    try await calling { try await $0.deadLetters(after: id, limit: limit) }.map(vault.opened)
  }

  /// Puts a dead letter back: with the same idempotency key, in its old place of the order, and
  /// with all its attempts.
  ///
  /// - Returns: False where there is no such dead letter.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func redrive(_ id: OperationID) async throws(OutboxError) -> Bool {
    try await changing(id) { try await $0.redrive(id) }
  }

  /// Throws a dead letter away; a receipt counts it, and what followed it goes on.
  ///
  /// - Returns: False where there is no such dead letter.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func discard(_ id: OperationID) async throws(OutboxError) -> Bool {
    try await changing(id) { try await $0.discard(id) }
  }

  /// The operations that wait because somebody else changed the same thing.
  ///
  /// - Throws: ``OutboxError``.
  public func conflicts() async throws(OutboxError) -> [OutboxConflict] {
    try await calling { try await $0.conflicts() }.map(vault.opened)
  }

  /// How a conflict ends.
  public enum Resolution<Operation: QueuedOperation>: Sendable {
    /// The other side's version stands; the operation is dropped, and a receipt counts it.
    case acceptRemote
    /// This is sent instead, under a new idempotency key; it should name the version of the other
    /// side that it was made from, so that a second conflict is found.
    case send(Operation)
  }

  /// Ends a conflict, and lets what followed the operation go on.
  ///
  /// - Parameters:
  ///   - id: The operation that waits.
  ///   - resolution: How it ends; an operation to send must be of the same kind and version, or of
  ///     the newest version that a worker here brings that one up to.
  /// - Returns: False where there is no such conflict, or where the kind or version differs.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func resolve<Operation: QueuedOperation>(
    _ id: OperationID, with resolution: Resolution<Operation>
  ) async throws(OutboxError) -> Bool {
    let stored: StoredResolution
    switch resolution {
    case .acceptRemote: stored = .dropped
    case .send(let operation):
      let type = Operation.payloadType
      guard let old = try await self.operation(id)?.type,
        type == old || type == drainer.workers.newest(of: old)
      else { return false }
      let payload = try sealed(operation.encoded(), as: .payload(type))
      stored = .replaced(
        payload: payload, idempotencyKey: IdempotencyKey(), version: type.version)
    }
    return try await changing(id) { try await $0.resolve(id, with: stored) }
  }

  /// Ends a conflict with the other side's version.
  ///
  /// - Parameter id: The operation that waits.
  /// - Returns: False where there is no such conflict.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func acceptRemote(_ id: OperationID) async throws(OutboxError) -> Bool {
    try await changing(id) { try await $0.resolve(id, with: .dropped) }
  }

  /// Starts nothing any more; what runs goes on, and what is enqueued is kept.
  public func pause() async { await drainer.pause() }

  /// Goes on after ``pause()``.
  public func resume() async { await drainer.resume() }

  /// Starts nothing of a lane any more; it stays so after a restart.
  ///
  /// - Throws: ``OutboxError``.
  public func pause(_ lane: Lane) async throws(OutboxError) {
    try await changing { try await $0.close(lane, LaneClosure(.paused)) }
  }

  /// Goes on with a lane that was paused, that was throttled, or in which a person was needed.
  ///
  /// Calls of this process that began before and are refused after it do not close it again.
  ///
  /// - Parameters:
  ///   - lane: The lane.
  ///   - cause: Goes on only where this is why the lane is closed, such as `needsUser` after
  ///     somebody has signed in; nil, the default, for any cause.
  /// - Throws: ``OutboxError``.
  public func resume(
    _ lane: Lane, closedFor cause: LaneClosure.Cause? = nil
  ) async throws(OutboxError) {
    // First: what is refused from here on was asked with what is no longer valid.
    if cause == nil || cause == .needsUser { await drainer.signedIn(in: lane) }
    try await changing { try await $0.reopen(lane, closedFor: cause) }
    if cause == nil || cause == .needsUser { await drainer.laneOpened(lane) }
  }

  /// Starts nothing of a kind any more, in whatever lane; it stays so after a restart, and for all
  /// processes that use the store.
  ///
  /// What runs goes on, and what is enqueued is kept.
  ///
  /// - Throws: ``OutboxError``.
  public func pause(kind: OperationKind) async throws(OutboxError) {
    try await changing { try await $0.pause(kind) }
  }

  /// Goes on with a kind after ``pause(kind:)``; where it was not paused, nothing is changed.
  ///
  /// - Throws: ``OutboxError``.
  public func resume(kind: OperationKind) async throws(OutboxError) {
    try await changing { try await $0.resume(kind) }
  }

  /// The kinds that are paused, by name.
  ///
  /// - Throws: ``OutboxError``.
  public func pausedKinds() async throws(OutboxError) -> [OperationKind] {
    try await calling { try await $0.pausedKinds() }
  }

  /// Tries an operation at once that waits for a time, such as after a failure.
  ///
  /// What it has failed before still counts. A dead letter is put back instead: see
  /// ``redrive(_:)``.
  ///
  /// - Returns: False where there is no such operation, or where it does not wait for a time.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func retry(_ id: OperationID) async throws(OutboxError) -> Bool {
    try await changing(id) { try await $0.hasten(id) }
  }

  /// Takes an operation back; a receipt counts it, and what needs it is given up.
  ///
  /// - Parameter id: The operation.
  /// - Returns: What became of it; nil where it is neither waiting nor running. A dead letter is
  ///   discarded instead: see ``discard(_:)``.
  /// - Throws: ``OutboxError``.
  @discardableResult
  public func cancel(_ id: OperationID) async throws(OutboxError) -> Cancellation? {
    let operation = try await operation(id)
    let answer = try await changing(id) { try await $0.cancel(id) }
    if answer == .stopping { await drainer.cancelRun(of: id) }
    // What nobody here can ask about is gone at once.
    let isUnasked = operation?.state == .parked || operation?.state == .conflicted
    let isGone = answer == .cancelled || answer == .mayHaveHappened && isUnasked
    if isGone, let kind = operation?.type.kind {
      opened.observer?.observe(OutboxEvent(.cancelled, id: id, kind: kind))
    }
    return answer
  }

  /// Says whether something holds from now on that operations name as a constraint.
  ///
  /// Operations that name one that does not hold are not started. What runs goes on. It is a fact
  /// of this process and not kept on the disk.
  ///
  /// - Parameters:
  ///   - constraint: What holds or not.
  ///   - isMet: Whether it holds.
  public func set(_ constraint: OperationConstraint, isMet: Bool) async {
    await drainer.set(constraint, isMet: isMet)
    changeFeed.changed()
  }

  /// Why an operation does not run: all that stands in its way.
  ///
  /// - Parameter id: The operation.
  /// - Returns: What stands in its way, which for a dead letter is that it was given up, when and
  ///   why; nil where there is no such operation, or not any more.
  /// - Throws: ``OutboxError``.
  public func explain(_ id: OperationID) async throws(OutboxError) -> OperationExplanation? {
    let unmet = await drainer.unmet
    guard let operation = try await operation(id),
      let stored = try await calling({ try await $0.obstacles(id, unmet: unmet) })
    else { return try await deadLetter(id).map(OperationExplanation.init) }
    let inTheWay = try await withoutThoseHeldBack(stored, isSuspect: operation.lostRuns > 0)
    let own = await drainer.obstacles(operation, besides: inTheWay)
    // A type without a worker is parked by the next claim; it is said once.
    return OperationExplanation(
      id: id, state: operation.state, obstacles: inTheWay + own.filter { !inTheWay.contains($0) },
      timeout: operation.timeout)
  }

  /// Without those that are let pass, as far as they cannot begin now: nobody waits for them then,
  /// but who lost a run as well.
  private func withoutThoseHeldBack(
    _ obstacles: [Obstacle], isSuspect: Bool
  ) async throws(OutboxError) -> [Obstacle] {
    let turn = await drainer.suspectsTurn
    let arePassedBy = turn == .passing && !isSuspect
    var left: [Obstacle] = []
    for obstacle in obstacles {
      // What runs has been running for so long that it counts no more.
      if obstacle == .runsAlone, turn == .alone { continue }
      if case .letsPass(let id) = obstacle {
        if arePassedBy { continue }
        if let type = try await operation(id)?.type, await drainer.isHeldBack(type) { continue }
      }
      left.append(obstacle)
    }
    return left
  }

  /// The network may be back: whatever waits because it could not be reached is tried at once, and
  /// what is less important than `normal` within two seconds.
  ///
  /// Waits that the other side asked for are kept. It is a hint and never a gate: nothing asks
  /// whether there is a network before it is tried.
  ///
  /// - Throws: ``OutboxError``.
  public func connectionImproved() async throws(OutboxError) {
    let delay = Self.spread(chance)
    try await changing { try await $0.expedite(unimportantAfter: delay) }
  }

  /// A random time of up to two seconds, so that not all devices come back with everything in the
  /// same moment.
  static func spread(_ chance: Chance) -> Duration { .seconds(2) * chance.fraction() }

  func calling<T: Sendable>(
    _ body: @Sendable (any OutboxStore) async throws -> T
  ) async throws(OutboxError) -> T {
    do { return try await body(store) } catch { throw OutboxError(error) }
  }

  func changing<T: Sendable>(
    _ id: OperationID? = nil, _ body: @Sendable (any OutboxStore) async throws -> T
  ) async throws(OutboxError) -> T {
    let result = try await calling(body)
    drainer.wake()
    if let id { changeFeed.ring([id]) }
    changeFeed.changed()
    return result
  }
}
