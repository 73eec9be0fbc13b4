// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
package import MainstayOutbox

/// A store before another one: what it does not do itself, that one does.
package protocol ForwardingStore: OutboxStore {
  /// The store that does the work.
  var store: any OutboxStore { get }
}

extension ForwardingStore {
  package func open() async throws -> OpeningReport { try await store.open() }

  package func insert(_ operation: NewOperation) async throws -> OperationID {
    try await store.insert(operation)
  }

  package func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID] {
    try await store.insert(contentsOf: operations)
  }

  package func last(of orderingKey: String) async throws -> StoredOperation? {
    try await store.last(of: orderingKey)
  }

  package func claim(_ request: ClaimRequest) async throws -> Claim {
    try await store.claim(request)
  }

  package func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    try await store.settle(lease, verdict)
  }

  package func confirms(_ lease: Lease) async throws -> Bool { try await store.confirms(lease) }

  package func attend(to types: Set<PayloadType>) async throws {
    try await store.attend(to: types)
  }

  package func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try await store.promote(types)
  }

  package func reconsider() async throws { try await store.reconsider() }

  package func expedite(unimportantAfter delay: Duration) async throws {
    try await store.expedite(unimportantAfter: delay)
  }

  package func hasten(_ id: OperationID) async throws -> Bool { try await store.hasten(id) }

  package func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    try await store.close(lane, closure)
  }

  package func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    try await store.reopen(lane, closedFor: cause)
  }

  package func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane] {
    try await store.lanes(closedFor: cause)
  }

  package func pause(_ kind: OperationKind) async throws { try await store.pause(kind) }

  package func resume(_ kind: OperationKind) async throws { try await store.resume(kind) }

  package func pausedKinds() async throws -> [OperationKind] { try await store.pausedKinds() }

  package func snapshot() async throws -> OutboxSnapshot { try await store.snapshot() }

  package func ledger() async throws -> OutboxLedger { try await store.ledger() }

  package func operation(_ id: OperationID) async throws -> StoredOperation? {
    try await store.operation(id)
  }

  package func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    try await store.operations(after: id, limit: limit)
  }

  package func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    try await store.deadLetters(after: id, limit: limit)
  }

  package func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await store.operations(orderedBy: orderingKey)
  }

  package func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    try await store.operation(keyed: key)
  }

  package func latest(for operation: StoredOperation) async throws -> Data? {
    try await store.latest(for: operation)
  }

  package func outcome(_ id: OperationID) async throws -> StoredOutcome? {
    try await store.outcome(id)
  }

  package func attempts(of id: OperationID) async throws -> [OperationAttempt] {
    try await store.attempts(of: id)
  }

  package func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await store.deadLetter(id)
  }

  package func checkpoint(_ lease: Lease, _ data: Data?) async throws -> Bool {
    try await store.checkpoint(lease, data)
  }

  package func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    try await store.learn(id, news, conflicts: fields)
  }

  package func redrive(_ id: OperationID) async throws -> Bool { try await store.redrive(id) }

  package func discard(_ id: OperationID) async throws -> Bool { try await store.discard(id) }

  package func conflicts() async throws -> [OutboxConflict] { try await store.conflicts() }

  package func resolve(_ id: OperationID, with resolution: StoredResolution) async throws -> Bool {
    try await store.resolve(id, with: resolution)
  }

  package func cancel(_ id: OperationID) async throws -> Cancellation? {
    try await store.cancel(id)
  }

  package func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle]? {
    try await store.obstacles(id, unmet: unmet)
  }

  package func close() async { await store.close() }
}
