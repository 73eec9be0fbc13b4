// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay
internal import MainstayOutbox

/// Copies what can be read of a damaged file of items to a new one, and checks each row as the app
/// reads it.
///
/// The cursor is not copied, so the next pull brings back what the service has.
struct ItemWreckage {
  /// Nil where the file is no database at all.
  let damaged: Database?
  let new: Database
  let time: Timestamp

  /// The last change accepted to each item, for those whose own row cannot be read.
  private var last: [UUID: (time: Timestamp, item: Item, isDeletion: Bool)] = [:]
  private var isComplete = true

  init(damaged: Database?, new: Database, time: Timestamp) {
    (self.damaged, self.new, self.time) = (damaged, new, time)
  }

  mutating func salvage(keptAt path: String) throws -> ItemSalvage {
    var salvage = ItemSalvage(keptAt: path)
    let read = try copy("item") { _ = try ItemRecord($0.row) }
    isComplete = true
    try copyAnswers()
    try rebuildFromAnswers()
    try copyWork()
    salvage.conflicts = try copy("conflict", key: ["id"]) { _ = try ConflictRecord($0.row) }
    salvage.photos = try copyPhotos()
    // A change whose conflict is gone is sent again, and finds the conflict again.
    let orphans = try String.fetchAll(
      new,
      sql:
        "SELECT id FROM work WHERE state = 'conflicted' AND id NOT IN (SELECT work FROM conflict)"
    )
    for id in orphans.compactMap(UUID.init(uuidString:)) { try Work.unseal(id, new) }
    let count = "SELECT count(*) FROM item"
    salvage.items = try Int.fetchOne(new, sql: count) ?? 0
    salvage.rebuilt = salvage.items - read
    salvage.changes =
      try Int.fetchOne(new, sql: "SELECT count(*) FROM work WHERE state <> 'done'") ?? 0
    salvage.isComplete = damaged != nil && isComplete
    // The index may be whole where the table is not.
    let index = "\(count) INDEXED BY sqlite_autoindex_item_1"
    let total = damaged.flatMap { try? Int.fetchOne($0, sql: index) }
    salvage.missing = total.map { max($0 - salvage.items, 0) }
    return salvage
  }

  /// - Parameters:
  ///   - table: The table.
  ///   - key: The columns of its key, where its rows have no numbers.
  ///   - check: Throws where a row is not legal.
  ///   - isWanted: Called before a legal row is written, to make what it refers to.
  /// - Returns: How many rows were copied.
  /// - Throws: Where the new file cannot be written.
  private mutating func copy(
    _ table: String, key: [String] = ["rowid"], _ check: (SalvagedRow) throws -> Void,
    isWanted: (SalvagedRow) throws -> Bool = { _ in true }
  ) throws -> Int {
    guard let damaged else { return 0 }
    var (count, isWhole) = (0, true)
    let isRead = try SalvagedRow.read(table, key: key, from: damaged) { row in
      guard (try? check(row)) != nil else {
        isWhole = false
        return
      }
      guard try isWanted(row) else { return }
      var row = row
      // Photos are shown by their numbers, the newest one.
      if key == ["rowid"], let number = row.key.first { row["rowid"] = number }
      if try row.insert(into: table, new) { count += 1 } else { isWhole = false }
    }
    if !isRead || !isWhole { isComplete = false }
    return count
  }

  private mutating func copyAnswers() throws {
    var last = last
    _ = try copy("answer") { row in
      let item = try JSONDecoder().decode(Item.self, from: row.row.decode(forColumn: "item"))
      let fingerprint = try row.row.decode(String.self, forColumn: "fingerprint")
      let time = Timestamp(milliseconds: try row.row.decode(forColumn: "created_at"))
      guard last[item.id].map({ $0.time <= time }) ?? true else { return }
      last[item.id] = (time, item, fingerprint.hasPrefix("delete "))
    }
    self.last = last
  }

  /// What a request was answered is the item as it was then; nothing else remembers a change that
  /// the service has not heard of.
  private func rebuildFromAnswers() throws {
    for (id, answer) in last where try ItemRecord.find(id, new) == nil {
      var record = ItemRecord(
        id: id, fields: answer.item.fields, version: answer.item.version,
        enrichment: answer.item.enrichment, created: answer.item.createdAt,
        updated: answer.item.updatedAt)
      if answer.isDeletion { record.deleted = answer.time }
      try record.save(new)
    }
  }

  private mutating func copyWork() throws {
    let (new, time) = (new, time)
    _ = try copy("work") {
      _ = try Work($0.row)
    } isWanted: { row in
      let work = try Work(row.row)
      guard try ItemRecord.find(work.item, new) == nil else { return true }
      guard work.state != .done else { return false }
      if work.kind == .delete { try ItemRecord.tombstone(work.item, at: time).save(new) }
      if work.kind == .put, let fields = work.fields {
        try ItemRecord(id: work.item, fields: fields, created: time, updated: time).save(new)
      }
      return true
    }
  }

  /// A photo whose change cannot be read is sent again: it may not have been sent.
  private mutating func copyPhotos() throws -> Int {
    let (new, time) = (new, time)
    return try copy("photo") { row in
      let photo = try ItemPhoto(try row.row.decode(Data.self, forColumn: "bytes"))
      guard try row.row.decode(String.self, forColumn: "type") == photo.type else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "photo")
      }
    } isWanted: { row in
      guard let id = try UUID(uuidString: row.row.decode(forColumn: "work")),
        let item = try UUID(uuidString: row.row.decode(forColumn: "item")),
        try Work.find(id, new) == nil, try ItemRecord.find(item, new) != nil
      else { return true }
      try Work.insert(
        id, .photo, of: item, key: IdempotencyKey(), state: .intended, at: time, new)
      return true
    }
  }
}

extension Item {
  fileprivate var fields: ItemFields {
    ItemFields(
      kind: kind, barcode: barcode, title: title, author: author, year: year, location: location,
      notes: notes, quantity: quantity)
  }
}

extension Work {
  /// What it puts, where that is fixed already.
  fileprivate var fields: ItemFields? {
    body.flatMap { try? JSONDecoder().decode(ItemFields.self, from: $0) }
  }
}
