// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// What becomes of dates in the file when somebody sets the clock.
extension SQLiteStore {
  /// Agrees with the other owners of the file on the time of day.
  ///
  /// It never fails: where nothing can be written, this owner goes on by the clock as it was.
  func agreeOnClock(_ db: Database, _ connection: Connection, _ durability: Durability) {
    guard let moment = clock.moment else { return }
    do {
      clock.go(
        by: try transactionWithReserve(durability, db) {
          let anchor = try anchor(for: moment, db, connection)
          if anchor == moment { try Self.keep(moment, db) }
          return anchor
        })
      // mainstay:ignore MS202 -- what cannot be written is not needed: others write it later
    } catch {
      let anchor = try? Self.anchor(db)
      clock.go(by: anchor?.expected(at: moment) == nil ? moment : anchor)
    }
  }

  /// Moves all dates along with a clock that was set while nobody else has the file open.
  ///
  /// A wait lasts as long as it was meant to, and nothing expires because the clock was wrong
  /// before.
  func followClock() async throws {
    guard clock.wasSet else { return }
    let connection = try open
    try await Self.onWriter(of: connection.queue) { [self] db in
      // All rows may have to be moved; where that takes too long, the clock is as it was.
      try watched(db, of: connection.queue, within: CallWatch.longLimit) {
        agreeOnClock(db, connection, .full)
      }
      state.withLock { $0.latest = nil }
    }
  }

  /// The moment to go on from.
  private func anchor(
    for moment: FileClock.Moment, _ db: Database, _ connection: Connection
  ) throws -> FileClock.Moment {
    // Nobody knows how long the system was off, so the clock is believed.
    guard let anchor = try Self.anchor(db), anchor.boot == moment.boot else { return moment }
    guard let jump = anchor.jump(to: moment), try !hasCompany(db, connection) else { return anchor }
    try Self.move(by: jump, db)
    return moment
  }

  private static func keep(_ moment: FileClock.Moment, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO mainstay_meta (key, value)
        VALUES ('clock_boot', ?), ('clock_uptime', ?), ('clock_wall', ?)
        """, arguments: [moment.boot, moment.uptime, moment.wall])
  }

  /// The moment that the owners of the file agreed on; nil where it has none that could be true.
  private static func anchor(_ db: Database) throws -> FileClock.Moment? {
    func value(_ key: String) throws -> DatabaseValue? {
      try DatabaseValue.fetchOne(
        db, sql: "SELECT value FROM mainstay_meta WHERE key = ?", arguments: [key])
    }
    guard let boot = try value("clock_boot").flatMap(String.fromDatabaseValue),
      let uptime = try value("clock_uptime").flatMap(Int64.fromDatabaseValue),
      let wall = try value("clock_wall").flatMap(Int64.fromDatabaseValue),
      // What is counted on from these must not overflow: the wall goes to the end of the year 9999.
      (0...1 << 53).contains(uptime), (0...253_402_300_799_000).contains(wall)
    else { return nil }
    return FileClock.Moment(boot: boot, uptime: uptime, wall: wall)
  }

  private func hasCompany(_ db: Database, _ connection: Connection) throws -> Bool {
    guard let own = connection.lock else { return true }
    let folder = URL(filePath: own.path).deletingLastPathComponent()
    return try String.fetchAll(
      db, sql: "SELECT lock FROM mainstay_owner WHERE id <> ? AND typeof(lock) = 'text'",
      arguments: [connection.owner]
    ).contains { OwnerLock.isHeld(path: folder.appending(path: $0).path(percentEncoded: false)) }
  }

  /// What was long ago stays as it was told: receipts, outcomes and dead letters.
  private static func move(by jump: Int64, _ db: Database) throws {
    try db.execute(
      sql: """
        UPDATE mainstay_op SET enqueued_at = enqueued_at + ?1, rank = rank + ?1,
          run_at = run_at + ?1, start_at = start_at + ?1, expires_at = expires_at + ?1
        """, arguments: [jump])
    for table in ["mainstay_lane", "mainstay_rest"] {
      try db.execute(sql: "UPDATE \(table) SET until = until + ?", arguments: [jump])
    }
    try db.execute(
      sql: "UPDATE mainstay_meta SET value = value + ? WHERE key = 'settled_at'",
      arguments: [jump])
  }
}
