// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension ItemStore {
  /// Up to where the changes of the service were taken over; nil for not at all.
  func cursor() async throws(AppError) -> String? {
    try await read { db in
      try db.row("SELECT value FROM meta WHERE key = 'cursor'")?["value"]
    }
  }

  func forgetCursor() async throws(AppError) {
    try await write { db in try db.run("DELETE FROM meta WHERE key = 'cursor'") }
  }

  /// Takes over what somebody else changed, but for items with work of their own: there the service
  /// refuses the next write, and both sides are merged then.
  ///
  /// - Returns: The items that changed here.
  func take(_ changes: TwinChanges) async throws(AppError) -> [UUID] {
    let time = time
    return try await write { db in
      var changed: [UUID] = []
      for twin in changes.twins where try Self.take(twin, at: time, db) { changed.append(twin.id) }
      try db.run(
        """
        INSERT INTO meta (key, value) VALUES ('cursor', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """, [changes.next])
      return changed
    }
  }

  private static func take(_ twin: Twin, at time: Timestamp, _ db: any ItemDatabase) throws -> Bool
  {
    guard var record = try ItemRecord.find(twin.id, db) else {
      guard let fields = twin.fields else { return false }
      try ItemRecord(
        id: twin.id, fields: fields, base: fields, twinVersion: twin.version, created: time,
        updated: time
      ).save(db)
      return true
    }
    let sql = "SELECT 1 FROM work WHERE item = ? AND state <> 'done' LIMIT 1"
    let isBusy = try db.row(sql, [twin.id.text]) != nil
    guard !isBusy, twin.version > record.twinVersion ?? 0 else { return false }
    guard record.deleted == nil || twin.fields != nil else { return false }
    record.base = twin.fields
    record.twinVersion = twin.version
    if let fields = twin.fields {
      record.take(fields, at: time)
      record.deleted = nil
    } else {
      record.deleted = time
      record.updated = time
    }
    try record.save(db)
    return true
  }
}
