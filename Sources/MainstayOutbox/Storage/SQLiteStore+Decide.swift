// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// What a person or the app decides is on the disk when the call returns.
extension SQLiteStore {
  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    let isDone = try await write(.full) { db, _ in
      guard
        let row = try Row.fetchOne(
          db, sql: "SELECT id, ordering_key FROM dead WHERE uuid = ?", arguments: [id.data])
      else { return false }
      let (number, key): (Int64, Data?) = (row["id"], row["ordering_key"])
      let state = try key.map { try Self.isRunnable($0, before: number, db) } ?? true
      try db.execute(
        sql: """
          INSERT INTO op (\(OperationRow.common), codec, state)
          SELECT \(OperationRow.common), codec, ? FROM dead WHERE id = ?
          """, arguments: [state ? "ready" : "blocked", number])
      try db.execute(
        sql: "UPDATE op SET attempt = 0, crashes = 0, expires_at = NULL WHERE id = ?",
        arguments: [number])
      try db.execute(sql: "DELETE FROM dead WHERE id = ?", arguments: [number])
      return true
    }
    if isDone { state.withLock { $0.pending += 1 } }
    return isDone
  }

  /// Whether the operation that is put back may run: nothing of its key runs, and nothing that was
  /// given up before it holds the key.
  private static func isRunnable(
    _ key: Data, before number: Int64, _ db: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT NOT EXISTS (SELECT 1 FROM op WHERE ordering_key = ?1 AND state <> 'blocked')
          AND NOT EXISTS (SELECT 1 FROM op WHERE ordering_key = ?1 AND id < ?2)
          AND NOT EXISTS
            (SELECT 1 FROM dead WHERE ordering_key = ?1 AND holds_key AND id <> ?2)
        """, arguments: [key, number]) ?? false
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    try await write(.full) { [now] db, _ in
      guard
        let row = try Row.fetchOne(
          db, sql: "SELECT id, kind, ordering_key, payload FROM dead WHERE uuid = ?",
          arguments: [id.data])
      else { return false }
      try db.execute(sql: "DELETE FROM dead WHERE id = ?", arguments: [row["id"] as Int64])
      try Self.leaveReceipt(
        row["kind"], .discarded, bytes: (row["payload"] as Data).count,
        at: now().milliseconds, db)
      try Self.unblock(row["ordering_key"], db)
      return true
    }
  }

  /// Ends a conflict; false where there is none.
  public func resolve(
    _ id: OperationID, with resolution: StoredResolution
  ) async throws -> Bool {
    let removed = try await write(.full) { [now] db, _ -> Int? in
      guard
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT id, kind, ordering_key, payload FROM op WHERE uuid = ? AND state = 'conflicted'
            """, arguments: [id.data])
      else { return nil }
      switch resolution {
      case .dropped:
        try Self.remove(row, as: .dropped, at: now().milliseconds, db)
        return 1
      case .replaced(let payload, let key):
        let number: Int64 = row["id"]
        try db.execute(sql: "DELETE FROM conflict WHERE op = ?", arguments: [number])
        try db.execute(
          sql: """
            UPDATE op SET state = 'ready', payload = ?, idem_key = ?, attempt = 0, unreachable = 0,
              effect = 'notSent' WHERE id = ?
            """, arguments: [payload, key.rawValue, number])
        return 0
      }
    }
    guard let removed else { return false }
    state.withLock { $0.pending -= removed }
    return true
  }
}
