// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Mainstay

/// Keeps operations in memory only: for tests, previews, and work that may be lost with the
/// process.
public final class InMemoryStore: OutboxStore {
  private let state: Locked<InMemoryState>
  private let now: @Sendable () -> Date

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - maximumPending: How many unfinished operations it takes; nil for any number.
  ///   - now: The time of day; the default is the system's.
  public init(maximumPending: Int? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
    precondition(
      maximumPending.map { $0 > 0 } ?? true,
      "maximumPending \(maximumPending ?? 0) is not legal: 1 or more, or nil")
    state = Locked(InMemoryState(maximumPending: maximumPending))
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
      try state.insert(operation, at: date)
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
    return state.withLock { $0.settle(lease, verdict, at: date) }
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
  public func expedite() async throws { state.withLock { $0.expedite() } }

  /// Makes ready what a constraint holds back.
  public func reconsider() async throws { state.withLock { $0.reconsider() } }

  /// Takes back an operation that is not finished; nil where there is none.
  public func cancel(_ id: OperationID) async throws -> Cancellation? {
    let date = now()
    return state.withLock { $0.cancel(id, at: date) }
  }

  /// What stands in the way of an operation that is not finished; nil where there is none.
  public func obstacles(_ id: OperationID) async throws -> [Obstacle]? {
    let date = now()
    return state.withLock { $0.obstacles(id, at: date) }
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
    state.withLock { $0.close(lane, closure, at: date) }
  }

  /// Opens a lane; with a cause, only where it was closed for that one.
  public func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    state.withLock { state in
      guard cause == nil || state.closed[lane]?.cause == cause else { return }
      state.closed[lane] = nil
    }
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

  /// The operations that are not finished, the oldest first.
  public func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    state.withLock { state in
      let first = id.flatMap { state.row(of: $0)?.key } ?? 0
      return state.sorted.filter { $0.key > first }.prefix(max(limit, 0)).map(\.value.operation)
    }
  }

  /// The dead letters, the oldest operation first.
  public func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    state.withLock { state in
      let first = id.flatMap { id in state.dead.first { $0.value.id == id }?.key } ?? 0
      return state.dead.filter { $0.key > first }.sorted { $0.key < $1.key }
        .prefix(max(limit, 0)).map(\.value)
    }
  }

  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    let date = now()
    return state.withLock { $0.redrive(id, at: date) }
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    let date = now()
    return state.withLock { $0.discard(id, at: date) }
  }

  /// The open conflicts, the oldest operation first.
  public func conflicts() async throws -> [OutboxConflict] {
    state.withLock { state in
      state.sorted.compactMap { row in
        row.value.conflict.map {
          OutboxConflict(operation: row.value.operation, remote: $0.remote, since: $0.since)
        }
      }
    }
  }

  /// Ends a conflict; false where there is none.
  public func resolve(
    _ id: OperationID, with resolution: StoredResolution
  ) async throws -> Bool {
    let date = now()
    return state.withLock { $0.resolve(id, with: resolution, at: date) }
  }

  /// Leaves the store; what is still leased is given back.
  public func close() async {
    state.withLock { state in
      for (id, row) in state.rows where row.token != nil {
        state.rows[id]?.giveBack()
      }
    }
  }
}
