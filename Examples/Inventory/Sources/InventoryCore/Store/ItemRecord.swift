// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// A row of the table of items.
struct ItemRecord: Sendable, Equatable {
  /// Its place in the list; the newest has the greatest.
  var position: Int64 = 0
  let id: UUID
  var fields: ItemFields
  /// What the service acknowledged last; nil where it never did.
  var base: ItemFields?
  /// The version that the service acknowledged last.
  var twinVersion: Int?
  var version = 1
  var enrichment = Item.Enrichment.none
  let created: Timestamp
  var updated: Timestamp
  var deleted: Timestamp?

  /// The title that a scan gets until somebody knows better.
  static func stopgap(_ fields: ItemFields) -> String {
    "\(fields.kind == .book ? "Book" : "Product") \(fields.barcode ?? "")"
  }

  /// A deleted item of which nothing else is known.
  static func tombstone(_ id: UUID, at time: Timestamp) -> ItemRecord {
    ItemRecord(
      id: id, fields: ItemFields(title: "Deleted"), created: time, updated: time, deleted: time)
  }

  /// Takes other fields; counts a version where they differ.
  mutating func take(_ other: ItemFields, at time: Timestamp) {
    guard fields != other else { return }
    fields = other
    version += 1
    updated = time
  }
}

extension ItemRecord {
  init(_ row: Row) throws {
    let name = try row.decode(String.self, forColumn: "uuid")
    guard let id = UUID(uuidString: name),
      let enrichment = Item.Enrichment(rawValue: try row.decode(forColumn: "enrichment"))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "item \(name)") }
    self.id = id
    position = try row.decode(forColumn: "position")
    let decoder = JSONDecoder()
    fields = try decoder.decode(ItemFields.self, from: row.decode(forColumn: "fields"))
    base = try row.decode(Data?.self, forColumn: "base").map {
      try decoder.decode(ItemFields.self, from: $0)
    }
    twinVersion = try row.decode(forColumn: "twin_version")
    version = try row.decode(forColumn: "version")
    self.enrichment = enrichment
    created = Timestamp(milliseconds: try row.decode(forColumn: "created_at"))
    updated = Timestamp(milliseconds: try row.decode(forColumn: "updated_at"))
    deleted = try row.decode(Int64?.self, forColumn: "deleted_at")
      .map(Timestamp.init(milliseconds:))
  }

  static func find(_ id: UUID, _ db: any ItemDatabase) throws -> ItemRecord? {
    try db.row("SELECT * FROM item WHERE uuid = ?", [id.text]).map(ItemRecord.init)
  }

  /// Writes the row, new or not.
  func save(_ db: any ItemDatabase) throws {
    let encoder = JSONEncoder.inventory
    let search = [
      fields.title, fields.author, fields.barcode, fields.location, fields.notes,
    ].compactMap(\.self).joined(separator: "\n").lowercased()
    try db.run(
      """
      INSERT INTO item (uuid, fields, base, twin_version, version, enrichment, search,
        created_at, updated_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (uuid) DO UPDATE SET fields = excluded.fields, base = excluded.base,
        twin_version = excluded.twin_version, version = excluded.version,
        enrichment = excluded.enrichment, search = excluded.search,
        updated_at = excluded.updated_at, deleted_at = excluded.deleted_at
      """,
      [
        id.text, try encoder.encode(fields), try base.map(encoder.encode), twinVersion, version,
        enrichment.rawValue, search, created.milliseconds, updated.milliseconds,
        deleted?.milliseconds,
      ])
  }

  /// The item as everybody outside sees it.
  func document(_ db: any ItemDatabase) throws -> Item {
    let sql = """
      SELECT count(*) FILTER (WHERE state IN ('intended', 'queued', 'conflicted')) AS pending,
        count(*) FILTER (WHERE state = 'conflicted') AS conflicted,
        count(*) FILTER (WHERE state = 'dead') AS dead
      FROM work WHERE item = ? AND state <> 'done'
      """
    let counts = try db.row(sql, [id.text]) ?? [:]
    // With nothing left to do, both sides differ where a change was discarded.
    var sync: Item.Sync = base == fields ? .synced : .rejected
    if (counts["pending"] ?? 0) > 0 { sync = .pending }
    if (counts["dead"] ?? 0) > 0 { sync = .rejected }
    if (counts["conflicted"] ?? 0) > 0 { sync = .conflict }
    return Item(self, sync: sync, pending: counts["pending"] ?? 0)
  }
}
