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
  /// The lanes in which nothing may run.
  private let closed: Set<String>
  /// What has expired by then is not looked at: it is dropped soon.
  private let date: Int64
  private let db: Database

  init(_ request: ClaimRequest, closed: Set<String>, at date: Int64, _ db: Database) {
    self.request = request
    self.closed = closed
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
    var runs = RankedRuns(Self.placesQuery, at: date, db)
    let start = ["".databaseValue, "".databaseValue, "".databaseValue, Int64.min.databaseValue]
    var last = start
    while let run = try nextRun(after: last) {
      let values: [DatabaseValue] = [run["constraints"], run["lane"], run["kind"], run["version"]]
      last = zip(values, start).map { $0.isNull ? $1 : $0 }
      if mayRun(run) {
        let type = ReadySearch.type(kind: values[2], version: values[3])
        runs.append(values, of: type, from: run)
      }
    }
    var found: [Found] = []
    while found.count < room {
      let numbers = try runs.next(atMost: room - found.count, of: limits)
      guard !numbers.isEmpty else { break }
      for candidate in try ReadySearch.candidates(numbers, db) {
        guard let one = legal(candidate), one.operation.lostRuns == 0 else { continue }
        found.append(one)
        limits[one.operation.type]? -= 1
      }
    }
    return found
  }

  /// The oldest one whose last run ended with the death of its process, of those types that have a
  /// place.
  func suspect() throws -> Found? {
    let statement = try db.cachedStatement(sql: Self.suspectsQuery)
    return try Row.fetchAll(statement, arguments: [date]).lazy.filter { row in
      mayRun(row)
        && request.mayRun(ReadySearch.type(kind: row["kind"], version: row["version"]))
    }.compactMap { legal(ReadySearch.Candidate($0)) }.first
  }

  private func nextRun(after last: [DatabaseValue]) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(sql: Self.nextRunQuery),
      arguments: StatementArguments(last) + [Int64.max, Int64.max])
  }

  /// Whether a worker reads what is in a row, its lane is open, and all that it waits for holds.
  private func mayRun(_ row: Row) -> Bool {
    guard let lane = String.fromDatabaseValue(row["lane"]), !closed.contains(lane),
      request.types.contains(ReadySearch.type(kind: row["kind"], version: row["version"])),
      let text = String.fromDatabaseValue(row["constraints"]),
      let constraints = try? OperationRow.constraints(in: text)
    else { return false }
    return constraints.isDisjoint(with: request.unmet)
  }

  /// A row that is not legal waits on, and is found out when it is looked at anew; one that has
  /// expired is dropped soon.
  private func legal(_ candidate: ReadySearch.Candidate) -> Found? {
    guard let found = candidate.found, found.operation.isWanted(at: date) else { return nil }
    return found
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
    SELECT constraints, lane, kind, version, rank, id FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL
      AND (constraints, lane, kind, version, rank, id) > (?, ?, ?, ?, ?, ?)
    ORDER BY constraints, lane, kind, version, rank, id LIMIT 1
    """

  package static let placesQuery = """
    SELECT rank, id FROM mainstay_op
    WHERE state = 'waiting' AND run_at IS NULL AND constraints IS ? AND lane IS ? AND kind IS ?
      AND version IS ? AND (rank, id) > (?, ?) AND crashes = 0 AND \(OperationRow.isWanted)
    ORDER BY rank, id LIMIT ?
    """
}
