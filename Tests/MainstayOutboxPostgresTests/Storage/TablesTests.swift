// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// How the tables come into being, grow, and who may work with them.
@Suite(.ends(withinMinutes: 10))
struct TablesTests {
  /// What opening the store fails with.
  private func failure(of store: PostgresStore) async -> OutboxError? {
    do {
      _ = try await store.open()
      await store.close()
      return nil
    } catch {
      return error as? OutboxError
    }
  }

  private func steps(_ place: Place) async throws -> Int64 {
    try #require(try await place.query("SELECT count(*) FROM @.migration").first).int(0)
  }

  @Test func `processes that open an empty database at once all succeed`() async throws {
    let place = try await Place()
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { await failure(of: place.store()) } }
      for try await failure in group { #expect(failure == nil, "\(String(describing: failure))") }
    }
    #expect(try await steps(place) == 31)
    #expect(await failure(of: place.store(migrating: false)) == nil)
  }

  @Test func `what is printed makes the same tables`() async throws {
    let place = try await Place()
    try await place.script(PostgresStore.schemaSQL(schema: place.schema))
    #expect(await failure(of: place.store(migrating: false)) == nil)
    #expect(try await steps(place) == 31)
  }

  @Test func `a step changes no setting of those behind it`() async throws {
    let place = try await Place()
    let all = PostgresStore.schemaSQL(schema: place.schema)
    let end = try #require(all.range(of: "\nCOMMIT;"))
    try await place.script("SET lock_timeout = '7s'")
    try await place.script("\(all[..<end.lowerBound])")
    let patience = try await place.query("SELECT current_setting('lock_timeout')").first
    #expect(try #require(patience).text(0) == "7s")
    try await place.query("COMMIT")
  }

  @Test func `without tables one who must not make them is told what to do`() async throws {
    let place = try await Place()
    let failure = try #require(await failure(of: place.store(migrating: false)))
    #expect(failure.code == .unavailable)
    #expect(failure.details.contains("are not there: let a user"), "\(failure.details)")
    let there = try await place.query("SELECT to_regnamespace('@') IS NULL").first
    #expect(try there?.bool(0) == true)
    try await place.store().migrate()
    #expect(await self.failure(of: place.store(migrating: false)) == nil)
  }

  @Test func `a step that is missing is taken`() async throws {
    let place = try await Place()
    try await place.store().migrate()
    try await place.script(
      """
      DELETE FROM @.migration WHERE number = 8;
      DROP FUNCTION @.keep_house, @.forget_days, @.snapshot_holder, @.set_limit;
      """)
    let refused = try #require(await failure(of: place.store(migrating: false)))
    #expect(refused.details.contains("lack step 8"), "\(refused.details)")
    #expect(await failure(of: place.store()) == nil)
    #expect(try await steps(place) == 31)
  }

  @Test func `tables of an earlier build grow with their rows and the rights to them`()
    async throws
  {
    let place = try await Place()
    let name = "worker_\(place.schema)"
    let all = PostgresStore.schemaSQL(schema: place.schema)
    let new = try #require(all.range(of: "create sequence \(place.schema).policy_version"))
    try await place.script("\(all[..<new.lowerBound])COMMIT;")
    #expect(try await steps(place) == 8)
    try await place.script(
      """
      SELECT @.enqueue('note', '{"text": "old"}', ordering_key => 'o');
      CREATE ROLE \(name) LOGIN;
      GRANT USAGE ON SCHEMA @ TO \(name);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @ TO \(name);
      GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA @ TO \(name);
      """)
    try await place.store().migrate()
    #expect(try await steps(place) == 31)
    let server = try await PostgresServer.common()
    let address = try PostgresAddress(
      server.text().replacing("\(PostgresServer.user)@", with: "\(name)@"))
    let store = PostgresStore(
      at: address, schema: place.schema, migrating: false, patience: .patience, now: nil)
    _ = try await store.open()
    let worker = try await PostgresConnection.patient(address)
    try await worker.query(
      "SELECT \(place.schema).enqueue('note', '{\"text\": \"new\"}', ordering_key => 'o')")
    let old = try #require(try await store.claim().first)
    #expect(old.text == "old")
    #expect(try await store.settle(old.lease, OperationVerdict(.done)))
    #expect(try await store.claim().map(\.text) == ["new"])
    try await worker.query(
      "SELECT count(*) FROM \(place.schema).share_policies('a', '{b}', '{c}', '{1}', 10)")
    let answers = PostgresIdempotencyStore.patient(address, schema: place.schema, migrating: false)
    try await answers.open()
    guard case .handle = try await answers.begin("a", fingerprint: Data()) else {
      Issue.record("it is new")
      return
    }
    await answers.close()
    await store.close()
  }

  @Test func `a step may take as long as it needs, and so may who waits for one`() async throws {
    let place = try await Place(at: try await PostgresServer.common().database())
    try await place.script(
      """
      CREATE TABLE seen (name text, statement text, waiting text);
      CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.seen
          SELECT object_identity, current_setting('statement_timeout'),
            current_setting('lock_timeout')
          FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table';
      END $$;
      CREATE EVENT TRIGGER see ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
        EXECUTE FUNCTION public.see();
      """)
    for pooled in [false, true] {
      try await place.store(pooled: pooled).migrate()
      // The days are made as they are later, too, and then nobody must stand behind them.
      let seen = try await place.query(
        "SELECT DISTINCT statement, waiting FROM seen WHERE name !~ 'outcome_[0-9]{8}$'")
      #expect(try seen.map { [try $0.text(0), try $0.text(1)] } == [["0", "0"]])
      try await place.query("DROP SCHEMA @ CASCADE")
    }
  }

  @Test func `a step that was half done by hand is named`() async throws {
    let place = try await Place()
    try await place.store().migrate()
    try await place.query("DELETE FROM @.migration WHERE number = 8")
    let failure = try #require(await failure(of: place.store()))
    #expect(failure.code == .corrupted)
    #expect(failure.details.contains("Step 8 (housekeeping)"), "\(failure.details)")
    #expect(try await steps(place) == 30, "nothing of it was kept")
  }

  @Test func `tables that are gone though they are recorded are named`() async throws {
    let place = try await Place()
    try await place.store().migrate()
    try await place.query("DROP TABLE @.op CASCADE")
    let failure = try #require(await failure(of: place.store()))
    #expect(failure.code == .corrupted)
    #expect(failure.details.contains("restore them from a backup"), "\(failure.details)")
  }

  @Test(arguments: [(1, 1, true, true), (1, 99, false, true), (99, 99, false, false)])
  func `an older build keeps to what a newer one allows`(
    reader: Int, writer: Int, mayWork: Bool, mayLook: Bool
  ) async throws {
    let place = try await Place()
    try await place.store().migrate()
    try await place.query(
      "INSERT INTO @.migration (number, name, min_reader, min_writer) VALUES (99, 'x', $1, $2)",
      [.int(Int64(reader)), .int(Int64(writer))])
    let failure = await failure(of: place.store())
    #expect((failure == nil) == mayWork)
    if let failure {
      #expect(failure.code == .newerFormat)
      #expect(failure.details.contains("update this build"), "\(failure.details)")
    }
    let looking = place.store()
    if mayLook {
      try await looking.openToLook()
      #expect(try await looking.ledger().isBalanced)
    } else {
      await #expect(throws: OutboxError(.newerFormat, details: "")) {
        try await looking.openToLook()
      }
    }
    await looking.close()
  }

  @Test func `a worker that is outdated while it works claims nothing more`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    _ = try await store.insert(.note("a"))
    try await place.query(
      "INSERT INTO @.migration (number, name, min_reader, min_writer) VALUES (99, 'x', 1, 99)")
    await #expect(throws: OutboxError(.newerFormat, details: "")) { try await store.claim() }
    #expect(try await store.snapshot().ready == 1)
    await store.close()
  }

  @Test func `a user without the right to make tables is told so`() async throws {
    let place = try await Place()
    let name = "plain_\(place.schema)"
    try await place.query("CREATE ROLE \(name) LOGIN")
    let server = try await PostgresServer.common()
    let text = server.text().replacing("\(PostgresServer.user)@", with: "\(name)@")
    let other = PostgresStore(
      at: try PostgresAddress(text), schema: place.schema, patience: .patience, now: nil)
    let failure = try #require(await failure(of: other))
    #expect(failure.code == .unavailable)
    #expect(failure.details.contains("lacks a right"), "\(failure.details)")
  }

  @Test(
    arguments: [
      "", "Big", "1st", "a b", "a\0b", "a'b", String(repeating: "x", count: 64), "user", "order",
      "json", "pg_outbox",
    ])
  func `a name that cannot be that of a schema is refused`(schema: String) async throws {
    let address = try await PostgresServer.common().address()
    let store = PostgresStore(at: address, schema: schema, patience: .patience, now: nil)
    let failure = try #require(await failure(of: store))
    #expect(failure.code == .unavailable)
    #expect(failure.details.contains("use small letters"), "\(failure.details)")
  }

  @Test func `a word that needs quotes nowhere may be the name of a schema`() async throws {
    let place = try await Place()
    for word in try await place.query(
      "SELECT word FROM pg_get_keywords() WHERE catcode <> 'U' ORDER BY 1")
    {
      let store = PostgresStore(
        at: place.address, schema: try word.text(0), patience: .patience, now: nil)
      #expect(await failure(of: store)?.details.contains("use small letters") == true, "\(word)")
    }
    let store = PostgresStore(at: place.address, schema: "replace", patience: .patience, now: nil)
    #expect(await failure(of: store) == nil)
  }

  @Test func `a database that lacks letters is refused, though not for requests`() async throws {
    let server = try await PostgresServer.common()
    let owner = try await PostgresConnection.patient(server.address())
    try await owner.query(
      """
      CREATE DATABASE latin WITH ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0
      """)
    let address = try server.address("latin")
    let store = PostgresStore(at: address, patience: .patience, now: nil)
    let failure = try #require(await failure(of: store))
    #expect(failure.code == .unavailable)
    #expect(failure.details.contains("“latin”") && failure.details.contains("LATIN1, "))
    #expect(failure.details.contains("WITH ENCODING 'UTF8'"), "\(failure.details)")
    let there = try await PostgresConnection.patient(address)
    let rows = try await there.query("SELECT to_regnamespace('mainstay') IS NULL")
    #expect(try rows.first?.bool(0) == true)
    // What is kept of requests is bytes alone.
    let answers = PostgresIdempotencyStore.patient(address)
    try await answers.open()
    guard case .handle = try await answers.begin("a – b", fingerprint: Data()) else {
      Issue.record("it is new")
      return
    }
    await answers.close()
  }

  @Test func `tables that are dropped under a worker are named`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    try await place.query("DROP SCHEMA @ CASCADE")
    await #expect(throws: OutboxError(.unavailable, details: "")) {
      try await store.insert(.note("a"))
    }
    await store.close()
  }
}
