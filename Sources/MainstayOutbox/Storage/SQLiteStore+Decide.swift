// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// What a person or the app decides is on the disk when the call returns.
extension SQLiteStore {
  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    let isDone = try await write(.full) { [now] db, _ in
      guard
        let row = try Row.fetchOne(
          db, sql: "SELECT id FROM dead WHERE uuid = ?", arguments: [id.data])
      else { return false }
      let number: Int64 = row["id"]
      try db.execute(
        sql: """
          INSERT INTO op (\(OperationRow.common), codec, state)
          SELECT \(OperationRow.common), codec, 'blocked' FROM dead WHERE id = ?
          """, arguments: [number])
      try db.execute(
        sql: "UPDATE op SET attempt = 0, crashes = 0, expires_at = NULL WHERE id = ?",
        arguments: [number])
      try db.execute(sql: "DELETE FROM dead WHERE id = ?", arguments: [number])
      try Departure(db: db, date: now().milliseconds).release(number)
      return true
    }
    if isDone { state.withLock { $0.pending += 1 } }
    return isDone
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    let removed = try await write(.full) { [now] db, _ -> Int? in
      let row = try Row.fetchOne(
        db, sql: "SELECT id, kind, ordering_key, payload FROM dead WHERE uuid = ?",
        arguments: [id.data])
      return try row.map { try Departure(db: db, date: now().milliseconds).discard($0) }
    }
    guard let removed else { return false }
    state.withLock { $0.pending -= removed }
    return true
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
        return try Departure(db: db, date: now().milliseconds).remove(row, as: .dropped)
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
