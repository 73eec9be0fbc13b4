// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

/// Rows whose turn has come.
extension ReadySearch {
  /// A row that may be leased where nothing is in its way.
  struct Candidate {
    let number: Int64
    /// What the row says; nil where it is not legal.
    let found: Found?

    /// - Parameter row: The row, with the columns of `OperationRow.op`.
    init(_ row: Row) {
      number = row[OperationColumns.Column.id.rawValue]
      found = (try? OperationRow.operation(row, state: .leased)).map { Found(row, $0) }
    }
  }

  /// Reads rows, many by one statement.
  ///
  /// - Parameters:
  ///   - numbers: Which.
  ///   - db: The database.
  /// - Returns: The rows, in the same order.
  /// - Throws: What the database throws; ``OutboxError`` `corrupted` where one is not there.
  static func candidates(_ numbers: [Int64], _ db: Database) throws -> [Candidate] {
    var all: [Int64: Candidate] = [:]
    try RowNumbers.each(of: numbers) { isOne, arguments in
      let sql = "SELECT \(OperationRow.op) FROM mainstay_op WHERE \(isOne)"
      let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
      while let row = try rows.next() {
        let candidate = Candidate(row)
        all[candidate.number] = candidate
      }
    }
    return try numbers.map { number in
      guard let candidate = all[number] else {
        throw OutboxError(.corrupted, details: "an index names row \(number), which is not there")
      }
      return candidate
    }
  }
}
