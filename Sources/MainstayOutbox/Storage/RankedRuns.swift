// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

/// Goes through the rows of many runs of an index, in the order of their ranks.
///
/// Rows of a run are alike in all but their ranks. The index alone says where they stand: a run
/// whose turn does not come costs no more than the look that found it, and only rows whose turn has
/// come are read, with their payloads.
struct RankedRuns {
  /// Where a row stands: of two with the same rank, the one with the smaller number is first.
  private struct Place {
    let id: Int64
    /// As it is in the index.
    let rank: DatabaseValue

    /// What is no number is damage, and is found out when its turn comes.
    var order: (Int64, Int64) {
      (rank.isNull ? .min : Int64.fromDatabaseValue(rank) ?? .max, id)
    }

    /// What the look for places answers: rank and number.
    init(_ row: Row) {
      rank = row[0]
      id = row[1]
    }

    init(ofFirst row: Row) {
      rank = row["rank"]
      id = row["id"]
    }
  }

  private struct Run {
    /// What its rows have in common.
    let values: [DatabaseValue]
    let type: PayloadType
    /// Where those stand that come next, as far as that was looked up.
    var places: ArraySlice<Place>
  }

  /// Where others of a run stand behind one of it.
  private let query: String
  private let date: Int64
  private let db: Database
  private var runs: [Run] = []
  /// The one whose turn it was last, and the place of that.
  private var current: (run: Run, place: Place)?
  private var isSorted = true

  /// - Parameters:
  ///   - query: Finds places behind one in a run, by what its rows have in common, rank and number
  ///     of that one, the time, and how many are wanted.
  ///   - date: The time: what has expired by then is not looked for.
  ///   - db: The database.
  init(_ query: String, at date: Int64, _ db: Database) {
    (self.query, self.date, self.db) = (query, date, db)
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - values: What its rows have in common.
  ///   - type: What they are.
  ///   - first: Rank and number of its first row, wanted or not.
  mutating func append(_ values: [DatabaseValue], of type: PayloadType, from first: Row) {
    runs.append(Run(values: values, type: type, places: [Place(ofFirst: first)]))
    isSorted = false
  }

  /// The row whose turn it is; nil where there is none.
  ///
  /// - Parameters:
  ///   - count: How many more are wanted, at most.
  ///   - isOpen: Whether more of a type are; a run of one that is not is left for good.
  /// - Returns: The row, with the columns of an operation.
  /// - Throws: What the database throws; ``OutboxError`` `corrupted` where the index names a row
  ///   that is not there.
  mutating func next(
    atMost count: Int, where isOpen: (PayloadType) -> Bool
  ) throws -> Row? {
    try goOn(atMost: count, where: isOpen)
    while var run = runs.popLast() {
      guard isOpen(run.type), let place = run.places.popFirst() else { continue }
      current = (run, place)
      let statement = try db.cachedStatement(sql: Self.rowQuery)
      guard let row = try Row.fetchOne(statement, arguments: [place.id]) else {
        throw OutboxError(.corrupted, details: "an index names row \(place.id), which is not there")
      }
      return row
    }
    return nil
  }

  /// Puts the run back whose turn it was last, where there is more of it.
  private mutating func goOn(atMost count: Int, where isOpen: (PayloadType) -> Bool) throws {
    if !isSorted {
      runs.sort { Self.isBehind($0, $1) }
      isSorted = true
    }
    guard let last = current else { return }
    current = nil
    var run = last.run
    guard isOpen(run.type) else { return }
    if run.places.isEmpty {
      let statement = try db.cachedStatement(sql: query)
      let rank = last.place.rank.isNull ? Int64.min.databaseValue : last.place.rank
      run.places = try Row.fetchAll(
        statement, arguments: StatementArguments(run.values) + [rank, last.place.id, date, count]
      ).map { Place($0) }[...]
    }
    guard !run.places.isEmpty else { return }
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.isBehind(runs[middle], run) { low = middle + 1 } else { high = middle }
    }
    runs.insert(run, at: low)
  }

  private static func isBehind(_ one: Run, _ other: Run) -> Bool {
    guard let first = one.places.first, let second = other.places.first else { return false }
    return first.order > second.order
  }

  private static let rowQuery = "SELECT \(OperationRow.op) FROM mainstay_op WHERE id = ?"
}
