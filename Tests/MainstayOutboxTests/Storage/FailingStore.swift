// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox

/// A store in memory that fails as often as a test wants.
final class FailingStore: OutboxStore {
  private let store: InMemoryStore
  private let left = Box<[String: Int]>([:])
  private let gates = Box<(leased: Gate, handOver: Gate)?>(nil)

  init(now: @escaping @Sendable () -> Date) { store = InMemoryStore(now: now) }

  /// Lets the next calls of a name fail.
  func fail(_ name: String, times: Int) { left.change { $0[name] = times } }

  /// Opens a gate when a claim has leased something, and hands that over when another is open.
  func hold(claimsUntil handOver: Gate, opening leased: Gate) { gates.value = (leased, handOver) }

  private func pass(_ name: String) throws {
    let mustFail = left.change { left in
      let times = left[name] ?? 0
      left[name] = max(times - 1, 0)
      return times > 0
    }
    if mustFail { throw OutboxError(.diskFull, details: "the test says so") }
  }

  func open() async throws -> OpeningReport {
    try pass("open")
    return try await store.open()
  }

  func insert(_ operation: NewOperation) async throws -> OperationID {
    try pass("insert")
    return try await store.insert(operation)
  }

  func claim(_ request: ClaimRequest) async throws -> Claim {
    try pass("claim")
    let claim = try await store.claim(request)
    if !claim.operations.isEmpty, let gates = gates.value {
      gates.leased.open()
      await gates.handOver.pass()
    }
    return claim
  }

  func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try pass("settle")
    return try await store.settle(lease, verdict)
  }

  func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try pass("promote")
    return try await store.promote(types)
  }

  func confirms(_ lease: Lease) async throws -> Bool { try await store.confirms(lease) }
  func expedite(unimportantAfter delay: Duration) async throws {
    try await store.expedite(unimportantAfter: delay)
  }
  func reconsider() async throws {
    try pass("reconsider")
    try await store.reconsider()
  }
  func last(of orderingKey: String) async throws -> StoredOperation? {
    try await store.last(of: orderingKey)
  }
  func hasten(_ id: OperationID) async throws -> Bool { try await store.hasten(id) }
  func cancel(_ id: OperationID) async throws -> Cancellation? { try await store.cancel(id) }
  func obstacles(_ id: OperationID) async throws -> [Obstacle]? {
    try await store.obstacles(id)
  }
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
  func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await store.deadLetter(id)
  }
  func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    try await store.operation(keyed: key)
  }
  func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await store.operations(orderedBy: orderingKey)
  }
  func latest(for operation: StoredOperation) async throws -> Data? {
    try await store.latest(for: operation)
  }
  func outcome(_ id: OperationID) async throws -> StoredOutcome? { try await store.outcome(id) }
  func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try pass("checkpoint")
    return try await store.checkpoint(lease, data)
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
  func close() async { await store.close() }
}
