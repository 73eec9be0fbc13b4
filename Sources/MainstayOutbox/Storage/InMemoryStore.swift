// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// Keeps operations in memory only: for tests, previews, and work that may be lost with the
/// process.
public final class InMemoryStore: LaneTryingStore {
  let state: Locked<InMemoryState>
  private let now: @Sendable () -> Date

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - limits: How much it keeps.
  ///   - now: The time of day; the default is the system's.
  public init(
    limits: StoreLimits = StoreLimits(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    state = Locked(InMemoryState(limits: limits.checked))
    self.now = now
  }

  /// Opens the store for one more owner; the owner before it counts as dead.
  public func open() async throws -> OpeningReport {
    let date = now()
    return state.withLock { $0.open(at: date) }
  }

  /// Keeps an operation in memory.
  public func insert(_ operation: NewOperation) async throws -> OperationID {
    let date = now()
    return try state.withLock { state throws(OutboxError) in
      state.note(date)
      return try state.insert(operation, at: date)
    }
  }

  /// Keeps several operations in memory, or none of them.
  public func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID] {
    let date = now()
    return try state.withLock { state in
      state.note(date)
      // To take it back, all that is there would have to be copied.
      guard !state.takesAll(operations) else {
        return try operations.map { try state.insert($0, at: date) }
      }
      var next = state
      let ids = try operations.map { try next.insert($0, at: date) }
      state = next
      return ids
    }
  }

  /// Leases operations that are ready, those that rank first before others.
  public func claim(_ request: ClaimRequest) async throws -> Claim {
    let date = now()
    return state.withLock { $0.claim(request, at: date) }
  }

  /// Ends a lease; false where the lease was lost, and nothing was changed then.
  public func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    let date = now()
    return state.withLock { state in
      state.note(date)
      return state.settle(lease, verdict, at: date)
    }
  }

  /// Keeps how far a run has come; false where its lease was lost.
  public func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    state.withLock { state in
      guard state.rows[lease.row]?.token == lease.token else { return false }
      state.rows[lease.row]?.operation.checkpoint = data
      return true
    }
  }

  /// Whether a lease is still held.
  public func confirms(_ lease: Lease) async throws -> Bool {
    state.withLock { $0.rows[lease.row]?.token == lease.token }
  }

  /// Makes ready what is due, and tells when the next thing is.
  public func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    let date = now()
    return state.withLock { $0.promote(types, at: date) }
  }

  /// Makes ready at once whatever waits because the network could not be reached.
  public func expedite(unimportantAfter delay: Duration) async throws {
    let date = now()
    state.withLock { state in
      state.note(date)
      state.expedite(delay, at: date)
    }
  }

  /// Makes ready what a constraint holds back.
  public func reconsider() async throws { state.withLock { $0.reconsider() } }

  /// Takes back an operation that is not finished; nil where there is none.
  public func cancel(_ id: OperationID) async throws -> Cancellation? {
    let date = now()
    return state.withLock { state in
      state.note(date)
      return state.cancel(id, at: date)
    }
  }

  /// What stands in the way of an operation that is not finished; nil where there is none.
  public func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle]? {
    let date = now()
    return state.withLock { $0.obstacles(id, unmet: unmet, at: date) }
  }

  /// Makes an operation ready that waits for a time; false where none does.
  public func hasten(_ id: OperationID) async throws -> Bool {
    state.withLock { state in
      guard let (number, row) = state.row(of: id), row.operation.due != nil else { return false }
      state.rows[number]?.operation.state = .ready
      state.rows[number]?.operation.due = nil
      state.rows[number]?.start = nil
      return true
    }
  }

  /// Closes a lane.
  public func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    let date = now()
    state.withLock { state in
      state.note(date)
      state.close(lane, closure, at: date)
    }
  }

  /// Opens a lane; with a cause, only where it was closed for that one.
  public func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    state.withLock { $0.reopen(lane, closedFor: cause) }
  }

  /// The lanes that are closed for a cause.
  public func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane] {
    let date = now()
    return state.withLock { $0.lanes(closedFor: cause, at: date) }
  }

  /// Leases nothing of a kind until it is resumed.
  public func pause(_ kind: OperationKind) async throws {
    _ = state.withLock { $0.paused.insert(kind) }
  }

  /// Goes on with a kind that was paused.
  public func resume(_ kind: OperationKind) async throws {
    _ = state.withLock { $0.paused.remove(kind) }
  }

  /// The kinds that are paused, by name.
  public func pausedKinds() async throws -> [OperationKind] {
    state.withLock { $0.paused }.sorted { $0.rawValue < $1.rawValue }
  }

  /// What is there, by state.
  public func snapshot() async throws -> OutboxSnapshot {
    let date = now()
    return state.withLock { $0.snapshot(at: date) }
  }

  /// What came and what became of it.
  public func ledger() async throws -> OutboxLedger {
    state.withLock { $0.ledger }
  }

  /// An operation that is not finished; nil where there is none.
  public func operation(_ id: OperationID) async throws -> StoredOperation? {
    state.withLock { state in state.row(of: id)?.value.operation }
  }

  /// The last operation of an ordering key that is not finished; nil where there is none.
  public func last(of orderingKey: String) async throws -> StoredOperation? {
    state.withLock { $0.last(of: orderingKey)?.value.operation }
  }

  /// The operation or dead letter with an idempotency key; nil where there is none.
  public func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    state.withLock { $0.operation(keyed: key) }
  }

  /// The operations of an ordering key that are not finished, in order.
  public func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    let key = Data(orderingKey.utf8)
    return state.withLock { state in
      (state.rows.index.queues[key] ?? SortedSet()).compactMap { state.rows[$0]?.operation }
    }
  }

  /// What the other side was last known to have of the record that an operation changes.
  public func latest(for operation: StoredOperation) async throws -> Data? {
    state.withLock { $0.latest[InMemoryState.record(of: operation)] }
  }

  /// How an operation ended; nil where that is not known, or not any more.
  public func outcome(_ id: OperationID) async throws -> StoredOutcome? {
    state.withLock { $0.outcome(of: id) }
  }

  /// The last runs of an operation or dead letter that did not end it, the oldest first.
  public func attempts(of id: OperationID) async throws -> [OperationAttempt] {
    state.withLock { state in
      state.number(of: id).flatMap { state.attempts[$0] } ?? []
    }
  }

  /// A dead letter; nil where there is none.
  public func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    state.withLock { state in state.dead.letter(of: id)?.value }
  }

  /// The operations that are not finished, the oldest first.
  public func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    state.withLock { state in
      state.page(of: state.rows.index.numbers, after: id, limit: limit) { state, number in
        state.rows[number]?.operation
      }
    }
  }

  /// The dead letters, the oldest operation first.
  public func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    state.withLock { state in
      state.page(of: state.dead.numbers, after: id, limit: limit) { $0.dead[$1] }
    }
  }

  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    let date = now()
    return state.withLock { state in
      state.note(date)
      return state.redrive(id, at: date)
    }
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    let date = now()
    return state.withLock { state in
      state.note(date)
      return state.discard(id, at: date)
    }
  }

  /// The open conflicts, the oldest operation first.
  public func conflicts() async throws -> [OutboxConflict] {
    state.withLock { state in
      state.rows.sorted.compactMap { row in
        row.value.conflict.map {
          OutboxConflict(
            operation: row.value.operation, remote: $0.remote, fields: $0.fields, since: $0.since)
        }
      }
    }
  }

  /// Keeps what the other side was heard to have of the record that an operation changes.
  public func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    state.withLock { $0.learn(id, news, fields) }
  }

  /// Ends a conflict; false where there is none.
  public func resolve(
    _ id: OperationID, with resolution: StoredResolution
  ) async throws -> Bool {
    let date = now()
    return state.withLock { state in
      state.note(date)
      return state.resolve(id, with: resolution, at: date)
    }
  }

  /// Leaves the store; what is still leased is given back.
  public func close() async {
    state.withLock { state in
      for id in state.rows.index.leased { state.rows[id]?.giveBack() }
    }
  }
}
