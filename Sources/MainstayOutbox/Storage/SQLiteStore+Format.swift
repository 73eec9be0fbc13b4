// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// What becomes of a file that a newer build brings up to date while this one has it open.
extension SQLiteStore {
  /// Refuses a file that needs a newer build to be written, in the words of its opening.
  ///
  /// It is one search in a small table, in the transaction that writes. So nothing is ever written
  /// to a format that this build does not know, and nobody has to be told that it has changed.
  func refuseNewer(_ db: Database) throws {
    let needed = try Self.number(
      "SELECT max(value) FROM mainstay_meta WHERE key IN ('min_reader', 'min_writer')", db)
    guard let needed, needed > Schema.format else { return }
    throw Self.newerFormat(path, needs: needed, to: "written")
  }

  /// Refuses a file that needs a newer build to be read.
  func refuseUnreadable(_ db: Database) throws {
    let needed = try Self.number("SELECT value FROM mainstay_meta WHERE key = 'min_reader'", db)
    guard let needed, needed > Schema.format else { return }
    throw Self.newerFormat(path, needs: needed, to: "read")
  }

  /// What whoever opens such a file is told, and whoever has it open.
  static func newerFormat(_ path: String, needs format: Int, to use: String) -> OutboxError {
    OutboxError(
      .newerFormat,
      details: """
        \(path) needs format \(format) to be \(use); this build has \(Schema.format)
        """)
  }

  /// A number of the file; nil where there is none, or something else in its place.
  private static func number(_ sql: String, _ db: Database) throws -> Int? {
    try DatabaseValue.fetchOne(db.cachedStatement(sql: sql)).flatMap(Int.fromDatabaseValue)
  }
}
