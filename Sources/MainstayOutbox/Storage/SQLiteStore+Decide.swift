// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// What a person or the app decides is on the disk when the call returns.
extension SQLiteStore {
  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    try await write(.full) { [self] db, _ in try redrive(id, db) }
  }

  func redrive(_ id: OperationID, _ db: Database) throws -> Bool {
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT id, ordering_key FROM mainstay_dead WHERE uuid = ?",
        arguments: [id.data])
    else { return false }
    let number: Int64 = row["id"]
    try db.execute(
      sql: """
        INSERT INTO mainstay_op (\(OperationRow.common), codec, state)
        SELECT \(OperationRow.common), codec, 'blocked' FROM mainstay_dead WHERE id = ?
        """, arguments: [number])
    let departure = departure(db)
    // It may be from before the clock was set back.
    try db.execute(
      sql: """
        UPDATE mainstay_op SET attempt = 0, crashes = 0, expires_at = NULL,
          rank = rank - max(enqueued_at - ?2, 0), enqueued_at = min(enqueued_at, ?2) WHERE id = ?1
        """, arguments: [number, departure.date])
    try db.execute(sql: "DELETE FROM mainstay_dead WHERE id = ?", arguments: [number])
    // It comes back among those that the clock was settled for without it.
    try db.execute(
      sql: "UPDATE mainstay_meta SET value = min(value, ? - 1) WHERE key = 'settled_id'",
      arguments: [number])
    try departure.release(number)
    // It may have held back one that stands before it, which was redriven earlier.
    try departure.unblock(row.legal("ordering_key"))
    return true
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    try await write(.full) { [self] db, _ in try discard(id, db) }
  }

  func discard(_ id: OperationID, _ db: Database) throws -> Bool {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT \(OperationRow.leaving), holds_key AND NOT \(OperationRow.isSafe) AS doubtful
        FROM mainstay_dead WHERE uuid = ?
        """, arguments: [id.data])
    guard let row else { return false }
    try departure(db).discard(row)
    return true
  }

  /// Keeps what the other side was heard to have of the record that an operation changes.
  public func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    try await write(.full) { db, _ in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT \(OperationRow.leaving), state FROM mainstay_op
          WHERE uuid = ? AND state <> 'leased' AND \(OperationRow.isSafe)
          """, arguments: [id.data])
      guard let row else { return false }
      try Self.note(news, of: row, db)
      let number: Int64 = row["id"]
      guard row.legal("state") == OperationState.conflicted.rawValue else { return true }
      if fields.isEmpty {
        try db.execute(sql: "DELETE FROM mainstay_conflict WHERE op = ?", arguments: [number])
        try db.execute(
          sql: "UPDATE mainstay_op SET state = 'ready' WHERE id = ?", arguments: [number])
      } else {
        try db.execute(
          sql: "UPDATE mainstay_conflict SET remote = ?, fields = ? WHERE op = ?",
          arguments: [news.latest, try FieldConflict.text(of: fields), number])
      }
      return true
    }
  }

  /// Ends a conflict; false where there is none.
  public func resolve(
    _ id: OperationID, with resolution: StoredResolution
  ) async throws -> Bool {
    try await write(.full) { [self] db, _ in
      guard
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT \(OperationRow.leaving) FROM mainstay_op WHERE uuid = ? AND state = 'conflicted'
            """, arguments: [id.data])
      else { return false }
      switch resolution {
      case .dropped:
        try departure(db).remove(row, as: .dropped)
      case .replaced(let payload, let key, let version):
        let number: Int64 = row["id"]
        try db.execute(sql: "DELETE FROM mainstay_conflict WHERE op = ?", arguments: [number])
        // What somebody has decided is sent, however long that took.
        try db.execute(
          sql: """
            UPDATE mainstay_op SET state = 'ready', payload = ?, version = ifnull(?, version),
              idem_key = ?, attempt = 0, unreachable = 0, merges = 0, checkpoint = NULL,
              effect = 'notSent', expires_at = NULL
            WHERE id = ?
            """, arguments: [payload, version, key.rawValue, number])
      }
      return true
    }
  }
}
