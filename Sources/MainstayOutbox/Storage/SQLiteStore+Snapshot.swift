// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Counts what is there, and reads no row of what is ready or blocked: a banner asks for it after
/// each change, however long the queue is.
extension SQLiteStore {
  /// What is there, by state.
  public func snapshot() async throws -> OutboxSnapshot {
    try await readAtOnce { [now] db in
      let date = now().milliseconds
      let closed = try Self.closedLanes(db, at: date)
      let paused = try Self.pausedIfKnown(db)
      var snapshot = OutboxSnapshot()
      snapshot.bytes = try Arrival.load(db).bytes
      snapshot.dead = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_dead") ?? 0
      guard let first = try Row.fetchOne(db.cachedStatement(sql: Self.firstQuery)) else {
        return snapshot
      }
      snapshot.oldestAge = .milliseconds(max(date - max(first.legal(at: 0) ?? date, 0), 0))
      let total = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_op") ?? 0
      for row in try Row.fetchAll(db.cachedStatement(sql: Self.standingQuery)) {
        guard let state = OperationState(rawValue: row.legal(at: 0) ?? "") else { continue }
        let cause = (row.legal(at: 1) as String?).flatMap(WaitingCause.init)
        snapshot.count(state, row[2], for: cause, in: nil)
      }
      if try closed.isEmpty && paused.isEmpty && !Self.mayBlock(db) {
        snapshot.count(.ready, total - snapshot.pending, for: nil, in: nil)
        return snapshot
      }
      for row in try Row.fetchAll(db.cachedStatement(sql: Self.readyQuery)) {
        let (lane, kind): (String?, String?) = (row.legal(at: 0), row.legal(at: 1))
        snapshot.count(
          .ready, row[2], for: nil, in: closed[lane ?? ""], isPaused: paused.contains(kind ?? ""))
      }
      snapshot.count(.blocked, total - snapshot.pending, for: nil, in: nil)
      if snapshot.blocked > 0 {
        let hasRests = try Schema.has("mainstay_rest", db)
        let sql = Self.heldQuery(hasPaused: !paused.isEmpty, hasRests: hasRests)
        let held = try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [date]) ?? 0
        snapshot.following = snapshot.blocked - held
      }
      return snapshot
    }
  }

  /// Whether anything can be blocked: that takes an ordering key, or something that is needed.
  private static func mayBlock(_ db: Database) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key IS NOT NULL)
        OR EXISTS (SELECT 1 FROM mainstay_dep)
      """
    return try Bool.fetchOne(db.cachedStatement(sql: sql)) ?? true
  }

  /// Why lanes are closed, the strongest cause of each; one that is open is missing.
  private static func closedLanes(
    _ db: Database, at date: Int64
  ) throws -> [String: LaneClosure.Cause] {
    // A cause may be a newer build's: nothing runs there.
    Dictionary(
      try closures(db, at: date).map { ($0.lane, LaneClosure.Cause(rawValue: $0.cause)) },
      uniquingKeysWith: { ($0?.strength ?? 0) > ($1?.strength ?? 0) ? $0 : $1 }
    ).mapValues { $0 ?? .paused }
  }
}

// What a snapshot asks; tests look at how SQLite answers it.
extension SQLiteStore {
  /// The date of the one that was enqueued first.
  private static let firstQuery = "SELECT enqueued_at FROM mainstay_op ORDER BY id LIMIT 1"

  /// Counts all but what is ready or blocked.
  package static let standingQuery = """
    SELECT state, \(WaitingCause.sql), count(*) FROM mainstay_op
    WHERE run_at IS NOT NULL GROUP BY 1, 2
    UNION ALL SELECT 'waiting', 'constraint', count(*) FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL
    UNION ALL SELECT 'leased', NULL, count(*) FROM mainstay_op WHERE owner IS NOT NULL
    UNION ALL SELECT 'parked', NULL, count(*) FROM mainstay_op WHERE state = 'parked'
    UNION ALL SELECT 'conflicted', NULL, count(*)
    FROM mainstay_conflict CROSS JOIN mainstay_op ON id = op WHERE state = 'conflicted'
    """

  package static let readyQuery = """
    SELECT lane, kind, count(*) FROM mainstay_op WHERE state = 'ready' GROUP BY 1, 2
    """

  /// Counts the blocked ones that do not wait for what can run alone.
  ///
  /// What else stands before one under its key, or is needed, holds it, and all that needs it.
  ///
  /// - Parameters:
  ///   - hasPaused: Whether any kind is paused.
  ///   - hasRests: Whether the file has rests: one that is only looked at may be of a time before.
  /// - Returns: The query, whose argument is the time.
  package static func heldQuery(hasPaused: Bool, hasRests: Bool) -> String {
    let isPaused = hasPaused ? "kind IN (SELECT kind FROM mainstay_pause)" : "0"
    // Left out where it holds for none: SQLite would plan to go through the table.
    let pausedKeys =
      hasPaused
      ? "UNION SELECT ordering_key FROM mainstay_op WHERE state = 'ready' AND \(isPaused)" : ""
    let closed = """
      SELECT name FROM mainstay_lane WHERE cause IS NOT NULL AND (until IS NULL OR until > ?1)
      \(hasRests ? "UNION ALL SELECT lane FROM mainstay_rest WHERE until > ?1" : "")
      """
    return """
      WITH RECURSIVE holding (key) AS (
        SELECT ordering_key FROM mainstay_op WHERE run_at IS NOT NULL
        UNION SELECT ordering_key FROM mainstay_op WHERE state = 'waiting' AND run_at IS NULL
        UNION SELECT ordering_key FROM mainstay_op WHERE state = 'parked'
        UNION SELECT ordering_key FROM mainstay_conflict CROSS JOIN mainstay_op ON id = op
          WHERE state = 'conflicted'
        UNION SELECT ordering_key FROM mainstay_op WHERE state = 'ready' AND lane IN (\(closed))
        \(pausedKeys)
        UNION SELECT ordering_key FROM mainstay_dead WHERE ordering_key IS NOT NULL AND holds_key),
      held (id) AS (
        SELECT id FROM holding CROSS JOIN mainstay_op ON ordering_key = key WHERE state = 'blocked'
        UNION SELECT op FROM mainstay_dep WHERE NOT EXISTS (
          SELECT 1 FROM mainstay_op WHERE id = needs AND (state IN ('blocked', 'leased')
            OR state = 'ready' AND NOT \(isPaused) AND lane NOT IN (\(closed))))
        UNION SELECT op FROM held CROSS JOIN mainstay_dep ON needs = held.id)
      SELECT count(*) FROM held CROSS JOIN mainstay_op USING (id) WHERE state = 'blocked'
      """
  }
}
