// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A row that could be read of a damaged file, by column.
package struct SalvagedRow {
  /// The most rows that are looked for one by one between two damaged places.
  private static let maximumGap: Int64 = 1_000_000
  private static let keyColumn = "salvage_key_"

  package var values: [String: DatabaseValue]
  /// What tells the row from others of its table: the row's number, or its key.
  package let key: [DatabaseValue]

  /// As the app reads any other row.
  package var row: Row { Row(values.mapValues { $0 as (any DatabaseValueConvertible)? }) }

  package subscript(_ column: String) -> DatabaseValue {
    get { values[column] ?? .null }
    set { values[column] = newValue }
  }

  /// Hands over each row of a table that can be read: from both ends towards the damage, and what
  /// lies between two damaged places one by one.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The columns of its key, where its rows have no numbers.
  ///   - db: The damaged file.
  ///   - take: Called with each row once.
  /// - Returns: Whether the whole table could be read.
  /// - Throws: What `take` throws; that ends the reading.
  package static func read(
    _ table: String, key: [String] = ["rowid"], from db: Database,
    _ take: (SalvagedRow) throws -> Void
  ) throws -> Bool {
    var reader = TableReader(db: db)
    let keys = key.indices.map { "\(key[$0]) AS \(keyColumn)\($0)" }.joined(separator: ", ")
    let all = "SELECT *, \(keys) FROM \(table)"
    func order(_ way: String) -> String { key.map { "\($0) \(way)" }.joined(separator: ", ") }
    if try reader.read("\(all) ORDER BY \(order("ASC"))", take) { return true }
    let low = reader.last
    reader.last = nil
    _ = try reader.read("\(all) ORDER BY \(order("DESC"))", take)
    guard key == ["rowid"] else { return false }
    let first = low.flatMap { Int64.fromDatabaseValue($0) } ?? 0
    let sequence = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    let end =
      reader.last.flatMap { Int64.fromDatabaseValue($0) }
      ?? (try? Int64.fetchOne(db, sql: sequence, arguments: [table])) ?? first
    guard first < end else { return false }
    for number in (first...min(end, first + maximumGap)).dropFirst() {
      _ = try reader.read("\(all) WHERE rowid = \(number)", take)
    }
    return false
  }

  /// Writes the row to the new file; false where it is not legal there.
  ///
  /// - Throws: Where the file cannot be written: that says nothing about the row.
  package func insert(into table: String, _ db: Database) throws -> Bool {
    let columns = values.keys.sorted()
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    do {
      try db.execute(
        sql: "INSERT INTO \(table) (\(names)) VALUES (\(places))",
        arguments: StatementArguments(columns.map { self[$0] }))
      return true
    } catch let error as DatabaseError {
      // A broken rule, another type, or a column that this build does not know.
      guard [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_ERROR].contains(error.resultCode) else {
        throw error
      }
      return false
    }
  }

  fileprivate init(_ row: Row) {
    var (values, key): ([String: DatabaseValue], [DatabaseValue]) = ([:], [])
    for (column, value) in row {
      if column.hasPrefix(Self.keyColumn) { key.append(value) } else { values[column] = value }
    }
    (self.values, self.key) = (values, key)
  }
}

/// Reads what can be read, and each row once.
private struct TableReader {
  let db: Database
  var last: DatabaseValue?
  private var seen: Set<[DatabaseValue]> = []

  init(db: Database) { self.db = db }

  /// - Returns: False where damage was met, or a row that was read before.
  mutating func read(_ sql: String, _ take: (SalvagedRow) throws -> Void) throws -> Bool {
    guard let cursor = try? Row.fetchCursor(db, sql: sql) else { return false }
    while true {
      let row: Row?
      do { row = try cursor.next() } catch _ { return false }
      guard let row = row.map(SalvagedRow.init) else { return true }
      guard seen.insert(row.key).inserted else { return false }
      last = row.key.first
      try take(row)
    }
  }
}
