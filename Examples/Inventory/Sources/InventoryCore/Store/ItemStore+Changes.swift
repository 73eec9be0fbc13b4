// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

extension ItemStore {
  /// Makes an item of a scan; a book is looked up before it is sent.
  package func scan(
    _ barcode: Barcode, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(key, "scan", Data(barcode.digits.utf8))
    var fields = ItemFields(kind: barcode.kind, barcode: barcode.digits, title: "")
    fields.title = ItemRecord.stopgap(fields)
    return try await create(fields, enrichment: barcode.isISBN ? .pending : .none, request)
  }

  /// Makes an item that was entered by hand.
  package func create(
    _ draft: ItemDraft, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(key, "create", try encoded(draft))
    return try await create(draft.fields, enrichment: .none, request)
  }

  private func create(
    _ fields: ItemFields, enrichment: Item.Enrichment, _ request: WriteRequest
  ) async throws(AppError) -> WriteAnswer {
    try await answering(request) { db, time in
      let record = ItemRecord(
        id: UUID(), fields: fields, enrichment: enrichment, created: time, updated: time)
      try record.save(db)
      try Work.intend(.put, of: record.id, key: request.key, at: time, db)
      return record
    }
  }

  /// Changes an item.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - patch: What is changed.
  ///   - version: The version that the change was made from; nil for any.
  ///   - key: The key of the request; nil makes a new one.
  /// - Returns: The item with the change.
  /// - Throws: `AppError` with the status 404, 412 or 422 in its metadata.
  package func patch(
    _ id: UUID, _ patch: ItemPatch, ifVersion version: Int? = nil, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(
      key, "patch", Data(id.text.utf8), try encoded(patch), Data(String(version ?? 0).utf8))
    return try await answering(request) { db, time in
      var record = try Self.present(id, db)
      guard version == nil || version == record.version else {
        throw AppError.stale(record.version)
      }
      record.take(patch.applied(to: record.fields), at: time)
      try record.save(db)
      try Work.intend(.put, of: id, key: request.key, at: time, db)
      return record
    }
  }

  /// Deletes an item and its photo; a tombstone stays, and its twin is deleted too.
  ///
  /// It wins over what somebody else changed meanwhile, and ends a conflict about the item.
  package func delete(
    _ id: UUID, ifVersion version: Int? = nil, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(key, "delete", Data(id.text.utf8), Data(String(version ?? 0).utf8))
    return try await answering(request) { db, time in
      var record = try Self.present(id, db)
      guard version == nil || version == record.version else {
        throw AppError.stale(record.version)
      }
      record.deleted = time
      record.updated = time
      if let conflict = try ConflictRecord.of(item: id, db) {
        record.base = conflict.remote.fields
        record.twinVersion = conflict.remote.version
        try conflict.end(db)
      }
      try record.save(db)
      try Work.intend(.delete, of: id, key: request.key, at: time, db)
      try ForgottenPhotos.delete(of: id, db)
      return record
    }
  }

  /// An item that is there.
  static func present(_ id: UUID, _ db: any ItemDatabase) throws -> ItemRecord {
    guard let record = try ItemRecord.find(id, db), record.deleted == nil else {
      throw AppError.notThere(id)
    }
    return record
  }

  func encoded(_ value: some Encodable) throws(AppError) -> Data {
    do { return try JSONEncoder.inventory.encode(value) } catch { throw AppError.from(error) }
  }
}

// Reading.
extension ItemStore {
  /// An item.
  ///
  /// - Throws: `AppError` of the kind `notFound` where there is none, or a tombstone.
  package func item(_ id: UUID) async throws(AppError) -> Item {
    try await read { db in try Self.present(id, db).document(db) }
  }

  /// Each of these items, in their order; nil for one that is not there, or a tombstone.
  func items(_ ids: [UUID]) async throws(AppError) -> [Item?] {
    try await read { db in
      try ids.map { id in
        guard let record = try ItemRecord.find(id, db), record.deleted == nil else { return nil }
        return try record.document(db)
      }
    }
  }

  /// A page of items, the newest first.
  ///
  /// - Parameters:
  ///   - query: Words of which each stands in title, author, barcode, location or notes.
  ///   - limit: How many at most, 1 to 200; others are cut to that.
  ///   - cursor: The `next` of the page before; nil for the first page.
  /// - Returns: The page.
  /// - Throws: `AppError.validation` about `/after` for a cursor that was not given out.
  package func items(
    query: String? = nil, limit: Int = 50, after cursor: String? = nil
  ) async throws(AppError) -> ItemPage {
    let limit = min(max(limit, 1), 200)
    let start = cursor.flatMap(Int64.init)
    guard cursor == nil || start != nil else {
      throw .validation("`after` must be the `next` of an earlier answer.", field: "/after")
    }
    let words = (query ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    return try await read { db in
      var sql = "SELECT * FROM item WHERE deleted_at IS NULL AND position < ?"
      var arguments: ItemArguments = [start ?? .max]
      for word in words {
        sql += " AND instr(search, ?) > 0"
        arguments += [word]
      }
      sql += " ORDER BY position DESC LIMIT ?"
      arguments += [limit + 1]
      let records = try db.rows(sql, arguments).map(ItemRecord.init)
      let page = records.prefix(limit)
      return ItemPage(
        items: try page.map { try $0.document(db) },
        next: records.count > limit ? page.last.map { String($0.position) } : nil)
    }
  }
}
