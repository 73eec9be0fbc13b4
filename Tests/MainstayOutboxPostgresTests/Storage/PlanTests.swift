// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// How many rows the server looks at, by plans that it made while there were none.
@Suite(.ends(withinMinutes: 10))
struct PlanTests {
  /// How many rows of the queue a statement makes the server read.
  private func rowsRead(_ place: Place, _ sql: String) async throws -> Int64 {
    try await place.query("BEGIN")
    let before = try await read(place)
    try await place.query(sql)
    let after = try await read(place)
    try await place.query("COMMIT")
    return after - before
  }

  private func read(_ place: Place) async throws -> Int64 {
    try #require(
      try await place.query(
        """
        SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
        WHERE schemaname = '@' AND relname = 'op'
        """
      ).first
    ).int(0)
  }

  /// A server that has never counted the rows guesses some; one that counted none plans for none.
  @Test(arguments: [false, true])
  func `a long queue makes no call read more than its own rows`(isCounted: Bool) async throws {
    let place = try await Place()
    let store = try await place.opened()
    if isCounted { try await place.query("VACUUM ANALYZE @.op, @.dead, @.dep, @.attempt") }
    let format = try await place.query("SELECT max(number) FROM @.migration").first?.int(0) ?? 0
    let owner = try #require(
      try await place.query("SELECT @.enter('test', 60000, \(format)::integer)").first
    ).int(0)
    let claim = """
      SELECT * FROM @.claim(\(owner), 60000, 3, '{note}', '{1}', '{null}', true, '{}',
        \(format), null)
      """
    // As often as the server needs to decide for one plan, while there is nothing.
    for _ in 0..<8 { try await place.query(claim) }
    let complete = "SELECT @.complete('{0}', '{0}', '{null}', true, null)"
    for _ in 0..<8 { try await place.query(complete) }
    let promote = "SELECT @.promote('{note}', '{1}', true, null)"
    for _ in 0..<8 { try await place.query(promote) }
    let nothing = Array(repeating: "'{}'", count: 13).joined(separator: ", ")
    for _ in 0..<8 { try await place.query("SELECT @.take_plain(\(nothing), null)") }
    _ = try await store.insert(contentsOf: (0..<2_000).map { .note("\($0)") })
    try await place.query(
      """
      UPDATE @.op SET state = 'parked', cause = 'unknownType', kind = 'other' WHERE id IN (
        SELECT id FROM @.op ORDER BY id DESC LIMIT 1000)
      """)
    #expect(try await rowsRead(place, claim) < 30)
    let leased = try #require(
      try await place.query(
        "SELECT id, lease_token FROM @.op WHERE owner = \(owner) LIMIT 1"
      ).first)
    let ids = (try leased.int(0), try leased.int(1))
    #expect(
      try await rowsRead(
        place, "SELECT @.complete('{\(ids.0)}', '{\(ids.1)}', '{null}', true, null)") < 10)
    #expect(try await rowsRead(place, promote) < 10)
    let take = """
      SELECT @.take_plain(array[id], '{note}', '{1}', '{main}', '{null}', array[id::text], '{a}',
        '{null}', '{notSent}', '{2}', '{0}', '{null}', '{f}', null)
      FROM (SELECT gen_random_uuid() AS id) AS new
      """
    #expect(try await rowsRead(place, take) < 10)
    await store.close()
  }

  @Test func `no index goes by the rules of a language`() async throws {
    let place = try await Place()
    await (try await place.opened()).close()
    // Those rules change with the system below the server, and its indexes are wrong then.
    let indexes = try await place.query(
      """
      SELECT i.indexrelid::regclass::text FROM pg_index AS i
        JOIN pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace, unnest(i.indcollation) AS used (id)
      WHERE n.nspname = '@' AND used.id NOT IN (0, '"C"'::regcollation)
      """)
    #expect(try indexes.map { try $0.text(0) }.isEmpty)
  }

  @Test func `a claim reads nothing of a kind that is paused, however much of it waits`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    let format = try await place.query("SELECT max(number) FROM @.migration").first?.int(0) ?? 0
    let owner = try #require(
      try await place.query("SELECT @.enter('test', 60000, \(format)::integer)").first
    ).int(0)
    let claim = """
      SELECT * FROM @.claim(\(owner), 60000, 3, '{note,other}', '{1,1}', '{null,null}', true, '{}',
        \(format), null)
      """
    for _ in 0..<8 { try await place.query(claim) }
    _ = try await store.insert(contentsOf: (0..<2_000).map { .note("\($0)") })
    try await store.pause("note")
    _ = try await store.insert(.note("free", kind: "other"))
    #expect(try await rowsRead(place, claim) < 10)
    let leased = try await place.query("SELECT kind FROM @.op WHERE owner = \(owner)")
    #expect(try leased.map { try $0.text(0) } == ["other"])
    await store.close()
  }

  @Test func `a snapshot compares what is held back with no list, however long both are`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    try await place.query(
      """
      INSERT INTO @.op (uuid, kind, version, lane, ordering_key, state, run_at, enqueued_at,
        idem_key, payload)
      SELECT gen_random_uuid(), 'note', 1, 'main', convert_to('k' || i % 2, 'UTF8'),
        CASE WHEN i = 2 THEN 'scheduled' WHEN i = 3 THEN 'ready' ELSE 'blocked' END,
        CASE WHEN i = 2 THEN @.clock() + 3600000 END, @.clock(), 'i' || i, ''
      FROM generate_series(2, 20001) AS i
      """)
    for isCounted in [false, true] {
      if isCounted { try await place.query("ANALYZE @.op") }
      let plan = try await place.query(
        "EXPLAIN "
          + PostgresStore.following.replacing("mainstay.", with: "@.").replacing("$1", with: "0"))
      let text = try plan.map { try $0.text(0) }.joined(separator: "\n")
      #expect(!text.contains("SubPlan"), "\(text)")
    }
    let snapshot = try await store.snapshot()
    #expect(snapshot.blocked == 19_998 && snapshot.following == 9_999)
    try await store.pause("note")
    #expect(try await store.snapshot().following == 0)
    await store.close()
  }
}
