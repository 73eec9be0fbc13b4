// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

/// Looks for what waits for constraints that hold here: where they do not it may have been set
/// aside.
///
/// Its index has a run of rows for each set of constraints, lane and type. So what waits for
/// something that does not hold here either costs one look, however much of it there is.
package struct RestrainedSearch {
  typealias Found = ReadySearch.Found

  private let request: ClaimRequest
  private let lanes: Set<String>
  /// What has expired by then is not looked at: it is dropped soon.
  private let date: Int64
  private let db: Database

  init(_ request: ClaimRequest, lanes: [String], at date: Int64, _ db: Database) {
    self.request = request
    self.lanes = Set(lanes)
    self.date = date
    self.db = db
  }

  /// Those that rank first, as many as there is room for beside what was found ready: what is found
  /// is leased at once, so that two processes never put it to and fro.
  func first(besides ready: [Found]) throws -> [Found] {
    let room = request.limit - ready.count
    guard room > 0 else { return [] }
    var limits = request.limits
    for found in ready { limits[found.operation.type]? -= 1 }
    var found: [Found] = []
    let start = ["".databaseValue, "".databaseValue, "".databaseValue, Int64.min.databaseValue]
    var last = start
    while let run = try nextRun(after: last) {
      let values: [DatabaseValue] = [run["constraints"], run["lane"], run["kind"], run["version"]]
      last = zip(values, start).map { $0.isNull ? $1 : $0 }
      let limit = min(room, limits[ReadySearch.type(kind: values[2], version: values[3])] ?? room)
      guard limit > 0, mayRun(run) else { continue }
      found += try rows(of: values, limit)
    }
    return ReadySearch.first(room, of: found, limits: limits)
  }

  /// The oldest one whose last run ended with the death of its process, of those types that have a
  /// place.
  func suspect() throws -> Found? {
    let statement = try db.cachedStatement(sql: Self.suspectsQuery)
    return try Row.fetchAll(statement, arguments: [date]).lazy.filter { row in
      mayRun(row)
        && request.mayRun(ReadySearch.type(kind: row["kind"], version: row["version"]))
    }.compactMap(legal).first
  }

  private func nextRun(after last: [DatabaseValue]) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(sql: Self.nextRunQuery),
      arguments: StatementArguments(last) + [Int64.max, Int64.max])
  }

  private func rows(of run: [DatabaseValue], _ limit: Int) throws -> [Found] {
    let statement = try db.cachedStatement(sql: Self.rowsQuery)
    return try Row.fetchAll(statement, arguments: StatementArguments(run) + [date, limit])
      .compactMap(legal)
  }

  /// Whether a worker reads what is in a row, its lane is open, and all that it waits for holds.
  private func mayRun(_ row: Row) -> Bool {
    guard let lane = String.fromDatabaseValue(row["lane"]), lanes.contains(lane),
      request.types.contains(ReadySearch.type(kind: row["kind"], version: row["version"])),
      let text = String.fromDatabaseValue(row["constraints"]),
      let constraints = try? OperationRow.constraints(in: text)
    else { return false }
    return constraints.isDisjoint(with: request.unmet)
  }

  /// A row that is not legal waits on, and is found out when it is looked at anew.
  private func legal(_ row: Row) -> Found? {
    (try? OperationRow.operation(row, state: .leased)).map { (row, $0) }
  }
}

// What a claim asks; tests look at how SQLite answers it.
extension RestrainedSearch {
  package static let suspectsQuery = """
    SELECT \(OperationRow.op) FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL AND crashes > 0 AND \(OperationRow.isWanted)
    ORDER BY id
    """

  package static let nextRunQuery = """
    SELECT constraints, lane, kind, version FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL
      AND (constraints, lane, kind, version, rank, id) > (?, ?, ?, ?, ?, ?)
    ORDER BY constraints, lane, kind, version, rank, id LIMIT 1
    """

  package static let rowsQuery = """
    SELECT \(OperationRow.op) FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL AND constraints IS ? AND lane IS ? AND kind IS ?
      AND version IS ? AND crashes = 0 AND \(OperationRow.isWanted)
    ORDER BY rank, id LIMIT ?
    """
}
