// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Foundation
internal import GRDB
internal import Mainstay

/// Opens the file of a ``SQLiteCacheStore``.
struct CacheOpening: Sendable {
  /// How far the time of day may have been set back without a word: clocks are put right by this
  /// much all the time.
  static let tolerance: Int64 = 5_000_000

  let url: URL
  let maximumBytes: Int
  let timeline: Timeline
  let now: @Sendable () -> Date

  /// Opens the file, and makes it where there is none.
  ///
  /// - Returns: The connection, and the greatest numbers that are in the file.
  /// - Throws: What the database or the file system throws; a damaged file is gone then.
  func open() async throws -> (SQLiteCacheStore.Connection, last: (number: Int64, use: Int64)) {
    var file: FileIdentity?
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try refuseForeign()
      // Where another one comes there meanwhile, nothing of that is ever deleted.
      file = FileIdentity(at: url)
      makeForOwner()
      let queue = try DatabaseQueue(
        path: url.path(percentEncoded: false), configuration: configuration)
      file = file ?? FileIdentity(at: url)
      return try await SQLiteStore.onWriter(of: queue) { [file] db in
        switch try CacheSchema.find(db) {
        case .current: break
        case .nothing, .otherFormat:
          try CacheSchema.create(db)
          // So that the file itself says whose it is, whatever becomes of its log.
          _ = try db.checkpoint(.passive)
        case .foreign: throw foreign
        }
        let time = CacheTime(timeline, start: try settle(db))
        let sql = "SELECT coalesce(max(number), 0), coalesce(max(used), 0) FROM cache_entry"
        guard let row = try Row.fetchOne(db, sql: sql) else { throw foreign }
        let (number, use): (Int64, Int64) = (try row.read(0), try row.read(1))
        try db.execute(sql: "PRAGMA busy_timeout = \(SQLiteCacheStore.patience)")
        let connection = SQLiteCacheStore.Connection(queue: queue, time: time, file: file)
        return (connection, (number.countable, use.countable))
      }
    } catch {
      if error.isDamage, case .ours = header { Self.delete(file, at: url) }
      throw error
    }
  }

  /// Makes an empty file that its owner alone can read, where none is there.
  ///
  /// SQLite gives what it keeps beside it the same access. A file that was there keeps its own.
  private func makeForOwner() {
    let path = url.path(percentEncoded: false)
    let descriptor = Self.opened(path)
    if descriptor >= 0 { _ = close(descriptor) }
  }

  private static func opened(_ path: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    #elseif canImport(Musl)
      Musl.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    #else
      Darwin.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    #endif
  }

  /// The time of day at which ages begin to be counted.
  ///
  /// Where it was set back, nobody knows how old anything is.
  private func settle(_ db: Database) throws -> Int64 {
    let wall = now().microseconds
    return try db.atOnce {
      let latest = try Int64.fetchOne(db, sql: "SELECT latest FROM cache_state")?.countable ?? 0
      if wall < latest - Self.tolerance {
        try db.execute(sql: "UPDATE cache_entry SET asked_at = NULL")
        try db.execute(sql: "UPDATE cache_state SET latest = ?", arguments: [wall])
        return wall
      }
      let start = max(wall, latest)
      try db.execute(sql: "UPDATE cache_state SET latest = ?", arguments: [start])
      return start
    }
  }

  private var configuration: Configuration {
    // Pages are of 4 KiB, and an answer leaves a part of its last one empty: a bound for when all
    // else is miscounted.
    let maximumPages = min(Int64(maximumBytes), 1 << 40) / 1_024 + 1_024
    var configuration = Configuration()
    configuration.label = "Mainstay.Cache"
    // Somebody else may be making the file, or closing it; see `SQLiteCacheStore.patience`.
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try db.useWriteAheadLog()
      try db.execute(
        sql: """
          PRAGMA synchronous = NORMAL;
          PRAGMA journal_size_limit = 4194304;
          PRAGMA secure_delete = ON;
          PRAGMA trusted_schema = OFF;
          PRAGMA mmap_size = 0;
          PRAGMA cell_size_check = ON;
          PRAGMA max_page_count = \(maximumPages);
          """)
    }
    return configuration
  }

  /// Deletes a damaged file and what SQLite keeps beside it: nothing of an account may be left
  /// where no wipe finds it.
  ///
  /// What another process has made in its place stays.
  static func delete(_ file: FileIdentity?, at url: URL) {
    if let file, file == FileIdentity(at: url) { delete(url) }
  }

  private static func delete(_ url: URL) {
    for suffix in ["-wal", "-shm", "-journal", ""] {
      try? FileManager.default.removeItem(
        atPath: url.path(percentEncoded: false) + suffix)
    }
  }
}

// What lies there may be something else, named by mistake: it is not touched.
extension CacheOpening {
  private enum Header {
    case none
    case ours
    /// A database that does not say whose it is there: maybe in its log, or it was being made.
    case unmarked
    case otherDatabase
    case unreadable
  }

  private var header: Header {
    guard let file = try? FileHandle(forReadingFrom: url) else { return .none }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 72), !start.isEmpty else { return .none }
    guard start.count == 72, start.prefix(16) == Data("SQLite format 3\0".utf8) else {
      return .unreadable
    }
    switch start.suffix(4).reduce(0, { $0 << 8 | Int($1) }) {
    case CacheSchema.applicationID: return .ours
    case 0: return .unmarked
    default: return .otherDatabase
    }
  }

  private func refuseForeign() throws {
    switch header {
    case .none, .ours: return
    case .otherDatabase: throw foreign
    case .unmarked:
      let found: CacheSchema.Found
      do {
        found = try look(isReadOnly: true)
      } catch DatabaseError.SQLITE_READONLY {
        // Whoever wrote it died meanwhile: what was begun is undone first, as its owner would do.
        found = try look(isReadOnly: false)
      }
      if case .foreign = found { throw foreign }
    case .unreadable:
      // Maybe a file of ours whose beginning is lost: it is moved, and nothing of it deleted.
      let path = url.path(percentEncoded: false)
      try? FileManager.default.removeItem(atPath: path + ".unreadable")
      try FileManager.default.moveItem(atPath: path, toPath: path + ".unreadable")
      Self.delete(url)
    }
  }

  private func look(isReadOnly: Bool) throws -> CacheSchema.Found {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(
      path: url.path(percentEncoded: false), configuration: configuration)
    let found = try queue.read(CacheSchema.find)
    try queue.close()
    return found
  }

  private var foreign: OutboxError {
    OutboxError(
      .unavailable, details: "\(url.path(percentEncoded: false)) is not the file of a cache")
  }
}

/// The time of day that a cache counts ages by: read once, and then told by a clock that does not
/// jump.
final class CacheTime: Sendable {
  private let timeline: Timeline
  private let start: Int64
  private let reading: Duration
  private let latest: Locked<Int64>

  init(_ timeline: Timeline, start: Int64) {
    self.timeline = timeline
    self.start = start
    reading = timeline.now
    latest = Locked(start)
  }

  /// Microseconds since 1970; they do not go back.
  var now: Int64 {
    let now = start + max(.zero, timeline.now - reading).microseconds
    return latest.withLock { latest in
      latest = max(latest, now)
      return latest
    }
  }
}

extension Duration {
  /// Microseconds, cut to what a database can add up.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit: Int64 = 1_000_000_000_000
    return min(max(seconds, -limit), limit) * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}

extension Date {
  /// Microseconds since 1970, cut to what a database can add up.
  var microseconds: Int64 {
    let seconds = timeIntervalSince1970
    guard seconds.isFinite else { return 0 }
    return Int64((min(max(seconds, 0), 1e11) * 1e6).rounded())
  }
}

extension Error {
  /// Whether it says that a file is damaged.
  var isDamage: Bool {
    if self is RowDecodingError { return true }
    return switch (self as? DatabaseError)?.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
    default: false
    }
  }

  /// Whether it says that tables are missing or different, as where another build made them anew.
  var isOfAnotherFormat: Bool {
    switch (self as? DatabaseError)?.resultCode {
    case .SQLITE_ERROR, .SQLITE_SCHEMA: true
    default: false
    }
  }
}

extension Database {
  /// Runs a transaction that takes the write lock at once.
  func atOnce<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inTransaction(.immediate) {
      result = try body()
      return .commit
    }
    guard let result else { throw OutboxError(.failed, details: "no result") }
    return result
  }

  /// Runs a statement that is compiled once.
  func execute(cachedSQL sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
