// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What months of use, other rights and other machines do to the tables.
@Suite(.ends(withinMinutes: 10))
struct WearTests {
  private let types = ["note", "other"].map { PayloadType(kind: .init(rawValue: $0), version: 1) }

  @Test func `days that nobody was there for do not stop the coming ones`() async throws {
    let place = try await Place()
    let store = try await place.looking()
    let days = try await place.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_[0-9]{8}$' ORDER BY 1
      """
    ).map { try $0.text(0) }
    for day in days { try await place.query("DROP TABLE @.\(day)") }
    try await place.script(
      """
      CREATE TABLE @.outcome_20200101 PARTITION OF @.outcome
        FOR VALUES FROM (1577836800000) TO (1577923200000);
      INSERT INTO @.outcome (number, uuid, kind, reason, at)
        VALUES (1, gen_random_uuid(), 'note', 'done', @.clock());
      UPDATE @.step SET at = 0;
      """)
    try await store.keepHouse()
    let now = try await place.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_[0-9]{8}$' ORDER BY 1
      """
    ).map { try $0.text(0) }
    #expect(now == Array(days.dropFirst()), "today has begun elsewhere, and the old day is over")
    await store.close()
  }

  @Test func `days are neither made nor dropped while somebody reads them all`() async throws {
    let place = try await Place()
    let keeper = try await place.looking()
    let days = "SELECT 1 FROM pg_inherits WHERE inhparent = '@.outcome'::regclass"
    let count = try await place.query(days).count
    let coming = try #require(
      try await place.query(
        """
        SELECT max(relname) FROM pg_class
        WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_[0-9]{8}$'
        """
      ).first
    ).text(0)
    try await place.script(
      """
      DROP TABLE @.\(coming);
      CREATE TABLE @.outcome_20200101 PARTITION OF @.outcome
        FOR VALUES FROM (1577836800000) TO (1577923200000);
      UPDATE @.step SET at = 0
      """)
    let reader = try await place.session()
    try await reader.script("BEGIN; SELECT count(*) FROM \(place.schema).outcome")
    // Nobody waits for the reader: this session would do so until the test is ended by its limit.
    try await place.query("SELECT @.keep_house()")
    try await place.query("SELECT @.forget_days(7)")
    let step = try await place.query("SELECT at > 0 FROM @.step WHERE name = 'housekeeping'")
    #expect(try step.first?.bool(0) == true, "it was done")
    let store = try await place.opened()
    _ = try await store.insert(.note("a"))
    let lease = try #require(try await store.claim().first).lease
    #expect(try await store.settle(lease, OperationVerdict(.done)))
    // From here on it would keep order, too.
    await store.close()
    try await reader.query("COMMIT")
    try await place.query("UPDATE @.step SET at = 0")
    try await keeper.keepHouse()
    #expect(try await place.query(days).count == count)
    let old = try await place.query("SELECT to_regclass('@.outcome_20200101')::text").first
    #expect(old?.isNull(0) == true)
    await keeper.close()
  }

  @Test func `ends without a day of their own are forgotten by and by, found by their time`()
    async throws
  {
    let place = try await Place()
    try await place.store().migrate()
    try await place.query(
      """
      INSERT INTO @.outcome_other (number, uuid, kind, reason, at)
        SELECT n, gen_random_uuid(), 'note', 'done',
          CASE WHEN n <= 10001 THEN n ELSE 4102444800000 + n END
        FROM generate_series(1, 10100) AS n
      """)
    try await place.script("SET enable_seqscan = off; BEGIN")
    for isPartial in [true, false] {
      let row = try await place.query("SELECT @.forget_days(7)").first
      #expect(try row?.bool(0) == isPartial)
    }
    let read = try await place.query(
      """
      SELECT seq_tup_read::bigint FROM pg_stat_xact_user_tables
      WHERE schemaname = '@' AND relname = 'outcome_other'
      """)
    #expect(try read.first?.int(0) == 0)
    try await place.query("COMMIT")
    #expect(try await place.query("SELECT 1 FROM @.outcome_other").count == 99)
  }

  @Test func `claims of several limited kinds take their limits in one order`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for type in types { try await store.limit(type.kind, concurrency: 5) }
    _ = try await store.insert(.note("a"))
    let (holder, claimer) = try await (
      place.session(), place.session()
    )
    try await holder.script(
      "BEGIN; SELECT 1 FROM \(place.schema).kind_limit WHERE kind = 'note' FOR UPDATE")
    let places = """
      SELECT \(place.schema).lock_places('{other,note}',
        (SELECT array_agg(id) FROM \(place.schema).op))
      """
    let claiming = Task { try await claimer.query(places).count }
    try await eventually {
      try await place.query(
        "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
        [.int(Int64(claimer.facts.processID))]
      ).count > 0
    }
    // It waits for the first one, and so holds nothing that somebody else may wait for.
    try await place.query(
      "SELECT 1 FROM @.kind_limit WHERE kind = 'other' FOR UPDATE NOWAIT")
    try await holder.query("COMMIT")
    #expect(try await claiming.value == 1)
    await store.close()
  }

  @Test func `a limit holds for all versions of a kind together`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await store.limit("note", concurrency: 3)
    let versions = [1, 2].map { PayloadType(kind: "note", version: $0) }
    for number in 0..<8 {
      let note = NewOperation.note("\(number)")
      _ = try await store.insert(
        NewOperation(
          id: note.id, type: versions[number % 2], lane: note.lane, orderingKey: nil,
          idempotencyKey: note.idempotencyKey, payload: note.payload, timeToLive: nil,
          effect: .notSent, wishes: note.wishes))
    }
    let request = ClaimRequest(limit: 10, types: Set(versions), isAlone: false)
    #expect(try await store.claim(request).operations.count == 3)
    #expect(try await store.claim(request).operations.isEmpty)
    await store.close()
  }

  @Test func `what was not begun gives back its turn under a limit of rate`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    // So slow that none comes back by itself.
    try await store.limit("note", perSecond: 0.000_001, burst: 2)
    for text in ["a", "b", "c"] { _ = try await store.insert(.note(text)) }
    let runs = try await store.claim()
    #expect(runs.map(\.text) == ["a", "b"])
    var unbegun = OperationVerdict(.ready)
    unbegun.isUnbegun = true
    #expect(try await store.settle(try #require(runs.first).lease, unbegun))
    #expect(try await store.claim().map(\.text) == ["a"], "its turn, and no other")
    try await place.query("SELECT @.give_back(min(id), '{}') FROM @.owner")
    #expect(try await store.claim().map(\.text) == ["a", "b"])
    await store.close()
  }

  @Test func `a limit holds for what lost its last run, too`() async throws {
    let place = try await Place()
    let (one, two) = try await (place.opened(), place.opened())
    try await one.limit("note", concurrency: 1)
    for text in ["a", "b"] { _ = try await one.insert(.note(text)) }
    let first = try #require(try await one.claim().first)
    try await place.query("UPDATE @.op SET crashes = 1 WHERE state = 'ready'")
    #expect(try await two.claim().isEmpty)
    #expect(try await one.settle(first.lease, OperationVerdict(.done)))
    #expect(try await two.claim().map(\.text) == ["b"])
    await one.close()
    await two.close()
  }

  @Test func `one kind with nothing to do leaves the places to its other version`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await store.limit("note", concurrency: 2)
    for number in 0..<4 { _ = try await store.insert(.note("\(number)")) }
    let versions = [0, 1, 2].map { PayloadType(kind: "note", version: $0) }
    let request = ClaimRequest(limit: 10, types: Set(versions), isAlone: false)
    #expect(try await store.claim(request).operations.count == 2)
    await store.close()
  }

  @Test func `a store whose opening failed can be opened again`() async throws {
    let place = try await Place()
    let store = place.store()
    try await store.migrate()
    try await place.script("ALTER FUNCTION @.recover RENAME TO gone")
    await #expect(throws: OutboxError.self) { try await store.open() }
    #expect(try await place.query("SELECT 1 FROM @.owner").count == 0, "it left nothing behind")
    try await place.script("ALTER FUNCTION @.gone RENAME TO recover")
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    #expect(try await store.claim().count == 1)
    await store.close()
  }

  @Test func `the owner of an empty schema needs no right to make schemas`() async throws {
    let place = try await Place()
    let name = "owner_\(place.schema)"
    try await place.script("CREATE ROLE \(name) LOGIN; CREATE SCHEMA @ AUTHORIZATION \(name)")
    let server = try await PostgresServer.common()
    let text = server.text().replacing("\(PostgresServer.user)@", with: "\(name)@")
    let store = PostgresStore(
      at: try PostgresAddress(text), schema: place.schema, patience: .patience, now: nil)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    await store.close()
  }

  @Test func `a name that cannot be that of a schema reaches no statement`() async throws {
    let name = "x.y; DROP TABLE z; --"
    #expect(throws: OutboxError(.unavailable, details: "")) {
      try PostgresEnqueue(Wish(), schema: name)
    }
    let place = try await Place()
    let exchange = PostgresExchange(
      store: PostgresStore(at: place.address, schema: name), member: "here",
      patience: .seconds(10))
    let error = await #expect(throws: OutboxError.self) { _ = try await exchange.exchange([:]) }
    #expect(error?.details.contains("cannot be the name of the schema") == true)
  }

  private struct Wish: QueuedOperation {
    static let kind: OperationKind = "wish"
  }

  @Test func `a row that cannot be read is found`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["a", "b", "c"] { _ = try await store.insert(.note(text)) }
    #expect(try await store.findings() == [])
    let number = try #require(
      try await place.query(
        "UPDATE @.op SET idem_key = 'é' WHERE id = (SELECT min(id) FROM @.op) RETURNING id"
      ).first
    ).int(0)
    #expect(try await store.findings() == ["Row \(number) is no operation."])
    await store.close()
  }

  @Test func `a counter that is wrong is found, with what sets it right`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["a", "b", "c"] { _ = try await store.insert(.note(text)) }
    let change = """
      UPDATE @.load SET bytes = bytes + 7 WHERE shard = (SELECT min(shard) FROM @.load)
      RETURNING 1
      """
    #expect(try await place.query(change).count == 1)
    let found = try await store.findings()
    #expect(found.count == 1 && found.first?.contains("are the bytes of payloads") == true)
    let cure = try #require(found.first?.components(separatedBy: "Set it right: ").last)
    _ = try await place.query(cure)
    #expect(try await store.findings() == [])
    await store.close()
  }

  @Test func `a claim that is committed after its caller gave up leaves nothing leased`()
    async throws
  {
    let server = try await PostgresServer()
    let place = try await Place(at: try server.address())
    // However long a busy machine takes for what follows.
    let store = place.store(longestClaim: .seconds(600))
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    // The connection ends while the claim waits, and nobody knows whether it was done.
    let holder = try await place.session()
    try await store.limit("note", concurrency: 5)
    try await holder.script(
      "BEGIN; SELECT 1 FROM \(place.schema).kind_limit WHERE kind = 'note' FOR UPDATE")
    let claiming = Task { try await store.claim() }
    try await place.connection.sees(running: "\(place.schema).claim(")
    try await place.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE position('@.claim(' in query) > 0 AND pid <> pg_backend_pid()
      """)
    await #expect(throws: OutboxError.self) { _ = try await claiming.value }
    try await holder.query("COMMIT")
    let first = try await store.claim()
    #expect(first.count == 1)
    // As if that claim were committed only now, under a token that nobody was told.
    _ = try await store.insert(.note("b"))
    try await place.query(
      """
      SELECT count(*) FROM @.lease((SELECT max(id) FROM @.owner),
        array(SELECT id FROM @.op WHERE state = 'ready'))
      """)
    #expect(try await store.claim().map(\.text) == ["b"])
    #expect(try await store.confirms(try #require(first.first).lease))
    await store.close()
  }

  @Test func `the last notice about a policy is the newest, whoever waited`() async throws {
    let place = try await Place()
    try await place.store().migrate()
    let (early, late) = try await (
      place.session(), place.session()
    )
    func tell(_ member: String) -> String {
      "SELECT count(*) FROM \(place.schema).share_policies('\(member)', '{breaker}', '{b}', "
        + "'{30}', 10)"
    }
    try await early.query(tell("first"))
    try await early.query("BEGIN")
    try await early.query(
      "SELECT 1 FROM \(place.schema).policy WHERE name = 'b' FOR UPDATE")
    // It draws its number, and then waits for the row.
    let waiting = Task { try await late.query(tell("late")).count }
    try await eventually {
      try await place.query(
        "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
        [.int(Int64(late.facts.processID))]
      ).count > 0
    }
    try await early.query(tell("early"))
    let versions = try await early.query("SELECT version FROM \(place.schema).policy")
    let told = try #require(versions.first)
    try await early.query("COMMIT")
    #expect(try await waiting.value == 1)
    let row = try #require(try await place.query("SELECT version, member FROM @.policy").first)
    #expect(try row.text(1) == "late")
    #expect(try row.int(0) > told.int(0))
  }
}
