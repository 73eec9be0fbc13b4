// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox

/// A store that is right but for what a test plants in it.
protocol TamperedStore: OutboxStore {
  var store: InMemoryStore { get }
}

extension TamperedStore {
  func open() async throws -> OpeningReport { try await store.open() }
  func insert(_ operation: NewOperation) async throws -> OperationID {
    try await store.insert(operation)
  }
  func last(of orderingKey: String) async throws -> StoredOperation? {
    try await store.last(of: orderingKey)
  }
  func claim(_ request: ClaimRequest) async throws -> Claim { try await store.claim(request) }
  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try await store.settle(lease, verdict)
  }
  func confirms(_ lease: Lease) async throws -> Bool { try await store.confirms(lease) }
  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try await store.promote(types)
  }
  func reconsider() async throws { try await store.reconsider() }
  func expedite(unimportantAfter delay: Duration) async throws {
    try await store.expedite(unimportantAfter: delay)
  }
  func hasten(_ id: OperationID) async throws -> Bool { try await store.hasten(id) }
  func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    try await store.close(lane, closure)
  }
  func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    try await store.reopen(lane, closedFor: cause)
  }
  func snapshot() async throws -> OutboxSnapshot { try await store.snapshot() }
  func ledger() async throws -> OutboxLedger { try await store.ledger() }
  func operation(_ id: OperationID) async throws -> StoredOperation? {
    try await store.operation(id)
  }
  func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    try await store.operations(after: id, limit: limit)
  }
  func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    try await store.deadLetters(after: id, limit: limit)
  }
  func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await store.operations(orderedBy: orderingKey)
  }
  func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    try await store.operation(keyed: key)
  }
  func latest(for operation: StoredOperation) async throws -> Data? {
    try await store.latest(for: operation)
  }
  func outcome(_ id: OperationID) async throws -> StoredOutcome? { try await store.outcome(id) }
  func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await store.deadLetter(id)
  }
  func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try await store.checkpoint(lease, data)
  }
  func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    try await store.learn(id, news, conflicts: fields)
  }
  func redrive(_ id: OperationID) async throws -> Bool { try await store.redrive(id) }
  func discard(_ id: OperationID) async throws -> Bool { try await store.discard(id) }
  func conflicts() async throws -> [OutboxConflict] { try await store.conflicts() }
  func resolve(_ id: OperationID, with resolution: StoredResolution) async throws -> Bool {
    try await store.resolve(id, with: resolution)
  }
  func cancel(_ id: OperationID) async throws -> Cancellation? { try await store.cancel(id) }
  func obstacles(_ id: OperationID) async throws -> [Obstacle]? {
    try await store.obstacles(id)
  }
  func close() async { await store.close() }
}

/// Says that an operation is kept before it is: what was not written is gone after a crash.
struct WriteBehindStore: TamperedStore {
  let store: InMemoryStore
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
struct UnfencedStore: TamperedStore {
  let store: InMemoryStore
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
struct UnorderedStore: TamperedStore {
  let store: InMemoryStore

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
struct TimelessStore: TamperedStore {
  let store: InMemoryStore

  init(_ store: InMemoryStore) { self.store = store }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    _ = try await store.promote(types)
    return nil
  }
}

/// Hands out what it has handed out before.
struct GenerousStore: TamperedStore {
  let store: InMemoryStore
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
struct MiscountingStore: TamperedStore {
  let store: InMemoryStore
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
struct LyingStore: TamperedStore {
  let store: InMemoryStore

  init(_ store: InMemoryStore) { self.store = store }

  func obstacles(_ id: OperationID) async throws -> [Obstacle]? {
    let found = try await store.obstacles(id)
    return found?.isEmpty == true ? [.unreadable] : found
  }
}
