// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting

// Stores that are right but for what is planted in each of them.

/// Says that an operation is kept before it is: what was not written is gone after a crash.
struct WriteBehindStore: ForwardingStore {
  let store: any OutboxStore
  private let unwritten = Box<[NewOperation]>([])

  init(_ store: InMemoryStore) { self.store = store }

  private func write() async throws {
    for operation in unwritten.change({ all in
      defer { all = [] }
      return all
    }) { _ = try await store.insert(operation) }
  }

  func open() async throws -> OpeningReport {
    unwritten.value = []
    return try await store.open()
  }

  func insert(_ operation: NewOperation) async throws -> OperationID {
    unwritten.change { $0.append(operation) }
    return operation.id
  }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try await write()
    return try await store.promote(types)
  }

  func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    try await write()
    return try await store.operations(after: id, limit: limit)
  }
}

/// Takes any lease of an operation for the one that is held.
struct UnfencedStore: ForwardingStore {
  let store: any OutboxStore
  private let current = Box<[OperationID: Lease]>([:])

  init(_ store: InMemoryStore) { self.store = store }

  func claim(_ request: ClaimRequest) async throws -> Claim {
    let claim = try await store.claim(request)
    current.change { current in
      for leased in claim.operations { current[leased.lease.id] = leased.lease }
    }
    return claim
  }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try await store.settle(current.value[lease.id] ?? lease, verdict)
  }
}

/// Does not know ordering keys.
struct UnorderedStore: ForwardingStore {
  let store: any OutboxStore

  init(_ store: InMemoryStore) { self.store = store }

  func insert(_ operation: NewOperation) async throws -> OperationID {
    try await store.insert(
      NewOperation(
        id: operation.id, type: operation.type, lane: operation.lane, orderingKey: nil,
        idempotencyKey: operation.idempotencyKey, payload: operation.payload,
        wishes: operation.wishes))
  }
}

/// Never says that something will be due.
struct TimelessStore: ForwardingStore {
  let store: any OutboxStore

  init(_ store: InMemoryStore) { self.store = store }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    _ = try await store.promote(types)
    return nil
  }
}

/// Hands out what it has handed out before.
struct GenerousStore: ForwardingStore {
  let store: any OutboxStore
  private let last = Box<LeasedOperation?>(nil)

  init(_ store: InMemoryStore) { self.store = store }

  func claim(_ request: ClaimRequest) async throws -> Claim {
    let claim = try await store.claim(request)
    let again = last.change { last in
      defer { last = claim.operations.last }
      return last
    }
    guard let again, request.limit > claim.operations.count else { return claim }
    return Claim(operations: claim.operations + [again], isExclusive: claim.isExclusive)
  }
}

/// Counts an operation too many after each opening.
struct MiscountingStore: ForwardingStore {
  let store: any OutboxStore
  private let openings = Box(0)

  init(_ store: InMemoryStore) { self.store = store }

  func open() async throws -> OpeningReport {
    openings.change { $0 += 1 }
    return try await store.open()
  }

  func ledger() async throws -> OutboxLedger {
    var ledger = try await store.ledger()
    ledger.enqueued += openings.value - 1
    return ledger
  }
}

/// Says that a time has to come for what is ready.
struct LyingStore: ForwardingStore {
  let store: any OutboxStore

  init(_ store: InMemoryStore) { self.store = store }

  func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle]? {
    let found = try await store.obstacles(id, unmet: unmet)
    return found?.isEmpty == true ? [.unreadable] : found
  }
}

/// Gives an operation another key each time that it has to run again.
struct RekeyingStore: ForwardingStore {
  let store: any OutboxStore

  init(_ store: InMemoryStore) { self.store = store }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    var verdict = verdict
    if verdict.next != .done {
      verdict.news = RecordNews(latest: Data(), idempotencyKey: IdempotencyKey(), merges: 0)
    }
    return try await store.settle(lease, verdict)
  }
}

/// Finds nothing by its idempotency key.
struct KeylessStore: ForwardingStore {
  let store: any OutboxStore

  init(_ store: InMemoryStore) { self.store = store }

  func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? { nil }
}

/// Reads, waits, and writes only then, whoever has written meanwhile: as an actor does that awaits
/// in the middle of a call.
struct ReentrantStore: ForwardingStore {
  let store: any OutboxStore
  private let claims = Box<[Task<Claim, any Error>]>([])
  private let inserts = Box(0)

  init(_ store: InMemoryStore) { self.store = store }

  /// Time for all others that have come by now.
  private func wait() async { for _ in 0..<100 { await Task.yield() } }

  /// Those that come while others read lease what these do.
  func claim(_ request: ClaimRequest) async throws -> Claim {
    let claim = claims.change { claims in
      let claim = claims.first ?? Task { [store] in try await store.claim(request) }
      claims.append(claim)
      return claim
    }
    await wait()
    claims.change { _ = $0.removeLast() }
    return try await claim.value
  }

  /// Those that come while another one looks for its key find nobody.
  func insert(_ operation: NewOperation) async throws -> OperationID {
    let isFirst = inserts.change { count in
      defer { count += 1 }
      return count == 0
    }
    await wait()
    defer { inserts.change { $0 -= 1 } }
    guard !isFirst else { return try await store.insert(operation) }
    var wishes = operation.wishes
    wishes.uniqueKey = nil
    return try await store.insert(
      NewOperation(
        id: operation.id, type: operation.type, lane: operation.lane,
        orderingKey: operation.orderingKey, idempotencyKey: IdempotencyKey(),
        payload: operation.payload, wishes: wishes))
  }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    guard try await store.confirms(lease) else { return false }
    await wait()
    _ = try await store.settle(lease, verdict)
    return true
  }
}
