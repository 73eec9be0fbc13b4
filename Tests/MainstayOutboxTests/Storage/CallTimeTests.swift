// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Calls of a store that take longer than they may.
@Suite(.requirement("O8"), .ends(withinMinutes: 5)) struct CallTimeTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  private let day = TimeOfDay()

  init() throws { folder = try TemporaryFolder() }

  private func store() -> SQLiteStore {
    var surroundings = SQLiteStore.Surroundings()
    surroundings.timeline = Timeline(clock)
    return SQLiteStore(
      at: folder.database, clock: FileClock({ [day] in day.now }), surroundings: surroundings)
  }

  private func change(_ sql: String) async throws {
    // A call may hold the file until it is ended, which takes threads of tasks: none waits here.
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// Lets each change of an operation go on for ever.
  private func stall() async throws {
    try await change(
      """
      CREATE VIEW endless AS
        WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;
      CREATE TRIGGER stall_update AFTER UPDATE ON mainstay_op BEGIN
        SELECT count(*) FROM endless;
      END;
      CREATE TRIGGER stall_insert AFTER INSERT ON mainstay_op BEGIN
        SELECT count(*) FROM endless;
      END;
      CREATE TRIGGER stall_delete AFTER DELETE ON mainstay_op BEGIN
        SELECT count(*) FROM endless;
      END;
      """)
  }

  private func goOn() async throws {
    try await change(
      "DROP TRIGGER stall_update; DROP TRIGGER stall_insert; DROP TRIGGER stall_delete")
  }

  /// Does something while time passes for whoever waits for it.
  private func passing<T: Sendable>(
    on other: ManualClock? = nil, _ body: @Sendable () async throws -> T
  ) async rethrows -> T {
    let hand = Task { [clock = other ?? clock] in
      while !Task.isCancelled {
        if clock.sleeperCount > 0 { clock.advance(by: .seconds(10)) }
        await Task.yield()
      }
    }
    defer { hand.cancel() }
    return try await body()
  }

  private func operations() throws -> [String] {
    let queue = try DatabaseQueue(patientAt: folder.database)
    let rows = try queue.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM mainstay_op ORDER BY id").map(\.description)
    }
    try queue.close()
    return rows
  }

  /// What a drainer and its callers ask a store for.
  enum Call: String, CaseIterable {
    case claim, settle, release, promote, insert, cancel
  }

  @Test(arguments: Call.allCases)
  func `one that takes too long ends with an error, and nothing is half done`(
    call: Call
  ) async throws {
    let store = store()
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    let leased = try #require(try await store.claim().first)
    let waiting = try await store.insert(.note("b", orderedBy: "k"))
    _ = try await store.insert(.note("c", wishes: .init(delay: .seconds(1))))
    day.advance(by: .seconds(2))
    try await stall()
    let before = try operations()
    @Sendable func make() async throws {
      switch call {
      case .claim: _ = try await store.claim(1, isAlone: false)
      case .settle: _ = try await store.settle(leased.lease, OperationVerdict(.done))
      case .release: _ = try await store.settle(leased.lease, OperationVerdict(.ready))
      case .promote: _ = try await store.promote(NewOperation.types)
      case .insert: _ = try await store.insert(.note("d"))
      case .cancel: _ = try await store.cancel(waiting)
      }
    }
    let error = await #expect(throws: OutboxError.self) { try await passing { try await make() } }
    #expect(error?.code == .failed, "\(error?.description ?? "")")
    #expect(error?.details.contains("took longer than it may") == true)
    #expect(error?.appError.disposition == .transient())
    #expect(try operations() == before)
    try await goOn()
    try await make()
    await store.close()
  }

  @Test(.requirement("O29")) func `those who share a turn are all told`() async throws {
    let store = store()
    _ = try await store.open()
    try await stall()
    let answers = await passing {
      await withTaskGroup(of: Result<OperationID, any Error>.self) { group in
        for number in 0..<20 {
          group.addTask {
            do { return .success(try await store.insert(.note("\(number)"))) } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(answers.count == 20 && answers.allSatisfy { (try? $0.get()) == nil })
    try await goOn()
    #expect(try await store.snapshot().pending == 0)
    _ = try await store.insert(.note("a"))
    await store.close()
  }

  @Test func `a large batch has more time, and each call has some`() {
    #expect(CallWatch.limit(for: 1) > .seconds(10) && CallWatch.limit(for: 1) < .seconds(11))
    #expect(CallWatch.limit(for: 100_000) > .seconds(5_000))
  }

  @Test func `the time between two turns is no part of the second one`() async throws {
    let store = store()
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    clock.advance(by: .seconds(3_600))
    #expect(try await store.snapshot().ready == 1)
    #expect(try await store.claim().count == 1)
    await store.close()
  }

  @Test func `one that takes too long does not end the work`() async throws {
    let shop = try Workshop()
    var configuration = shop.configuration
    configuration.startsPaused = true
    let outbox = try await Outbox(store: store(), configuration: configuration, clock: shop.clock) {
      shop.worker { _, _ in }
    }
    try await outbox.enqueue(Note(text: "a"))
    try await stall()
    try await passing {
      await outbox.resume()
      await shop.log.wait(for: "storageFailed")
      try await goOn()
    }
    // It may have been ended in its second try, too, or as it recorded the end.
    await passing(on: shop.clock) { await outbox.wait { $0.pending == 0 } }
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.count("succeeded") == 1)
    await outbox.shutDown()
  }

  /// The interruption may come as the transaction is rolled back, which leaves it open.
  @Test func `what an interruption leaves open is taken back`() throws {
    let queue = try DatabaseQueue(patientAt: folder.database)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    let watch = CallWatch(on: Timeline(clock))
    #expect(throws: CancellationError.self) {
      try queue.writeWithoutTransaction { db in
        try watch.run(
          db, of: queue, within: CallWatch.limit,
          overdue: { _ in OutboxError(.failed, details: "late") }
        ) {
          try db.beginTransaction(.immediate)
          try db.execute(sql: "DELETE FROM t")
          throw CancellationError()
        }
      }
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)
    try queue.write { try $0.execute(sql: "DELETE FROM t") }
    try queue.close()
  }
}
