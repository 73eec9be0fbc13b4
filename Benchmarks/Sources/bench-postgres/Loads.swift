// SPDX-License-Identifier: Apache-2.0

import Figures
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// What is done: 256 bytes, as those of the others are.
struct Job: QueuedOperation {
  static let kind: OperationKind = "job"
  static let sample = Job(text: String(repeating: "x", count: 256 - #"{"text":""}"#.utf8.count))
  static let types: Set = [PayloadType(kind: kind, version: 1)]
  var text: String
}

/// How many operations come in and go out in a second, beside what the server does at most.
struct Loads {
  let server: Server
  let seconds: Double

  func measure(into table: inout Table) async throws {
    try raw(into: &table)
    try await enqueue(into: &table)
    try await drain(into: &table)
  }

  /// A table with one index and no rule, as a queue cannot be less.
  private func raw(into table: inout Table) throws {
    let database = try server.newDatabase()
    try server.psql(
      "CREATE TABLE raw (id bigserial PRIMARY KEY, payload bytea NOT NULL)", in: database)
    let one = "INSERT INTO raw (payload) VALUES (repeat('x', 256)::bytea);"
    for clients in [1, 32] {
      add("raw insert 1, \(clients) clients", 1, one, clients, database, into: &table)
    }
    let hundred =
      "INSERT INTO raw (payload) SELECT repeat('x', 256)::bytea "
      + "FROM generate_series(1, 100);"
    add("raw insert 100, 4 clients", 100, hundred, 4, database, into: &table)
    let count = 40_000
    try server.psql(
      """
      TRUNCATE raw; INSERT INTO raw (payload) SELECT repeat('x', 256)::bytea
        FROM generate_series(1, \(count)); ANALYZE raw
      """, in: database)
    let claim = """
      WITH c AS MATERIALIZED (SELECT id FROM raw ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED)
        DELETE FROM raw USING c WHERE raw.id = c.id RETURNING raw.payload;
      """
    let rate = try server.rate(claim, clients: 1, times: count / 100, in: database)
    table.add("raw claim and delete 100", Int(rate * 100 * 100), in: 100)
  }

  private func add(
    _ name: String, _ rows: Int, _ sql: String, _ clients: Int, _ database: String,
    into table: inout Table
  ) {
    do {
      let rate = try server.rate(sql, clients: clients, in: database)
      table.add(name, Int(rate * Double(rows) * 100), in: 100)
    } catch {
      say("\(name): \(error)")
    }
  }

  private func enqueue(into table: inout Table) async throws {
    let outbox = try await Self.outbox(server, try server.newDatabase(), isPaused: true)
    var count = 0
    var seconds = try await repeated(callers: 4) {
      try await outbox.enqueue(contentsOf: Array(repeating: Job.sample, count: 100))
      return 100
    } counting: {
      count += $0
    }
    table.add("enqueue 100 at once, 4 callers", count, in: seconds)
    count = 0
    seconds = try await repeated(callers: 1) {
      try await outbox.enqueue(contentsOf: Array(repeating: Job.sample, count: 1_000))
      return 1_000
    } counting: {
      count += $0
    }
    table.add("enqueue 1,000 at once", count, in: seconds)
    await outbox.shutDown()
    // Somebody waits for work of another kind, so that there is somebody to be told.
    let database = try server.newDatabase()
    let waiting = try await Outbox(
      store: PostgresStore(at: try PostgresAddress(server.text(database)))
    ) {
      Worker(for: Other.self) { _, _ in }
    }
    let filling = try await Self.outbox(server, database, isPaused: true)
    for callers in [1, 32] {
      count = 0
      seconds = try await repeated(callers: callers) {
        try await filling.enqueue(Job.sample)
        return 1
      } counting: {
        count += $0
      }
      table.add("enqueue 1, \(callers) callers", count, in: seconds)
    }
    await filling.shutDown()
    await waiting.shutDown()
  }

  private struct Other: QueuedOperation { static let kind: OperationKind = "other" }

  private func drain(into table: inout Table) async throws {
    let store = PostgresStore(at: try PostgresAddress(server.text(try server.newDatabase())))
    _ = try await store.open()
    let count = 20_000
    try await Self.fill(store, count)
    table.add(
      "claim and end 100", count, in: try await timed { try await Self.drain(store, count) })
    await store.close()
    try await drainWhole("whole outbox, a worker that does nothing", atOnce: nil, into: &table)
    try await drainWhole("whole outbox, 100 at once", atOnce: 100, into: &table)
  }

  private func drainWhole(_ name: String, atOnce: Int?, into table: inout Table) async throws {
    let database = try server.newDatabase()
    let filling = try await Self.outbox(server, database, isPaused: true)
    let count = 10_000
    for _ in 0..<count / 1_000 {
      try await filling.enqueue(contentsOf: Array(repeating: Job.sample, count: 1_000))
    }
    await filling.shutDown()
    let (runs, run) = AsyncStream.makeStream(of: Void.self)
    let working = try await Self.outbox(server, database, isPaused: true, atOnce: atOnce) { _ in
      run.yield()
    }
    let seconds = try await timed {
      await working.resume()
      // Whoever follows the changes has the server count the whole table: only the end is asked
      // for.
      var left = count
      for await _ in runs {
        left -= 1
        if left == 0 { break }
      }
      for await snapshot in working.changes where snapshot.pending == 0 { break }
    }
    table.add(name, count, in: seconds)
    await working.shutDown()
  }

  /// Has callers do something for as long as a measurement takes.
  private func repeated(
    callers: Int, _ body: @escaping @Sendable () async throws -> Int, counting count: (Int) -> Void
  ) async throws -> Double {
    let end = ContinuousClock.now + .seconds(seconds)
    return try await timed {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<callers {
          group.addTask {
            var done = 0
            while ContinuousClock.now < end { done += try await body() }
            return done
          }
        }
        for try await done in group { count(done) }
      }
    }
  }

  static func outbox(
    _ server: Server, _ database: String, isPaused: Bool, atOnce: Int? = nil,
    run: @escaping @Sendable (Job) async throws -> Void = { _ in }
  ) async throws -> Outbox {
    var configuration = Outbox.Configuration()
    configuration.startsPaused = isPaused
    if let atOnce { configuration.maximumConcurrency = atOnce }
    var limits = StoreLimits()
    (limits.maximumPending, limits.maximumBytes) = (nil, nil)
    let store = PostgresStore(at: try PostgresAddress(server.text(database)), limits: limits)
    return try await Outbox(store: store, configuration: configuration) {
      Worker(for: Job.self) { job, _ in try await run(job) }
    }
  }

  static func fill(_ store: PostgresStore, _ count: Int) async throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<count / 1_000 {
      let batch = (0..<1_000).map { _ in
        let id = OperationID.new(at: Date(), using: &random)
        return NewOperation(
          id: id, type: PayloadType(kind: Job.kind, version: 1), lane: .main, orderingKey: nil,
          idempotencyKey: IdempotencyKey(id.description) ?? IdempotencyKey(),
          payload: Data(repeating: 120, count: 256), wishes: NewOperation.Wishes())
      }
      _ = try await store.insert(contentsOf: batch)
    }
  }

  /// Leases and ends a hundred at once until so many are done.
  static func drain(_ store: PostgresStore, _ count: Int) async throws {
    let request = ClaimRequest(limit: 100, types: Job.types, isAlone: true)
    var done = 0
    while done < count {
      let leased = try await store.claim(request).operations
      guard !leased.isEmpty else { throw Missing(count: count - done) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for leased in leased {
          group.addTask {
            _ = try await store.settle(leased.lease, OperationVerdict(.done, effect: .applied))
          }
        }
        try await group.waitForAll()
      }
      done += leased.count
    }
  }

  struct Missing: Error { let count: Int }
}
