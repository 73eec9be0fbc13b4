// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What a long backlog costs a single call.
@Suite(.ends(withinMinutes: 5)) struct BacklogTests {
  private func number(_ place: Place, _ sql: String) async throws -> Int64 {
    try #require(try await place.query(sql).first).int(0)
  }

  /// Fills the queue with 3,000 operations, of which some are expendable.
  private func fill(_ place: Place, expendable: Int) async throws {
    try await place.script(
      """
      INSERT INTO @.lane (name) VALUES ('main') ON CONFLICT DO NOTHING;
      INSERT INTO @.op (uuid, kind, version, lane, priority, rank, expendable, constraints, state,
          enqueued_at, effect, idem_key, payload)
        SELECT gen_random_uuid(), 'note', 1, 'main', 1, n, n <= \(expendable), '{}', 'ready',
          0, 'notSent', n::text, '{}' FROM generate_series(1, 3000) AS n;
      INSERT INTO @.load (shard, enqueued, pending, bytes) VALUES (999, 3000, 3000, 6000);
      """)
  }

  private let count = "SELECT count(*) FROM @.op"

  @Test func `a store far above its limit takes a few away for each newcomer`() async throws {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 100))
    try await fill(place, expendable: 3000)
    _ = try await store.insert(.note("a"))
    #expect(try await number(place, count) == 2996)
    _ = try await store.insert(.note("b"))
    #expect(try await number(place, count) == 2992)
    await store.close()
  }

  @Test func `a store far above its limit is full where too few can go, and keeps them`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 100))
    try await fill(place, expendable: 8)
    _ = try await store.insert(.note("a"))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await store.insert(.note("b"))
    }
    #expect(try await number(place, count) == 2996)
    #expect(try await number(place, "SELECT count(*) FROM @.op WHERE expendable") == 3)
    await store.close()
  }

  @Test func `what was parked for want of a worker is let in by a thousand of all types`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    try await fill(place, expendable: 0)
    try await place.query(
      """
      UPDATE @.op SET kind = 'k' || id % 3, state = 'parked', cause = 'unknownType'
      """)
    let promote = "SELECT next FROM @.promote('{k0,k1,k2}', '{1,1,1}', true, null)"
    let ready = "SELECT count(*) FROM @.op WHERE state = 'ready'"
    #expect(try await number(place, promote) == 0, "there is more")
    #expect(try await number(place, ready) == 1000)
    #expect(try await number(place, promote) == 0)
    #expect(try await number(place, ready) == 2000)
    await store.close()
  }

  @Test func `what has expired goes by parts with those who come, however much of it there is`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumPending: 100))
    try await fill(place, expendable: 0)
    try await place.query("UPDATE @.op SET expires_at = 1")
    _ = try await store.insert(.note("a"))
    #expect(try await number(place, count) == 2901)
    // Two for each of them.
    _ = try await store.insert(contentsOf: (0..<200).map { .note("\($0)") })
    #expect(try await number(place, count) == 2701)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test(arguments: [true, false])
  func `a large one that is refused where small ones have expired has room in the end`(
    isBatch: Bool
  ) async throws {
    let place = try await Place()
    let store = try await place.opened(limits: StoreLimits(maximumBytes: 300_000))
    try await fill(place, expendable: 0)
    try await place.query(
      "UPDATE @.op SET expires_at = 1, payload = convert_to(rpad('{}', 100), 'UTF8')")
    try await place.query("UPDATE @.load SET bytes = 300000 WHERE shard = 999")
    let large = NewOperation.note(String(repeating: "a", count: 245_000))
    func insert() async throws {
      if isBatch {
        _ = try await store.insert(contentsOf: [large])
      } else {
        _ = try await store.insert(large)
      }
    }
    for left in [2000, 1000] as [Int64] {
      await #expect(throws: OutboxError(.full, details: "")) { try await insert() }
      #expect(try await number(place, count) == left)
    }
    try await insert()
    #expect(try await number(place, count) == 501)
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what was parked is read no further than it is let in`() async throws {
    let place = try await Place()
    await (try await place.opened()).close()
    try await fill(place, expendable: 0)
    try await place.query(
      "UPDATE @.op SET kind = 'k' || id % 20, state = 'parked', cause = 'unknownType'")
    try await place.query("VACUUM ANALYZE @.op")
    // As often as the server needs to decide for one plan, while there is little of each type.
    let promote = "SELECT next FROM @.promote('{k0,k1}', '{1,1}', true, null)"
    try await place.query("BEGIN")
    for _ in 0..<8 { try await place.query(promote) }
    try await place.query("ROLLBACK")
    try await place.query("UPDATE @.op SET kind = 'k0'")
    try await place.query("BEGIN")
    let read = "SELECT pg_stat_get_xact_tuples_returned('@.op_parked'::regclass)"
    let before = try await number(place, read)
    #expect(try await number(place, promote) == 0, "there is more")
    #expect(try await number(place, read) - before < 1500)
    try await place.query("COMMIT")
  }
}
