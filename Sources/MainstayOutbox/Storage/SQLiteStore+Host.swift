// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GRDB
internal import Mainstay

/// For tables that stand among those of an app.
extension SQLiteStore {
  /// The app's own connection, and what is to be done with its tables first.
  struct Host: Sendable {
    let writer: any DatabaseWriter
    let migrator: DatabaseMigrator?
  }

  /// Names the database of an app; nothing is done yet.
  ///
  /// The tables of the store begin with `mainstay_`. The settings of the connection stay as they
  /// are, and with them how much of a transaction survives a power cut: see ``durability()``. A
  /// database that is damaged is the app's business.
  ///
  /// - Parameters:
  ///   - writer: The app's connection.
  ///   - migrator: The app's own migrations; nil, the default, where it has run them. Hand them
  ///     over where they have `eraseDatabaseOnSchemaChange`: they run when the store is opened,
  ///     and are refused while something waits that they could erase.
  ///   - limits: How much it keeps.
  ///   - now: The time of day; nil, the default, for the system's, and then waits go on by the time
  ///     that really passes when somebody sets the clock.
  public convenience init(
    in writer: any DatabaseWriter, migrator: DatabaseMigrator? = nil,
    limits: StoreLimits = StoreLimits(), now: (@Sendable () -> Date)? = nil
  ) {
    let limits = limits.checked
    self.init(in: writer, migrator: migrator, limits: { limits }, clock: FileClock(now))
  }

  /// With limits that may change.
  convenience init(
    in writer: any DatabaseWriter, migrator: DatabaseMigrator?,
    limits: @escaping @Sendable () -> StoreLimits, clock: FileClock
  ) {
    let path = (writer as? DatabaseQueue)?.path ?? (writer as? DatabasePool)?.path ?? ""
    // A database in memory has no other owners, and its lock may lie anywhere.
    let isFile = !path.isEmpty && path != ":memory:" && !path.hasPrefix("file:")
    let url =
      isFile
      ? URL(filePath: path)
      : FileManager.default.temporaryDirectory.appending(path: "mainstay-\(UUID().uuidString)")
    self.init(
      at: url, host: Host(writer: writer, migrator: migrator), limits: limits, clock: clock,
      probe: nil)
  }

  /// Enters the database of an app.
  func connect(to host: Host) async throws -> OpeningReport {
    let lockPath = "\(path)-owner-\(UUID().uuidString.lowercased())"
    guard let lock = try OwnerLock(path: lockPath, besides: path) else {
      throw OutboxError(.busy, details: path)
    }
    do {
      if let migrator = host.migrator {
        if migrator.eraseDatabaseOnSchemaChange { try await refuseToErase(host.writer) }
        try await Self.migrate(host.writer, by: migrator)
      }
      return try await join(host.writer, lock)
    } catch {
      lock.remove()
      throw OutboxError(error, path: path)
    }
  }

  private func refuseToErase(_ writer: any DatabaseWriter) async throws {
    try await Self.onWriter(of: writer) { [path] db in
      guard try Schema.isPresent(db) else { return }
      let ledger = try Self.ledger(db)
      guard ledger.pending + ledger.dead == 0 else {
        throw OutboxError(
          .unavailable,
          details: """
            \(path): the migrator has eraseDatabaseOnSchemaChange, and would erase \
            \(ledger.pending) pending operations and \(ledger.dead) dead letters
            """)
      }
    }
  }

  private static func migrate(
    _ writer: any DatabaseWriter, by migrator: DatabaseMigrator
  ) async throws {
    try await withCheckedThrowingContinuation { continuation in
      migrator.asyncMigrate(writer) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  /// How much of what was accepted is certain to be there later.
  public func durability() async throws -> OutboxDurability {
    guard host != nil else { return .powerLossSafe }
    return try await read { db in try Self.durability(of: db) }
  }

  /// How much of what a connection commits is certain to be there later, as it is set now.
  static func durability(of db: Database) throws -> OutboxDurability {
    let file = try String.fetchOne(
      db.cachedStatement(sql: "SELECT file FROM pragma_database_list WHERE name = 'main'"))
    // SQLite reads a setting when the statement is compiled: one from a cache would be an old one.
    let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
    #if canImport(Darwin)
      let isFlushed = try Bool.fetchOne(db, sql: "PRAGMA fullfsync") ?? false
    #else
      let isFlushed = true
    #endif
    return OutboxDurability(
      hasFile: file?.isEmpty == false, synchronous: synchronous, isFlushed: isFlushed)
  }

  /// Keeps an operation within the transaction of the app.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - db: The app's connection, in a transaction or not.
  /// - Returns: Its identity.
  /// - Throws: ``OutboxError``; nothing was changed then.
  func insert(_ operation: NewOperation, in db: Database) throws -> OperationID {
    let connection = try open
    let lock = connection.lock.map { URL(filePath: $0.path).lastPathComponent }
    let isOurs = try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM mainstay_owner WHERE id = ? AND lock = ?)"),
      arguments: [connection.owner, lock])
    guard isOurs == true else {
      throw OutboxError(.failed, details: "\(path) is not the database of this connection")
    }
    // Whoever rolls back takes new lanes back too, so none counts as known.
    var arrival = Arrival(departure(db), path: path, limits: limits)
    var answer: Result<OperationID, any Error>?
    try db.inSavepoint {
      try refuseNewer(db)
      let taken = try arrival.take(operation)
      try arrival.finish()
      answer = taken
      return .commit
    }
    guard let answer else { throw OutboxError(.failed, details: "no answer") }
    return try answer.get()
  }

  /// Notes within the transaction of the app that an operation is about to be accepted.
  ///
  /// Whatever becomes of it, such as that another one takes it in, the note goes with a savepoint
  /// that is rolled back, and with the connection: it is in no file of the app.
  func note(_ id: OperationID, in db: Database) throws {
    let owner = try open.owner
    let sql = "SELECT EXISTS (SELECT 1 FROM temp.sqlite_master WHERE name = 'mainstay_note')"
    // Not by IF NOT EXISTS: whoever makes a table loses all statements that are prepared.
    if try Bool.fetchOne(db.cachedStatement(sql: sql)) != true {
      try db.execute(
        sql: "CREATE TEMP TABLE mainstay_note (id BLOB PRIMARY KEY, owner INTEGER NOT NULL)")
    }
    let isFirst = state.withLock { state in
      defer { state.hasNotes = true }
      return !state.hasNotes
    }
    if isFirst {
      db.afterNextTransaction(
        onCommit: { [self] _ in state.withLock { $0.hasNotes = false } },
        onRollback: { [self] _ in state.withLock { $0.hasNotes = false } })
      // Those of the transactions before are of no use any more.
      try db.execute(sql: "DELETE FROM temp.mainstay_note WHERE owner = ?", arguments: [owner])
    }
    try db.cachedStatement(sql: "INSERT OR IGNORE INTO temp.mainstay_note VALUES (?, ?)")
      .execute(arguments: [id.data, owner])
  }

  /// Whether a note was not rolled back; asked at the end of the transaction that it was made in.
  func hasNote(_ id: OperationID, in db: Database) -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM temp.mainstay_note WHERE id = ?)"
    // The table goes as well, with a savepoint that it was made in.
    return (try? Bool.fetchOne(db, sql: sql, arguments: [id.data])) == true
  }

  /// The last operation of an ordering key, within the transaction of the app.
  func last(of orderingKey: String, in db: Database) throws -> StoredOperation? {
    let sql = """
      SELECT \(OperationRow.op) FROM mainstay_op WHERE ordering_key = ? ORDER BY id DESC LIMIT 1
      """
    return try Row.fetchOne(
      db.cachedStatement(sql: sql), arguments: [Data(orderingKey.utf8)]
    ).flatMap { try? OperationRow.operation($0) }
  }

  /// The operation or dead letter with an idempotency key, within the transaction of the app.
  func operation(keyed key: IdempotencyKey, in db: Database) throws -> StoredOperation? {
    for (table, state) in [("mainstay_op", nil), ("mainstay_dead", OperationState.dead)] {
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM \(table) WHERE idem_key = ?", arguments: [key.rawValue])
      if let row { return try OperationRow.operation(row, state: state, layout: .any) }
    }
    return nil
  }
}

/// How much of what an outbox accepted is certain to be there later.
public enum OutboxDurability: String, Sendable, Hashable, Codable, CaseIterable {
  /// It survives a power cut.
  case powerLossSafe
  /// It survives the death of the process; a power cut may undo the last moments.
  case crashSafe
  /// It is gone with the process.
  case processOnly
}

extension OutboxDurability {
  /// What the settings of a connection to SQLite promise.
  ///
  /// - Parameters:
  ///   - hasFile: Whether the database has a file.
  ///   - synchronous: The number of its level; 2 is FULL.
  ///   - isFlushed: Whether a sync reaches the medium, and not only the cache of the drive.
  package init(hasFile: Bool, synchronous: Int, isFlushed: Bool) {
    self = !hasFile ? .processOnly : synchronous >= 2 && isFlushed ? .powerLossSafe : .crashSafe
  }
}
