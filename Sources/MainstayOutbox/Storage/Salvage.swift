// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Opens the file; one that is damaged is replaced by what can be read of it.
  ///
  /// - Throws: ``OutboxError`` `corrupted` where a living process still uses the damaged file, or
  ///   tables of others stand in it.
  func mend(_ connect: () async throws -> OpeningReport) async throws -> OpeningReport {
    // One process mends, and others that come meanwhile find the file mended.
    guard let lock = try OwnerLock(path: "\(path)-mending", besides: path) else {
      throw OutboxError(.busy, details: "\(path) is damaged, and another process mends it")
    }
    defer { withExtendedLifetime(lock) {} }
    try DamagedFile.finishReplacing(url)
    do {
      return try await connect()
    } catch {
      let cause = OutboxError(error, path: path)
      guard cause.code == .corrupted else { throw cause }
      // The rest of it would be gone: a damaged database of an app is the app's business.
      guard !state.withLock({ $0.isSharedWithApp }) else { throw cause }
      try refuseWhereUsed(cause)
      let date = now()
      let (found, kept) = try DamagedFile(url, at: date).replace { damaged, new in
        try new.write { db in
          try Schema.grow(db)
          return try Wreckage(damaged: damaged, new: db).salvage(at: date.milliseconds)
        }
      }
      try? FileManager.default.removeItem(atPath: path + Self.suspicion)
      var report = try await connect()
      report.salvage = OpeningReport.Salvage(
        movedTo: kept, operations: found.operations, deadLetters: found.deadLetters,
        missing: found.missing)
      return report
    }
  }

  /// Whether a process died while it was replacing a damaged file.
  var isBeingMended: Bool {
    let folder = url.deletingLastPathComponent().path(percentEncoded: false)
    // mainstay:ignore MS204 -- a folder without a list holds no such file
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { $0.hasPrefix(url.lastPathComponent + "-salvaged-") }
  }

  private func refuseWhereUsed(_ cause: OutboxError) throws {
    let folder = url.deletingLastPathComponent()
    let start = url.lastPathComponent + "-owner-"
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    let isUsed = names.contains { name in
      name.hasPrefix(start)
        && OwnerLock.isHeld(path: folder.appending(path: name).path(percentEncoded: false))
    }
    guard !isUsed else {
      throw OutboxError(
        .corrupted,
        details: "\(cause.details); another process uses the file, so it was not moved aside",
        underlying: cause)
    }
  }
}

/// Copies what can be read of a damaged outbox to a new one.
private struct Wreckage {
  typealias Found = (operations: Int, deadLetters: Int, missing: Int?)

  /// Nil where the file is no database at all.
  let damaged: Database?
  let new: Database
  /// How the names of its tables begin; a format before the third has no prefix.
  private let prefix: String

  init(damaged: Database?, new: Database) {
    (self.damaged, self.new) = (damaged, new)
    let isOlder = damaged.flatMap { try? OlderSchema.isPresent($0) } ?? false
    prefix = isOlder ? "" : "mainstay_"
  }

  func salvage(at date: Int64) throws -> Found {
    try copy("lane", key: ["name"]) { $0 }
    let operations = try copy("op", Self.operation) { row in
      // Another operation stands first already: it follows that one.
      guard !row["ordering_key"].isNull else { return nil }
      var row = row
      row["state"] = "blocked".databaseValue
      (row["run_at"], row["wait"]) = (.null, .null)
      return row
    }
    let deadLetters = try copy("dead", Self.deadLetter) - dropTwins()
    try copy("conflict") { $0 }
    try openConflicts(at: date)
    try copy("receipt", key: ["kind", "reason"]) { $0 }
    if !prefix.isEmpty {
      try copy("outcome") { $0 }
      try copy("latest", key: ["key"]) { $0 }
      try copy("rest", key: ["lane"]) { $0 }
      try copy("pause", key: ["kind"]) { $0 }
      try copy("attempt", key: ["op", "number"]) { $0 }
    }
    let keys = try Data.fetchAll(
      new, sql: "SELECT DISTINCT ordering_key FROM mainstay_op WHERE ordering_key IS NOT NULL")
    try keepNumbers()
    let departure = Departure(db: new, date: date, outcomes: 0)
    try releaseDependents(departure)
    for key in keys { try departure.unblock(key) }
    return (operations, deadLetters, try balance(at: date))
  }

  /// Pages of two moments may have an operation twice: it is pending then, and no dead letter.
  ///
  /// - Returns: How many dead letters were none.
  private func dropTwins() throws -> Int {
    try new.execute(
      sql: """
        DELETE FROM mainstay_dead WHERE id IN (SELECT id FROM mainstay_op)
          OR uuid IN (SELECT uuid FROM mainstay_op)
          OR idem_key IN (SELECT idem_key FROM mainstay_op)
        """)
    return new.changesCount
  }

  /// Somebody still has to decide about a conflict whose other side could not be read, as where the
  /// other side did not say what it has.
  private func openConflicts(at date: Int64) throws {
    try new.execute(
      sql: """
        INSERT INTO mainstay_conflict (op, since) SELECT id, ? FROM mainstay_op
        WHERE state = 'conflicted' AND id NOT IN (SELECT op FROM mainstay_conflict)
        """, arguments: [date])
  }

  /// Numbers that were given are not given again: dead letters go by those of operations, and the
  /// number of an owner is the upper half of its tokens.
  private func keepNumbers() throws {
    // A number that no outbox ever reaches is damage, and would leave no room for others.
    let tables: [(String, String, Int64)] = [
      ("op", "id", 1 << 53), ("owner", "lease_token >> 32", 1 << 31),
    ]
    for (table, column, incredible) in tables {
      let (old, name) = (prefix + table, "mainstay_\(table)")
      let known = damaged.flatMap { db in
        try? Int64.fetchOne(
          db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [old])
      }
      let used = try Int64.fetchOne(
        new,
        sql: """
          SELECT max(n) FROM (SELECT \(column) AS n FROM mainstay_op
            UNION ALL SELECT \(column) FROM mainstay_dead)
          """)
      let credible = known.flatMap { (0..<incredible).contains($0) ? $0 : nil }
      try new.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [name])
      try new.execute(
        sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
        arguments: [name, max(used ?? 0, credible ?? 0)])
    }
  }

  /// What needs an operation that could not be read waits for nothing.
  private func releaseDependents(_ departure: Departure) throws {
    try copy("dep", key: ["op", "needs"]) { $0 }
    try new.execute(
      sql: """
        DELETE FROM mainstay_dep WHERE needs NOT IN (SELECT id FROM mainstay_op)
          AND needs NOT IN (SELECT id FROM mainstay_dead);
        DELETE FROM mainstay_dep WHERE op NOT IN (SELECT id FROM mainstay_op)
          AND op NOT IN (SELECT id FROM mainstay_dead);
        DELETE FROM mainstay_conflict WHERE op NOT IN (SELECT id FROM mainstay_op);
        DELETE FROM mainstay_attempt WHERE op NOT IN (SELECT id FROM mainstay_op)
          AND op NOT IN (SELECT id FROM mainstay_dead);
        """)
    let blocked = try Int64.fetchAll(
      new, sql: "SELECT id FROM mainstay_op WHERE state = 'blocked' AND ordering_key IS NULL")
    for id in blocked { try departure.release(id) }
  }

  /// - Returns: How many rows were copied.
  @discardableResult
  private func copy(
    _ table: String, key: [String] = ["rowid"], _ legal: (SalvagedRow) -> SalvagedRow?,
    otherwise: (SalvagedRow) -> SalvagedRow? = { _ in nil }
  ) throws -> Int {
    guard let damaged else { return 0 }
    var count = 0
    let target = "mainstay_\(table)"
    _ = try SalvagedRow.read(prefix + table, key: key, from: damaged) { row in
      guard let row = legal(row) else { return }
      let isCopied = try row.insert(into: target, new)
      if try isCopied || otherwise(row)?.insert(into: target, new) == true { count += 1 }
    }
    return count
  }

  private static func operation(_ row: SalvagedRow) -> SalvagedRow? {
    var row = row
    if row["state"] == "leased".databaseValue {
      row["state"] = "ready".databaseValue
      row["effect"] = "sentUnknown".databaseValue
    }
    row["owner"] = .null
    return (try? OperationRow.operation(row.row, layout: .any)).map { _ in row }
  }

  private static func deadLetter(_ row: SalvagedRow) -> SalvagedRow? {
    guard (try? OperationRow.operation(row.row, state: .dead, layout: .any)) != nil,
      (try? row.row.decode(Int64.self, forColumn: "since")) != nil,
      (try? row.row.decode(String.self, forColumn: "reason")) != nil,
      (try? row.row.decode(Bool.self, forColumn: "holds_key")) != nil
    else { return nil }
    return row
  }

  /// Leaves a receipt for what is missing, so that the ledger balances and shows the loss.
  private func balance(at date: Int64) throws -> Int? {
    let enqueued = damaged.flatMap { db in
      try? Int.fetchOne(db, sql: "SELECT value FROM \(prefix)meta WHERE key = 'enqueued'")
    }
    let ledger = try SQLiteStore.ledger(new)
    let present = ledger.pending + ledger.dead + ledger.receipts.reduce(0) { $0 + $1.count }
    let total = max(enqueued ?? present, present)
    try new.execute(
      sql: "UPDATE mainstay_meta SET value = ? WHERE key = 'enqueued'", arguments: [total])
    if total > present {
      try Departure(db: new, date: date, outcomes: 0).leaveReceipt(
        "*", .unreadable, count: total - present, bytes: 0)
    }
    return enqueued.map { _ in total - present }
  }
}
