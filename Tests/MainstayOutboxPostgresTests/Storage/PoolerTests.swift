// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// A real pooler between the outbox and its server.
@Suite(.serialized, .ends(withinMinutes: 5)) struct PoolerTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  /// One pooler of each mode for all tests.
  private static let transactions = Task {
    try await PgBouncer(before: .common(), mode: .transaction, sessions: 3)
  }
  private static let sessions = Task {
    try await PgBouncer(before: .common(), mode: .session, sessions: 8)
  }

  private func store(
    _ place: Place, behind pooler: PgBouncer, limits: StoreLimits = StoreLimits(),
    now: (@Sendable () -> Date)? = nil
  ) throws -> PostgresStore {
    PostgresStore(
      at: try pooler.address(), schema: place.schema, limits: limits, lease: .seconds(30),
      maximumConnections: 2, migrating: true, pooled: true, patience: .patience,
      longestClaim: .seconds(15), now: now)
  }

  @Test(arguments: StoreConformance.rules)
  func `where each transaction may get another session, the store keeps the rules`(
    rule: StoreConformance.Rule
  ) async throws {
    let pooler = try await Self.transactions.value
    let suite = StoreConformance { now, limits in
      let place = try await Place()
      return StoreConformance.Place {
        try store(place, behind: pooler, limits: limits, now: now)
      } kill: { store in
        await (store as? PostgresStore)?.abandon()
      }
    }
    let found = await suite.violations(of: rule)
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `ten outboxes share three sessions, and lose nothing`() async throws {
    let (pooler, place) = (try await Self.transactions.value, try await Place())
    let done = Locked<Set<String>>([])
    var outboxes: [Outbox] = []
    for _ in 0..<10 {
      outboxes.append(
        try await Outbox(store: store(place, behind: pooler)) {
          Worker(for: Note.self) { note, _ in _ = done.withLock { $0.insert(note.text) } }
        })
    }
    let texts = (0..<200).map { "\($0)" }
    for (index, text) in texts.enumerated() {
      try await outboxes[index % 10].enqueue(Note(text: text), orderedBy: index % 7)
    }
    await eventually { done.withLock { $0.count } == texts.count }
    try await eventually { try await outboxes[0].ledger().count(.done) == texts.count }
    #expect(try await outboxes[0].ledger().isBalanced)
    for outbox in outboxes { await outbox.shutDown() }
  }

  @Test func `policies are shared where each transaction may get another session`() async throws {
    let (pooler, place) = (try await Self.transactions.value, try await Place())
    try await place.store().migrate()
    func process(_ breaker: CircuitBreaker) throws -> SharedPolicies {
      let shared = SharedPolicies(at: try pooler.address(), schema: place.schema, pooled: true)
      shared.share(breaker)
      return shared
    }
    let breakers = (0..<2).map { _ in
      CircuitBreaker("catalog", .consecutiveFailures(1), breakFor: .seconds(3_600))
    }
    let (here, there) = (try process(breakers[0]), try process(breakers[1]))
    try breakers[0].admit().fail()
    // A busy machine may be slower than a session has time for.
    try await eventually { try await here.look() }
    try await eventually { try await there.look() }
    #expect(here.isConnected && there.isConnected)
    #expect(throws: Rejection.self) { try breakers[1].admit().succeed() }
  }

  @Test func `a pooler that keeps sessions apart is worked behind in the same way`() async throws {
    let (pooler, place) = (try await Self.sessions.value, try await Place())
    let refusal = try #require(
      await #expect(throws: OutboxError.self) {
        let store = PostgresStore(
          at: try pooler.address(), schema: place.schema, patience: .patience, now: nil)
        _ = try await Outbox(store: store) {}
      })
    #expect(refusal.details.contains("give `pooled: true`"), "\(refusal.details)")
    let store = try store(place, behind: pooler)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    #expect(try await store.runAll() == ["a"])
    await store.close()
  }
}
