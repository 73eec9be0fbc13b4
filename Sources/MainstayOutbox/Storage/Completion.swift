// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Takes out operations that are done, many by one statement.
///
/// It comes to what ``Departure/remove(_:as:output:)`` comes to for each. But receipts are added up
/// and written once, and tables that have nothing in them, as those of failures and dependencies
/// mostly, are not searched for each.
struct Completion {
  /// A run that has ended well.
  struct End {
    let lease: Lease
    /// What its worker returned.
    let output: Data?
  }

  /// What a row says whose lease is held.
  private struct Held {
    let number: Int64
    let token: Int64?
    let uuid: Data?
    let kind: String
    let orderingKey: Data?
    let bytes: Int

    /// The key of what is kept of the record that the operation changes.
    var record: Data { orderingKey ?? uuid ?? Data() }

    /// - Parameter row: The columns of ``query``.
    init(_ row: Row) {
      func value<Value: DatabaseValueConvertible>(_ column: OperationRow.Leaving) -> Value? {
        row.legal(at: column.rawValue)
      }
      number = row[OperationRow.Leaving.id.rawValue]
      (uuid, orderingKey) = (value(.uuid), value(.orderingKey))
      (kind, bytes) = (value(.kind) ?? "", value(.bytes) ?? 0)
      token = row.legal(at: OperationRow.Leaving.bytes.rawValue + 1)
    }

    static let query = "SELECT \(OperationRow.leaving), lease_token FROM mainstay_op"
  }

  private let departure: Departure
  private var db: Database { departure.db }

  init(_ departure: Departure) { self.departure = departure }

  /// Takes those out whose leases are still held.
  ///
  /// - Parameter ends: What has ended.
  /// - Returns: Whether each was taken; where its lease was lost nothing was changed.
  /// - Throws: What the database throws.
  func take(_ ends: [End]) throws -> [Bool] {
    var held = try held(ends.map(\.lease.row))
    var taken: [(row: Held, output: Data?)] = []
    let answers = ends.map { end in
      // Whoever ends the same lease a second time has lost it.
      guard let row = held[end.lease.row], row.token == end.lease.token else { return false }
      held[end.lease.row] = nil
      taken.append((row, end.output))
      return true
    }
    try keepOutcomes(of: taken)
    try RowNumbers.each(of: taken.map(\.row.number)) { isOne, numbers in
      try db.cachedStatement(sql: "DELETE FROM mainstay_op WHERE \(isOne)")
        .execute(arguments: numbers)
    }
    try leaveReceipts(of: taken.map(\.row))
    try tellOthers(of: taken.map(\.row))
    return answers
  }

  /// The rows that are leased, by their numbers.
  private func held(_ numbers: [Int64]) throws -> [Int64: Held] {
    var held: [Int64: Held] = [:]
    try RowNumbers.each(of: numbers) { isOne, numbers in
      let sql = "\(Held.query) WHERE \(isOne) AND state = 'leased'"
      let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: numbers)
      while let row = try rows.next() {
        let one = Held(row)
        held[one.number] = one
      }
    }
    return held
  }

  /// What was taken is still there.
  private func keepOutcomes(of taken: [(row: Held, output: Data?)]) throws {
    try departure.keepOutcomes(ofDone: taken.filter { $0.output == nil }.map(\.row.number))
    for (row, output) in taken {
      guard let output, let uuid = row.uuid else { continue }
      try departure.keepOutcome(of: uuid, row.kind, .done, output)
    }
    if !taken.isEmpty { try departure.forgetOldOutcomes() }
  }

  private func leaveReceipts(of taken: [Held]) throws {
    for (kind, rows) in Dictionary(grouping: taken, by: \.kind) {
      try departure.leaveReceipt(
        kind, .done, count: rows.count, bytes: rows.reduce(0) { $0 + $1.bytes })
    }
  }

  /// Lets those pass that waited for them, and forgets what was kept for them.
  private func tellOthers(of taken: [Held]) throws {
    guard !taken.isEmpty else { return }
    let left = try Leftovers(db)
    for row in taken {
      if left.attempts { try departure.forgetAttempts(of: row.number) }
      if left.dependencies { try departure.tell(of: row.number, .done) }
      try departure.unblock(row.orderingKey)
      // Its run has left no news of the record, and has changed it.
      if left.latest {
        try departure.outdateLatest(of: row.record)
        try departure.forgetLatest(of: row.record)
      }
    }
  }
}

/// Which tables have anything in them that may be about an operation that is done.
private struct Leftovers {
  let attempts: Bool
  let dependencies: Bool
  let latest: Bool

  init(_ db: Database) throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM mainstay_attempt), EXISTS (SELECT 1 FROM mainstay_dep),
          EXISTS (SELECT 1 FROM mainstay_latest)
        """)
    let row = try Row.fetchOne(statement)
    attempts = row?[0] ?? true
    dependencies = row?[1] ?? true
    latest = row?[2] ?? true
  }
}
