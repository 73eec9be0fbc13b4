// SPDX-License-Identifier: Apache-2.0

package import GRDB
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
  /// The lanes in which nothing may run.
  private let closed: Set<String>
  /// What has expired by then is not looked at: it is dropped soon.
  private let date: Int64
  private let db: Database
  private var setAside = 0
  /// Whether it stopped setting aside, so that another claim may find more.
  private(set) var isPartial = false
  /// What it has parked for want of a worker.
  private(set) var unknown: [PayloadType: Int] = [:]

  package init(_ request: ClaimRequest, closed: Set<String>, at date: Int64, _ db: Database) {
    self.request = request
    self.closed = closed
    self.date = date
    self.db = db
  }

  /// A row that may be leased, and what it says.
  package struct Found {
    let number: Int64
    let rank: Int64
    let token: Int64
    package let operation: StoredOperation

    /// - Parameters:
    ///   - row: The row, with the columns of `OperationRow.op`.
    ///   - operation: What it says.
    init(_ row: Row, _ operation: StoredOperation) {
      func number(_ column: OperationColumns.Column) -> Int64 {
        Int64.fromDatabaseValue(row[column.rawValue]) ?? 0
      }
      (self.number, rank, token) = (number(.id), number(.rank), number(.leaseToken))
      self.operation = operation
    }
  }

  /// Ready operations whose last run ended with the death of its process.
  ///
  /// One of a type without a place is no reason to let the others wait.
  mutating func suspects() throws -> [Found] {
    let statement = try db.cachedStatement(sql: Self.suspectsQuery)
    return try Row.fetchAll(statement, arguments: [date]).compactMap { row in
      guard String.fromDatabaseValue(row["lane"]).map(closed.contains) != true,
        request.mayRun(Self.type(kind: row["kind"], version: row["version"]))
      else { return nil }
      return try runnable(Candidate(row))
    }
  }

  /// The ready operations that rank first, of those types that have a worker to spare.
  ///
  /// - Parameter suspects: What is passed by; nothing by default.
  /// - Returns: The operations, in the order of their ranks.
  /// - Throws: What the database throws.
  package mutating func ready(besides suspects: [Found] = []) throws -> [Found] {
    let passed = Set(suspects.map(\.operation.id))
    var runs = try openRuns()
    var (found, left): ([Found], [PayloadType: Int]) = ([], request.limits)
    while found.count < request.limit {
      let numbers = try runs.next(atMost: request.limit - found.count, of: left)
      guard !numbers.isEmpty else { break }
      for candidate in try Self.candidates(numbers, db) {
        guard setAside < Self.stride else {
          isPartial = true
          return found
        }
        guard let one = try runnable(candidate), !passed.contains(one.operation.id) else {
          continue
        }
        found.append(one)
        left[one.operation.type]? -= 1
      }
    }
    return found
  }

  /// The runs of which something may be leased; those that nobody reads are set aside.
  private mutating func openRuns() throws -> RankedRuns {
    var runs = RankedRuns(Self.placesQuery, at: date, db)
    let start = ["".databaseValue, "".databaseValue, Int64.min.databaseValue]
    var last = start
    while let first = try nextRun(after: last) {
      let values: [DatabaseValue] = [first[0], first[1], first[2]]
      // Nothing is greater than what a damaged row lacks; it sorts before everything else.
      last = zip(values, start).map { $0.isNull ? $1 : $0 }
      guard String.fromDatabaseValue(values[0]).map(closed.contains) != true else { continue }
      let type = Self.type(kind: values[1], version: values[2])
      if request.mayRun(type) {
        runs.append(values, of: type, from: first)
      } else if !request.types.contains(type), try !isKnownElsewhere(values) {
        // However busy others are.
        try park(values, type)
      }
    }
    return runs
  }

  /// Those that rank first, and no more of a type than its limit: a type may wait in several lanes.
  static func first(_ count: Int, of found: [Found]) -> [Found] {
    Array(found.sorted { ($0.rank, $0.number) < ($1.rank, $1.number) }.prefix(count))
  }

  /// The first row of the next type, or of the next lane.
  private func nextRun(after last: [DatabaseValue]) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(sql: Self.nextRunQuery),
      arguments: StatementArguments(last) + [Int64.max, Int64.max])
  }

  /// Sets a run aside that no worker of anybody knows.
  private mutating func park(_ run: [DatabaseValue], _ type: PayloadType) throws {
    guard setAside < Self.stride else { return isPartial = true }
    try db.cachedStatement(sql: Self.parking).execute(
      arguments: StatementArguments(run) + [date, Self.stride - setAside])
    let count = db.changesCount
    guard count > 0 else { return }
    setAside += count
    unknown[type, default: 0] += count
    if setAside >= Self.stride { isPartial = true }
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

  /// Sets aside what a constraint holds back, and a row that is not legal: it must not stop the
  /// others.
  private mutating func runnable(_ candidate: Candidate) throws -> Found? {
    if let found = candidate.found {
      guard found.operation.isWanted(at: date) else { return nil }
      if found.operation.constraints.isDisjoint(with: request.unmet) { return found }
    }
    setAside += 1
    let (state, cause) =
      candidate.found == nil ? ("parked", "unreadable") : ("waiting", "constraint")
    try db.cachedStatement(sql: "UPDATE mainstay_op SET state = ?, cause = ? WHERE id = ?")
      .execute(arguments: [state, cause, candidate.number])
    return nil
  }
}

extension StoredOperation {
  /// Whether it has not expired at a time, or may have had its effect all the same.
  func isWanted(at date: Int64) -> Bool {
    guard let expires, effect.isSafe else { return true }
    return expires.milliseconds > date
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
    SELECT lane, kind, version, rank, id FROM mainstay_op
    WHERE state = 'ready' AND (lane, kind, version, rank, id) > (?, ?, ?, ?, ?)
    ORDER BY lane, kind, version, rank, id LIMIT 1
    """

  /// Of whole rows it looks at what says whether they are wanted, and that is before the payload.
  package static let placesQuery = """
    SELECT rank, id FROM mainstay_op
    WHERE state = 'ready' AND lane IS ? AND kind IS ? AND version IS ?
      AND (rank, id) > (?, ?) AND \(OperationRow.isWanted)
    ORDER BY rank, id LIMIT ?
    """

  package static let parking = """
    UPDATE mainstay_op SET state = 'parked', cause = 'unknownType' WHERE id IN (
      SELECT id FROM mainstay_op
      WHERE state = 'ready' AND lane IS ? AND kind IS ? AND version IS ?
        AND \(OperationRow.isWanted)
      ORDER BY rank, id LIMIT ?)
    """
}
