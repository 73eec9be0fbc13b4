// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

/// Looks for what can be leased, and sets aside what cannot.
///
/// The ready index has a run of rows for each type in each lane, in the order of their ranks. It
/// goes from run to run, so that a lane that is closed and a type whose workers are busy cost one
/// look, however many wait there.
package struct ReadySearch {
  /// How many rows are set aside by one claim, so that it never keeps others from the file for
  /// long.
  private static let stride = 1000

  private let request: ClaimRequest
  private let lanes: Set<String>
  /// What has expired by then is not looked at: it is dropped soon.
  private let date: Int64
  private let db: Database
  private var setAside = 0
  /// Whether it stopped setting aside, so that another claim may find more.
  private(set) var isPartial = false
  /// What it has parked for want of a worker.
  private(set) var unknown: [PayloadType: Int] = [:]

  init(_ request: ClaimRequest, lanes: [String], at date: Int64, _ db: Database) {
    self.request = request
    self.lanes = Set(lanes)
    self.date = date
    self.db = db
  }

  /// A row that may be leased, and what it says.
  typealias Found = (row: Row, operation: StoredOperation)

  /// Ready operations whose last run ended with the death of its process.
  ///
  /// One of a type without a place is no reason to let the others wait.
  mutating func suspects() throws -> [Found] {
    let statement = try db.cachedStatement(sql: Self.suspectsQuery)
    return try Row.fetchAll(statement, arguments: [date]).compactMap { row in
      guard String.fromDatabaseValue(row["lane"]).map(lanes.contains) == true,
        request.mayRun(Self.type(kind: row["kind"], version: row["version"]))
      else { return nil }
      return try runnable(row)
    }
  }

  /// The ready operations that rank first, of those types that have a worker to spare.
  mutating func ready() throws -> [Found] {
    var found: [Found] = []
    let start = ["".databaseValue, "".databaseValue, Int64.min.databaseValue]
    var last = start
    while let run = try nextRun(after: last) {
      let values: [DatabaseValue] = [run["lane"], run["kind"], run["version"]]
      // Nothing is greater than what a damaged row lacks; it sorts before everything else.
      last = zip(values, start).map { $0.isNull ? $1 : $0 }
      guard let lane = String.fromDatabaseValue(last[0]), lanes.contains(lane) else { continue }
      found += try rows(of: values)
    }
    return Self.first(request.limit, of: found, limits: request.limits)
  }

  /// Those that rank first, and no more of a type than its limit: a type may wait in several lanes.
  static func first(_ count: Int, of found: [Found], limits: [PayloadType: Int]) -> [Found] {
    var counts: [PayloadType: Int] = [:]
    return found.sorted { rank($0.row) < rank($1.row) }.filter { found in
      let type = found.operation.type
      counts[type, default: 0] += 1
      return counts[type, default: 0] <= limits[type] ?? .max
    }.prefix(count).map { $0 }
  }

  private static func rank(_ row: Row) -> (Int64, Int64) { (row["rank"], row["id"]) }

  /// The first row of the next type, or of the next lane.
  private func nextRun(after last: [DatabaseValue]) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(sql: Self.nextRunQuery),
      arguments: StatementArguments(last) + [Int64.max, Int64.max])
  }

  private mutating func rows(of run: [DatabaseValue]) throws -> [Found] {
    let type = Self.type(kind: run[1], version: run[2])
    let limit = min(request.limit, request.limits[type] ?? request.limit)
    // A type that no worker of anybody knows is set aside, however busy others are.
    let isKnown = request.types.contains(type)
    if !isKnown, try isKnownElsewhere(run) { return [] }
    var known: [Found] = []
    while known.count < limit || !isKnown {
      guard setAside < Self.stride else {
        isPartial = true
        break
      }
      let statement = try db.cachedStatement(sql: Self.rowsQuery)
      let after: (Int64, Int64) = known.last.map { Self.rank($0.row) } ?? (.min, .min)
      let wanted = isKnown ? limit - known.count : Self.stride
      let rows = try Row.fetchAll(
        statement, arguments: StatementArguments(run) + [after.0, after.1, date, wanted])
      if rows.isEmpty { break }
      known += try rows.compactMap { try runnable($0) }
    }
    return known
  }

  /// Whether another owner reads what is in a run: one that is dead has been taken out before.
  private func isKnownElsewhere(_ run: [DatabaseValue]) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM mainstay_type JOIN mainstay_owner AS o ON o.id = owner
            WHERE kind = ? AND version = ?)
          """), arguments: StatementArguments(run.suffix(2))) ?? false
  }

  static func type(kind: DatabaseValue, version: DatabaseValue) -> PayloadType {
    // A damaged row may lack what every row has.
    PayloadType(
      kind: OperationKind(rawValue: String.fromDatabaseValue(kind) ?? ""),
      version: Int.fromDatabaseValue(version) ?? 0)
  }

  /// Sets aside what nobody knows, what a constraint holds back, and a row that is not legal: it
  /// must not stop the others.
  private mutating func runnable(_ row: Row) throws -> Found? {
    let operation = try? OperationRow.operation(row, state: .leased)
    let type = operation?.type ?? Self.type(kind: row["kind"], version: row["version"])
    let isKnown = request.types.contains(type)
    if isKnown, let operation, operation.constraints.isDisjoint(with: request.unmet) {
      return (row, operation)
    }
    setAside += 1
    if !isKnown { unknown[type, default: 0] += 1 }
    let (state, cause) =
      isKnown
      ? operation == nil ? ("parked", "unreadable") : ("waiting", "constraint")
      : ("parked", "unknownType")
    try db.cachedStatement(sql: "UPDATE mainstay_op SET state = ?, cause = ? WHERE id = ?")
      .execute(arguments: [state, cause, row["id"] as Int64])
    return nil
  }
}

// What a claim asks; tests look at how SQLite answers it.
extension ReadySearch {
  package static let suspectsQuery = """
    SELECT \(OperationRow.op) FROM mainstay_op
    WHERE state = 'ready' AND crashes > 0 AND \(OperationRow.isWanted) ORDER BY id
    """

  /// All columns of the index are named: SQLite would go through the whole run for fewer.
  package static let nextRunQuery = """
    SELECT lane, kind, version FROM mainstay_op
    WHERE state = 'ready' AND (lane, kind, version, rank, id) > (?, ?, ?, ?, ?)
    ORDER BY lane, kind, version, rank, id LIMIT 1
    """

  package static let rowsQuery = """
    SELECT \(OperationRow.op) FROM mainstay_op
    WHERE state = 'ready' AND lane IS ? AND kind IS ? AND version IS ?
      AND (rank, id) > (?, ?) AND \(OperationRow.isWanted)
    ORDER BY rank, id LIMIT ?
    """
}
