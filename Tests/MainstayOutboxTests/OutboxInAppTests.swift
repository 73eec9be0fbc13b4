// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// An outbox whose tables stand among those of an app.
@Suite(.requirement("O28", "C14"), .ends(withinMinutes: 5)) struct OutboxInAppTests {
  private struct RolledBack: Error {}

  private let folder: TemporaryFolder
  private let log = EventLog()
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.database.path(percentEncoded: false) }

  /// The app's database, with a table of its own whose name the outbox once used.
  private func database() throws -> DatabasePool {
    let pool = try DatabasePool(patientAt: folder.database)
    try Self.migrator.migrate(pool)
    return pool
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("app.1") { db in
      try db.execute(sql: "CREATE TABLE op (id INTEGER PRIMARY KEY, name TEXT)")
      try db.execute(sql: "CREATE TABLE meta (key TEXT)")
    }
    return migrator
  }

  private func open(
    _ writer: any DatabaseWriter, migrator: DatabaseMigrator? = nil,
    isPaused: Bool = false, run: @escaping @Sendable (Note) async throws -> Void = { _ in }
  ) async throws -> Outbox {
    var configuration = Outbox.Configuration()
    configuration.observer = log
    configuration.startsPaused = isPaused
    return try await Outbox(
      in: writer, migrator: migrator, configuration: configuration, clock: clock
    ) {
      Worker(for: Note.self) { note, _ in try await run(note) }
    }
  }

  @Test func `what the app commits is accepted with it, and runs`() async throws {
    let database = try database()
    let done = Box<[String]>([])
    let outbox = try await open(database) { note in done.change { $0.append(note.text) } }
    let id = try await database.write { db in
      try db.execute(sql: "INSERT INTO op (name) VALUES ('a')")
      return try outbox.enqueue(Note(text: "a"), orderedBy: "k", in: db).id
    }
    guard case .ended(.done, _, _) = try await outbox.handle(id, for: Note.self).outcome() else {
      Issue.record("it is not done")
      return
    }
    #expect(done.value == ["a"] && log.count("enqueued") == 1)
    await outbox.shutDown()
    let count = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM op") }
    #expect(count == 1, "the app goes on")
  }

  @Test func `what the app rolls back was never there, and nobody is woken`() async throws {
    let database = try database()
    let outbox = try await open(database)
    await #expect(throws: RolledBack.self) {
      try await database.write { db in
        try outbox.enqueue(Note(text: "a"), options: EnqueueOptions(lane: "new"), in: db)
        throw RolledBack()
      }
    }
    #expect(try await outbox.ledger().enqueued == 0)
    #expect(log.count("enqueued") == 0)
    // The lane went too, and is made again.
    try await database.write { db in
      _ = try outbox.enqueue(Note(text: "b"), options: EnqueueOptions(lane: "new"), in: db)
    }
    await outbox.wait { $0.pending == 0 }
    #expect(try await outbox.ledger().count(.done) == 1)
    await outbox.shutDown()
  }

  @Test func `what a savepoint takes back is not told, and the rest of its transaction is`()
    async throws
  {
    let database = try database()
    let outbox = try await open(database, isPaused: true)
    let kept = try await database.write { db in
      try db.inSavepoint {
        _ = try outbox.enqueue(Note(text: "a"), in: db)
        return .rollback
      }
      return try outbox.enqueue(Note(text: "b"), in: db).id
    }
    #expect(try await outbox.operations().map(\.id) == [kept])
    #expect(log.events.filter { $0.name == "enqueued" }.map(\.id) == [kept])
    await outbox.shutDown()
  }

  @Test func `a transaction that the app left open stays open`() async throws {
    var configuration = GRDB.Configuration.patient
    configuration.allowsUnsafeTransactions = true
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try Self.migrator.migrate(database)
    let outbox = try await open(database, isPaused: true)
    try await database.writeWithoutTransaction { db in
      try db.beginTransaction()
      try db.execute(sql: "INSERT INTO op (name) VALUES ('a')")
    }
    #expect(try await outbox.snapshot().pending == 0)
    // It has a transaction of its own, and none can begin in that of the app.
    await #expect(throws: OutboxError.self) { try await outbox.enqueue(Note(text: "a")) }
    let count = try await database.writeWithoutTransaction { db in
      try db.commit()
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM op")
    }
    #expect(count == 1)
    try await outbox.enqueue(Note(text: "b"))
    await outbox.shutDown()
  }

  @Test func `what is accepted outside of a transaction is told and run at once`() async throws {
    let database = try database()
    let outbox = try await open(database)
    try await database.writeWithoutTransaction { db in
      _ = try outbox.enqueue(Note(text: "a"), in: db)
      #expect(log.count("enqueued") == 1, "nothing else is written that could tell of it")
    }
    await outbox.wait { $0.pending == 0 }
    #expect(try await outbox.ledger().count(.done) == 1)
    await outbox.shutDown()
  }

  @Test func `what is refused leaves the app's transaction whole`() async throws {
    let database = try database()
    let outbox = try await open(database, isPaused: true)
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    try await database.write { db in
      let first = try outbox.enqueue(Note(text: "a"), options: options, in: db)
      #expect(try outbox.enqueue(Note(text: "a"), options: options, in: db) == first)
      #expect(throws: OutboxError(.keyReused, details: "")) {
        try outbox.enqueue(Note(text: "b"), options: options, in: db)
      }
      try db.execute(sql: "INSERT INTO op (name) VALUES ('a')")
    }
    #expect(try await outbox.snapshot().pending == 1)
    let count = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM op") }
    #expect(count == 1)
    await outbox.shutDown()
  }

  private struct Total: CoalescingOperation {
    static let kind: OperationKind = "total"
    var sum: Int
    func coalesced(with later: Total) -> Coalesced<Total> {
      sum + later.sum == 0 ? .annihilate : .replace(by: Total(sum: sum + later.sum))
    }
  }

  @Test func `what a savepoint takes back is not told where it was put together with others`()
    async throws
  {
    let database = try database()
    let outbox = try await open(database, isPaused: true)
    await #expect(throws: RolledBack.self) {
      try await database.write { db in
        try outbox.enqueue(Total(sum: 9), orderedBy: "a", in: db)
        throw RolledBack()
      }
    }
    let ids = try await database.write { db in
      try ["a", "b"].map { try outbox.enqueue(Total(sum: 5), orderedBy: $0, in: db).id }
    }
    var told = log.events.filter { $0.name == "enqueued" }.map(\.id)
    #expect(told == ids)
    try await database.write { db in
      let steps: [(Int, String, Database.TransactionCompletion)] = [
        (1, "a", .rollback), (2, "a", .commit), (-5, "b", .rollback),
      ]
      for (sum, key, completion) in steps {
        try db.inSavepoint {
          _ = try outbox.enqueue(Total(sum: sum), orderedBy: key, in: db)
          return completion
        }
      }
    }
    let waiting = try await outbox.operations()
    #expect(
      waiting.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"sum":7}"#, #"{"sum":5}"#])
    told = log.events.filter { $0.name == "enqueued" }.map(\.id)
    #expect(told == ids + [ids[0]])
    try await database.write { db in
      try outbox.enqueue(Total(sum: -5), orderedBy: "b", in: db)
      try outbox.enqueue(Total(sum: -7), orderedBy: "a", in: db)
    }
    #expect(log.count("enqueued") == 5)
    let notes = try await database.write { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM temp.mainstay_note")
    }
    #expect(notes == 2, "those of the last transaction alone are left")
    await outbox.shutDown()
  }

  @Test func `neighbours within one transaction are put together`() async throws {
    let database = try database()
    let outbox = try await open(database, isPaused: true)
    try await database.write { db in
      for sum in [1, 2] { try outbox.enqueue(Total(sum: sum), orderedBy: "k", in: db) }
    }
    let waiting = try await outbox.operations()
    #expect(waiting.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"sum":3}"#])
    try await database.write { db in
      _ = try outbox.enqueue(Total(sum: -3), orderedBy: "k", in: db)
    }
    #expect(try await outbox.snapshot().pending == 0)
    #expect(try await outbox.ledger().isBalanced)
    await outbox.shutDown()
  }

  @Test func `it promises what the app's connection keeps`() async throws {
    var configuration = Configuration.patient
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let careful = try DatabaseQueue(path: path, configuration: configuration)
    let first = try await open(careful)
    #expect(try await first.durability() == .powerLossSafe)
    await first.shutDown()
    let quick = try database()
    let second = try await open(quick)
    #expect(try await second.durability() == .crashSafe, "a pool leaves NORMAL")
    try await second.enqueue(Note(text: "a"))
    let level = try await quick.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA synchronous")
    }
    #expect(level == 1, "the settings of the app stay as they are")
    await second.shutDown()
    let third = try await open(try DatabaseQueue())
    #expect(try await third.durability() == .processOnly)
    try await third.enqueue(Note(text: "a"))
    await third.wait { $0.pending == 0 }
    await third.shutDown()
    let own = try await Outbox(at: folder.url.appending(path: "own.sqlite")) {}
    #expect(try await own.durability() == .powerLossSafe)
    await own.shutDown()
  }

  @Test func `each call within a transaction says what the app's connection keeps`() async throws {
    let database = try DatabaseQueue(patientAt: folder.database)
    let outbox = try await open(database, isPaused: true)
    for (level, durability) in [
      ("FULL", OutboxDurability.powerLossSafe), ("NORMAL", .crashSafe), ("OFF", .crashSafe),
      ("EXTRA", .powerLossSafe),
    ] {
      let accepted = try await database.writeWithoutTransaction { db in
        // An app may change it between two transactions.
        try db.execute(sql: "PRAGMA synchronous = \(level); PRAGMA fullfsync = ON")
        var accepted: Outbox.Enqueued?
        try db.inTransaction {
          accepted = try outbox.enqueue(Note(text: level), in: db)
          return .commit
        }
        return accepted
      }
      #expect(accepted?.durability == durability, "\(level)")
      let id = try #require(accepted?.id)
      #expect(try await outbox.operation(id) != nil)
    }
    await outbox.shutDown()
    let memory = try DatabaseQueue()
    let last = try await open(memory, isPaused: true)
    let accepted = try await memory.write { try last.enqueue(Note(text: "a"), in: $0) }
    #expect(accepted.durability == .processOnly)
    await last.shutDown()
  }

  @Test func `a sync that stays in the cache of a drive survives no power cut`() {
    let kept = [true, false].map {
      OutboxDurability(hasFile: true, synchronous: 2, isFlushed: $0)
    }
    #expect(kept == [.powerLossSafe, .crashSafe])
  }

  @Test func `migrations that could erase what waits are refused`() async throws {
    var migrator = Self.migrator
    migrator.eraseDatabaseOnSchemaChange = true
    let database = try DatabasePool(patientAt: folder.database)
    let first = try await open(database, migrator: migrator, isPaused: true)
    try await first.enqueue(Note(text: "a"))
    await first.shutDown()
    do {
      _ = try await open(database, migrator: migrator)
      Issue.record("it was opened")
    } catch let error as OutboxError {
      #expect(error.code == .unavailable)
      #expect(error.details.contains("eraseDatabaseOnSchemaChange") && error.details.contains("1 "))
    }
    let second = try await open(database, migrator: Self.migrator)
    await second.wait { $0.pending == 0 }
    await second.shutDown()
    // Nothing waits any more: the app may erase what it wants.
    let third = try await open(database, migrator: migrator)
    await third.shutDown()
  }

  @Test func `the app's own migrations know nothing of the outbox`() async throws {
    let database = try database()
    let outbox = try await open(database)
    await outbox.shutDown()
    let isKnown = try await database.read { db in
      try Self.migrator.hasCompletedMigrations(db) && !Self.migrator.hasBeenSuperseded(db)
    }
    #expect(isKnown)
  }

  @Test func `what a dead process had begun is taken back, as in a file of its own`() async throws {
    let database = try database()
    let store = SQLiteStore(in: database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    _ = try await store.claim()
    store.abandon()
    let next = SQLiteStore(in: database)
    #expect(try await next.open().recovered == 1)
    #expect(try await next.claim().map(\.operation.effect) == [.sentUnknown])
    await next.close()
    try await database.write { try $0.execute(sql: "INSERT INTO op (name) VALUES ('a')") }
  }

  @Test func `conflicts go with their operation, whatever the app says about foreign keys`()
    async throws
  {
    var configuration = Configuration.patient
    configuration.foreignKeysEnabled = false
    let database = try DatabaseQueue(path: path, configuration: configuration)
    let store = SQLiteStore(in: database)
    _ = try await store.open()
    let id = try await store.insert(.note("a"))
    let lease = try #require(try await store.claim().first).lease
    _ = try await store.settle(lease, OperationVerdict(.conflicted(remote: nil), effect: .refused))
    #expect(try await store.resolve(id, with: .dropped))
    let left = try await database.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_conflict")
    }
    #expect(left == 0)
    await store.close()
  }

  @Test func `a connection of another database is refused`() async throws {
    let outbox = try await open(try database())
    let other = try DatabaseQueue()
    await #expect(throws: OutboxError.self) {
      try await other.write { db in _ = try outbox.enqueue(Note(text: "a"), in: db) }
    }
    let own = try await Outbox(at: folder.url.appending(path: "own.sqlite")) {}
    await #expect(throws: OutboxError(.failed, details: "")) {
      try await other.write { db in _ = try own.enqueue(Note(text: "a"), in: db) }
    }
    await outbox.shutDown()
    await own.shutDown()
  }
}
