// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The SQLite that this process runs with: that of the system, or one that the app brings.
package enum SQLiteLibrary {
  /// The version that a test pretends, such as `3.51.2`; nil where it is what the library says.
  @TaskLocal package static var pretendedVersion: String?

  /// From here on two connections that write and check at the same moment harm nothing.
  private static let soundVersion = [3, 51, 3]

  /// What whoever has entered a file is warned of; dead owners are no longer in it.
  ///
  /// - Parameters:
  ///   - pretended: The version that a test pretends.
  ///   - db: The file.
  /// - Returns: The warnings.
  /// - Throws: What the database throws.
  static func warnings(
    pretending pretended: String?, _ db: Database
  ) throws -> [OpeningReport.Warning] {
    let own = try String.fetchOne(db, sql: "SELECT sqlite_version()")
    let version = (pretended ?? own ?? "").split(separator: ".").map { Int($0) ?? 0 }
    guard version.lexicographicallyPrecedes(soundVersion) else { return [] }
    let owners = try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_owner") ?? 0
    // The harm is done to the log; the database of an app may have none.
    guard owners > 1, try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
      return []
    }
    return [.sharedByOldSQLite]
  }
}
