// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// A file of an older build goes on being what it was.
@Suite(.requirement("O20", "O21")) struct SchemaGrowthTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FormatOneFile.write(to: folder.database)
  }

  private func open() async throws -> (store: SQLiteStore, report: OpeningReport) {
    let store = SQLiteStore(
      at: folder.database, now: { Date(timeIntervalSince1970: 1_795_351_956) })
    return (store, try await store.open())
  }

  @Test func `all operations of a file of format 1 are there, where they stood`() async throws {
    let (store, report) = try await open()
    #expect(report.isBalanced && report.recovered == 1 && report.salvage == nil)
    let operations = try await store.operations(after: nil, limit: 99)
    #expect(
      operations.map(\.state) == [
        .ready, .ready, .blocked, .scheduled, .waiting, .parked, .conflicted,
      ])
    #expect(operations.allSatisfy { $0.priority == .normal && $0.constraints.isEmpty })
    #expect(operations[1].effect == .sentUnknown && operations[1].attempts == 2)
    #expect(operations[3].failure?.code == "http.503")
    #expect(try await store.conflicts().map(\.remote) == [Data("{}".utf8)])
    #expect(try await store.deadLetters(after: nil, limit: 9).map(\.reason) == [.attemptsUsedUp])
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `they go on, before what is enqueued now`() async throws {
    let (store, _) = try await open()
    _ = try await store.insert(.note("new"))
    let lost = try #require(try await store.claim().first)
    #expect(lost.text == "4", "it was lost with its process, so it is tried alone")
    _ = try await store.settle(lost.lease, OperationVerdict(.done))
    #expect(try await store.claim().map(\.text) == ["3", "5", "new"])
    let letter = try #require(try await store.deadLetters(after: nil, limit: 9).first)
    #expect(try await store.redrive(letter.id))
    #expect(try await store.claim().map(\.text) == ["10"])
    await store.close()
  }

  @Test func `numbers that were given once are not given again`() async throws {
    let (store, _) = try await open()
    _ = try await store.insert(.note("new"))
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    let number = try await queue.read { db in
      try Int64.fetchOne(db, sql: "SELECT max(id) FROM mainstay_op")
    }
    #expect(number == 13)
    try queue.close()
  }

  @Test func `the old tables are gone, and the new ones are those of a new file`() async throws {
    let (store, _) = try await open()
    await store.close()
    let fresh = try TemporaryFolder()
    let other = SQLiteStore(at: fresh.database)
    _ = try await other.open()
    await other.close()
    #expect(try await schema(of: folder) == schema(of: fresh))
    #expect(try await schema(of: fresh).allSatisfy { $0.contains("mainstay_") })
  }

  @Test func `a file without what was added later is looked at, and gets it when it is opened`()
    async throws
  {
    let (store, _) = try await open()
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      for table in ["attempt", "type", "rest", "pause"] {
        try db.execute(sql: "DROP TABLE mainstay_\(table)")
      }
    }
    try queue.close()
    let look = SQLiteStore(at: folder.database)
    try await look.openToLook()
    let first = try #require(try await look.operations(after: nil, limit: 1).first)
    #expect(try await look.attempts(of: first.id).isEmpty)
    #expect(try await look.snapshot().pending == 7)
    #expect(try await look.pausedKinds().isEmpty)
    #expect(try await look.obstacles(first.id) != nil)
    await look.close()
    let (again, report) = try await open()
    #expect(report.isBalanced)
    let lost = try #require(try await again.claim().first)
    let note = FailureNote(code: "down", message: "It is down.")
    _ = try await again.settle(lost.lease, OperationVerdict(.ready, failure: note))
    #expect(try await again.attempts(of: lost.lease.id).map(\.failure) == [note])
    await again.close()
  }

  @Test func `a file whose operations lack later columns gets them when it is opened`()
    async throws
  {
    let (store, _) = try await open()
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      for table in ["op", "dead"] {
        for column in ["timeout", "error_words"] {
          try db.execute(sql: "ALTER TABLE mainstay_\(table) DROP COLUMN \(column)")
        }
      }
    }
    try queue.close()
    let error = await #expect(throws: OutboxError.self) {
      try await SQLiteStore(at: folder.database).openToLook()
    }
    #expect(error?.code == .failed)
    let (again, report) = try await open()
    #expect(report.isBalanced)
    let all = try await again.operations(after: nil, limit: 99)
    #expect(all.count == 7 && all.allSatisfy { $0.timeout == nil })
    let id = try await again.insert(.note("new", wishes: .init(timeout: .seconds(3))))
    #expect(try await again.operation(id)?.timeout == .seconds(3))
    await again.close()
  }

  private func schema(of folder: TemporaryFolder) async throws -> [String] {
    let queue = try DatabaseQueue(patientAt: folder.database)
    defer { try? queue.close() }
    return try await queue.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master
          WHERE name NOT LIKE 'sqlite_s%' ORDER BY name
          """)
    }
  }
}
