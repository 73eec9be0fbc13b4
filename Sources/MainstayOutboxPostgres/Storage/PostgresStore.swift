// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import Logging
internal import Mainstay
public import MainstayOutbox

/// Keeps operations in a PostgreSQL database that many processes and machines share.
///
/// ```swift
/// let store = PostgresStore(at: try PostgresAddress("postgresql://app@db.internal/app"))
/// let outbox = try await Outbox(store: store) { Worker(for: SyncTwin.self) { … } }
/// ```
///
/// Each call is one statement on the server, and one transaction. Only the clock of the database
/// counts. A process renews its leases with a heartbeat; when that fails for as long as the lease
/// lasts, any other process takes them back, and what the first one says later changes nothing.
/// <doc:RunningOnPostgreSQL> says how to set it up.
public final class PostgresStore: OutboxStore {
  /// What changes while it is open.
  struct State {
    var owner: Int64?
    var isClosed = false
    /// The tokens of what this process has leased and not ended.
    var tokens: Set<Int64> = []
    /// The tokens of leases whose end may be recorded, since the answer to it was lost.
    var unanswered: Set<Int64> = []
    /// Until when something may be leased that nobody knows of, since the answer of a claim was
    /// lost: the server may still be at it.
    var straysUntil: ContinuousClock.Instant?
    /// Behind what there may be more that constraints hold back, and is looked at anew, as the
    /// database says it.
    var reconsidering: String?
    /// Behind which time and id there may be more that waits because of the network, and how long
    /// the unimportant ones still wait.
    var expediting: Expediting?
    /// Since when the leases count, by the clock of this process: never later than on the server.
    var renewedAt: Duration = .zero
    /// Whether they are given up on: what was leased is not touched any more, and this process
    /// enters anew before it leases something else.
    var areLeasesLost = false
    var heart: Task<Void, Never>?
    var guardian: Task<Void, Never>?
    var keeper: Task<Void, Never>?
  }

  /// How far it has come with what waits because of the network.
  struct Expediting: Equatable {
    var time: Int64 = 0
    var id: Int64 = 0
    let delay: Int64
  }

  /// Where the database is.
  public let address: PostgresAddress
  /// The schema that holds the tables.
  public let schema: String
  /// How much it keeps.
  public let limits: StoreLimits
  /// How long a process that does not answer keeps what it has leased.
  public let lease: Duration
  /// Whether the server is reached through a pooler that gives each transaction another session.
  public let isPooled: Bool
  /// How many days the ends of operations are kept.
  public let historyDays: Int
  let isMigrating: Bool
  /// Where warnings go.
  let logger: Logger
  /// The time of day; nil for that of the database.
  let now: (@Sendable () -> Date)?
  /// How long a server may be at a claim whose caller is gone.
  let longestClaim: Duration
  /// How often it is looked whether the server answers, while the tables grow.
  let pulse: Duration
  /// How its sessions are opened, and how long they may take.
  let settings: PostgresConnection.Settings
  let pool: PostgresPool
  let state = Locked(State())
  /// Statements as they are written for a schema of another name, by what they are in this one.
  private let texts = Locked<[String: String]>([:])
  let inserts = Gathering<NewOperation, OperationID> { $0.payload.count }
  let completions = Gathering<Completion, Bool> { $0.output?.count ?? 0 }
  let announcements = Announcements()
  /// Told of what was given up, since its runs were lost with other processes, or for want of
  /// another one.
  let givenUp = AsyncStream.makeStream(of: GivenUp.self, bufferingPolicy: .bufferingNewest(10_000))
  /// Told when what is leased may not go on.
  let leaseLosses = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Names a database; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - schema: The schema that holds the tables: small letters, digits and underscores, no more
  ///     than 63, no digit and no `pg_` first, and no word of SQL's own; the default is `mainstay`.
  ///     Opening fails with another name.
  ///   - limits: How much it keeps.
  ///   - lease: How long a process that does not answer keeps what it has leased, 1 second to 1
  ///     hour; the default is 30 seconds, and what is outside is taken for the nearest.
  ///   - maximumConnections: How many connections it opens at most, 3 to 100; the default is 4,
  ///     and what is outside is taken for the nearest.
  ///   - migrating: Whether opening brings the tables up to date; the default is true. Without
  ///     rights to create tables, use ``migrate()`` or ``schemaSQL(schema:)`` before.
  ///   - pooled: Whether a pooler stands before the server; the default is false. Then nothing is
  ///     kept in a session, and other processes are noticed by looking alone.
  ///   - historyDays: How many days the ends of operations are kept, 1 to 3650, besides what
  ///     `StoreLimits.maximumOutcomes` says; the default is 7.
  ///   - logger: Where warnings about the server go.
  public convenience init(
    at address: PostgresAddress, schema: String = "mainstay", limits: StoreLimits = StoreLimits(),
    lease: Duration = .seconds(30), maximumConnections: Int = 4, migrating: Bool = true,
    pooled: Bool = false, historyDays: Int = 7, logger: Logger = Logger(label: "mainstay.outbox")
  ) {
    self.init(
      at: address, schema: schema, limits: limits, lease: lease,
      maximumConnections: maximumConnections, migrating: migrating, pooled: pooled,
      historyDays: historyDays, logger: logger, now: nil)
  }

  package init(
    at address: PostgresAddress, schema: String = "mainstay", limits: StoreLimits = StoreLimits(),
    lease: Duration = .seconds(30), maximumConnections: Int = 4, migrating: Bool = true,
    pooled: Bool = false, historyDays: Int = 7, logger: Logger = Logger(label: "mainstay.outbox"),
    patience: Duration? = nil, longestClaim: Duration = .seconds(15),
    pulse: Duration = .seconds(30), now: (@Sendable () -> Date)?
  ) {
    // The default is the limit of a statement, and some more.
    self.longestClaim = longestClaim
    self.pulse = pulse
    self.address = address
    self.schema = schema
    self.limits = limits.checked
    self.lease = min(max(lease, .seconds(1)), .seconds(3600))
    isPooled = pooled
    isMigrating = migrating
    self.historyDays = min(max(historyDays, 1), 3650)
    self.logger = logger
    self.now = now
    // Enqueues and ends may each wait for somebody's locks on one: a third is for all the rest.
    let settings = Self.settings(pooled, patience)
    self.settings = settings
    pool = Self.pool(address, max(maximumConnections, 3), settings, wait: patience)
  }

  /// How long sessions may take: as long as they are given, and as by default where that is nil.
  private static func settings(
    _ isPooled: Bool, _ patience: Duration?
  ) -> PostgresConnection.Settings {
    guard let patience else { return PostgresConnection.Settings(isPooled: isPooled) }
    return PostgresConnection.Settings(
      connecting: patience, statement: patience, lock: patience, isPooled: isPooled)
  }

  static func pool(
    _ address: PostgresAddress, _ count: Int, _ settings: PostgresConnection.Settings,
    wait: Duration? = nil
  ) -> PostgresPool {
    var options = PostgresPool.Options(size: min(max(count, 1), 100), connection: settings)
    if let wait { options.wait = wait }
    return PostgresPool(address, options: options)
  }

  /// Leaves the database, as a process does that ends in good order.
  public func close() async { await close {} }

  /// The same, and does something once the rest has ended.
  package func close(whenStopped act: () async throws -> Void) async rethrows {
    let owner = await stop()
    try await act()
    if let owner {
      // A tool decides one thing and leaves: nobody would be told of it.
      await announceRest(as: owner)
      // Whatever is still leased was never reported: its effect may have happened. Where the
      // server cannot be told, the lease ends by itself.
      _ = try? await run("SELECT mainstay.leave($1)", [.int(owner)])
    }
    await pool.close()
  }

  /// Leaves the database as a process does that dies: nothing is given back.
  ///
  /// - Parameter isOverdue: Whether the lease is over at once, as if its time had passed.
  package func abandon(isOverdue: Bool = true) async {
    let owner = await stop()
    if isOverdue, let owner {
      _ = try? await run(
        "UPDATE mainstay.owner SET alive_until = 0 WHERE id = $1", [.int(owner)])
    }
    await pool.close()
  }

  /// Ends what runs besides the calls.
  ///
  /// - Returns: The number that this process had.
  private func stop() async -> Int64? {
    let (owner, tasks) = state.withLock { state in
      state.isClosed = true
      defer { (state.owner, state.heart, state.keeper, state.guardian) = (nil, nil, nil, nil) }
      return (state.owner, [state.heart, state.keeper, state.guardian].compactMap { $0 })
    }
    leaseLosses.continuation.finish()
    givenUp.continuation.finish()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    return owner
  }
}

extension PostgresStore {
  /// The number of this process among those that use the database.
  var owner: Int64 {
    get throws {
      let (owner, isClosed) = state.withLock { ($0.owner, $0.isClosed) }
      if let owner { return owner }
      throw OutboxError(
        .shutDown, details: isClosed ? "\(address) was closed" : "\(address) was not opened")
    }
  }

  /// The time of day as a parameter: null stands for the clock of the database.
  var time: PostgresValue { .int(now.map { $0().milliseconds }) }

  /// Whether ends are remembered.
  var keepsOutcomes: PostgresValue { .bool(limits.maximumOutcomes > 0) }

  /// Writes a statement for the schema of this store.
  func sql(_ text: String) -> String {
    guard schema != "mainstay" else { return text }
    if let known = texts.withLock({ $0[text] }) { return known }
    let written = Migration.text(text, schema: schema)
    // There are some sixty; nothing that changes may fill the memory.
    texts.withLock { texts in if texts.count < 500 { texts[text] = written } }
    return written
  }

  /// Runs a statement as a transaction of its own, and again where another one was in its way; a
  /// cancelled caller does not end it.
  func run(
    _ text: String, _ parameters: [PostgresValue] = [], isBinary: Bool = false
  ) async throws -> PostgresRows {
    let sql = sql(text)
    return try await Task { [pool] in
      var attempt = 0
      while true {
        do {
          return try await pool.read { try await $0.query(sql, parameters, isBinary: isBinary) }
        } catch let error as PostgresError where error.kind == .conflict && attempt < 8 {
          attempt += 1
        }
      }
    }.value
  }

  /// The same, with errors as callers of a store know them.
  func call(
    _ text: String, _ parameters: [PostgresValue] = [], isBinary: Bool = false
  ) async throws -> PostgresRows {
    _ = try owner
    do {
      return try await run(text, parameters, isBinary: isBinary)
    } catch {
      throw Self.thrown(error)
    }
  }

  /// The one row that a statement answers with.
  func ask(_ text: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRow {
    guard let row = try await call(text, parameters).first else {
      throw OutboxError(.failed, details: "\(address) gave no answer")
    }
    return row
  }

  static func thrown(_ error: any Error) -> any Error {
    guard let error = error as? PostgresError else { return error }
    switch error.sqlState {
    case "42P01", "3F000", "42883":
      return OutboxError(
        .unavailable,
        details: "The tables of the outbox are missing or older than this build (\(error)): open a "
          + "store that migrates, or run its schema first.")
    default: return error.thrown
    }
  }
}
