// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import GRDB
public import Mainstay

extension SQLiteStore {
  /// What is there, by state.
  public func snapshot() async throws -> OutboxSnapshot {
    try await readAtOnce { [now] db in
      let date = now()
      let closed = try Self.closedLanes(db, at: date.milliseconds)
      var snapshot = OutboxSnapshot()
      snapshot.bytes = try Arrival.load(db).bytes
      let hasPaused = try !Self.pausedIfKnown(db).isEmpty
      let isPaused = hasPaused ? "kind IN (SELECT kind FROM mainstay_pause)" : "0"
      let sql = """
        SELECT state, lane, \(WaitingCause.sql) AS why, \(isPaused) AS paused, count(*) AS n,
          min(enqueued_at) AS t
        FROM mainstay_op GROUP BY 1, 2, 3, 4
        """
      var oldest: Int64?
      for row in try Row.fetchAll(db.cachedStatement(sql: sql)) {
        guard let state = OperationState(rawValue: row.legal("state", or: "")) else { continue }
        snapshot.count(
          state, row["n"], for: (row.legal("why") as String?).flatMap(WaitingCause.init),
          in: closed(row.legal("lane", or: "")), isPaused: row.legal("paused", or: false))
        oldest = min(oldest ?? .max, row.legal("t", or: .max))
      }
      snapshot.dead = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_dead") ?? 0
      snapshot.oldestAge = oldest.map {
        .milliseconds(max(date.milliseconds - max($0, 0), 0))
      }
      if snapshot.blocked > 0 {
        let sql = Self.following(isPaused, hasRests: try Schema.has("mainstay_rest", db))
        snapshot.following = try Int.fetchOne(
          db.cachedStatement(sql: sql), arguments: [date.milliseconds])
      }
      return snapshot
    }
  }

  /// Counts the blocked ones that wait for what can run alone.
  ///
  /// What else stands before one under its key, or is needed, holds it, and all that needs it.
  private static func following(_ isPaused: String, hasRests: Bool) -> String {
    let rests = hasRests ? "UNION ALL SELECT lane FROM mainstay_rest WHERE until > ?1" : ""
    let isGoing = """
      (state = 'leased' OR state = 'ready' AND NOT \(isPaused) AND lane NOT IN (
        SELECT name FROM mainstay_lane WHERE cause IS NOT NULL AND (until IS NULL OR until > ?1)
        \(rests)))
      """
    return """
      WITH RECURSIVE held (id) AS (
        SELECT id FROM mainstay_op AS o WHERE state = 'blocked' AND ordering_key IS NOT NULL AND (
          EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = o.ordering_key
            AND state <> 'blocked' AND NOT \(isGoing))
          OR EXISTS (SELECT 1 FROM mainstay_dead
            WHERE ordering_key = o.ordering_key AND holds_key))
        UNION SELECT op FROM mainstay_dep WHERE NOT EXISTS (
          SELECT 1 FROM mainstay_op WHERE id = needs AND (state = 'blocked' OR \(isGoing)))
        UNION SELECT op FROM held JOIN mainstay_dep ON needs = held.id)
      SELECT count(*) FROM mainstay_op WHERE state = 'blocked' AND id NOT IN (SELECT id FROM held)
      """
  }

  /// Why a lane is closed, the strongest cause of it; nil where it is open.
  private static func closedLanes(
    _ db: Database, at date: Int64
  ) throws -> (_ lane: String) -> LaneClosure.Cause? {
    let causes = Dictionary(
      try closures(db, at: date).map { ($0.lane, LaneClosure.Cause(rawValue: $0.cause)) },
      uniquingKeysWith: { ($0?.strength ?? 0) > ($1?.strength ?? 0) ? $0 : $1 })
    // A cause may be a newer build's: nothing runs there.
    return { lane in causes[lane].map { $0 ?? .paused } }
  }

  /// What came and what became of it.
  public func ledger() async throws -> OutboxLedger {
    try await readAtOnce { db in try Self.ledger(db) }
  }

  static func ledger(_ db: Database) throws -> OutboxLedger {
    var ledger = OutboxLedger()
    ledger.enqueued =
      try Int.fetchOne(db, sql: "SELECT value FROM mainstay_meta WHERE key = 'enqueued'") ?? 0
    ledger.pending = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_op") ?? 0
    ledger.dead = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_dead") ?? 0
    ledger.receipts = try Row.fetchAll(db, sql: "SELECT * FROM mainstay_receipt").map { row in
      OutboxReceipt(
        kind: row.legal("kind", or: ""), reason: .init(rawValue: row.legal("reason", or: "")),
        count: row.legal("count", or: 0), bytes: row.legal("bytes", or: 0),
        first: Date(milliseconds: row.legal("first_at", or: 0)),
        last: Date(milliseconds: row.legal("last_at", or: 0)))
    }
    return ledger
  }

  /// An operation that is not finished; nil where there is none.
  public func operation(_ id: OperationID) async throws -> StoredOperation? {
    try await read { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT \(OperationRow.op) FROM mainstay_op WHERE uuid = ?"),
        arguments: [id.data]
      ).flatMap { try? OperationRow.operation($0) }
    }
  }

  /// The last operation of an ordering key that is not finished; nil where there is none.
  public func last(of orderingKey: String) async throws -> StoredOperation? {
    try await read { [self] db in try last(of: orderingKey, in: db) }
  }

  /// The operation or dead letter with an idempotency key; nil where there is none.
  public func operation(keyed key: IdempotencyKey) async throws -> StoredOperation? {
    try await read { [self] db in try operation(keyed: key, in: db) }
  }

  /// The operations of an ordering key that are not finished, in order.
  public func operations(orderedBy orderingKey: String) async throws -> [StoredOperation] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT \(OperationRow.op) FROM mainstay_op WHERE ordering_key = ? ORDER BY id",
        arguments: [Data(orderingKey.utf8)]
      ).compactMap { try? OperationRow.operation($0) }
    }
  }

  /// What the other side was last known to have of the record that an operation changes.
  public func latest(for operation: StoredOperation) async throws -> Data? {
    let key = operation.orderingKey.map { Data($0.utf8) } ?? operation.id.data
    return try await read { db in
      try Data.fetchOne(
        db.cachedStatement(sql: "SELECT state FROM mainstay_latest WHERE key = ?"),
        arguments: [key])
    }
  }

  /// How an operation ended; nil where that is not known, or not any more.
  public func outcome(_ id: OperationID) async throws -> StoredOutcome? {
    try await read { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT reason, output, at FROM mainstay_outcome WHERE uuid = ?"),
        arguments: [id.data]
      ).map { row in
        StoredOutcome(
          reason: .init(rawValue: row.legal("reason", or: "")), output: row.legal("output"),
          ended: Date(milliseconds: row.legal("at", or: 0)))
      }
    }
  }

  /// A dead letter; nil where there is none.
  public func deadLetter(_ id: OperationID) async throws -> DeadLetter? {
    try await read { db in
      let sql = """
        SELECT \(OperationRow.common), reason, since, holds_key FROM mainstay_dead WHERE uuid = ?
        """
      return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [id.data])
        .flatMap(OperationRow.deadLetter)
    }
  }

  /// The operations that are not finished, the oldest first.
  public func operations(after id: OperationID?, limit: Int) async throws -> [StoredOperation] {
    let sql = "SELECT \(OperationRow.op) FROM mainstay_op WHERE \(Self.isBehind)"
    return try await page(sql, after: id, limit: limit) { try? OperationRow.operation($0) }
  }

  /// The dead letters, the oldest operation first.
  public func deadLetters(after id: OperationID?, limit: Int) async throws -> [DeadLetter] {
    let sql = """
      SELECT \(OperationRow.common), reason, since, holds_key FROM mainstay_dead
      WHERE \(Self.isBehind)
      """
    return try await page(sql, after: id, limit: limit, OperationRow.deadLetter)
  }

  /// Whether a row stands behind another one, which may have become a dead letter, or none any
  /// more; whoever is behind one that nobody knows begins with the first.
  private static let isBehind = """
    id > coalesce((SELECT id FROM mainstay_op WHERE uuid = ?1),
      (SELECT id FROM mainstay_dead WHERE uuid = ?1), ?2, 0) ORDER BY id LIMIT ?3
    """

  private func page<Element: Identifiable & Sendable>(
    _ sql: String, after id: OperationID?, limit: Int,
    _ element: @escaping @Sendable (Row) -> Element?
  ) async throws -> [Element] where Element.ID == OperationID {
    let end = id.flatMap { id in state.withLock { $0.pageEnds.number(of: id) } }
    let found = try await read { db in
      try Row.fetchAll(db, sql: sql, arguments: [id?.data, end, max(limit, 0)])
        .compactMap { row in element(row).map { (number: row["id"] as Int64, element: $0) } }
    }
    if let last = found.last {
      state.withLock { $0.pageEnds.note(last.element.id, last.number) }
    }
    return found.map(\.element)
  }

  /// The open conflicts, the oldest operation first.
  public func conflicts() async throws -> [OutboxConflict] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT \(OperationRow.op), remote, fields, since
          FROM mainstay_conflict CROSS JOIN mainstay_op ON id = op
          WHERE state = 'conflicted' ORDER BY op
          """
      ).compactMap { row in
        guard let operation = try? OperationRow.operation(row) else { return nil }
        return OutboxConflict(
          operation: operation, remote: row.legal("remote"),
          fields: FieldConflict.all(in: row.legal("fields")),
          since: Date(milliseconds: row.legal("since", or: 0)))
      }
    }
  }
}

extension SQLiteStore {
  /// What the database answers about its settings; for tests.
  package func settings(_ names: [String]) async throws -> [String: String] {
    try await read { db in
      var settings: [String: String] = [:]
      for name in names { settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)") }
      return settings
    }
  }
}
