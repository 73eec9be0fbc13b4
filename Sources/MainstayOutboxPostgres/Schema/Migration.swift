// SPDX-License-Identifier: Apache-2.0

/// A step by which the tables grow.
///
/// Each is a transaction of its own, with its line in the table `migration`, so that a step is
/// there as a whole or not at all. One that an older build could not work with raises
/// `minimumWriter`; one that it could not even read raises `minimumReader`.
struct Migration: Sendable {
  let number: Int
  let name: String
  /// The format that a build must have to read the tables.
  var minimumReader = 1
  /// The format that a build must have to work with them.
  var minimumWriter = 1
  let sql: String

  static let all = [
    Migration(number: 1, name: "tables", sql: tables),
    Migration(number: 2, name: "departure", sql: departure),
    Migration(number: 3, name: "arrival", sql: arrival),
    Migration(number: 4, name: "order", sql: order),
    Migration(number: 5, name: "work", sql: work + claiming),
    Migration(number: 6, name: "decisions", sql: decisions),
    Migration(number: 7, name: "enqueueing", sql: enqueueing),
    Migration(
      number: 8, name: "housekeeping", minimumReader: 8, minimumWriter: 8, sql: housekeeping),
    Migration(number: 9, name: "sharing", sql: sharing),
    Migration(number: 10, name: "requests", sql: requests),
    // Functions that a later step replaces are planned as others until that says the same.
    Migration(number: 11, name: "plans", sql: plans),
    Migration(number: 12, name: "turns", sql: turns),
    Migration(number: 13, name: "passing", sql: passing),
    Migration(number: 14, name: "doubts", sql: doubts),
    Migration(number: 15, name: "runs", sql: runs),
    Migration(number: 16, name: "parts", sql: parts),
    Migration(number: 17, name: "callers", sql: callers),
    Migration(number: 18, name: "opening", sql: opening),
    Migration(number: 19, name: "ends", sql: ends),
    Migration(number: 20, name: "notices", sql: notices),
    Migration(number: 21, name: "parked", sql: parked),
    Migration(number: 22, name: "held", sql: held),
    Migration(number: 23, name: "places", sql: places),
    Migration(number: 24, name: "crowds", sql: crowds),
    Migration(number: 25, name: "idle", sql: idle),
    Migration(number: 26, name: "excess", sql: excess),
    Migration(number: 27, name: "backlog", sql: backlog),
    Migration(number: 28, name: "members", sql: members),
    Migration(number: 29, name: "expiry", sql: expiry),
    Migration(number: 30, name: "counters", sql: counters),
    Migration(number: 31, name: "sparing", sql: sparing),
  ]

  /// The format that this build has: the number of its last step.
  static var format: Int { all.count }

  /// The schema; making it needs a right, also where it is there.
  static let home = "CREATE SCHEMA IF NOT EXISTS mainstay;"

  /// Where it is kept which steps were taken.
  static let ledger = """
    CREATE TABLE IF NOT EXISTS mainstay.migration (
      number integer PRIMARY KEY,
      name text NOT NULL,
      min_reader integer NOT NULL,
      min_writer integer NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    """

  /// The step, and its line in the ledger.
  var script: String {
    """
    \(sql)
    INSERT INTO mainstay.migration (number, name, min_reader, min_writer)
      VALUES (\(number), '\(name)', \(minimumReader), \(minimumWriter));
    """
  }

  /// Writes a statement for another schema.
  static func text(_ sql: String, schema: String) -> String {
    guard schema != "mainstay" else { return sql }
    return sql.replacing("mainstay.", with: schema + ".")
      .replacing("SCHEMA IF NOT EXISTS mainstay;", with: "SCHEMA IF NOT EXISTS \(schema);")
  }
}
