// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Takes out operations that are done, many in one transaction.
///
/// It comes to what ``Departure/remove(_:as:output:)`` comes to for each. But receipts are added up
/// and written once, and tables that have nothing in them, as those of failures and dependencies
/// mostly, are not searched for each.
struct Completion {
  private let departure: Departure
  /// What is to be written: how many of each kind, and their bytes.
  private var receipts: [String: (count: Int, bytes: Int)] = [:]
  /// What is kept that may be about one of them; nil where that may have changed.
  private var leftovers: Leftovers?

  /// Which tables have anything in them.
  private struct Leftovers {
    let attempts: Bool
    let dependencies: Bool
    let latest: Bool
  }

  private var db: Database { departure.db }

  init(_ departure: Departure) { self.departure = departure }

  /// Takes one out whose lease is still held.
  ///
  /// - Parameters:
  ///   - lease: The lease.
  ///   - output: What its worker returned.
  /// - Returns: False where the lease was lost, and nothing was changed then.
  /// - Throws: What the database throws.
  mutating func take(_ lease: Lease, output: Data?) throws -> Bool {
    guard let row = try SQLiteStore.holds(lease, db) else { return false }
    let id = lease.row
    try db.cachedStatement(sql: "DELETE FROM mainstay_op WHERE id = ?").execute(arguments: [id])
    func value<Value: DatabaseValueConvertible>(_ column: OperationRow.Leaving) -> Value? {
      row.legal(at: column.rawValue)
    }
    let (kind, bytes) = (value(.kind) ?? "", value(.bytes) ?? 0)
    let (count, sum) = receipts[kind] ?? (0, 0)
    receipts[kind] = (count + 1, sum + bytes)
    if let uuid: Data = value(.uuid) { try departure.keepOutcome(of: uuid, kind, .done, output) }
    let left = try whatIsLeft()
    if left.attempts { try departure.forgetAttempts(of: id) }
    if left.dependencies { try departure.tell(of: id, .done) }
    try departure.unblock(value(.orderingKey))
    // Its run has left no news of the record, and has changed it.
    if left.latest {
      try departure.outdateLatest(of: row)
      try departure.forgetLatest(of: row)
    }
    return true
  }

  /// Something else was done in the same transaction.
  mutating func lookAgain() { leftovers = nil }

  /// Writes what was added up; nothing may be committed without it.
  func finish() throws {
    for (kind, sum) in receipts {
      try departure.leaveReceipt(kind, .done, count: sum.count, bytes: sum.bytes)
    }
    if !receipts.isEmpty { try departure.forgetOldOutcomes() }
  }

  private mutating func whatIsLeft() throws -> Leftovers {
    if let leftovers { return leftovers }
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM mainstay_attempt), EXISTS (SELECT 1 FROM mainstay_dep),
          EXISTS (SELECT 1 FROM mainstay_latest)
        """)
    let row = try Row.fetchOne(statement)
    let found = Leftovers(
      attempts: row?[0] ?? true, dependencies: row?[1] ?? true, latest: row?[2] ?? true)
    leftovers = found
    return found
  }
}
