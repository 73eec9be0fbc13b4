// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// A row of the table of conflicts.
struct ConflictRecord: Sendable {
  let id: UUID
  let item: UUID
  /// The work that waits for the decision.
  let work: UUID
  let remote: Twin
  let since: Timestamp

  init(id: UUID, item: UUID, work: UUID, remote: Twin, since: Timestamp) {
    self.id = id
    self.item = item
    self.work = work
    self.remote = remote
    self.since = since
  }

  init(_ row: Row) throws {
    guard let id = UUID(uuidString: try row.decode(forColumn: "id")),
      let item = UUID(uuidString: try row.decode(forColumn: "item")),
      let work = UUID(uuidString: try row.decode(forColumn: "work"))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "conflict") }
    self.init(
      id: id, item: item, work: work,
      remote: try JSONDecoder().decode(Twin.self, from: row.decode(forColumn: "remote")),
      since: Timestamp(milliseconds: try row.decode(forColumn: "since")))
  }

  static func of(item: UUID, _ db: any ItemDatabase) throws -> ConflictRecord? {
    try db.row("SELECT * FROM conflict WHERE item = ?", [item.text])
      .map(ConflictRecord.init)
  }

  static func find(_ id: UUID, _ db: any ItemDatabase) throws -> ConflictRecord? {
    try db.row("SELECT * FROM conflict WHERE id = ?", [id.text])
      .map(ConflictRecord.init)
  }

  func save(_ db: any ItemDatabase) throws {
    try db.run(
      """
      INSERT INTO conflict (id, item, work, remote, since) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (item) DO UPDATE SET work = excluded.work, remote = excluded.remote
      """,
      [
        id.text, item.text, work.text, try JSONEncoder.inventory.encode(remote),
        since.milliseconds,
      ])
    try Work.set(.conflicted, of: work, db)
  }

  /// Lets the work go on, with what is in the item by then.
  func end(_ db: any ItemDatabase) throws {
    try db.run("DELETE FROM conflict WHERE id = ?", [id.text])
    try Work.unseal(work, db)
  }

  /// What the two sides differ in now; the item may have been changed since.
  func merge(_ record: ItemRecord) -> FieldMerge {
    FieldMerge(
      base: record.base, local: record.fields, remote: remote.fields ?? record.fields)
  }
}
