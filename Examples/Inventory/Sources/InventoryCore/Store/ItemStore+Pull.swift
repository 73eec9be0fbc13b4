// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

extension ItemStore {
  /// Up to where the changes of the service were taken over; nil for not at all.
  func cursor() async throws(AppError) -> String? {
    try await read { db in
      try db.row("SELECT value FROM meta WHERE key = 'cursor'")?["value"]
    }
  }

  /// Begins anew: what was noted of the other history says nothing about this one.
  func forgetCursor() async throws(AppError) {
    try await write { db in
      try db.run("DELETE FROM meta WHERE key = 'cursor'")
      try db.run("DELETE FROM missed")
    }
  }

  /// Takes over what somebody else changed.
  ///
  /// Where an item has work of its own, that is noted until the work has ended: the service refuses
  /// the next write, if there is one, and both sides are merged then.
  ///
  /// - Parameter changes: What the service answered.
  /// - Returns: The items that changed here.
  /// - Throws: `AppError` where the items cannot be written.
  package func take(_ changes: TwinChanges) async throws(AppError) -> [UUID] {
    let time = time
    return try await write { db in
      var changed: [UUID] = []
      for twin in changes.twins where try Self.take(twin, at: time, db) { changed.append(twin.id) }
      try db.run(
        """
        INSERT INTO meta (key, value) VALUES ('cursor', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """, [changes.next])
      if !changes.more { changed += try MissedTwin.takeIdle(at: time, db) }
      return changed
    }
  }

  /// Takes over one item of the service.
  ///
  /// - Parameters:
  ///   - twin: What the service has.
  ///   - isOwnKept: Whether what a discarded change has left here stays.
  ///   - time: The time of the change.
  ///   - db: Where the items are.
  /// - Returns: Whether the item changed here.
  /// - Throws: Where the items cannot be read or written.
  static func take(
    _ twin: Twin, keepingOwn isOwnKept: Bool = true, at time: Timestamp, _ db: any ItemDatabase
  ) throws -> Bool {
    guard var record = try ItemRecord.find(twin.id, db) else {
      guard let fields = twin.fields else { return false }
      try ItemRecord(
        id: twin.id, fields: fields, base: fields, twinVersion: twin.version, created: time,
        updated: time
      ).save(db)
      return true
    }
    guard twin.version > record.twinVersion ?? 0 else { return false }
    let sql = "SELECT 1 FROM work WHERE item = ? AND state <> 'done' LIMIT 1"
    guard try db.row(sql, [twin.id.text]) == nil else {
      try MissedTwin.note(twin, db)
      return false
    }
    let wasDeleted = record.deleted != nil
    var theirs = twin.fields
    if isOwnKept, !wasDeleted, record.base != record.fields {
      theirs = theirs?.keeping(record.fields, since: record.base)
      // The next change that is saved meets what they did: both sides are merged then.
      guard theirs != nil else { return false }
    }
    record.base = twin.fields
    record.twinVersion = twin.version
    if let fields = theirs {
      record.take(fields, at: time)
      record.deleted = nil
    } else if !wasDeleted {
      record.deleted = time
      record.updated = time
    }
    try record.save(db)
    if record.deleted != nil { try ForgottenPhotos.delete(of: twin.id, db) }
    return !wasDeleted || record.deleted == nil
  }
}

extension ItemFields {
  /// These fields, in which what only the other ones have changed stays.
  ///
  /// - Parameters:
  ///   - own: The other ones.
  ///   - base: What both were made from; nil for unknown.
  /// - Returns: The fields, put together; nil where both changed the same one.
  fileprivate func keeping(_ own: ItemFields, since base: ItemFields?) -> ItemFields? {
    var (fields, isOfOne) = (self, true)
    func keep<Value: Equatable>(_ field: WritableKeyPath<ItemFields, Value>) {
      let (mine, before) = (own[keyPath: field], base?[keyPath: field])
      guard mine != fields[keyPath: field], mine != before else { return }
      if fields[keyPath: field] != before { isOfOne = false }
      fields[keyPath: field] = mine
    }
    keep(\.title)
    keep(\.author)
    keep(\.year)
    keep(\.location)
    keep(\.notes)
    keep(\.quantity)
    return isOfOne ? fields : nil
  }
}
