// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
public import Mainstay

/// Keeps the answers of a cache in a SQLite file, so that they are there after a restart.
///
/// ```swift
/// let store = SQLiteCacheStore(at: url, maximumBytes: 64_000_000)
/// let cache = ResponseCache("books", of: .account(user), in: store)
/// ```
///
/// The file is a cache and treated as one. It is opened when it is first used, and one that is
/// damaged or of another format is made anew. What fails is thrown to the `ResponseCache`, which
/// goes on without it. A file that is not one of these is never touched. Several processes may use
/// one file. A new one can be read by its owner alone (0600), as what SQLite keeps beside it. That
/// is put into the file by ``close()``.
///
/// With a ``PayloadCodec`` answers lie sealed in the file. Names, tags, validators and times do
/// not: they are what answers are found and selected by. What cannot be opened, and what was kept
/// before there was a codec, is not there, and loaded anew.
///
/// Ages do not depend on the time of day while the process runs. Over a restart they do: an answer
/// from the future, and every answer after the time of day was found set back, has an age that
/// nobody knows, and is not fresh.
public final class SQLiteCacheStore: CacheStore {
  /// The file, open.
  struct Connection: Sendable {
    let queue: DatabaseQueue
    let time: CacheTime
    /// The file that was opened; another one may lie there since.
    let file: FileIdentity?
  }

  private struct State {
    var opening: Task<Connection, any Error>?
    /// Closes connections that were left; on a slow disk that takes longer than anybody waits for
    /// the lock of the file, so none is opened meanwhile.
    var leaving: Task<Void, Never>?
    var generation = 0
    /// A file that could not be opened is left alone for a while.
    var failure: (error: any Error, at: Duration)?
    var lastNumber: Int64 = 0
    var lastUse: Int64 = 0
    /// When entries were last used, as far as it is not in the file yet.
    var uses: [Int64: Int64] = [:]
  }

  /// Where the file lies.
  public let url: URL
  /// How many bytes are kept at most, with what keeping them costs.
  public let maximumBytes: Int
  /// How often a use opens the file again that others leave each time before it comes to it.
  private static let reopenings = 10
  private let vault: Vault
  private let timeline: Timeline
  private let now: @Sendable () -> Date
  private let state = Locked(State())

  /// Names a file; it and its folder are made when it is first used.
  ///
  /// - Parameters:
  ///   - url: The file, best in the folder for caches; SQLite keeps others beside it.
  ///   - maximumBytes: How many bytes are kept at most, with what keeping them costs; 1 or more,
  ///     the default is 64 MiB. What has not been used for longest makes room.
  ///   - codec: Seals answers on the disk; nil, the default, keeps them plain.
  ///   - clock: What ages are measured with; the default is `ContinuousClock`.
  ///   - now: The time of day, read each time the file is opened.
  public init(
    at url: URL, maximumBytes: Int = 67_108_864, codec: (any PayloadCodec)? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    precondition(
      maximumBytes >= 1,
      "SQLiteCacheStore(maximumBytes: \(maximumBytes)) is not legal: it must be 1 or more")
    self.url = url
    self.maximumBytes = maximumBytes
    vault = Vault(codec: codec)
    timeline = Timeline(clock)
    self.now = now
  }

  /// What is kept under a key.
  public func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup {
    let (lookup, row) = try await using { [self] db, time in
      try CacheRows(db, time).lookup(key, number: nextNumber())
    }
    // Uses are written with the next answer; they must not pile up where nothing is ever kept.
    if let row, use(row) >= 256 { _ = try? await using { [self] db, _ in try flush(db) } }
    guard let kept = lookup.entry else { return lookup }
    let entry = vault.opened(kept)
    return CacheEntry.Lookup(
      entry: entry, age: entry == nil ? nil : lookup.age,
      isExpired: entry != nil && lookup.isExpired, ticket: lookup.ticket)
  }

  /// Keeps an answer in place of the one before.
  public func write(
    _ entry: CacheEntry, under ticket: CacheEntry.Ticket
  ) async throws -> Bool {
    let sealed: CacheEntry
    do { sealed = try vault.sealed(entry) } catch { throw ErrorMapping.current.map(error) }
    return try await using { [self] db, time in
      try flush(db)
      let used = nextUse()
      return try db.atOnce {
        try CacheRows(db, time).write(sealed, under: ticket, used: used, within: maximumBytes)
      }
    }
  }

  /// Marks answers as no longer right.
  public func expire(_ selection: CacheEntry.Selection) async throws {
    try await using { db, time in
      try db.atOnce { try CacheRows(db, time).expire(selection) }
    }
  }

  /// Removes answers; their bytes are overwritten in the file.
  public func remove(_ selection: CacheEntry.Selection) async throws {
    try await using { db, time in
      try db.atOnce { try CacheRows(db, time).remove(selection) }
      guard case .partition = selection else { return }
      // What an account leaves behind is neither in the log nor in pages that nobody uses.
      try db.execute(sql: "PRAGMA incremental_vacuum")
      _ = try db.checkpoint(.truncate)
    }
  }

  /// Removes an answer, unless a later load has brought it; its bytes are overwritten in the file.
  public func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) async throws {
    try await using { db, time in
      try db.atOnce { try CacheRows(db, time).remove(key, under: ticket) }
    }
  }

  /// How many answers and bytes are kept.
  public func usage() async throws -> (count: Int, bytes: Int) {
    try await using { db, _ in
      let sql = "SELECT (SELECT count(*) FROM cache_entry), bytes FROM cache_state"
      guard let row = try Row.fetchOne(db, sql: sql) else { return (0, 0) }
      return (try row.read(0), try row.read(1))
    }
  }

  /// How long a call waits for the lock of the file, in milliseconds, once that is open: a question
  /// to the network is quicker than more.
  static let patience = 2_000

  /// Leaves the file, such as before the app is suspended; the next use opens it again.
  public func close() async {
    _ = try? await using { [self] db, _ in
      try flush(db)
      // A system that suspends an app gives it little time; who reads leaves the log as it is.
      try db.execute(sql: "PRAGMA busy_timeout = 250")
      defer {
        // A number that is legal cannot be refused.
        // mainstay:ignore MS203 -- the connection is about to be closed
        try? db.execute(sql: "PRAGMA busy_timeout = \(Self.patience)")
      }
      _ = try db.checkpoint(.truncate)
    }
    let leaving = state.withLock { state in
      state.generation += 1
      state.failure = nil
      guard let opening = state.opening else { return state.leaving }
      state.opening = nil
      let leaving = Task { [before = state.leaving] in
        await before?.value
        try? await opening.value.queue.close()
      }
      state.leaving = leaving
      return leaving
    }
    await leaving?.value
  }
}

// Opening, and what becomes of a file that fails.
extension SQLiteCacheStore {
  /// Uses the file; it is opened where it is not.
  ///
  /// The cancellation of the caller does not end it.
  private func using<T: Sendable>(
    _ body: @escaping @Sendable (Database, CacheTime) throws -> T
  ) async throws -> T {
    do {
      for _ in 0..<Self.reopenings {
        do {
          return try await usingOnce(body)
        } catch let error as OutboxError where error.code == .shutDown {
          // Somebody left the file meanwhile: it opens again.
        }
      }
      return try await usingOnce(body)
    } catch {
      throw ErrorMapping.current.addingDatabaseErrors().map(error)
    }
  }

  private func usingOnce<T: Sendable>(
    _ body: @escaping @Sendable (Database, CacheTime) throws -> T
  ) async throws -> T {
    let (opening, generation) = try opening()
    let connection: Connection
    do { connection = try await opening.value } catch {
      forget(generation, after: error)
      throw error
    }
    guard connection.file == FileIdentity(at: url) else {
      // It was cleared away, or another process has found it damaged and made it anew.
      leave(connection, generation)
      throw OutboxError(.shutDown, details: "another file lies at \(url.lastPathComponent)")
    }
    do {
      return try await SQLiteStore.onWriter(of: connection.queue) { db in
        try body(db, connection.time)
      }
    } catch {
      guard error.isDamage || error.isOfAnotherFormat else { throw error }
      let isMine = leave(connection, generation)
      if isMine, error.isDamage { CacheOpening.delete(connection.file, at: url) }
      throw error
    }
  }

  private func opening() throws -> (Task<Connection, any Error>, generation: Int) {
    let reading = timeline.now
    return try state.withLock { state in
      if let failure = state.failure {
        guard reading >= failure.at + .seconds(5) || reading < failure.at else {
          throw failure.error
        }
        state.failure = nil
      }
      if let opening = state.opening { return (opening, state.generation) }
      // Only what was left before: a later `close()` waits for this task itself.
      let opening = Task { [leaving = state.leaving] in
        await leaving?.value
        return try await open()
      }
      state.opening = opening
      return (opening, state.generation)
    }
  }

  private func open() async throws -> Connection {
    let (connection, last) = try await CacheOpening(
      url: url, maximumBytes: maximumBytes, timeline: timeline, now: now
    ).open()
    state.withLock { state in
      state.lastNumber = max(state.lastNumber, last.number)
      state.lastUse = max(state.lastUse, last.use)
    }
    return connection
  }

  /// The file could not be opened; it is left alone for a while, unless it was made anew.
  private func forget(_ generation: Int, after error: any Error) {
    let reading = timeline.now
    state.withLock { state in
      guard state.generation == generation else { return }
      state.generation += 1
      state.opening = nil
      if !error.isDamage { state.failure = (error, reading) }
    }
  }

  /// Lets go of a file that is damaged, that a build with another format has made anew, or that
  /// lies there no longer.
  ///
  /// - Returns: Whether nobody else has done so.
  @discardableResult
  private func leave(_ connection: Connection, _ generation: Int) -> Bool {
    let isMine = state.withLock { state in
      guard state.generation == generation else { return false }
      state.generation += 1
      state.opening = nil
      state.uses = [:]
      return true
    }
    if isMine { try? connection.queue.close() }
    return isMine
  }

  private func flush(_ db: Database) throws {
    let uses = takeUses()
    guard !uses.isEmpty else { return }
    try db.atOnce {
      for (row, use) in uses {
        try db.execute(
          cachedSQL: "UPDATE cache_entry SET used = ? WHERE id = ?", arguments: [use, row])
      }
    }
  }

  private func nextNumber() -> Int64 {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  private func nextUse() -> Int64 {
    state.withLock { state in
      state.lastUse += 1
      return state.lastUse
    }
  }

  private func use(_ row: Int64) -> Int {
    state.withLock { state in
      state.lastUse += 1
      state.uses[row] = state.lastUse
      return state.uses.count
    }
  }

  private func takeUses() -> [Int64: Int64] {
    state.withLock { state in
      defer { state.uses = [:] }
      return state.uses
    }
  }
}
