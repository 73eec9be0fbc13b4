// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Names rows by their numbers in one statement, many at once: what a statement costs besides its
/// rows is more than most rows cost.
enum RowNumbers {
  /// How many one statement names at most.
  ///
  /// Fewer leave places empty: so two statements do for any number of rows, and stay compiled.
  private static let most = 16
  private static let oneOfOne = "id IN (?)"
  private static let oneOfMany =
    "id IN (" + Array(repeating: "?", count: most).joined(separator: ", ") + ")"

  /// Goes through rows in parts of as many as a statement names.
  ///
  /// - Parameters:
  ///   - numbers: Their numbers.
  ///   - body: Given a condition that is true of the rows of a part alone, and its arguments.
  /// - Throws: What the body throws.
  static func each(
    of numbers: [Int64], _ body: (_ isOne: String, _ arguments: StatementArguments) throws -> Void
  ) rethrows {
    guard numbers.count > 1 else {
      for number in numbers { try body(oneOfOne, [number]) }
      return
    }
    var rest = numbers[...]
    while !rest.isEmpty {
      var values = rest.prefix(most).map(\.databaseValue)
      rest = rest.dropFirst(most)
      // No row has the number null.
      values += repeatElement(.null, count: most - values.count)
      try body(oneOfMany, StatementArguments(values))
    }
  }
}
