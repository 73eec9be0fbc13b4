// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// A server that dies, is away, is deaf or comes back.
@Suite(.ends(withinMinutes: 10))
struct PostgresFailureTests {
  /// What no limit ends before its server dies.
  private static let patient = PostgresPool.Options(wait: .patience, connection: .patient)

  @Test func `a server that dies in a statement leaves it open whether it happened`() async throws {
    let server = try await PostgresServer()
    let pool = PostgresPool(try server.address(), options: Self.patient)
    let watcher = try await PostgresConnection.patient(server.address())
    let statement = Task { try await pool.read { try await $0.query("SELECT pg_sleep(600)") } }
    try await watcher.sees(running: "pg_sleep(600)")
    try await server.stop(immediately: true)
    let error = await #expect(throws: PostgresError.self) { try await statement.value }
    #expect(error?.kind == .lost)
    #expect(error?.mayHaveHappened == true)
    await eventually { !watcher.isOpen }
    let after = await #expect(throws: PostgresError.self) { try await watcher.query("SELECT 1") }
    #expect(after?.kind == .lost)
    #expect(after?.mayHaveHappened == false)
  }

  @Test func `a transaction that loses its server is done once more when it is back`() async throws
  {
    let server = try await PostgresServer()
    let pool = PostgresPool(try server.address(), options: Self.patient)
    try await pool.read { try await $0.script("CREATE TABLE t (a int)") }
    let watcher = try await PostgresConnection.patient(server.address())
    let tries = Log()
    let work = Task {
      try await pool.transaction { connection in
        tries.add("try")
        try await connection.query("INSERT INTO t VALUES (1)")
        if tries.lines.count == 1 { try await connection.query("SELECT pg_sleep(600)") }
      }
    }
    try await watcher.sees(running: "pg_sleep(600)")
    try await server.restart(immediately: true)
    try await work.value
    #expect(tries.lines.count == 2)
    #expect(try await pool.read { try await $0.query("SELECT FROM t").count } == 1)
  }

  @Test func `where the answer to a commit is lost, that is said and nothing is repeated`()
    async throws
  {
    let server = try await PostgresServer()
    let pool = PostgresPool(try server.address(), options: Self.patient)
    let watcher = try await PostgresConnection.patient(server.address())
    try await watcher.script(
      """
      CREATE TABLE t (a int);
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow();
      """)
    let tries = Log()
    let work = Task {
      try await pool.transaction { connection in
        tries.add("try")
        try await connection.query("INSERT INTO t VALUES (1)")
      }
    }
    try await watcher.sees(running: "COMMIT")
    try await server.stop(immediately: true)
    let error = await #expect(throws: PostgresError.self) { try await work.value }
    #expect(error?.kind == .lost)
    #expect(error?.mayHaveHappened == true)
    #expect(tries.lines.count == 1)
  }

  @Test func `many callers and a server that is away make one attempt at a time`() async throws {
    let (server, clock) = (try await PostgresServer(), ManualClock())
    let pool = PostgresPool(
      try server.address(),
      options: .init(
        size: 8, wait: .seconds(1_000),
        backoff: .exponential(from: .seconds(1), to: .seconds(4), jitter: .none),
        connection: .patient), clock: clock)
    let connection = try await pool.read { $0 }
    try await server.stop()
    await eventually { !connection.isOpen }
    let callers = await started(50) { _ in try await pool.read { try await $0.query("SELECT 1") } }
    // After the one that was there before, pauses of 1, 2, 4 and 4 seconds.
    for (attempts, seconds) in [(2, 1), (3, 2), (4, 4)] {
      await eventually { pool.attempts == attempts && clock.nextWakeUp == .seconds(seconds) }
      clock.advance(by: .seconds(seconds))
    }
    await eventually { pool.attempts == 5 && clock.nextWakeUp == .seconds(4) }
    try await server.start()
    clock.advance(by: .seconds(4))
    for caller in callers { #expect(try await caller.value.count == 1) }
    #expect(pool.attempts <= 5 + 8)
    #expect(pool.open <= 8)
  }

  @Test func `a server that lets all in and takes no changes is not asked again at once`()
    async throws
  {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let owner = try await PostgresConnection.patient(server.address(name))
    try await owner.script("CREATE TABLE t (a int)")
    try await owner.script("ALTER DATABASE \(name) SET default_transaction_read_only = on")
    let clock = ManualClock()
    let pool = PostgresPool(
      try server.address(name),
      options: .init(
        size: 4, wait: .seconds(1_000),
        backoff: .exponential(from: .seconds(1), to: .seconds(4), jitter: .none),
        connection: .patient), clock: clock)
    let callers = await started(50) { _ in
      try await pool.read { try await $0.query("INSERT INTO t VALUES (1)").affected }
    }
    for (attempts, seconds) in [(4, 1), (8, 2), (12, 4)] {
      await eventually { pool.open == 0 && clock.nextWakeUp == .seconds(seconds) }
      #expect(pool.attempts <= attempts)
      if seconds == 4 { try await owner.script("ALTER DATABASE \(name) RESET ALL") }
      clock.advance(by: .seconds(seconds))
    }
    var refused = 0
    for caller in callers {
      do { #expect(try await caller.value == 1) } catch let error as PostgresError {
        #expect(error.kind == .readOnly)
        refused += 1
      }
    }
    #expect((3...12).contains(refused))
  }

  @Test func `a server that does not answer costs no more than the limit`() async throws {
    let server = try await PostgresServer()
    let settings = PostgresConnection.Settings(
      connecting: .patience, statement: .milliseconds(100), grace: .milliseconds(100))
    let connection = try await PostgresConnection.open(server.address(), settings: settings)
    // A cable that is cut looks the same: nothing comes any more, and nothing says so.
    kill(connection.facts.processID, SIGSTOP)
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT 1")
    }
    #expect(error?.kind == .timeout)
    #expect(
      error?.text == "The server did not answer in time: look at its load and at the network.")
    #expect(!connection.isOpen)
    kill(connection.facts.processID, SIGCONT)
  }

  @Test func `a cancelled caller does not wait for a server that is deaf`() async throws {
    let server = try await PostgresServer()
    let settings = PostgresConnection.Settings(
      connecting: .patience, statement: .patience, grace: .milliseconds(100))
    let connection = try await PostgresConnection.open(server.address(), settings: settings)
    kill(connection.facts.processID, SIGSTOP)
    let task = await started { try await connection.query("SELECT 1") }
    task.cancel()
    let error = await #expect(throws: PostgresError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    kill(connection.facts.processID, SIGCONT)
  }

  @Test func `a statement may be given more time than the others`() async throws {
    let settings = PostgresConnection.Settings(
      connecting: .patience, statement: .milliseconds(50), grace: .milliseconds(50))
    // The server has no limit of its own here.
    let text = try await PostgresServer.common().text() + "?options=-c%20statement_timeout%3D0"
    let connection = try await PostgresConnection.open(
      try PostgresAddress(text), settings: settings)
    let slow = "SELECT pg_sleep(0.3)"
    #expect(try await connection.query(slow, within: .patience).count == 1)
    #expect(connection.isOpen)
  }

  @Test func `limits of the server end statements and waits for locks`() async throws {
    let address = try await PostgresServer.common().database()
    var settings = PostgresConnection.Settings.patient
    (settings.statement, settings.preparedStatements) = (.seconds(1), 0)
    let connection = try await PostgresConnection.open(address, settings: settings)
    let slow = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT pg_sleep(600)")
    }
    #expect(slow?.kind == .timeout)
    #expect(slow?.sqlState == "57014")
    #expect(connection.isOpen)
    // A server that stands still before it waits for the lock must not end the statement first.
    (settings.statement, settings.lock) = (.patience, .milliseconds(50))
    let hasty = try await PostgresConnection.open(address, settings: settings)
    let other = try await PostgresConnection.patient(address)
    try await other.script("CREATE TABLE t (a int)")
    try await other.query("BEGIN")
    try await other.query("LOCK TABLE t")
    let locked = await #expect(throws: PostgresError.self) {
      try await hasty.query("SELECT * FROM t")
    }
    #expect(locked?.text == "A lock was not free in time: try again.")
    #expect(hasty.isOpen)
  }

  @Test func `a listener hears, and says after a restart that it may have missed something`()
    async throws
  {
    let server = try await PostgresServer()
    let listener = PostgresListener(
      try server.address(), channels: ["work", "Other \"one\""], settings: .patient,
      backoff: .constant(.milliseconds(20), jitter: .none))
    var events = listener.events.makeAsyncIterator()
    #expect(await events.following() == .listening(mayHaveMissed: false))
    let first = try await PostgresConnection.patient(server.address())
    try await first.script("NOTIFY work, 'one'; NOTIFY \"Other \"\"one\"\"\"; NOTIFY third")
    #expect(await events.following() == .heard(.init(channel: "work", payload: "one")))
    #expect(await events.following() == .heard(.init(channel: "Other \"one\"", payload: "")))
    try await server.restart(immediately: true)
    var interruptions = 0
    while case .interrupted = await events.following() { interruptions += 1 }
    // What ended the loop is that it listens again.
    #expect(interruptions > 0)
    let second = try await PostgresConnection.patient(server.address())
    try await second.query("SELECT pg_notify('work', 'two')")
    #expect(await events.following() == .heard(.init(channel: "work", payload: "two")))
    listener.stop()
    while await events.following() != nil {}
  }
}
