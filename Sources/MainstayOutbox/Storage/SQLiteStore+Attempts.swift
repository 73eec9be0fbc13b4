// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// Remembers a run that did not end its operation, and forgets the oldest.
  static func noteAttempt(
    of operation: Int64, _ failure: FailureNote?, _ effect: EffectCertainty, at date: Int64,
    _ db: Database
  ) throws {
    let number = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT coalesce(max(number), 0) + 1 FROM mainstay_attempt WHERE op = ?"),
      arguments: [operation])
    try db.cachedStatement(
      sql: """
        INSERT INTO mainstay_attempt (op, number, at, error_code, error_message, effect)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      operation, number, date, failure?.code.rawValue, failure?.message, effect.rawValue,
    ])
    try db.cachedStatement(sql: "DELETE FROM mainstay_attempt WHERE op = ? AND number <= ?")
      .execute(arguments: [operation, (number ?? 0) - OperationAttempt.maximumKept])
  }

  /// The last runs of an operation or dead letter that did not end it, the oldest first.
  public func attempts(of id: OperationID) async throws -> [OperationAttempt] {
    try await read { db in
      // A file that is only looked at may be of a time before there were any.
      guard try Schema.has("mainstay_attempt", db) else { return [] }
      return try Row.fetchAll(
        db,
        sql: """
          SELECT number, at, error_code, error_message, effect FROM mainstay_attempt
          WHERE op = coalesce((SELECT id FROM mainstay_op WHERE uuid = ?1),
            (SELECT id FROM mainstay_dead WHERE uuid = ?1)) ORDER BY number
          """, arguments: [id.data]
      ).map { row in
        let code = (row.legal("error_code") as String?).flatMap { ErrorCode($0) }
        return OperationAttempt(
          number: row.legal("number", or: 0), ended: Date(milliseconds: row.legal("at", or: 0)),
          failure: code.map { FailureNote(code: $0, message: row.legal("error_message", or: "")) },
          effect: EffectCertainty(rawValue: row.legal("effect", or: "")) ?? .sentUnknown)
      }
    }
  }
}
