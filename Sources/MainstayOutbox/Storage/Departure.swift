// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Takes operations out of the queue, and lets pass, or takes along, what waited for them.
struct Departure {
  let db: Database
  let date: Int64
  /// How many outcomes are kept.
  let outcomes: Int
  /// Told of what was given up for want of another one, once that is certain; nil for nobody.
  var gaveUp: (@Sendable (GivenUp) -> Void)?

  /// How an operation ended, as those see it that need it.
  enum End {
    case done
    /// It is a dead letter, which somebody may redrive.
    case givenUp
    /// It will never be done.
    case gone

    init(_ reason: OutboxReceipt.Reason) {
      self = [.done, .dropped].contains(reason) ? .done : .gone
    }
  }

  /// Takes an operation out, leaves a receipt, and lets the next one of its key pass.
  ///
  /// - Parameters:
  ///   - row: The operation, with the columns of `OperationRow.leaving`.
  ///   - reason: Why it goes.
  ///   - output: What its worker returned.
  /// - Throws: What the database throws.
  func remove(_ row: Row, as reason: OutboxReceipt.Reason, output: Data? = nil) throws {
    let id: Int64 = row["id"]
    try db.cachedStatement(sql: "DELETE FROM mainstay_op WHERE id = ?").execute(arguments: [id])
    // It may have been taken along by one that was removed just before.
    guard db.changesCount > 0 else { return }
    try forgetAttempts(of: id)
    try leaveReceipt(row.legal("kind", or: ""), reason, bytes: row.legal("bytes", or: 0))
    try keepOutcome(of: row, reason, output)
    try forgetOldOutcomes()
    try tell(of: id, End(reason))
    try unblock(row.legal("ordering_key"))
    try forgetLatest(of: row)
  }

  func forgetAttempts(of id: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM mainstay_attempt WHERE op = ?")
      .execute(arguments: [id])
  }

  /// Remembers how an operation ended, for whoever asks later.
  func keepOutcome(
    of row: Row, _ reason: OutboxReceipt.Reason, _ output: Data?
  ) throws {
    guard let uuid: Data = row.legal("uuid") else { return }
    try keepOutcome(of: uuid, row.legal("kind", or: ""), reason, output)
  }

  func keepOutcome(
    of id: Data, _ kind: String, _ reason: OutboxReceipt.Reason, _ output: Data? = nil
  ) throws {
    guard outcomes > 0 else { return }
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO mainstay_outcome (uuid, kind, reason, output, at)
        VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, kind, reason.rawValue, output, date])
  }

  /// Remembers of several operations that are still there that they are done, and returned nothing.
  func keepOutcomes(ofDone rows: [Int64]) throws {
    guard outcomes > 0 else { return }
    try RowNumbers.each(of: rows) { isOne, numbers in
      let sql = """
        INSERT OR REPLACE INTO mainstay_outcome (uuid, kind, reason, output, at)
        SELECT uuid, kind, ?, NULL, ? FROM mainstay_op WHERE \(isOne)
        """
      let arguments: StatementArguments = [OutboxReceipt.Reason.done.rawValue, date]
      try db.cachedStatement(sql: sql).execute(arguments: arguments + numbers)
    }
  }

  /// Forgets the oldest, where there are more than are kept.
  func forgetOldOutcomes() throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM mainstay_outcome WHERE id <= (SELECT max(id) FROM mainstay_outcome) - ?
        """
    ).execute(arguments: [outcomes])
  }

  /// The key of what is kept of the record that an operation changes.
  static func record(of row: Row) -> Data {
    row.legal("ordering_key") ?? row.legal("uuid", or: Data())
  }

  /// What the other side has of a record is wanted as long as something that changes it waits.
  func forgetLatest(of row: Row) throws { try forgetLatest(of: Self.record(of: row)) }

  func forgetLatest(of key: Data) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM mainstay_latest WHERE key = ?1
          AND NOT EXISTS (SELECT 1 FROM mainstay_op WHERE ordering_key = ?1)
          AND NOT EXISTS (SELECT 1 FROM mainstay_dead WHERE ordering_key = ?1)
        """
    ).execute(arguments: [key])
  }

  /// What the other side has of a record may be something else by now; its version stays a
  /// condition of what follows.
  func outdateLatest(of row: Row) throws { try outdateLatest(of: Self.record(of: row)) }

  func outdateLatest(of key: Data) throws {
    let kept = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT state FROM mainstay_latest WHERE key = ?"), arguments: [key])
    guard let kept, !kept.isOutdated else { return }
    try db.cachedStatement(sql: "UPDATE mainstay_latest SET state = ? WHERE key = ?")
      .execute(arguments: [kept.outdated, key])
  }

  /// Drops what nobody wants any more; what may have had its effect is kept.
  ///
  /// - Returns: How many were found; there may be more where that is the limit.
  func expire(atMost limit: Int) throws -> Int {
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(OperationRow.leaving) FROM mainstay_op
          WHERE expires_at <= ? AND state NOT IN ('leased', 'conflicted') AND \(OperationRow.isSafe)
          ORDER BY expires_at, id LIMIT ?
          """), arguments: [date, limit])
    for row in rows { try remove(row, as: .expired) }
    return rows.count
  }

  /// Makes a dead letter of an operation, and decides about those behind it.
  func bury(
    _ row: Row, _ reason: DeadLetter.Reason, _ followers: Worker.AfterDeadLetter = .holdKey
  ) throws {
    let id: Int64 = row["id"]
    guard try move(id, reason, holdsKey: followers == .holdKey) else { return }
    try tell(of: id, .givenUp)
    if followers == .dropFollowers { try dropFollowers(row.legal("ordering_key")) }
    if followers != .holdKey { try unblock(row.legal("ordering_key")) }
  }

  private func move(_ id: Int64, _ reason: DeadLetter.Reason, holdsKey: Bool) throws -> Bool {
    try db.cachedStatement(
      sql: """
        INSERT INTO mainstay_dead (\(OperationRow.common), codec, reason, since, holds_key)
        SELECT \(OperationRow.common), codec, ?, ?, ? FROM mainstay_op WHERE id = ?
        """
    ).execute(arguments: [reason.rawValue, date, holdsKey, id])
    try db.cachedStatement(sql: "DELETE FROM mainstay_op WHERE id = ?").execute(arguments: [id])
    return db.changesCount > 0
  }

  /// Ends a dead letter that nobody wants any more; what needs it is given up.
  ///
  /// - Parameter row: The dead letter, with the columns of `OperationRow.leaving`, and whether it
  ///   held its key with an effect that may have happened as `doubtful`.
  /// - Throws: What the database throws.
  func discard(_ row: Row) throws {
    let id: Int64 = row["id"]
    try db.execute(sql: "DELETE FROM mainstay_dead WHERE id = ?", arguments: [id])
    try forgetAttempts(of: id)
    try leaveReceipt(row.legal("kind", or: ""), .discarded, bytes: row.legal("bytes", or: 0))
    try keepOutcome(of: row, .discarded, nil)
    try forgetOldOutcomes()
    try tell(of: id, .gone)
    if row.legal("doubtful", or: true) { try outdateLatest(of: row) }
    try unblock(row.legal("ordering_key"))
    try forgetLatest(of: row)
  }

  /// Drops what waits behind a dead letter; what may have been sent stays.
  private func dropFollowers(_ key: Data?) throws {
    guard let key else { return }
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, uuid, kind, NULL AS ordering_key, length(payload) AS bytes FROM mainstay_op
        WHERE ordering_key = ? AND state = 'blocked' AND \(OperationRow.isSafe) ORDER BY id
        """, arguments: [key])
    for row in rows { try remove(row, as: .followed) }
  }

  /// Tells those that need an operation how it ended, and those that need them, one after the
  /// other: a chain may be longer than the stack is deep.
  func tell(of id: Int64, _ end: End) throws {
    var ends = [(id: id, end: end)]
    if end != .givenUp {
      try db.cachedStatement(sql: "DELETE FROM mainstay_dep WHERE op = ?").execute(arguments: [id])
    }
    while let next = ends.popLast() {
      let rows = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT op, policy FROM mainstay_dep WHERE needs = ?"),
        arguments: [next.id])
      for row in rows {
        guard let dependent: Int64 = row.legal("op") else { continue }
        let policy = EnqueueOptions.Dependencies.IfGivenUp(rawValue: row.legal("policy", or: ""))
        let passes = next.end == .done || policy == .runAnyway
        if passes || next.end == .gone {
          try db.cachedStatement(sql: "DELETE FROM mainstay_dep WHERE op = ? AND needs = ?")
            .execute(arguments: [dependent, next.id])
        }
        if passes {
          try release(dependent)
        } else if next.end == .gone || policy == .giveUp, try giveUp(dependent) {
          ends.append((dependent, .givenUp))
        }
      }
    }
  }

  /// Gives an operation up for want of one that it needs; false where it was given up before.
  func giveUp(_ id: Int64) throws -> Bool {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT uuid, kind FROM mainstay_op WHERE id = ?"), arguments: [id])
    let note = FailureNote.dependencyFailed
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op SET error_code = ?, error_message = ?, error_words = NULL WHERE id = ?
        """
    ).execute(arguments: [note.code.rawValue, note.message, id])
    guard let row, try move(id, .dependencyFailed, holdsKey: true) else { return false }
    tellGivenUp(row.legal("uuid", or: Data()), row.legal("kind", or: ""))
    return true
  }

  private func tellGivenUp(_ uuid: Data, _ kind: String) {
    guard let gaveUp, let id = OperationID(data: uuid) else { return }
    let operation = GivenUp(
      id: id, kind: OperationKind(rawValue: kind), reason: .dependencyFailed)
    guard db.isInsideTransaction else { return gaveUp(operation) }
    db.afterNextTransaction { db in
      let sql = "SELECT EXISTS (SELECT 1 FROM mainstay_dead WHERE uuid = ?)"
      // A savepoint of the app may have been rolled back. What cannot be read is told.
      if (try? Bool.fetchOne(db, sql: sql, arguments: [uuid])) != false { gaveUp(operation) }
    }
  }

  func leaveReceipt(
    _ kind: String, _ reason: OutboxReceipt.Reason, count: Int = 1, bytes: Int
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO mainstay_receipt (kind, reason, count, bytes, first_at, last_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5)
        ON CONFLICT (kind, reason) DO UPDATE SET count = count + excluded.count,
          bytes = bytes + excluded.bytes, last_at = max(last_at, excluded.last_at)
        """
    ).execute(arguments: [kind, reason.rawValue, count, bytes, date])
  }

  /// Lets the first follower of a key pass, unless something still stands before it.
  func unblock(_ key: Data?) throws {
    guard let key else { return }
    let first = try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT id FROM mainstay_op WHERE ordering_key = ? ORDER BY id LIMIT 1"),
      arguments: [key])
    if let first { try release(first) }
  }

  /// Lets a blocked operation pass, unless something still stands before it.
  func release(_ id: Int64) throws {
    try db.cachedStatement(
      sql: """
        UPDATE mainstay_op AS op SET
          state = CASE WHEN start_at > ?2 THEN 'scheduled' ELSE 'ready' END,
          run_at = CASE WHEN start_at > ?2 THEN start_at END,
          wait = CASE WHEN start_at > ?2 THEN start_at - ?2 END
        WHERE id = ?1 AND state = 'blocked'
          AND NOT EXISTS (SELECT 1 FROM mainstay_dep WHERE op = ?1)
          AND (ordering_key IS NULL OR (
            id = (SELECT o.id FROM mainstay_op AS o WHERE o.ordering_key = op.ordering_key
              ORDER BY o.id LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM mainstay_op AS o
              WHERE o.ordering_key = op.ordering_key AND o.state <> 'blocked')
            AND NOT EXISTS (SELECT 1 FROM mainstay_dead AS d
              WHERE d.ordering_key = op.ordering_key AND d.holds_key)))
        """
    ).execute(arguments: [id, date])
  }
}
