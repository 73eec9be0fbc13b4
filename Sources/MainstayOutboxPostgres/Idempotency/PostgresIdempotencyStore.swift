// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import Mainstay
internal import MainstayOutbox

/// Keeps the answers to requests with an idempotency key in a PostgreSQL database that all
/// processes of a service share.
///
/// ```swift
/// let answers = PostgresIdempotencyStore(at: address)
/// try await answers.open()
/// router.addMiddleware {
///   // Who has signed in, and not what it was shown with: a token is renewed.
///   IdempotencyMiddleware(answers) { _, context in context.account }
/// }
/// ```
///
/// A request is handled by one process, and by no other while that one lives: it renews a lease by
/// the clock of the database alone. <doc:RememberingAnswers> says what becomes of a key when
/// something fails.
public final class PostgresIdempotencyStore: IdempotencyStore {
  struct State {
    var held: HeldRequestsStateMachine
    var isClosed = false
    var keeper: Task<Void, Never>?
    /// Tells the database what it is owed; nil while nothing is.
    var teller: Task<Void, Never>?
  }

  /// Where the database is.
  public let address: PostgresAddress
  /// The schema that holds the tables.
  public let schema: String
  /// How long answers are kept.
  public let lifetime: Duration
  /// How long a process that does not answer keeps the requests that it handles.
  public let lease: Duration
  let maximumCount: Int
  let maximumBytes: Int
  let isPooled: Bool
  private let isMigrating: Bool
  private let patience: Duration?
  let logger: Logger
  let pool: PostgresPool
  /// For what keeps the keys of this process: callers that wait in a long line must not cost it
  /// them.
  let keepingPool: PostgresPool
  let state: Locked<State>

  /// Names a database; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - schema: The schema that holds the tables, by the rules of ``PostgresStore``, which may
  ///     share it; the default is `mainstay`.
  ///   - lifetime: How long answers are kept, 1 second to 1 year; the default is a day, and what is
  ///     outside is taken for the nearest.
  ///   - lease: How long a process that does not answer keeps the requests that it handles, 1
  ///     second to 1 hour; the default is a minute, and what is outside is taken for the nearest.
  ///   - maximumCount: About how many requests are remembered; 1 or more, the default is 100,000.
  ///   - maximumBytes: About how large the answers may be together; 1 or more, the default is 1 GB.
  ///   - maximumConnections: How many connections callers share at most, 1 to 100; the default is
  ///     4. Up to two more keep the keys of this process.
  ///   - migrating: Whether ``open()`` brings the tables up to date; the default is true.
  ///   - pooled: Whether a pooler stands before the server; the default is false.
  ///   - logger: Where warnings go.
  public convenience init(
    at address: PostgresAddress, schema: String = "mainstay",
    lifetime: Duration = .seconds(86_400), lease: Duration = .seconds(60),
    maximumCount: Int = 100_000, maximumBytes: Int = 1_000_000_000, maximumConnections: Int = 4,
    migrating: Bool = true, pooled: Bool = false,
    logger: Logger = Logger(label: "mainstay.idempotency")
  ) {
    self.init(
      at: address, schema: schema, lifetime: lifetime, lease: lease, maximumCount: maximumCount,
      maximumBytes: maximumBytes, maximumConnections: maximumConnections, migrating: migrating,
      pooled: pooled, logger: logger, patience: nil)
  }

  /// The same, where a session and a statement may take as long as a test gives them.
  package init(
    at address: PostgresAddress, schema: String, lifetime: Duration, lease: Duration,
    maximumCount: Int, maximumBytes: Int, maximumConnections: Int, migrating: Bool = true,
    pooled: Bool = false, logger: Logger = Logger(label: "mainstay.idempotency"),
    patience: Duration?
  ) {
    precondition(maximumCount >= 1, "PostgresIdempotencyStore(maximumCount): it must be 1 or more")
    precondition(maximumBytes >= 1, "PostgresIdempotencyStore(maximumBytes): it must be 1 or more")
    self.address = address
    self.schema = schema
    self.lifetime = min(max(lifetime, .seconds(1)), .aYear)
    self.lease = min(max(lease, .seconds(1)), .seconds(3600))
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
    isMigrating = migrating
    isPooled = pooled
    self.patience = patience
    self.logger = logger
    state = Locked(State(held: HeldRequestsStateMachine(lifetime: self.lifetime)))
    // A caller waits for an answer: what takes longer is as good as away.
    func pool(_ size: Int) -> PostgresPool {
      PostgresPool(
        address,
        options: PostgresPool.Options(
          size: size, wait: patience ?? .seconds(5),
          connection: PostgresConnection.Settings(
            connecting: patience ?? .seconds(5), statement: patience ?? .seconds(5),
            lock: patience ?? .seconds(3), isPooled: pooled)))
    }
    self.pool = pool(min(max(maximumConnections, 1), 100))
    // One for renewing, and one for telling what is owed.
    keepingPool = pool(2)
  }

  /// Brings the tables up to date, or looks whether they are; requests may come before it, where
  /// the tables are there.
  ///
  /// - Throws: `OutboxError`, as ``PostgresStore/open()``.
  public func open() async throws {
    let tables = PostgresStore(
      at: address, schema: schema, maximumConnections: 2, migrating: isMigrating, pooled: isPooled,
      logger: logger, patience: patience, now: nil)
    do {
      try await tables.prepareTables(isMigrating: isMigrating, keepsText: false)
      await tables.pool.close()
    } catch {
      await tables.pool.close()
      throw PostgresStore.thrown(error)
    }
    startKeeper()
  }

  /// Begins a request, or says what became of the one before it.
  ///
  /// It is one statement. Where its answer is lost it is asked again under the same claim, so that
  /// no key stays behind that nobody holds.
  ///
  /// - Throws: `AppError` with the code `idempotency.unavailable` where the database cannot be
  ///   asked; `Rejection` where as many requests run as may be remembered.
  public func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict {
    startKeeper()
    let name = Data(key.utf8)
    let claim = UInt64.random(in: 1...UInt64(Int64.max))
    let row: PostgresRow?
    do {
      row = try await ask(
        """
        SELECT verdict, was_lost, status, fields, body FROM mainstay.begin_request(
          $1::bytea, $2::bytea, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::integer)
        """,
        [
          .bytes(name), .bytes(fingerprint), .int(Int64(claim)), .int(lease.milliseconds),
          .int(lifetime.milliseconds), .int(Int64(maximumCount)), .int(Int64(Migration.format)),
        ]
      ).first
    } catch {
      if (error as? PostgresError)?.mayHaveHappened == true { owe(claim, name, .free) }
      throw Self.thrown(error)
    }
    do {
      return try verdict(row, claim, name)
    } catch {
      throw Self.thrown(error)
    }
  }

  /// Ends a request that was begun.
  ///
  /// Where the database cannot be told, it is told as soon as it can be reached; until then the key
  /// stays with this process, and what was done is not done again.
  ///
  /// - Throws: `AppError` with the code `idempotency.unavailable` where it was not told at once.
  public func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async throws {
    let name = Data(key.utf8)
    let ending = answer.map { HeldRequestsStateMachine.Ending.answered($0) } ?? .free
    do {
      try await tell(claim, name, ending)
      state.withLock { $0.held.drop(claim) }
    } catch {
      owe(claim, name, ending)
      throw Self.thrown(error)
    }
  }

  /// Tells the database once more what it could not be told, and leaves it.
  ///
  /// Requests that are still handled keep their keys for the rest of their lease.
  public func close() async {
    await stop()
    for owed in state.withLock({ $0.held.owed(atMost: .max) }) {
      // Where it cannot be told now either, the lease ends by itself.
      guard (try? await tell(owed.claim, owed.key, owed.ending, by: keepingPool)) != nil
      else { break }
      state.withLock { $0.held.drop(owed.claim) }
    }
    await closePools()
  }

  /// Leaves the database as a process does that dies.
  package func abandon() async {
    await stop()
    await closePools()
  }

  private func closePools() async {
    await pool.close()
    await keepingPool.close()
  }

  private func stop() async {
    let tasks = state.withLock { state in
      state.isClosed = true
      defer { (state.keeper, state.teller) = (nil, nil) }
      return [state.keeper, state.teller].compactMap { $0 }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}

extension PostgresIdempotencyStore {
  private func verdict(
    _ row: PostgresRow?, _ claim: UInt64, _ key: Data
  ) throws -> IdempotencyVerdict {
    guard let row else { throw PostgresError(.value, "The database gave no answer.") }
    switch try row.text(0) {
    case "handle":
      let now = Timeline.live.now
      state.withLock { $0.held.began(claim, key, at: now) }
      if try row.bool(1) {
        logger.warning(
          """
          A request with an idempotency key is handled again: the process that began it was not \
          heard of for \(lease), and what it did is not known.
          """, metadata: ["mainstay.store": "\(address)"])
      }
      return .handle(claim: claim)
    case "replay":
      let fields = try JSONDecoder().decode([String: String].self, from: row.data(3))
      return .replay(
        StoredAnswer(
          status: Int(try row.int(2)), fields: fields, body: try row.data(ifAny: 4)))
    case "running": return .running
    case "mismatch": return .mismatch
    case "full":
      throw Rejection(policy: "idempotency", reason: .limitReached, retryAfter: .seconds(1))
    case let other: throw PostgresError(.value, "“\(other)” is no verdict of this build.")
    }
  }

  /// Tells the database how a request ended; where somebody else has it by now, nothing changes.
  func tell(
    _ claim: UInt64, _ key: Data, _ ending: HeldRequestsStateMachine.Ending,
    by pool: PostgresPool? = nil
  ) async throws {
    var values: [PostgresValue] = [.null, .null, .null]
    if case .answered(let answer) = ending {
      values = [
        .int(Int64(Int32(clamping: answer.status))),
        .bytes(try JSONEncoder().encode(answer.fields)), .bytes(answer.body),
      ]
    }
    let place: [PostgresValue] = [.bytes(key), .int(Int64(clamping: claim))]
    let limits: [PostgresValue] = [
      .int(lease.milliseconds), .int(lifetime.milliseconds), .int(Int64(maximumBytes)),
    ]
    _ = try await ask(
      """
      SELECT mainstay.end_request($1::bytea, $2::bigint, $3::integer, $4::bytea, $5::bytea,
        $6::bigint, $7::bigint, $8::bigint)
      """, place + values + limits, by: pool)
  }

  /// Asks the database, by the connections of callers unless others are given; a cancelled caller
  /// does not end it.
  ///
  /// Each of the statements may be done twice, so one whose answer was lost is asked again.
  func ask(
    _ text: String, _ values: [PostgresValue], by other: PostgresPool? = nil
  ) async throws -> PostgresRows {
    guard Migration.isLegal(schema: schema) else {
      throw OutboxError(.unavailable, details: Migration.illegal(schema: schema))
    }
    let sql = Migration.text(text, schema: schema)
    return try await Task { [pool = other ?? pool] in
      var (attempt, mayHaveHappened) = (0, false)
      while true {
        do {
          return try await pool.read { try await $0.query(sql, values) }
        } catch let error as PostgresError {
          attempt += 1
          mayHaveHappened = mayHaveHappened || error.mayHaveHappened
          guard attempt < Self.attempts(after: error) else {
            throw error.mayHaveHappened(mayHaveHappened)
          }
        }
      }
    }.value
  }

  private static func attempts(after error: PostgresError) -> Int {
    switch error.kind {
    case .conflict: 8
    case .lost: 3
    default: 1
    }
  }

  private static func thrown(_ error: any Error) -> any Error {
    if error is Rejection { return error }
    let isOutdated = (error as? PostgresError)?.sqlState == "MS002"
    let cause =
      isOutdated
      ? OutboxError(
        .newerFormat,
        details: "the tables were brought up to date by a newer build, and this one may not work "
          + "on them any more: update it")
      : PostgresStore.thrown(error)
    return AppError(
      code: "idempotency.unavailable", kind: .unavailable,
      disposition: .transient(retryAfter: .seconds(1)), title: "This can’t be done right now",
      message: "Nobody can tell right now whether the same request came before.",
      suggestion: "Repeat it with the same key in a moment.", details: "\(cause)",
      underlying: [cause])
  }
}
