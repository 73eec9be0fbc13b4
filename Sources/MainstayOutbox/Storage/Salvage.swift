// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// A damaged file, moved aside with its companions; nothing is ever deleted.
struct Salvage {
  private static let companions = ["", "-wal", "-shm"]

  private let damaged: URL
  private let moved: [String]

  /// Moves the damaged file aside.
  ///
  /// - Throws: ``OutboxError`` `corrupted` where a living process still uses the file.
  init(of url: URL, cause: OutboxError) throws {
    let folder = url.deletingLastPathComponent()
    let name = url.lastPathComponent
    let files = FileManager.default
    let inUse = try files.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).filter {
      $0.hasPrefix(name + "-owner-")
        && OwnerLock.isHeld(path: folder.appending(path: $0).path(percentEncoded: false))
    }
    guard inUse.isEmpty else {
      throw OutboxError(
        .corrupted,
        details: "\(cause.details); another process uses the file, so it was not moved aside",
        underlying: cause)
    }
    var number = 1
    func target(_ suffix: String) -> URL {
      folder.appending(path: "\(name).damaged-\(number)\(suffix)")
    }
    func exists(_ url: URL) -> Bool { files.fileExists(atPath: url.path(percentEncoded: false)) }
    while Self.companions.contains(where: { exists(target($0)) }) { number += 1 }
    var moved: [String] = []
    // The log goes first: without it the next opening would take half of the data for the whole.
    for suffix in Self.companions.reversed() {
      let source = folder.appending(path: name + suffix)
      guard exists(source) else { continue }
      try files.moveItem(at: source, to: target(suffix))
      moved.append(target(suffix).path(percentEncoded: false))
    }
    damaged = target("")
    self.moved = moved
  }

  /// Saves what can be read into a store that was opened anew.
  func restore(into store: SQLiteStore) async throws -> OpeningReport.Salvage {
    let found = Self.read(copyOf: damaged)
    return try await store.write(.full) { [moved] db, _ in
      let (operations, deadLetters) = try found.write(db)
      let missing = try found.balance(db, at: store.now().milliseconds)
      return OpeningReport.Salvage(
        movedTo: moved, operations: operations, deadLetters: deadLetters, missing: missing)
    }
  }

  /// Reads from a copy: opening a file may change it.
  private static func read(copyOf damaged: URL) -> Wreckage {
    let files = FileManager.default
    let folder = damaged.deletingLastPathComponent()
      .appending(path: ".reading-\(UUID().uuidString)")
    defer { try? files.removeItem(at: folder) }
    var wreckage = Wreckage()
    do {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      for suffix in ["", "-wal"] {
        let source = URL(filePath: damaged.path(percentEncoded: false) + suffix)
        guard files.fileExists(atPath: source.path(percentEncoded: false)) else { continue }
        try files.copyItem(at: source, to: folder.appending(path: "copy" + suffix))
      }
      let queue = try DatabaseQueue(
        path: folder.appending(path: "copy").path(percentEncoded: false))
      queue.unsafeRead { db in wreckage.read(db) }
      try queue.close()
    } catch {
      // Nothing can be read at all: what was found so far is all there is.
    }
    return wreckage
  }
}

/// What could be read of a damaged file.
private struct Wreckage: Sendable {
  private typealias Line = [String: DatabaseValue]

  private static let tables = ["lane", "op", "dead", "conflict", "receipt"]
  private var lines: [String: [Line]] = [:]
  private var enqueued: Int?

  mutating func read(_ db: Database) {
    enqueued = try? Int.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'enqueued'")
    for table in Self.tables { lines[table] = Self.lines(of: table, db) }
  }

  /// Reads from both ends towards the damage.
  private static func lines(of table: String, _ db: Database) -> [Line] {
    var found: [Line] = []
    var seen: Set<Line> = []
    for order in ["ASC", "DESC"] {
      let before = found.count
      do {
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table) ORDER BY 1 \(order)")
        while let row = try rows.next() {
          let line = Line(row, uniquingKeysWith: { $1 })
          guard seen.insert(line).inserted else { break }
          found.append(line)
        }
        if order == "ASC" { return found }
      } catch {
        if order == "DESC", found.count == before { return found }
      }
    }
    return found
  }

  func write(_ db: Database) throws -> (operations: Int, deadLetters: Int) {
    var counts: [String: Int] = [:]
    for table in Self.tables {
      for line in lines[table] ?? [] where try Self.write(line, into: table, db) {
        counts[table, default: 0] += 1
      }
    }
    try db.execute(sql: "INSERT OR IGNORE INTO lane (name) SELECT DISTINCT lane FROM op")
    let keys = try Data.fetchAll(
      db, sql: "SELECT DISTINCT ordering_key FROM op WHERE ordering_key IS NOT NULL")
    for key in keys { try SQLiteStore.unblock(key, db) }
    return (counts["op"] ?? 0, counts["dead"] ?? 0)
  }

  private static func write(_ line: Line, into table: String, _ db: Database) throws -> Bool {
    var line = line
    if table == "op" {
      if line["state"] == "leased".databaseValue {
        line["state"] = "ready".databaseValue
        line["effect"] = "sentUnknown".databaseValue
      }
      line["owner"] = .null
      guard isLegal(line) else { return false }
    }
    if insert(line, into: table, db) { return true }
    guard table == "op", line["ordering_key"]?.isNull == false else { return false }
    for (column, value) in [("state", "blocked".databaseValue), ("run_at", .null), ("wait", .null)]
    {
      line[column] = value
    }
    return insert(line, into: table, db)
  }

  private static func isLegal(_ line: Line) -> Bool {
    let row = Row(line.mapValues { $0 as (any DatabaseValueConvertible)? })
    return (try? OperationRow.operation(row)) != nil
  }

  private static func insert(_ line: Line, into table: String, _ db: Database) -> Bool {
    let columns = line.keys.sorted()
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    let values = columns.map { line[$0] ?? .null }
    do {
      try db.execute(
        sql: "INSERT INTO \(table) (\(names)) VALUES (\(places))",
        arguments: StatementArguments(values))
      return true
    } catch {
      return false
    }
  }

  /// Leaves a receipt for what is missing, so that the ledger balances and shows the loss.
  func balance(_ db: Database, at date: Int64) throws -> Int? {
    let ledger = try SQLiteStore.ledger(db)
    let present = ledger.pending + ledger.dead + ledger.receipts.reduce(0) { $0 + $1.count }
    let total = max(enqueued ?? present, present)
    try db.execute(
      sql: "UPDATE meta SET value = ? WHERE key = 'enqueued'", arguments: [total])
    if total > present {
      try SQLiteStore.leaveReceipt(
        "*", .unreadable, count: total - present, bytes: 0, at: date, db)
    }
    return enqueued.map { _ in total - present }
  }
}
