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

  /// The rows whose turn comes next, in their order.
  ///
  /// More than these may be wanted, where some turn out to be none that can be leased: then it is
  /// asked again.
  ///
  /// - Parameters:
  ///   - count: How many more are wanted, at most.
  ///   - limits: How many more of a type are; a type that is missing has no limit of its own. A run
  ///     of one of which none are is left for good.
  /// - Returns: Their numbers; none where there are no more.
  /// - Throws: What the database throws.
  mutating func next(atMost count: Int, of limits: [PayloadType: Int]) throws -> [Int64] {
    var (numbers, left) = ([Int64](), limits)
    while numbers.count < count {
      try goOn(atMost: count - numbers.count, where: { limits[$0] != 0 })
      guard var run = runs.popLast() else { break }
      guard limits[run.type] != 0, let place = run.places.popFirst() else { continue }
      guard left[run.type] != 0 else {
        // Whether more of the type are wanted is known when those before it have been looked at.
        run.places.insert(place, at: run.places.startIndex)
        runs.append(run)
        break
      }
      current = (run, place)
      left[run.type]? -= 1
      numbers.append(place.id)
    }
    return numbers
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
}
