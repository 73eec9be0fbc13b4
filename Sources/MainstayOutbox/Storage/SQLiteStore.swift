// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
internal import Logging
internal import Mainstay

/// Keeps operations in a SQLite file.
///
/// One connection writes and checkpoints. A transaction that promises something (``insert(_:)``, a
/// claim, a decision of a person) is on the disk when it returns (`synchronous = FULL`). The end of
/// a run is not waited for (`NORMAL`): a power cut can undo it, and then the operation is found
/// leased by a dead owner and reconciled.
///
/// A call that takes longer than it may is interrupted and undone (``OutboxError`` `failed`); only
/// a disk that does not answer at all cannot be interrupted. <doc:OperationLifecycle> has the
/// times, and says what becomes of a file that a newer build has brought up to date.
public final class SQLiteStore: OutboxStore {
  /// What is fixed when the file is opened.
  struct Connection: Sendable {
    let queue: any DatabaseWriter
    let owner: Int64
    /// Nil where the file is only looked at.
    let lock: OwnerLock?
  }

  /// What changes while it is open.
  struct State {
    var connection: Connection?
    /// Reads beside that one; nil where nobody has asked for it yet.
    var reader: DatabaseQueue?
    var isClosed = false
    /// Whether it does nothing by itself now.
    var isSuspended = false
    /// Whether notes were made in the app's transaction that is open now.
    var hasNotes = false
    /// Whether tables of others stand in the file, as far as that could be read.
    var isSharedWithApp = false
    var leases: Int64 = 0
    /// What others know that this owner reads.
    var types: Set<PayloadType> = []
    var reserveChecked: Date?
    var pageEnds = PageEnds()
    /// The latest time of day that anything was written at, since the clock was last set back.
    var latest: Int64?
  }

  /// Where the file lies, without symbolic links.
  public let url: URL
  /// The connection of an app that the tables live in; nil where they have a file of their own.
  let host: Host?
  /// How much it keeps.
  public var limits: StoreLimits { readLimits() }
  /// Reads the limits, which may change where an outbox has made the store.
  private let readLimits: @Sendable () -> StoreLimits
  /// The time of day in this file.
  let now: @Sendable () -> Date
  let clock: FileClock
  let probe: DurabilityProbe?
  let state = Locked(State())
  let watch: CallWatch
  let readerWatch: CallWatch
  let log = WriteAheadLog()
  let logger: Logger
  let inserts = GroupCommit<NewOperation, OperationID>(isDelayed: true)
  let settlements = GroupCommit<Settlement, Bool>(isDelayed: false)
  let givenUp = AsyncStream.makeStream(of: GivenUp.self, bufferingPolicy: .bufferingNewest(10_000))

  /// Names a file; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - url: The file, or a symbolic link to it; its folder is created where it is missing.
  ///   - limits: How much it keeps.
  ///   - now: The time of day; nil, the default, for the system's, and then waits go on by the time
  ///     that really passes when somebody sets the clock.
  public convenience init(
    at url: URL, limits: StoreLimits = StoreLimits(), now: (@Sendable () -> Date)? = nil
  ) {
    self.init(at: url, limits: limits, clock: FileClock(now), probe: nil)
  }

  package convenience init(
    at url: URL, limits: StoreLimits = StoreLimits(), clock: FileClock,
    probe: DurabilityProbe? = nil, surroundings: Surroundings = Surroundings()
  ) {
    let limits = limits.checked
    self.init(
      at: url, host: nil, limits: { limits }, clock: clock, probe: probe,
      surroundings: surroundings)
  }

  /// - Parameters:
  ///   - url: Where the file lies.
  ///   - host: The database of an app that the tables stand in; nil for a file of their own.
  ///   - limits: How much it keeps, which is asked for each transaction.
  ///   - clock: The time of day.
  ///   - probe: Told of each step; for tests.
  ///   - surroundings: What tests replace.
  init(
    at url: URL, host: Host?, limits: @escaping @Sendable () -> StoreLimits,
    clock: FileClock, probe: DurabilityProbe?, surroundings: Surroundings = Surroundings()
  ) {
    // What several processes leave for each other lies beside the one file, however they name it.
    self.url = url.withoutLinks
    self.host = host
    readLimits = limits
    self.clock = clock
    now = { clock.now }
    self.probe = probe
    watch = CallWatch(on: surroundings.timeline)
    readerWatch = CallWatch(on: surroundings.timeline)
    logger = surroundings.logger
  }

  var path: String { url.path(percentEncoded: false) }

  func departure(_ db: Database) -> Departure {
    Departure(db: db, date: date(), outcomes: limits.maximumOutcomes) {
      [givenUp = givenUp.continuation] in givenUp.yield($0)
    }
  }

  /// The time of day that something is written at: a clock that is set back later is noticed, also
  /// where nothing that is due was looked for in between.
  func date() -> Int64 {
    let date = now().milliseconds
    return state.withLock { state in
      state.latest = max(state.latest ?? date, date)
      return date
    }
  }

  /// Leaves the file, as a process does that ends in good order.
  public func close() async {
    let (connection, reader) = leave()
    if let reader {
      // The first of the two: who closes the last connection clears up the log. No thread waits
      // for what is being read.
      await Self.finishReading(reader)
      try? reader.close()
    }
    guard let connection else { return }
    guard let lock = connection.lock else {
      try? connection.queue.close()
      return
    }
    let owner = connection.owner
    _ = try? await Self.onWriter(of: connection.queue) { [self] db in
      try watched(db, of: connection.queue, within: CallWatch.limit) {
        try transaction(.normal, db) {
          // Whatever is still leased was never reported: its effect may have happened.
          try db.execute(
            sql: """
              UPDATE mainstay_op SET state = 'ready', owner = NULL, effect = 'sentUnknown'
              WHERE owner = ?
              """, arguments: [owner])
          try db.execute(sql: "DELETE FROM mainstay_owner WHERE id = ?", arguments: [owner])
        }
        if host == nil { try Self.truncateLog(db) }
      }
    }
    lock.remove()
    if host == nil { try? connection.queue.close() }
  }

  /// Lets nobody use the file any more.
  private func leave() -> (connection: Connection?, reader: DatabaseQueue?) {
    givenUp.continuation.finish()
    return state.withLock { state in
      state.isClosed = true
      defer { (state.connection, state.reader) = (nil, nil) }
      return (state.connection, state.reader)
    }
  }

  /// Leaves the file as a process does that dies: the lock ends, and nothing is tidied up.
  package func abandon() {
    let (connection, reader) = leave()
    try? reader?.close()
    if host == nil { try? connection?.queue.close() }
  }

  /// Runs a transaction on the one connection that writes; a cancelled task does not end it.
  ///
  /// - Parameters:
  ///   - durability: How much of it is on the disk when it returns.
  ///   - limit: How long it may take once it has its turn; the default is
  ///     ``CallWatch/longLimit``.
  ///   - mayUseReserve: Whether it may use up the reserve of a full disk, which newcomers must not;
  ///     true by default.
  ///   - body: What it does.
  /// - Returns: What that returns.
  /// - Throws: ``OutboxError``; nothing was changed then, unless the disk failed at the end.
  func write<T: Sendable>(
    _ durability: Durability, within limit: Duration = CallWatch.longLimit,
    withReserve mayUseReserve: Bool = true,
    _ body: @escaping @Sendable (Database, Connection) throws -> T
  ) async throws -> T {
    let connection = try open
    do {
      return try await Self.onWriter(of: connection.queue) { [self] db in
        try watched(db, of: connection.queue, within: limit) {
          mayUseReserve
            ? try transactionWithReserve(durability, db) { try body(db, connection) }
            : try transaction(durability, db) { try body(db, connection) }
        }
      }
    } catch {
      throw suspect(error)
    }
  }

  /// Runs a transaction; on a full disk once more, with the room that was kept for that: what ends
  /// makes room, and must not wait for it.
  func transactionWithReserve<T>(
    _ durability: Durability, _ db: Database, _ body: () throws -> T
  ) throws -> T {
    do {
      return try transaction(durability, db, body)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      guard host == nil, reserve.release() else { throw error }
      _ = try? db.checkpoint(.truncate)
      return try transaction(durability, db, body)
    }
  }

  /// What is given up when the disk is full.
  var reserve: DiskReserve { DiskReserve(path: path + "-reserve") }

  /// Runs a transaction that takes the write lock at once: one that reads first and writes later
  /// fails at once when somebody else writes, however long it may wait.
  ///
  /// A file that a newer build has brought up to date is refused, as it is when it is opened:
  /// nobody can do that before the transaction has ended.
  func transaction<T>(
    _ durability: Durability, _ db: Database, _ body: () throws -> T
  ) throws -> T {
    try transaction(onAnyFile: durability, db) {
      try refuseNewer(db)
      return try body()
    }
  }

  /// Runs a transaction on a file whose format is not known yet.
  ///
  /// The level of an app's connection is the app's business. It can be changed only between
  /// transactions, and takes effect when the statement is compiled: it must not come from a cache.
  func transaction<T>(
    onAnyFile durability: Durability, _ db: Database, _ body: () throws -> T
  ) throws -> T {
    if host == nil { try db.execute(sql: "PRAGMA synchronous = \(durability.rawValue)") }
    return try Self.inTransaction(.immediate, db, body)
  }

  private static func inTransaction<T>(
    _ kind: Database.TransactionKind, _ db: Database, _ body: () throws -> T
  ) throws -> T {
    var result: T?
    try db.inTransaction(kind) {
      result = try body()
      return .commit
    }
    guard let result else { throw OutboxError(.failed, details: "no result") }
    return result
  }

  /// Reads on the connection that writes: what was committed before is always seen.
  ///
  /// - Parameters:
  ///   - limit: How long it may take once it has its turn; the default is ``CallWatch/longLimit``,
  ///     nil is for as long as it takes.
  ///   - body: What it does.
  /// - Returns: What that returns.
  /// - Throws: ``OutboxError``.
  func read<T: Sendable>(
    within limit: Duration? = CallWatch.longLimit,
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    let connection = try open
    do {
      return try await Self.onWriter(of: connection.queue) { [self] db in
        try watched(db, of: connection.queue, within: limit) {
          let result = Result { try body(db) }
          // Afterwards: formats only grow, so what can be read now could be read meanwhile.
          try refuseUnreadable(db)
          return try result.get()
        }
      }
    } catch {
      throw suspect(error)
    }
  }

  /// Does what it does on a file that stays as it is meanwhile, as it does anyway in a transaction
  /// that the app has left open.
  static func atOnce<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    db.isInsideTransaction ? try body() : try inTransaction(.deferred, db, body)
  }

  var open: Connection {
    get throws {
      let (connection, isClosed) = state.withLock { ($0.connection, $0.isClosed) }
      if let connection { return connection }
      let details = isClosed ? "\(path) was closed" : "\(path) was not opened"
      throw OutboxError(.shutDown, details: details)
    }
  }

  static func onWriter<T: Sendable>(
    of queue: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.asyncWriteWithoutTransaction { db in
        continuation.resume(
          with: Result {
            // It was left while this waited for its turn; GRDB would go on without a connection.
            guard db.sqliteConnection != nil else {
              throw OutboxError(.shutDown, details: "closed meanwhile")
            }
            return try body(db)
          })
      }
    }
  }
}

/// How much of a transaction is on the disk when it returns.
enum Durability: String, Sendable {
  /// All of it: it survives a power cut.
  case full = "FULL"
  /// All of it but the last moments: it survives the death of the process.
  case normal = "NORMAL"
}

/// Told about each step that may be the last one before a crash; for tests.
package struct DurabilityProbe: Sendable {
  /// The steps in the life of an operation that a crash can fall between.
  package enum Step: String, Sendable, CaseIterable {
    case beforeEnqueueCommit, afterEnqueueCommit
    case beforeClaimCommit, afterClaimCommit
    case beforeEffect, afterEffect
    case beforeSettleCommit, afterSettleCommit
  }

  /// Told the step, and the level that the database has set where it is about to commit.
  package let reached: @Sendable (_ step: Step, _ synchronous: Int?) -> Void

  package init(_ reached: @escaping @Sendable (_ step: Step, _ synchronous: Int?) -> Void) {
    self.reached = reached
  }
}

extension SQLiteStore {
  func probe(_ step: DurabilityProbe.Step, _ db: Database? = nil) throws {
    guard let probe else { return }
    probe.reached(step, try db.flatMap { try Int.fetchOne($0, sql: "PRAGMA synchronous") })
  }
}
