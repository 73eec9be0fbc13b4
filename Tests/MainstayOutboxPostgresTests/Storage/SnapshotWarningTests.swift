// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// Who keeps the server from clearing up is told soon enough to do something about it.
@Suite(.ends(withinMinutes: 10)) struct SnapshotWarningTests {
  @Test(
    .requirement("O38"),
    arguments: [
      "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", "BEGIN; CREATE TABLE written (a integer)",
    ])
  func `a transaction that stays open is warned of within ten seconds`(
    _ work: String
  ) async throws {
    let database = try await PostgresServer.common().database()
    let log = Log()
    let store = PostgresStore(
      at: database, logger: log.logger(from: .warning) { "\($0.message)" }, patience: .patience,
      now: nil)
    _ = try await store.open()
    let holder = try await PostgresConnection.patient(database)
    try await holder.script(work)
    // Where the server stands still, another session may be named, too.
    let words = "process \(holder.facts.processID) "
    await eventually { log.lines.contains { $0.contains(words) } }
    let line = try #require(log.lines.first { $0.contains(words) })
    // How late it may be is shown below: here it is as late as a busy machine makes it.
    let seconds = try #require(line.firstMatch(of: /for (\d+) seconds/)).1
    #expect(try .seconds(#require(Int(seconds))) >= PostgresStore.snapshotPatience, "\(line)")
    await store.close()
    holder.close()
  }

  @Test func `a prepared transaction is warned of, too`() async throws {
    let server = try await PostgresServer(settings: ["max_prepared_transactions = 2"])
    let place = try await Place(at: server.address())
    let store = try await place.looking()
    try await place.script(
      "BEGIN; CREATE TABLE written (a integer); PREPARE TRANSACTION 'half'")
    try await place.query("UPDATE @.step SET at = 0 WHERE name = 'snapshots'")
    let holder = try await store.snapshotHolder(patience: .zero)
    #expect(holder?.hasPrefix("prepared transaction half has held") == true, "\(holder ?? "")")
    try await place.query("ROLLBACK PREPARED 'half'")
    await store.close()
  }

  @Test func `the longest look and the patience are less than ten seconds together`() {
    #expect(PostgresStore.snapshotPatience + PostgresStore.lookPause < .seconds(10))
  }

  @Test func `each holder is named once in five minutes, whoever else is`() {
    var warnings = SnapshotWarnings()
    func isNews(_ holder: String, _ seconds: Int) -> Bool {
      warnings.isNews(holder, at: .seconds(seconds))
    }
    #expect(isNews("process 1 (app) has held its snapshot for 5 seconds", 0))
    #expect(!isNews("process 1 (app) has held its snapshot for 9 seconds", 4))
    #expect(isNews("process 2 (app) has held its snapshot for 6 seconds", 8))
    #expect(isNews("replication slot a, from which nobody reads, holds a snapshot", 9))
    #expect(!isNews("replication slot a, from which nobody reads, holds a snapshot", 10))
    #expect(!isNews("process 1 (app) has held its snapshot for 299 seconds", 299))
    #expect(isNews("process 1 (app) has held its snapshot for 300 seconds", 300))
  }

  @Test func `one process looks for all`() async throws {
    let place = try await Place(at: PostgresServer.common().database())
    let (one, two) = try await (place.opened(), place.opened())
    let holder = try await place.session()
    try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
    // The stores look by themselves now and then, and may just have done so.
    var found: String?
    while found == nil {
      try await place.query("UPDATE @.step SET at = @.clock() + 2000 WHERE name = 'snapshots'")
      found = try await one.snapshotHolder(patience: .zero)
    }
    #expect(found?.hasPrefix("process ") == true, "a clock that was set back")
    // Somebody has just looked: what is longer ago than three seconds is not just now.
    try await eventually {
      try await place.query("UPDATE @.step SET at = @.clock() WHERE name = 'snapshots'")
      return try await two.snapshotHolder(patience: .zero) == nil
    }
    await one.close()
    await two.close()
    holder.close()
  }
}
