// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// A newer build brings a file up to date while this one has it open.
@Suite(.requirement("O21"), .ends(withinMinutes: 5)) struct NewerFormatTests {
  private let folder: TemporaryFolder
  private static let newer = OutboxError(.newerFormat, details: "")

  init() throws { folder = try TemporaryFolder() }

  /// Does what a newer build does when it opens the file.
  private func raise(_ key: String, to format: Int, in folder: TemporaryFolder) throws {
    // The outbox may be writing just now.
    let queue = try DatabaseQueue(patientAt: folder.database)
    try queue.write { db in
      try db.execute(
        sql: "UPDATE mainstay_meta SET value = ? WHERE key = ?", arguments: [format, key])
    }
    try queue.close()
  }

  /// Every row of every table.
  private func content() throws -> [String] {
    let queue = try DatabaseQueue(patientAt: folder.database)
    let content = try queue.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'mainstay%' AND type = 'table'"
      ).sorted().flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1").map { "\(table) \($0)" }
      }
    }
    try queue.close()
    return content
  }

  /// What writes to a file.
  enum Call: String, CaseIterable {
    case insert, insertSeveral, claim, settle, release, checkpoint, promote, reconsider, expedite
    case hasten, close, reopen, redrive, discard, learn, resolve, cancel

    func make(of store: SQLiteStore, _ lease: Lease) async throws {
      switch self {
      case .insert: _ = try await store.insert(.note("c"))
      case .insertSeveral: _ = try await store.insert(contentsOf: [.note("c"), .note("d")])
      case .claim: _ = try await store.claim()
      case .settle: _ = try await store.settle(lease, OperationVerdict(.done))
      case .release: _ = try await store.settle(lease, OperationVerdict(.ready))
      case .checkpoint: _ = try await store.checkpoint(lease, Data("half".utf8))
      case .promote: _ = try await store.promote(NewOperation.types)
      case .reconsider: try await store.reconsider()
      case .expedite: try await store.expedite(unimportantAfter: .zero)
      case .hasten: _ = try await store.hasten(lease.id)
      case .close: try await store.close(.main, LaneClosure(.paused))
      case .reopen: try await store.reopen(.main, closedFor: nil)
      case .redrive: _ = try await store.redrive(lease.id)
      case .discard: _ = try await store.discard(lease.id)
      case .learn:
        _ = try await store.learn(lease.id, RecordNews(latest: Data()), conflicts: [])
      case .resolve: _ = try await store.resolve(lease.id, with: .dropped)
      case .cancel: _ = try await store.cancel(lease.id)
      }
    }
  }

  @Test(arguments: Call.allCases, ["min_writer", "min_reader"])
  func `no call writes any more, and each says what an opening says`(
    call: Call, key: String
  ) async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    _ = try await store.insert(.note("b"))
    let leased = try #require(try await store.claim(1).first)
    try raise(key, to: 99, in: folder)
    let before = try content()
    let refused = await #expect(throws: OutboxError.self) {
      try await call.make(of: store, leased.lease)
    }
    let opening = await #expect(throws: OutboxError.self) {
      _ = try await SQLiteStore(at: folder.database).open()
    }
    #expect(refused?.code == .newerFormat && opening?.code == .newerFormat)
    if call != .promote || key == "min_writer" {  // which reads first
      #expect(refused?.details == opening?.details)
      #expect(refused?.details.hasSuffix("format 99 to be written; this build has 3") == true)
    }
    #expect(try content() == before)
    await store.close()
    #expect(try content() == before, "it cannot even give back what it had leased")

    try raise(key, to: 3, in: folder)
    let next = SQLiteStore(at: folder.database)
    #expect(try await next.open().recovered == 1)
    await next.close()
  }

  @Test func `what can still be read is read, until that needs a newer build, too`() async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    let id = try await store.insert(.note("a"))
    try raise("min_writer", to: 4, in: folder)
    #expect(try await store.snapshot().ready == 1)
    #expect(try await store.operation(id)?.state == .ready)
    try raise("min_reader", to: 5, in: folder)
    let refused = await #expect(throws: OutboxError.self) { _ = try await store.snapshot() }
    #expect(refused?.details.hasSuffix("format 5 to be read; this build has 3") == true)
    await #expect(throws: Self.newer) { _ = try await store.operation(id) }
    await store.close()
  }

  @Test func `a table that is gone in the newer format is no other error`() async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    try raise("min_reader", to: 4, in: folder)
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { try $0.execute(sql: "DROP TABLE mainstay_op") }
    try queue.close()
    await #expect(throws: Self.newer) { _ = try await store.snapshot() }
    await #expect(throws: Self.newer) { _ = try await store.claim() }
    await store.close()
  }

  @Test(.requirement("O28"))
  func `a transaction of the app goes on without what it would have enqueued`() async throws {
    let database = try DatabaseQueue(patientAt: folder.database)
    try await database.write { try $0.execute(sql: "CREATE TABLE item (name TEXT)") }
    var configuration = Outbox.Configuration()
    configuration.startsPaused = true
    let outbox = try await Outbox(
      in: database, configuration: configuration, clock: ManualClock()
    ) { Worker(for: Note.self) { _, _ in } }
    try raise("min_writer", to: 4, in: folder)
    try await database.write { db in
      #expect(throws: Self.newer) { try outbox.enqueue(Note(text: "a"), in: db) }
      try db.execute(sql: "INSERT INTO item VALUES ('a')")
    }
    let items = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") }
    #expect(try await outbox.ledger().enqueued == 0 && items == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("A54"))
  func `an outbox says so, begins nothing more, and asks seldom`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let runs = Box(0)
    let outbox = try await shop.open(shop.worker { _, _ in runs.change { $0 += 1 } })
    let id = try await outbox.enqueue(Note(text: "a"))
    // What it looks at when it begins is over then.
    await outbox.suspend(within: .zero)
    try raise("min_writer", to: 4, in: shop.folder)
    await outbox.resume()
    await shop.log.wait(for: "storageFailed")
    await shop.clock.sleepers(atLeast: 1)
    // The longest wait at once: this does not go away by itself.
    #expect(shop.clock.nextWakeUp == .seconds(32))
    guard case .storageFailed(let error) = shop.log.events.last?.what else {
      Issue.record("\(shop.log.events)")
      return
    }
    #expect(error.code == .newerFormat && error.appError.code == "outbox.newer-format")
    #expect(try await outbox.explain(id)?.obstacles == [.newerFormat])
    await #expect(throws: Self.newer) { try await outbox.enqueue(Note(text: "b")) }
    // Once for each time that it was woken: the enqueue and the resumption.
    #expect(runs.value == 0 && shop.log.count("storageFailed") <= 2)

    try raise("min_writer", to: 3, in: shop.folder)
    shop.clock.advance(by: .seconds(32))
    await outbox.wait { $0.pending == 0 }
    #expect(runs.value == 1)
    await outbox.shutDown()
  }

  @Test func `the end of a run waits until it can be recorded`() async throws {
    let shop = try Workshop()
    let (hasBegun, mayEnd, runs) = (Gate(), Gate(), Box(0))
    let outbox = try await shop.open(
      shop.worker { _, _ in
        runs.change { $0 += 1 }
        hasBegun.open()
        await mayEnd.pass()
      })
    try await outbox.enqueue(Note(text: "a"))
    await hasBegun.pass()
    try raise("min_writer", to: 4, in: shop.folder)
    mayEnd.open()
    await shop.log.wait(for: "storageFailed")
    await shop.clock.sleepers(atLeast: 1)
    #expect(try await outbox.snapshot().running == 1)
    try raise("min_writer", to: 3, in: shop.folder)
    // The run and the drainer fail and rest by themselves: which of them rests now is chance.
    let moving = Task { [clock = shop.clock] in
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(32))
        await Task.yield()
      }
    }
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded")
    moving.cancel()
    #expect(runs.value == 1 && shop.log.count("succeeded") == 1)
    await outbox.shutDown()
  }
}
