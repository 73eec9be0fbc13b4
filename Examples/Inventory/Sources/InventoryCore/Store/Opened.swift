// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import MainstayOutbox

/// The items' file as it is found: opened, brought up to date, and mended where it was damaged.
struct Opened {
  let queue: DatabaseQueue
  let lock: OwnerLock
  let salvage: ItemSalvage?

  /// - Throws: `InventoryError` that names the path. A file of a newer version, and one that may
  ///   not be read, are left as they are: neither is damage.
  init(_ url: URL, at date: Date) throws(InventoryError) {
    let path = url.path(percentEncoded: false)
    do {
      guard let lock = try OwnerLock(path: "\(path)-lock", besides: path) else {
        throw InventoryError(.inUse, path: path)
      }
      self.lock = lock
      try DamagedFile.finishReplacing(url)
      queue = try Self.openMending(url, at: date)
      // A process may have died before it had settled what it saved.
      salvage = try queue.read(ItemSalvage.find)
    } catch let error as InventoryError {
      throw error
    } catch {
      throw InventoryError(opening: error, path: path)
    }
  }

  private static func openMending(_ url: URL, at date: Date) throws -> DatabaseQueue {
    let path = url.path(percentEncoded: false)
    do {
      guard !DamagedFile.isForeign(url) else { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
      return try connect(path)
    } catch let error as DatabaseError where error.isDamage {
      let file = DamagedFile(url, at: date)
      _ = try file.replace { damaged, new in
        try ItemSchema.migrator.migrate(new)
        try new.write { db in
          var wreckage = ItemWreckage(damaged: damaged, new: db, time: Timestamp(date))
          try wreckage.salvage(keptAt: file.keptAt.path(percentEncoded: false)).save(db)
        }
      }
      return try connect(path)
    }
  }

  private static func connect(_ path: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // First: whoever knows a newer form can save more of it.
    // mainstay:ignore MS204 -- a file that cannot be read fails at the next line
    let isNewer = (try? queue.read { try ItemSchema.migrator.hasBeenSuperseded($0) }) ?? false
    guard !isNewer else { throw InventoryError(.newerFormat, path: path) }
    let answer = try queue.writeWithoutTransaction { db in
      try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    }
    guard answer == "ok" else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer)
    }
    try ItemSchema.migrator.migrate(queue)
    return queue
  }

  /// How long the log gets before it is moved into the file, in pages of 4 KiB.
  ///
  /// That is part of a commit, and takes two more waits for the disk. SQLite's own thousand pages
  /// are ten commits under load, so that more than one scan in a hundred had these waits. The price
  /// is at most 32 MiB of the disk, and a tenth of a second to read them after a crash.
  private static let logPages = 8_192

  /// GRDB's own set-up for the write-ahead log leaves `synchronous = NORMAL`, under which a power
  /// cut may take back what was committed; so the log is switched on here.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "Inventory.Items"
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
      if mode != "wal" { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      try db.execute(
        sql: """
          PRAGMA synchronous = FULL;
          PRAGMA fullfsync = ON;
          PRAGMA checkpoint_fullfsync = ON;
          PRAGMA wal_autocheckpoint = \(logPages);
          PRAGMA journal_size_limit = \(logPages * 4096);
          PRAGMA trusted_schema = OFF;
          PRAGMA mmap_size = 0;
          PRAGMA cell_size_check = ON;
          """)
    }
    return configuration
  }
}

extension DatabaseError {
  /// Whether the file itself is wrong; what cannot be reached, read or written says nothing of it.
  fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}
