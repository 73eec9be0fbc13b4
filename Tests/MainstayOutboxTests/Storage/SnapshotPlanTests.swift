// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// What a snapshot reads of a file, however much waits; `TwinStoresTests` says that it counts
/// right.
@Suite struct SnapshotPlanTests {
  @Test func `counting goes by indexes, and reads nothing of what is ready or blocked`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    await store.close()
    let queue = try DatabaseQueue(path: folder.database.path(percentEncoded: false))
    try await queue.read { db in
      for query in [
        SQLiteStore.standingQuery, SQLiteStore.readyQuery,
        SQLiteStore.heldQuery(hasPaused: false, hasRests: true),
        SQLiteStore.heldQuery(hasPaused: true, hasRests: true),
      ] {
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + query)
        statement.setUncheckedArguments(StatementArguments())
        let plan = try Row.fetchAll(statement).map { $0["detail"] as String }
        #expect(plan.contains { $0.contains("mainstay_op_") })
        for step in plan where step.hasPrefix("SCAN mainstay_op") || step.hasPrefix("SEARCH") {
          #expect(step.contains(" USING "), "\(query): \(plan)")
        }
      }
    }
    try queue.close()
  }

  @Test func `all that is ready or blocked is counted, in lanes that are closed, too`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(contentsOf: (0..<300).map { .note("\($0)") })
    var snapshot = try await store.snapshot()
    #expect(snapshot.pending == 300 && snapshot.ready == 300 && snapshot.following == nil)
    _ = try await store.insert(contentsOf: (0..<300).map { .note("\($0)", orderedBy: "k") })
    _ = try await store.insert(contentsOf: (0..<30).map { .note("\($0)", lane: "side") })
    snapshot = try await store.snapshot()
    #expect(snapshot.pending == 630 && snapshot.ready == 331 && snapshot.blocked == 299)
    #expect(snapshot.following == 299)
    try await store.close("side", LaneClosure(.paused))
    snapshot = try await store.snapshot()
    #expect(snapshot.ready == 301 && snapshot.waiting == 30 && snapshot.causes.lanePaused == 30)
    try await store.pause("note")
    snapshot = try await store.snapshot()
    #expect(snapshot.ready == 0 && snapshot.causes.kindPaused == 301 && snapshot.following == 0)
    await store.close()
  }
}
