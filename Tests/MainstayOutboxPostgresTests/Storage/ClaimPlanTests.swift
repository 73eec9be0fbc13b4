// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What a claim reads and locks among many lanes, types and constraints.
@Suite(.ends(withinMinutes: 10))
struct ClaimPlanTests {
  /// A place, and the number of a process that claims there.
  private func owner(_ place: Place) async throws -> Int64 {
    try #require(
      try await place.query(
        """
        SELECT @.enter('test', 60000, max(number)) FROM @.migration
        """
      ).first
    ).int(0)
  }

  private func claim(
    _ owner: Int64, _ limit: Int, of kinds: [String], unmet: String = ""
  ) -> String {
    let (ones, nulls) = (kinds.map { _ in "1" }, kinds.map { _ in "null" })
    return """
      SELECT (SELECT count(*) FROM @.claim(\(owner), 60000, \(limit),
        '{\(kinds.joined(separator: ","))}', '{\(ones.joined(separator: ","))}',
        '{\(nulls.joined(separator: ","))}', true, '{\(unmet)}', 1000000, null)
        WHERE token IS NOT NULL)
      """
  }

  private func enqueue(_ place: Place, _ count: Int, lane: String, kind: String) async throws {
    try await place.query(
      """
      INSERT INTO @.op (uuid, kind, version, lane, rank, state, enqueued_at, idem_key, payload)
      SELECT gen_random_uuid(), '\(kind)', 1, '\(lane)', i, 'ready', i, gen_random_uuid(), ''
      FROM generate_series(1, \(count)) AS i
      """)
  }

  /// What a statement makes the server do with the queue, as its own statistics count it.
  private func cost(_ place: Place, _ column: String, of sql: String) async throws -> Int64 {
    let count = """
      SELECT coalesce(\(column), 0)::bigint FROM pg_stat_xact_user_tables
      WHERE schemaname = '@' AND relname = 'op'
      """
    try await place.query("BEGIN")
    let before = try await place.query(count).first?.int(0) ?? 0
    try await place.query(sql)
    let after = try await place.query(count).first?.int(0) ?? 0
    try await place.query("COMMIT")
    return after - before
  }

  @Test func `a claim looks into no lane where nothing is ready, however many there are`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    let kinds = (0..<8).map { "kind-\($0)" }
    let claim = claim(owner, 10, of: kinds)
    // As often as the server needs to decide for one plan.
    for _ in 0..<8 { try await place.query(claim) }
    try await place.query(
      "INSERT INTO @.lane (name) SELECT 'account-' || i FROM generate_series(1, 5000) AS i")
    try await enqueue(place, 3, lane: "account-7", kind: "kind-3")
    #expect(try await cost(place, "idx_scan", of: claim) < 40)
    #expect(try await cost(place, "idx_scan", of: claim) < 40)
    let leased = try await place.query("SELECT DISTINCT lane FROM @.op WHERE owner = \(owner)")
    #expect(try leased.map { try $0.text(0) } == ["account-7"])
    await store.close()
  }

  @Test func `a claim leases nothing in a lane that is closed, whatever closes it`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    for lane in ["open", "over", "paused", "waiting", "resting"] {
      try await enqueue(place, 2, lane: lane, kind: "note")
    }
    try await place.query(
      """
      INSERT INTO @.lane (name, cause, until, rest_until) VALUES ('open', null, null, null),
        ('over', 'throttled', 1, 1), ('paused', 'paused', null, null),
        ('waiting', 'needsUser', @.clock() + 3600000, null),
        ('resting', null, null, @.clock() + 3600000)
      """)
    try await place.query(claim(owner, 100, of: ["note"]))
    let leased = try await place.query(
      "SELECT lane, count(*) FROM @.op WHERE owner = \(owner) GROUP BY lane ORDER BY lane")
    #expect(try leased.map { "\(try $0.text(0)) \(try $0.int(1))" } == ["open 2", "over 2"])
    await store.close()
  }

  @Test func `a claim locks no more than it leases, however many types have a backlog`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    let kinds = (0..<5).map { "kind-\($0)" }
    for kind in kinds { try await enqueue(place, 50, lane: "main", kind: kind) }
    let count = try await place.query(claim(owner, 10, of: kinds)).first?.int(0)
    #expect(count == 10)
    // Those that rank first, of all types alike.
    let leased = try await place.query(
      "SELECT kind, max(rank) FROM @.op WHERE owner = \(owner) GROUP BY kind ORDER BY kind")
    #expect(try leased.map { "\(try $0.text(0)) \(try $0.int(1))" } == kinds.map { "\($0) 2" })
    let locked = try await place.query(
      "SELECT count(*) FROM @.op WHERE state = 'ready' AND xmax::text <> '0'")
    #expect(try locked.first?.int(0) == 0)
    await store.close()
  }

  @Test func `a claim finds in other lanes what somebody has locked in the first ones`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    for lane in ["a", "b", "c"] { try await enqueue(place, 20, lane: lane, kind: "note") }
    let other = try await place.session()
    try await other.query("BEGIN")
    try await other.query(
      """
      SELECT id FROM \(place.schema).op WHERE lane = 'a' OR lane = 'b' AND rank <= 10 FOR UPDATE
      """)
    #expect(try await place.query(claim(owner, 25, of: ["note"])).first?.int(0) == 25)
    #expect(try await place.query(claim(owner, 25, of: ["note"])).first?.int(0) == 5)
    try await other.query("ROLLBACK")
    #expect(try await place.query(claim(owner, 60, of: ["note"])).first?.int(0) == 30)
    await store.close()
  }

  @Test func `who comes last of many at the same moment finds what they leave`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    for lane in 1...60 {
      try await place.query(
        """
        INSERT INTO @.op (uuid, kind, version, lane, rank, state, enqueued_at, idem_key, payload)
        VALUES (gen_random_uuid(), $1, 1, 'lane-' || $2::text, $2::integer, 'ready', 1,
          gen_random_uuid(), '')
        """, [.text(lane % 2 == 0 ? "even" : "odd"), .text("\(lane)")])
    }
    var others: [PostgresConnection] = []
    for other in 0..<5 {
      let session = try await place.session()
      try await session.query("BEGIN")
      try await session.query(
        """
        SELECT id FROM \(place.schema).op WHERE rank > \(other * 10) AND rank <= \(other * 10 + 10)
        FOR UPDATE
        """)
      others.append(session)
    }
    #expect(try await place.query(claim(owner, 3, of: ["odd"])).first?.int(0) == 3)
    #expect(try await place.query(claim(owner, 10, of: ["odd", "even"])).first?.int(0) == 7)
    let leased = try await place.query("SELECT rank FROM @.op WHERE owner = \(owner) ORDER BY 1")
    #expect(try leased.map { try $0.int(0) } == Array(51...60))
    for session in others { try await session.query("ROLLBACK") }
    await store.close()
  }

  @Test func `a look and a claim that find nothing write nothing`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    let calls = [claim(owner, 10, of: ["note"]), "SELECT @.promote('{note}', '{1}', true, null)"]
    // What is read here is said once.
    for call in calls { try await place.query(call) }
    for call in calls {
      try await place.query("BEGIN")
      try await place.query(call)
      let number = try await place.query("SELECT pg_current_xact_id_if_assigned() IS NULL")
      #expect(try number.first?.bool(0) == true, "\(call)")
      try await place.query("COMMIT")
    }
    await store.close()
  }

  @Test func `what is ready is leased for no owner that was taken for dead`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    try await enqueue(place, 3, lane: "main", kind: "note")
    try await place.query("UPDATE @.owner SET alive_until = -1 WHERE id = \(owner)")
    let ids = try await place.query("SELECT id FROM @.op").map { "\(try $0.int(0))" }
    let lease = "SELECT @.lease(\(owner), '{\(ids.joined(separator: ","))}')"
    for call in [claim(owner, 10, of: ["note"]), lease] {
      let error = await #expect(throws: PostgresError.self) { try await place.query(call) }
      #expect(error?.sqlState == "MS001")
    }
    let ready = try await place.query("SELECT count(*) FROM @.op WHERE state = 'ready'")
    #expect(try ready.first?.int(0) == 3)
    await store.close()
  }

  @Test func `a constraint that does not hold makes a claim read what it holds back alone`()
    async throws
  {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    let claim = claim(owner, 3, of: ["note"], unmet: "b")
    for _ in 0..<8 { try await place.query(claim) }
    try await enqueue(place, 2_000, lane: "main", kind: "note")
    try await place.query("UPDATE @.op SET constraints = '{a}'")
    try await place.query("UPDATE @.op SET constraints = '{a,b}' WHERE rank <= 3")
    try await place.query("VACUUM @.op")
    let read = "seq_tup_read + coalesce(idx_tup_fetch, 0)"
    #expect(try await cost(place, read, of: claim) < 60)
    #expect(try await cost(place, read, of: claim) < 60)
    let aside = try await place.query("SELECT rank FROM @.op WHERE state = 'waiting' ORDER BY 1")
    #expect(try aside.map { try $0.int(0) } == [1, 2, 3])
    await store.close()
  }

  @Test(
    arguments: [
      "read_anew()", "reconsider(null, '{}', '{note/1}')", "expedite(0, 0, 1, 2, null)",
    ])
  func `what is looked at anew is found without a look at what is ready`(
    call: String
  ) async throws {
    let place = try await Place()
    try await place.store().migrate()
    for _ in 0..<8 { try await place.query("SELECT @.\(call)") }
    try await enqueue(place, 2_000, lane: "main", kind: "note")
    let read = "seq_tup_read + coalesce(idx_tup_fetch, 0)"
    #expect(try await cost(place, read, of: "SELECT @.\(call)") < 10)
    try await place.query("ANALYZE @.op")
    #expect(try await cost(place, read, of: "SELECT @.\(call)") < 10)
  }

  @Test func `a look for what is due reads nothing of what could not be read`() async throws {
    let place = try await Place()
    try await place.store().migrate()
    let promote = "SELECT @.promote('{note}', '{1}', true, null)"
    for _ in 0..<8 { try await place.query(promote) }
    try await enqueue(place, 2_000, lane: "main", kind: "note")
    try await place.query("UPDATE @.op SET state = 'parked', cause = 'unreadable'")
    let read = "seq_tup_read + coalesce(idx_tup_fetch, 0)"
    #expect(try await cost(place, read, of: promote) < 10)
    try await place.query("VACUUM ANALYZE @.op")
    #expect(try await cost(place, read, of: promote) < 10)
    // What nobody has had a worker for is found beside it.
    try await place.query("UPDATE @.op SET cause = 'unknownType' WHERE rank <= 3")
    try await place.query(promote)
    let ready = try await place.query("SELECT count(*) FROM @.op WHERE state = 'ready'")
    #expect(try ready.first?.int(0) == 3)
  }

  @Test func `what runs is counted once, however many kinds have a limit`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let owner = try await owner(place)
    let kinds = (0..<10).map { "kind-\($0)" }
    try await place.query(
      "INSERT INTO @.kind_limit (kind, concurrency) SELECT k, 5 FROM unnest($1::text[]) AS k",
      [.texts(kinds)])
    let claim = claim(owner, 10, of: kinds)
    for _ in 0..<8 { try await place.query(claim) }
    try await enqueue(place, 1_000, lane: "main", kind: "other")
    try await enqueue(place, 20, lane: "main", kind: "kind-3")
    try await place.query(
      "UPDATE @.op SET state = 'leased', owner = 0 WHERE kind = 'other' OR rank <= 2")
    let read = "seq_tup_read + coalesce(idx_tup_fetch, 0)"
    #expect(try await cost(place, read, of: claim) < 2_500)
    let leased = try await place.query("SELECT count(*) FROM @.op WHERE owner = \(owner)")
    #expect(try leased.first?.int(0) == 3, "two of the five run elsewhere")
    await store.close()
  }

  @Test func `opening counts no long queue, and what could not be read has its turn`()
    async throws
  {
    let place = try await Place()
    try await place.store().migrate()
    try await enqueue(place, 10_001, lane: "main", kind: "note")
    try await place.query(
      "UPDATE @.op SET state = 'parked', cause = 'unreadable' WHERE rank <= 1500")
    let store = place.store()
    let report = try await store.open()
    await store.close()
    // What was put into the table by hand was never counted as enqueued.
    #expect(report.isBalanced)
    let parked = try await place.query("SELECT count(*) FROM @.op WHERE cause = 'unknownType'")
    #expect(try parked.first?.int(0) == 1_500)
  }
}
