// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Opens the file for one more owner, and takes back what dead owners had leased.
  ///
  /// A damaged file is moved aside, and what can be read of it is saved, unless another process
  /// still uses it, or tables of others stand in it.
  ///
  /// - Throws: ``OutboxError`` `unavailable` where file or folder cannot be used, `newerFormat`
  ///   where the file belongs to a newer build, `corrupted` where a damaged file is left alone.
  public func open() async throws -> OpeningReport {
    if let host { return try await connect(to: host) }
    do {
      if isBeingMended { return try await mend { try await connect() } }
      return try await connect()
    } catch {
      let error = OutboxError(error, path: path)
      guard error.code == .corrupted else { throw error }
      do {
        return try await mend { try await connect() }
      } catch {
        throw OutboxError(error, path: path)
      }
    }
  }

  /// Opens the file; on a full disk once more, with the room that was kept for that: who works off
  /// what waits makes room, and must not wait for it.
  private func connect() async throws -> OpeningReport {
    do {
      let report = try await enter()
      reserve.take()
      return report
    } catch {
      guard isForWantOfRoom(error), reserve.release() else { throw error }
      // The room is for what has ended: it is taken again later, as after any other use.
      let date = now()
      state.withLock { $0.reserveChecked = date }
      return try await enter()
    }
  }

  private func isForWantOfRoom(_ error: any Error) -> Bool {
    let error = OutboxError(error, path: path)
    // The lock of an owner is a file, too.
    return error.code == .diskFull || (error.underlying as? POSIXError)?.code == .ENOSPC
  }

  private func enter() async throws -> OpeningReport {
    try makeFolder()
    let lockPath = "\(path)-owner-\(UUID().uuidString.lowercased())"
    guard let lock = try OwnerLock(path: lockPath, besides: path) else {
      throw OutboxError(.busy, details: lockPath)
    }
    do {
      guard !DamagedFile.isForeign(url) else {
        throw OutboxError(.corrupted, details: "\(path) is no database")
      }
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      do {
        return try await join(queue, lock)
      } catch {
        // Not whenever the last reference goes: the file may be moved aside next, or opened again.
        // What went wrong before is what is told.
        try? queue.close()
        throw error
      }
    } catch {
      lock.remove()
      throw error
    }
  }

  /// Enters the tables as one more owner.
  func join(_ queue: any DatabaseWriter, _ lock: OwnerLock) async throws -> OpeningReport {
    let pretended = SQLiteLibrary.pretendedVersion
    let (connection, report) = try await Self.onWriter(of: queue) { [self] db in
      // What cannot be read is found to be damaged right below.
      let isShared = (try? Self.isSharedWithApp(db)) ?? false
      state.withLock { $0.isSharedWithApp = isShared }
      try check(db)
      if try !Schema.isGrown(db) {
        try transaction(onAnyFile: .full, db) {
          // A newer build may have opened it at the same time, and have been faster.
          try checkFormat(db)
          try Schema.grow(db)
        }
      }
      let connection = Connection(queue: queue, owner: try register(lock, db), lock: lock)
      // The next transaction takes it to the disk.
      agreeOnClock(db, connection, .normal)
      let lost = try transaction(.full, db) {
        try Self.settleClocks(db, at: now().milliseconds)
        try Self.forgetOpenLanes(db, at: now().milliseconds)
        let lost = try recover(besides: connection, db)
        try db.execute(
          sql: "UPDATE mainstay_op SET cause = 'unknownType' WHERE state = 'parked'")
        return lost
      }
      tell(lost)
      if host == nil { try removeStrayLocks(db) }
      var report = lost.report
      report.isBalanced = try Self.atOnce(db) { try Self.ledger(db).isBalanced }
      report.warnings = try SQLiteLibrary.warnings(pretending: pretended, db)
      if host == nil { try db.execute(sql: "PRAGMA busy_timeout = \(Self.patience)") }
      return (connection, report)
    }
    let isWanted = state.withLock { state in
      guard state.connection == nil, !state.isClosed else { return false }
      state.connection = connection
      return true
    }
    guard isWanted else { throw OutboxError(.busy, details: "\(path) was opened twice") }
    return report
  }

  private func makeFolder() throws {
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw OutboxError(
        .unavailable, details: folder.path(percentEncoded: false), underlying: error)
    }
  }

  /// How long a call waits for the lock of the file, in milliseconds, once that is open.
  static let patience = 5_000

  /// The settings of the connection.
  ///
  /// GRDB's own set-up for the write-ahead log leaves
  /// `synchronous = NORMAL`, so the log is switched on here, and each transaction sets its level.
  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "Mainstay.Outbox"
    // Several that make a new file together each wait for all the others; see `patience`.
    configuration.busyMode = .timeout(30)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      try db.useWriteAheadLog()
      try db.execute(
        sql: """
          PRAGMA synchronous = FULL;
          PRAGMA fullfsync = ON;
          PRAGMA checkpoint_fullfsync = ON;
          PRAGMA journal_size_limit = 16777216;
          PRAGMA wal_autocheckpoint = \(DiskReserve.logPages);
          PRAGMA trusted_schema = OFF;
          PRAGMA mmap_size = 0;
          PRAGMA cell_size_check = ON;
          """)
    }
    return configuration
  }

  /// Refuses a file of a newer build before anything is written to it, and looks for damage where
  /// the power may have failed.
  private func check(_ db: Database) throws {
    try checkFormat(db)
    guard host == nil else { return }
    let isSuspected = FileManager.default.fileExists(atPath: path + Self.suspicion)
    if try isSuspected || Self.mayBeTorn(db) {
      // A row that is not what its index says fails each claim; the quick check does not see it.
      let answer = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
      guard answer == "ok" else {
        throw OutboxError(.corrupted, details: "\(path): \(answer ?? "no answer")")
      }
    }
    if isSuspected { try? FileManager.default.removeItem(atPath: path + Self.suspicion) }
  }

  private func checkFormat(_ db: Database) throws {
    let format = try Schema.format(db)
    guard !format.isWritable else { return }
    let needed = max(format.minimumWriter, format.minimumReader)
    throw Self.newerFormat(path, needs: needed, to: "written")
  }

  /// Ends the name of a file that asks the next opening to look for damage.
  static let suspicion = "-check"

  /// Remembers that the file looks damaged, so that the next opening looks for it.
  func suspect(_ error: any Error) -> OutboxError {
    let error = OutboxError(error, path: path)
    if error.code == .corrupted, host == nil {
      _ = FileManager.default.createFile(atPath: path + Self.suspicion, contents: nil)
    }
    return error
  }

  /// Whether an owner was cut off together with the operating system.
  private static func mayBeTorn(_ db: Database) throws -> Bool {
    guard try db.tableExists("mainstay_owner") else { return try OlderSchema.isPresent(db) }
    let sql = "SELECT EXISTS (SELECT 1 FROM mainstay_owner WHERE boot IS NULL OR boot IS NOT ?)"
    return try Bool.fetchOne(db, sql: sql, arguments: [BootSession.current]) ?? false
  }

  private func register(_ lock: OwnerLock, _ db: Database) throws -> Int64 {
    let name = URL(filePath: lock.path).lastPathComponent
    return try transaction(.full, db) {
      try db.execute(
        sql: "INSERT INTO mainstay_owner (lock, pid, boot, since) VALUES (?, ?, ?, ?)",
        arguments: [
          name, ProcessInfo.processInfo.processIdentifier, BootSession.current,
          now().milliseconds,
        ])
      return db.lastInsertedRowID
    }
  }

  /// Ends waits anew that some other clock began later than now.
  ///
  /// What is no time is damage, and sorts behind all times. By two indexes: each opening asks,
  /// however much waits.
  package static let shorteningWaits = """
    UPDATE mainstay_op SET run_at = ?1 + wait
    WHERE run_at IS NOT NULL AND (run_at - wait > ?1 OR run_at > \(Int64.max))
    """

  /// A wait never lasts longer from now than it was meant to last: a clock that went back between
  /// two runs of the process, or during one, must not freeze anything.
  static func settleClocks(_ db: Database, at date: Int64) throws {
    try db.execute(sql: Self.shorteningWaits, arguments: [date])
    let settled = try Int64.fetchOne(
      db,
      sql: """
        SELECT value FROM mainstay_meta WHERE key = 'settled_id'
          AND (SELECT value FROM mainstay_meta WHERE key = 'settled_at') <= ?
        """, arguments: [date])
    try db.execute(
      sql: """
        UPDATE mainstay_op
        SET rank = ?1 + rank - enqueued_at, start_at = ?1 + start_at - enqueued_at,
          expires_at = ?1 + expires_at - enqueued_at, enqueued_at = ?1
        WHERE id > ?2 AND enqueued_at > ?1
        """, arguments: [date, settled ?? 0])
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO mainstay_meta (key, value) VALUES ('settled_at', ?),
          ('settled_id', (SELECT coalesce(max(id), 0) FROM mainstay_op))
        """, arguments: [date])
    for table in ["mainstay_lane", "mainstay_rest"] {
      try db.execute(
        sql: "UPDATE \(table) SET until = ?1 + wait WHERE until > ?1 + wait", arguments: [date])
    }
  }

  /// What dead owners had leased.
  private struct Lost: Sendable {
    var report = OpeningReport()
    /// What was given up, since that was not the first time.
    var givenUp: [GivenUp] = []
  }

  /// Tells what was given up, once that is certain.
  private func tell(_ lost: Lost) {
    for operation in lost.givenUp { givenUp.continuation.yield(operation) }
  }

  /// Takes back what dead owners had leased: their locks are free, whatever any clock says.
  private func recover(besides connection: Connection, _ db: Database) throws -> Lost {
    var lost = Lost()
    guard let own = connection.lock else { return lost }
    let folder = URL(filePath: own.path).deletingLastPathComponent()
    let rows = try Row.fetchAll(
      db, sql: "SELECT id, lock, boot FROM mainstay_owner WHERE id <> ?",
      arguments: [connection.owner])
    for row in rows {
      // A name that nobody can read is that of no file, so nobody holds it.
      let lock = (row.legal("lock") as String?).map {
        folder.appending(path: $0).path(percentEncoded: false)
      }
      let boot: String? = row.legal("boot")
      if let lock, OwnerLock.isHeld(path: lock, since: boot) { continue }
      try takeBack(from: row["id"], &lost, db)
      try db.execute(
        sql: "DELETE FROM mainstay_owner WHERE id = ?", arguments: [row["id"] as Int64])
      if let lock { try? FileManager.default.removeItem(atPath: lock) }
    }
    return lost
  }

  private func takeBack(from owner: Int64, _ lost: inout Lost, _ db: Database) throws {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, uuid, kind, crashes, ordering_key FROM mainstay_op WHERE owner = ? ORDER BY id
        """, arguments: [owner])
    let departure = departure(db)
    for row in rows {
      let id: Int64 = row["id"]
      let most = OperationStateMachine.maximumLostRuns
      let crashes = min(max(row.legal("crashes", or: 0), 0), most) + 1
      try db.execute(
        sql: """
          UPDATE mainstay_op SET state = 'ready', owner = NULL, crashes = ?,
            effect = 'sentUnknown' WHERE id = ?
          """, arguments: [crashes, id])
      try Self.noteAttempt(of: id, nil, .sentUnknown, at: departure.date, db)
      if crashes >= most {
        try departure.bury(row, .crashed)
        lost.report.quarantined += 1
        guard let uuid = OperationID(data: row.legal("uuid", or: Data())) else { continue }
        lost.givenUp.append(
          GivenUp(
            id: uuid, kind: OperationKind(rawValue: row.legal("kind", or: "")), reason: .crashed))
      }
    }
    lost.report.recovered += rows.count
  }

  /// Takes back what other owners had leased that have died since.
  func recoverOthers() async throws {
    let others = try await read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_owner") ?? 0
    }
    guard others > 1 else { return }
    // Afterwards: a transaction may be undone at its end, and may be run twice on a full disk.
    tell(try await write(.full) { [self] db, connection in try recover(besides: connection, db) })
  }
}
