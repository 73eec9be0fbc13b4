// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What a transaction costs that does much of the same.
@Suite(.ends(withinMinutes: 5)) struct BulkTests {
  private func number(_ place: Place, _ sql: String) async throws -> Int64 {
    try #require(try await place.query(sql).first).int(0)
  }

  @Test func `a transaction that enqueues much counts in many rows, which are folded later`()
    async throws
  {
    let place = try await Place()
    // One that keeps order would fold what is counted here, where the machine is slow.
    let store = try await place.looking()
    try await place.query(
      "SELECT count(@.enqueue('note', '{\"text\": \"a\"}')) FROM generate_series(1, 1000)")
    // Each version of a row makes the next one dearer until the transaction ends.
    let rows = try await number(place, "SELECT count(*) FROM @.load")
    #expect((15...17).contains(rows))
    #expect(try await store.ledger().isBalanced)
    try await place.query("SELECT @.forget_days(7)")
    #expect(try await number(place, "SELECT count(*) FROM @.load WHERE shard >= 1000") == 0)
    #expect(try await number(place, "SELECT sum(pending)::bigint FROM @.load") == 1000)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `receipts of a transaction that ends much are folded later`() async throws {
    let place = try await Place()
    // One that keeps order would fold what is counted here, where the machine is slow.
    let store = try await place.looking()
    try await place.query(
      """
      SELECT count(@.enqueue('note', '{"text": "a"}', lifetime => '1 millisecond'))
      FROM generate_series(1, 500)
      """)
    try await place.query("SELECT @.expire(500, true, 9000000000000)")
    let count = "SELECT count(*) FROM @.receipt WHERE reason = 'expired'"
    #expect(try await number(place, count) > 3)
    try await place.query("SELECT @.forget_days(7)")
    #expect(try await number(place, count) == 1)
    let ledger = try await store.ledger()
    #expect(ledger.count(.expired) == 500 && ledger.isBalanced)
    await store.close()
  }

  @Test func `a batch that is taken in by all rules is counted once`() async throws {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 1500))
    _ = try await store.insert(contentsOf: (0..<1000).map { .note("\($0)") })
    // A page has some hundred versions of a row.
    #expect(try await number(place, "SELECT pg_relation_size('@.load')") == 8192)
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await store.insert(contentsOf: (0..<501).map { .note("\($0)") })
    }
    _ = try await store.insert(contentsOf: (0..<500).map { .note("\($0)") })
    #expect(try await number(place, "SELECT count(*) FROM @.op") == 1500)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `many who stand behind a dead letter are dropped together`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await place.query(
      """
      SELECT count(@.enqueue('note', '{"text": "a"}', ordering_key => 'k'))
      FROM generate_series(1, 1001)
      """)
    let leased = try #require(try await store.claim().first)
    #expect(
      try await store.settle(
        leased.lease, OperationVerdict(.dead(.refused, followers: .dropFollowers))))
    #expect(try await number(place, "SELECT count(*) FROM @.op") == 0)
    let receipts = "SELECT count(*) FROM @.receipt WHERE reason = 'followed'"
    #expect(try await number(place, receipts) == 1)
    let ends = "SELECT count(*) FROM @.outcome WHERE reason = 'followed'"
    #expect(try await number(place, ends) == 1000)
    let ledger = try await store.ledger()
    #expect(ledger.count(.followed) == 1000 && ledger.isBalanced)
    _ = try await store.insert(.note("next", orderedBy: "k"))
    #expect(try await store.runAll() == ["next"])
    await store.close()
  }

  @Test func `one behind a dead letter that others need takes those along`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let head = try await store.insert(.note("head", orderedBy: "k"))
    let needed = NewOperation.note("needed", orderedBy: "k")
    _ = try await store.insert(needed)
    var wishes = NewOperation.Wishes()
    wishes.dependencies = .init([needed.id])
    let inside = NewOperation.note("inside", orderedBy: "k", wishes: wishes)
    let outside = NewOperation.note("outside", wishes: wishes)
    for note in [inside, outside, .note("last", orderedBy: "k")] {
      _ = try await store.insert(note)
    }
    let leased = try #require(try await store.claim().first)
    #expect(leased.lease.id == head)
    #expect(
      try await store.settle(
        leased.lease, OperationVerdict(.dead(.refused, followers: .dropFollowers))))
    #expect(try await number(place, "SELECT count(*) FROM @.op") == 0)
    #expect(try await number(place, "SELECT count(*) FROM @.dead") == 3)
    let ledger = try await store.ledger()
    #expect(ledger.count(.followed) == 2 && ledger.isBalanced)
    let failed = "SELECT count(*) FROM @.dead WHERE reason = 'dependencyFailed'"
    #expect(try await number(place, failed) == 2)
    await store.close()
  }
}
