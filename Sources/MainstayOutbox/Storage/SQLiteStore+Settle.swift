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
    let departure = Departure(db: db, date: date)
    // Somebody cancelled it while it ran, and nothing came of the run.
    if row["cancelled"], verdict.effect == .notSent, verdict.next != .done {
      return try departure.remove(row, as: .cancelled)
    }
    switch verdict.next {
    case .done: return try departure.remove(row, as: .done)
    case .cancelled: return try departure.remove(row, as: .cancelled)
    case .dead(let reason, let followers):
      try Self.update(id, .ready, verdict, db)
      return try departure.bury(row, reason, followers)
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
}
