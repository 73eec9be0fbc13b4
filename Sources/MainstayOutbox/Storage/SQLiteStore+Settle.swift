// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Ends a lease; false where the lease was lost, and nothing was changed then.
  public func settle(_ lease: Lease, _ verdict: OperationVerdict) async throws -> Bool {
    let removed = try await write(.normal) { [self] db, _ -> Int? in
      guard let row = try Self.holds(lease, db) else { return nil }
      let date = now().milliseconds
      let removed = try apply(verdict, to: row, at: date, db)
      if let closure = verdict.closesLane {
        try Self.close(Lane(rawValue: row["lane"]), closure, at: date, db)
      }
      try probe(.beforeSettleCommit, db)
      return removed
    }
    guard let removed else { return false }
    state.withLock { $0.pending -= removed }
    return true
  }

  /// - Returns: How many operations are no longer pending.
  private func apply(
    _ verdict: OperationVerdict, to row: Row, at date: Int64, _ db: Database
  ) throws -> Int {
    let id: Int64 = row["id"]
    switch verdict.next {
    case .done:
      try Self.remove(row, as: .done, at: date, db)
      return 1
    case .dead(let reason, let holdsKey):
      try Self.update(id, .ready, verdict, db)
      try Self.bury(id, reason, holdsKey: holdsKey, at: date, db)
      if !holdsKey { try Self.unblock(row["ordering_key"], db) }
      return 1
    case .ready: try Self.update(id, .ready, verdict, db)
    case .scheduled(let delay): try Self.update(id, .scheduled, verdict, at: date, after: delay, db)
    case .waiting(let delay): try Self.update(id, .waiting, verdict, at: date, after: delay, db)
    case .parked:
      try Self.update(id, .parked, verdict, db)
      try db.execute(sql: "UPDATE op SET cause = 'unreadable' WHERE id = ?", arguments: [id])
    case .conflicted(let remote):
      try Self.update(id, .conflicted, verdict, db)
      try db.execute(
        sql: "INSERT OR REPLACE INTO conflict (op, remote, since) VALUES (?, ?, ?)",
        arguments: [id, remote, date])
    }
    return 0
  }

  /// A recorded end: the run was not lost, so the count of lost runs begins anew.
  private static func update(
    _ id: Int64, _ state: OperationState, _ verdict: OperationVerdict, at date: Int64 = 0,
    after delay: Duration? = nil, _ db: Database
  ) throws {
    let wait = delay?.milliseconds
    try db.cachedStatement(
      sql: """
        UPDATE op SET state = ?, owner = NULL, run_at = ?, wait = ?, attempt = ?, unreachable = ?,
          crashes = 0, effect = ?, error_code = coalesce(?, error_code),
          error_message = coalesce(?, error_message)
        WHERE id = ?
        """
    ).execute(arguments: [
      state.rawValue, wait.map { date + $0 }, wait, verdict.attempts, verdict.unreachable,
      verdict.effect.rawValue, verdict.failure?.code.rawValue, verdict.failure?.message, id,
    ])
  }

  /// Takes an operation out, leaves a receipt, and lets the next one of its key pass.
  static func remove(
    _ row: Row, as reason: OutboxReceipt.Reason, at date: Int64, _ db: Database
  ) throws {
    try db.cachedStatement(sql: "DELETE FROM op WHERE id = ?")
      .execute(arguments: [row["id"] as Int64])
    try leaveReceipt(row["kind"], reason, bytes: (row["payload"] as Data).count, at: date, db)
    try unblock(row["ordering_key"], db)
  }

  static func leaveReceipt(
    _ kind: String, _ reason: OutboxReceipt.Reason, count: Int = 1, bytes: Int, at date: Int64,
    _ db: Database
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO receipt (kind, reason, count, bytes, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5)
        ON CONFLICT (kind, reason) DO UPDATE SET count = count + excluded.count,
          bytes = bytes + excluded.bytes, last_at = max(last_at, excluded.last_at)
        """
    ).execute(arguments: [kind, reason.rawValue, count, bytes, date])
  }

  /// Makes a dead letter of an operation.
  static func bury(
    _ id: Int64, _ reason: DeadLetter.Reason, holdsKey: Bool, at date: Int64, _ db: Database
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO dead (\(OperationRow.common), codec, reason, since, holds_key)
        SELECT \(OperationRow.common), codec, ?, ?, ? FROM op WHERE id = ?
        """
    ).execute(arguments: [reason.rawValue, date, holdsKey, id])
    try db.cachedStatement(sql: "DELETE FROM op WHERE id = ?").execute(arguments: [id])
  }

  /// Makes the first follower of a key ready, unless something still stands before it.
  static func unblock(_ key: Data?, _ db: Database) throws {
    guard let key else { return }
    try db.cachedStatement(
      sql: """
        UPDATE op SET state = 'ready'
        WHERE id = (SELECT id FROM op WHERE ordering_key = ?1 ORDER BY id LIMIT 1)
          AND state = 'blocked'
          AND NOT EXISTS (SELECT 1 FROM op WHERE ordering_key = ?1 AND state <> 'blocked')
          AND NOT EXISTS (SELECT 1 FROM dead WHERE ordering_key = ?1 AND holds_key)
        """
    ).execute(arguments: [key])
  }
}
