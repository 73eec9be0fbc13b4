// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension Database {
  /// Switches the write-ahead log on, unless it is.
  ///
  /// SQLite takes the lock of a writer out of a read for that, where waiting could be a deadlock.
  /// So it refuses at once while another connection writes, such as one that opens the same new
  /// file. This waits for that one as a writer does, as long as the connection has patience, and
  /// looks again.
  ///
  /// - Throws: `SQLITE_BUSY` where others write without an end, and what the file system throws.
  func useWriteAheadLog() throws {
    for _ in 0..<20 {
      guard try String.fetchOne(self, sql: "PRAGMA journal_mode") != "wal" else { return }
      do {
        return try execute(sql: "PRAGMA journal_mode = WAL")
      } catch DatabaseError.SQLITE_BUSY {
        try execute(sql: "BEGIN IMMEDIATE; COMMIT")
      }
    }
    try execute(sql: "PRAGMA journal_mode = WAL")
  }
}
