// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 10))
struct PostgresPoolTests {
  private func pool(
    _ options: PostgresPool.Options = Self.patient,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws -> PostgresPool {
    PostgresPool(try await PostgresServer.common().address(), options: options, clock: clock)
  }

  /// One connection, which no limit ends before it is cancelled.
  private static let patient = PostgresPool.Options(
    size: 1, wait: .patience, connection: .patient)

  /// Takes the only connection until the gate is opened.
  private func holding(_ pool: PostgresPool, _ gate: Countdown) async -> Task<Void, any Error> {
    let isHeld = Countdown(1)
    let task = Task {
      try await pool.read { connection in
        _ = try await connection.query("SELECT 1")
        isHeld.count()
        await gate.passed()
      }
    }
    await isHeld.reached()
    return task
  }

  @Test func `callers are served in the order in which they came`() async throws {
    let (pool, gate, log) = (try await pool(), Countdown(1), Log())
    let holder = await holding(pool, gate)
    let callers = await started(10) { number in
      try await pool.read { _ in log.add("\(number)") }
    }
    #expect(pool.waiting == 10)
    gate.count()
    for caller in callers { try await caller.value }
    try await holder.value
    #expect(log.lines == (0..<10).map(String.init))
    #expect(pool.attempts == 1)
    await pool.close()
  }

  @Test func `who waits too long, or finds the line full, is told so`() async throws {
    let (clock, gate) = (ManualClock(), Countdown(1))
    let pool = try await pool(
      .init(size: 1, wait: .seconds(3), lineLength: 1, connection: .patient), clock: clock)
    let holder = await holding(pool, gate)
    let waiter = await started { try await pool.read { _ in } }
    let full = await #expect(throws: PostgresError.self) { try await pool.read { _ in } }
    #expect(full?.kind == .busy)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    let late = await #expect(throws: PostgresError.self) { try await waiter.value }
    #expect(late?.kind == .busy)
    gate.count()
    try await holder.value
    try await pool.read { _ in }
    await pool.close()
    let closed = await #expect(throws: PostgresError.self) { try await pool.read { _ in } }
    #expect(closed?.kind == .closed)
  }

  @Test func `who is cancelled in the line leaves it, and takes nothing`() async throws {
    let (pool, gate) = (try await pool(), Countdown(1))
    let holder = await holding(pool, gate)
    let first = await started { try await pool.read { _ in 1 } }
    let second = await started { try await pool.read { _ in 2 } }
    first.cancel()
    let error = await #expect(throws: PostgresError.self) { try await first.value }
    #expect(error?.kind == .cancelled)
    #expect(error?.thrown is CancellationError)
    #expect(pool.waiting == 1)
    gate.count()
    #expect(try await second.value == 2)
    try await holder.value
  }

  @Test func `a cancelled statement is stopped, and its connection used again`() async throws {
    let server = try await PostgresServer.common()
    let database = try await server.database()
    let pool = PostgresPool(database, options: Self.patient)
    let watcher = try await PostgresConnection.patient(database)
    for round in 0..<5 {
      let before = try await pool.read { $0.facts.processID }
      let sleeper = Task { try await pool.read { try await $0.query("SELECT pg_sleep(600)") } }
      try await watcher.sees(running: "pg_sleep(600)")
      sleeper.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleeper.value }
      #expect(error?.kind == .cancelled, "round \(round)")
      #expect(error?.mayHaveHappened == false)
      // What comes next on the same connection is not hit by it.
      for _ in 0..<20 {
        #expect(try await pool.read { try await $0.query("SELECT 1").count } == 1)
      }
      #expect(try await pool.read { $0.facts.processID } == before)
    }
    #expect(pool.attempts == 1)
  }

  @Test func `a cancelled transaction is rolled back, and its connection used again`() async throws
  {
    let database = try await PostgresServer.common().database()
    let pool = PostgresPool(database, options: Self.patient)
    let watcher = try await PostgresConnection.patient(database)
    try await watcher.script("CREATE TABLE t (a int)")
    let task = Task {
      try await pool.transaction { connection in
        try await connection.query("INSERT INTO t VALUES (1)")
        try await connection.query("SELECT pg_sleep(601)")
      }
    }
    try await watcher.sees(running: "pg_sleep(601)")
    task.cancel()
    let error = await #expect(throws: PostgresError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    #expect(try await pool.read { try await $0.query("SELECT FROM t").count } == 0)
    #expect(pool.attempts == 1)
  }

  @Test func `a connection with an open transaction is not given to anybody else`() async throws {
    let pool = try await pool()
    let first = try await pool.read { connection in
      try await connection.query("BEGIN")
      return connection.facts.processID
    }
    let second = try await pool.read { $0.facts.processID }
    #expect(first != second)
    #expect(pool.open == 1)
  }

  @Test func `transactions that are in each other's way are done again`() async throws {
    let database = try await PostgresServer.common().database()
    let pool = PostgresPool(
      database, options: .init(size: 4, wait: .patience, connection: .patient))
    try await pool.read { try await $0.script("CREATE TABLE t (a int); INSERT INTO t VALUES (0)") }
    try await withThrowingTaskGroup { group in
      for _ in 0..<3 {
        group.addTask {
          try await pool.transaction { connection in
            try await connection.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            let rows = try await connection.query("SELECT a FROM t")
            let value = try #require(rows.first).int(0)
            try await connection.query("UPDATE t SET a = $1", [.int(value + 1)])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await pool.read { try await $0.query("SELECT a FROM t").first?.int(0) } == 3)
  }

  private func divideByZero(over connection: PostgresConnection) async {
    let refused = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT 1 / 0")
    }
    #expect(refused?.sqlState == "22012")
  }

  @Test func `a transaction of which a part failed is not taken for done`() async throws {
    let pool = try await pool()
    let error = await #expect(throws: PostgresError.self) {
      try await pool.transaction { await divideByZero(over: $0) }
    }
    #expect(error?.kind == .statement)
    #expect(error?.text == "The transaction was rolled back, since a part of it failed.")
  }

  @Test func `behind a pooler nothing is prepared, and transactions bring their limits`()
    async throws
  {
    var settings = PostgresConnection.Settings.patientAndPooled
    settings.statement = .seconds(700)
    let pool = try await pool(.init(size: 1, wait: .patience, connection: settings))
    try await pool.transaction { connection in
      let row = try #require(
        try await connection.query(
          """
          SELECT current_setting('statement_timeout'), current_setting('TimeZone'), \
          (SELECT count(*) FROM pg_prepared_statements)
          """
        ).first)
      #expect(try row.text(0) == "700s")
      #expect(try row.text(1) == "UTC")
      #expect(try row.int(2) == 0)
    }
    let after = try await pool.read {
      try await $0.query("SELECT current_setting('statement_timeout')").first?.text(0)
    }
    #expect(after == "0")
  }
}
