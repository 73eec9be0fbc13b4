// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// What far too many answers, a crash of the server and plans for an empty table cost a request.
@Suite(.ends(withinMinutes: 10)) struct PostgresIdempotencyPartsTests {
  private let one = Data([1])

  private func number(_ place: Place, _ sql: String) async throws -> Int64 {
    try #require(try await place.query(sql).first).int(0)
  }

  /// A place with 2,500 answers of 1,000 bytes, the oldest first.
  private func full() async throws -> Place {
    let place = try await Place()
    await (try await place.opened()).close()
    try await place.script(
      """
      INSERT INTO @.request (key, claim, fingerprint, forget_at, bytes, status, fields)
        SELECT sha256(n::text::bytea), n, 'x', @.clock() + 1000000 + n, 1000, 200, '{}'
        FROM generate_series(1, 2500) AS n;
      INSERT INTO @.request_load (shard, count, bytes) VALUES (999, 2500, 2500000);
      """)
    return place
  }

  private func done(_ key: String, at store: PostgresIdempotencyStore) async throws {
    guard case .handle(let claim) = try await store.begin(key, fingerprint: one) else {
      Issue.record("\(key) is new")
      return
    }
    try await store.end(key, claim, with: StoredAnswer(status: 200, fields: [:], body: one))
  }

  private let isCounted = """
    SELECT ((SELECT (sum(count), sum(bytes)) FROM @.request_load)
      = (SELECT (count(*)::numeric, sum(bytes)) FROM @.request))::integer::bigint
    """

  @Test func `answers far above a lowered limit of bytes go by parts, and no request fails`()
    async throws
  {
    let place = try await full()
    let store = place.answers(maximumBytes: 10_000)
    try await done("a", at: store)
    #expect(try await number(place, "SELECT count(*) FROM @.request") == 1501)
    #expect(try await number(place, "SELECT count(*) FROM @.request WHERE claim <= 1000") == 0)
    for key in ["b", "c"] { try await done(key, at: store) }
    #expect(try await number(place, "SELECT sum(bytes)::bigint FROM @.request_load") <= 10_000)
    #expect(try await number(place, isCounted) == 1)
    await store.close()
  }

  @Test func `answers far above a lowered limit of their number go by parts, and no request fails`()
    async throws
  {
    let place = try await full()
    let store = place.answers(maximumCount: 3)
    for (key, count) in [("a", 1501), ("b", 502), ("c", 3)] {
      try await done(key, at: store)
      #expect(try await number(place, "SELECT count(*) FROM @.request") == Int64(count))
    }
    #expect(try await number(place, isCounted) == 1)
    for key in ["d", "e", "f"] { _ = try await store.begin(key, fingerprint: one) }
    await #expect(throws: Rejection.self) { _ = try await store.begin("g", fingerprint: one) }
    #expect(try await number(place, isCounted) == 1)
    await store.close()
  }

  @Test func `a server that has recovered from a crash of a session takes nobody for dead`()
    async throws
  {
    let server = try await PostgresServer()
    let place = try await Place(at: server.address())
    await (try await place.opened()).close()
    // A lease that was over at this moment, and so after the server was started.
    let moment = try await number(place, "SELECT @.clock()")
    let isOver = """
      SELECT \(place.schema).lost_before(p.t - $1, p.t) > 0
      FROM (SELECT \(place.schema).clock() AS t) AS p
      """
    #expect(try await place.query(isOver, [.int(moment)]).first?.bool(0) == true)
    kill(Int32(try await number(place, "SELECT pg_backend_pid()::bigint")), SIGKILL)
    // All sessions end, and it lets nobody in until it has recovered.
    await eventually { server.log.contains("reinitializing") }
    var again: PostgresConnection?
    while again == nil { again = try? await place.session() }
    let session = try #require(again)
    #expect(try await session.query(isOver, [.int(moment)]).first?.bool(0) == false)
    session.close()
  }

  /// How many rows of requests a statement makes the server read.
  private func rowsRead(_ place: Place, _ sql: String) async throws -> Int64 {
    let read = """
      SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
      WHERE schemaname = '@' AND relname = 'request'
      """
    try await place.query("BEGIN")
    let before = try await number(place, read)
    try await place.query(sql)
    let after = try await number(place, read)
    try await place.query("COMMIT")
    return after - before
  }

  @Test func `plans that were made while no request was there read only what they need`()
    async throws
  {
    let place = try await Place()
    await (try await place.opened()).close()
    try await place.query("VACUUM ANALYZE @.request")
    let end = "SELECT @.end_request('7', 7, 200, '{}', 'x', 60000, 60000, 1000000)"
    let renew = "SELECT @.renew_requests('{8}', '{8}', 60000)"
    let tidy = "SELECT @.tidy_requests(60000)"
    // As often as the server needs to decide for one plan, while there is nothing.
    for _ in 0..<8 { for sql in [end, renew, tidy] { try await place.query(sql) } }
    try await place.query(
      """
      INSERT INTO @.request (key, claim, fingerprint, forget_at, lease_until)
        SELECT sha256(n::text::bytea), n, 'x', @.clock() + 1000000, @.clock() + 1000000
        FROM generate_series(1, 2000) AS n
      """)
    #expect(try await rowsRead(place, end) < 10)
    #expect(try await rowsRead(place, renew) < 10)
    try await place.query("UPDATE @.step SET at = 0")
    #expect(try await rowsRead(place, tidy) < 10)
  }

  private func claim(_ key: String, at store: PostgresIdempotencyStore) async throws -> UInt64 {
    guard case .handle(let claim) = try await store.begin(key, fingerprint: one) else {
      throw CancellationError()
    }
    return claim
  }

  @Test func `callers that keep all connections cost a process none of its keys`() async throws {
    let place = try await Place()
    let store = place.answers()
    try await store.open()
    _ = try await claim("runs", at: store)
    let owed = try await claim("owed", at: store)
    try await place.script(
      """
      CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON @.request FOR EACH ROW
        WHEN (new.status IS NOT NULL) EXECUTE FUNCTION @.refuse();
      """)
    await #expect(throws: AppError.self) {
      try await store.end("owed", owed, with: StoredAnswer(status: 200, fields: [:], body: one))
    }
    let holder = try await place.session()
    try await holder.script(
      """
      BEGIN;
      INSERT INTO \(place.schema).request (key, claim, fingerprint, lease_until, forget_at)
        VALUES (sha256('a'), 1, 'x', 1, 1)
      """)
    let callers = (0..<2).map { _ in Task { try await store.begin("a", fingerprint: one) } }
    try await eventually {
      try await number(
        place,
        """
        SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND position('@.begin_request(' IN query) > 0
        """) == 2
    }
    try await place.script(
      """
      CREATE OR REPLACE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RETURN new; END $$
      """)
    #expect(await store.renew())
    try await eventually {
      try await number(
        place, "SELECT count(*) FROM @.request WHERE key = sha256('owed') AND status = 200") == 1
    }
    try await holder.script("ROLLBACK")
    for caller in callers { _ = try await caller.value }
    await store.close()
  }
}
