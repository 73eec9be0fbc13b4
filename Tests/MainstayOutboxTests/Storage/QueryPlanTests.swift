// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// How much of a file a call looks at.
@Suite struct QueryPlanTests {
  @Test func `work is found by index, however much waits`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    await store.close()
    let work = [
      ReadySearch.suspectsQuery, ReadySearch.nextRunQuery, ReadySearch.placesQuery,
      ReadySearch.parking,
      RestrainedSearch.suspectsQuery, RestrainedSearch.nextRunQuery, RestrainedSearch.placesQuery,
      "UPDATE mainstay_op SET state = 'ready' WHERE state = 'waiting' AND run_at IS NULL",
      "SELECT uuid FROM mainstay_op WHERE unique_key = x'01'",
      "SELECT id FROM mainstay_op WHERE run_at <= 7 ORDER BY run_at LIMIT 10",
      "SELECT id FROM mainstay_op WHERE ordering_key = x'01' ORDER BY id LIMIT 1",
      "SELECT 1 FROM mainstay_op WHERE ordering_key = x'01' AND state <> 'blocked'",
      "SELECT id FROM mainstay_op WHERE owner = 1",
      "SELECT min(run_at) FROM mainstay_op WHERE run_at IS NOT NULL",
      "SELECT id FROM mainstay_op WHERE expendable AND priority <= 2 ORDER BY priority, id",
    ]
    let decisions = [
      "SELECT EXISTS (SELECT 1 FROM mainstay_op WHERE owner IS NOT NULL)",
      SQLiteStore.shorteningWaits,
    ]
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.read { db in
      for query in work + decisions {
        let plan = try plan(of: query, db)
        #expect(plan.contains("mainstay_op_"), "\(query): \(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(query): \(plan)")
      }
    }
    try queue.close()
  }

  @Test func `a better network looks at what it was missing for, and at no other waits`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.read { db in
      for query in [SQLiteStore.shorteningUnreached, SQLiteStore.readyingUnreached] {
        let plan = try plan(of: query, db)
        #expect(plan.contains("mainstay_op_unreached (priority"), "\(query): \(plan)")
      }
    }
    try queue.close()
  }

  @Test func `nothing goes through all that waits, or through all dead letters`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    await store.close()
    let queries = [
      """
      SELECT id FROM mainstay_conflict CROSS JOIN mainstay_op ON id = op
      WHERE state = 'conflicted' ORDER BY op
      """,
      """
      DELETE FROM mainstay_latest WHERE key = x'01'
        AND NOT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = x'01')
        AND NOT EXISTS (SELECT 1 FROM mainstay_dead WHERE ordering_key = x'01')
      """,
      """
      INSERT OR IGNORE INTO mainstay_latest (key, state) SELECT x'01', x'02'
      WHERE NOT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = x'01' AND id <> 3)
        AND NOT EXISTS (SELECT 1 FROM mainstay_dead WHERE ordering_key = x'01')
      """,
      "UPDATE mainstay_op SET rank = 1 WHERE id > 5 AND enqueued_at > 7",
      """
      SELECT EXISTS (SELECT 1 FROM mainstay_type JOIN mainstay_owner AS o ON o.id = owner
        WHERE kind = 'a' AND version = 1)
      """,
    ]
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.read { db in
      for query in queries {
        let plan = try plan(of: query, db)
        for table in ["op", "dead", "type", "owner"] {
          #expect(!plan.contains("SCAN mainstay_\(table)"), "\(query): \(plan)")
        }
        #expect(!plan.contains("TEMP B-TREE"), "\(query): \(plan)")
      }
    }
    try queue.close()
  }

  @Test func `the next type in a lane is found without going through those before it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    let (ready, restrained) = try await queue.read { db in
      (
        try plan(of: ReadySearch.nextRunQuery, db),
        try plan(of: RestrainedSearch.nextRunQuery, db)
      )
    }
    // With fewer columns it would begin where the run begins that is to be left.
    let seek = "SEARCH mainstay_op USING "
    #expect(ready.hasPrefix(seek) && ready.contains("((lane,kind,version,rank"), "\(ready)")
    #expect(ready.contains("mainstay_op_ready"), "\(ready)")
    let columns = "((constraints,lane,kind,version,rank"
    #expect(restrained.hasPrefix(seek) && restrained.contains(columns), "\(restrained)")
    #expect(restrained.contains("mainstay_op_restrained"), "\(restrained)")
    try queue.close()
  }

  @Test func `a claim reads the rows that it leases, however many lanes have something ready`()
    async throws
  {
    let folder = try TemporaryFolder()
    let day = TimeOfDay()
    let store = SQLiteStore(at: folder.database, now: { day.now })
    _ = try await store.open()
    let count = 5_000
    _ = try await store.insert(
      contentsOf: (0..<count).map { .note("\($0)", lane: Lane(rawValue: "lane \($0)")) })
    let (statements, rows) = (Box(0), Box(0))
    let queue = try DatabaseQueue(patientAt: folder.database)
    let found = try await queue.write { db in
      db.trace { event in
        statements.change { $0 += 1 }
        guard event.description.contains("payload") else { return }
        let named = event.expandedDescription.split(separator: " IN (").last?.prefix { $0 != ")" }
        rows.change { $0 += (named ?? "").split(separator: ", ").count { $0 != "NULL" } }
      }
      let request = ClaimRequest(limit: 4, types: NewOperation.types, isAlone: true)
      var search = ReadySearch(request, closed: [], at: day.now.milliseconds, db)
      let found = try search.ready().map(\.operation.payload)
      db.trace(options: [])
      return found
    }
    try queue.close()
    #expect(found == (0..<4).map { NewOperation.note("\($0)").payload })
    #expect(rows.value == 4, "suspects are looked for elsewhere")
    #expect(statements.value < count + 50)
    // Nor does anything stay of lanes that nobody has closed.
    let lanes = try DatabaseQueue(patientAt: folder.database)
    let sql = "SELECT count(*) FROM mainstay_lane"
    let left = try await lanes.read { try Int.fetchOne($0, sql: sql) }
    #expect(left == 0)
    try lanes.close()
    await store.close()
  }

  @Test func `what closed a lane until now is forgotten`() async throws {
    let folder = try TemporaryFolder()
    let day = TimeOfDay()
    let store = SQLiteStore(at: folder.database, now: { day.now })
    _ = try await store.open()
    try await store.close("a", LaneClosure(.paused))
    try await store.close("b", LaneClosure(.paused, for: .seconds(5)))
    try await store.close("c", LaneClosure(.throttled, for: .seconds(5)))
    try await store.reopen("a", closedFor: nil)
    day.advance(by: .seconds(5))
    _ = try await store.promote(NewOperation.types)
    let queue = try DatabaseQueue(patientAt: folder.database)
    let sql = "SELECT (SELECT count(*) FROM mainstay_lane) + (SELECT count(*) FROM mainstay_rest)"
    let left = try await queue.read { try Int.fetchOne($0, sql: sql) }
    #expect(left == 0)
    try queue.close()
    await store.close()
  }

  /// How SQLite answers a query; its arguments do not matter to that.
  private func plan(of query: String, _ db: Database) throws -> String {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + query)
    statement.setUncheckedArguments(StatementArguments())
    return try Row.fetchAll(statement).map { $0["detail"] as String }.joined(separator: "; ")
  }

  @Test func `what comes back with a time that is still to come is settled at the next opening`()
    async throws
  {
    let folder = try TemporaryFolder()
    let day = TimeOfDay()
    let (year, start) = (Duration.seconds(365 * 86_400), day.now)
    func open() async throws -> SQLiteStore {
      let store = SQLiteStore(at: folder.database, now: { day.now })
      _ = try await store.open()
      return store
    }
    day.advance(by: year)
    let first = try await open()
    let dead = try await first.insert(.note("dead"))
    _ = try await first.insert(.note("waits"))
    let leased = try #require(try await first.claim(1).first)
    _ = try await first.settle(
      leased.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
    await first.close()
    // The clock is set right, and what waits is settled; a dead letter is not among it.
    day.advance(by: .zero - year)
    let second = try await open()
    #expect(try await second.operations(after: nil, limit: 9).map(\.enqueued) == [start])
    day.advance(by: year + year)
    #expect(try await second.redrive(dead))
    await second.close()
    day.advance(by: .zero - (year + year))
    let third = try await open()
    #expect(try await third.operations(after: nil, limit: 9).map(\.enqueued) == [start, start])
    await third.close()
  }
}
