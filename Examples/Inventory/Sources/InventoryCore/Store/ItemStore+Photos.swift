// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

/// The photo of an item.
package struct ItemPhoto: Sendable, Hashable {
  /// The greatest photo that is taken, in bytes.
  package static let maximumBytes = 10 * 1024 * 1024

  /// The content type, found out from the bytes.
  package let type: String
  package let bytes: Data

  /// Takes the bytes of a JPEG, PNG, GIF, WebP or HEIC image, at most 10 MB.
  ///
  /// - Throws: `AppError.validation` that says which of the two is wrong.
  package init(_ bytes: Data) throws(AppError) {
    guard bytes.count <= Self.maximumBytes else { throw .photoTooLarge }
    guard let type = Self.type(of: bytes) else {
      throw AppError.validation(
        "This is no image; legal are JPEG, PNG, GIF, WebP and HEIC.", field: "",
        code: "inventory.photo-type"
      ).adding(metadata: ["http.status": "415"])
    }
    self.type = type
    self.bytes = bytes
  }

  private static func type(of bytes: Data) -> String? {
    let head = Array(bytes.prefix(12))
    func has(_ text: String, at offset: Int) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    if head.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
    if has("GIF87a", at: 0) || has("GIF89a", at: 0) { return "image/gif" }
    if has("RIFF", at: 0), has("WEBP", at: 8) { return "image/webp" }
    if has("ftypheic", at: 4) || has("ftypmif1", at: 4) { return "image/heic" }
    return nil
  }

  init(type: String, bytes: Data) {
    self.type = type
    self.bytes = bytes
  }
}

extension AppError {
  /// A photo has more than ``ItemPhoto/maximumBytes``.
  package static var photoTooLarge: AppError {
    AppError.validation(
      "A photo may have at most 10 MB.", suggestion: "Choose a smaller one.", field: "",
      code: "inventory.photo-too-large"
    ).adding(metadata: ["http.status": "413"])
  }
}

extension ItemStore {
  /// Keeps a photo, at once; it is uploaded later.
  package func setPhoto(
    _ photo: ItemPhoto, of id: UUID, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(key, "photo", Data(id.text.utf8), photo.bytes)
    return try await answering(request) { db, time in
      let record = try Self.present(id, db)
      let work = try Work.intend(.photo, of: id, key: request.key, at: time, db)
      try db.run(
        "INSERT INTO photo (work, item, type, bytes) VALUES (?, ?, ?, ?)",
        [work.text, id.text, photo.type, photo.bytes])
      return record
    }
  }

  /// The newest photo of an item; nil where it has none.
  package func photo(of id: UUID) async throws(AppError) -> ItemPhoto? {
    try await read { db in
      _ = try Self.present(id, db)
      let sql = "SELECT type, bytes FROM photo WHERE item = ? ORDER BY rowid DESC LIMIT 1"
      return try db.row(sql, [id.text]).map {
        ItemPhoto(type: $0["type"], bytes: $0["bytes"])
      }
    }
  }

  /// Which of some items have a photo: for each, a number that another photo does not have.
  package func photoNumbers(of ids: [UUID]) async throws(AppError) -> [UUID: Int64] {
    guard !ids.isEmpty else { return [:] }
    return try await read { db in
      // The number of a row may come again once the photo was thrown away.
      let places = ids.map { _ in "?" }.joined(separator: ", ")
      let rows = try db.rows(
        """
        SELECT photo.item AS item, max(work.seq) AS number
        FROM photo JOIN work ON work.id = photo.work
        WHERE photo.item IN (\(places)) GROUP BY photo.item
        """, ids.map(\.text))
      let pairs = rows.compactMap { row in
        UUID(uuidString: row["item"]).map { ($0, row["number"] as Int64) }
      }
      return Dictionary(pairs, uniquingKeysWith: max)
    }
  }
}

/// The rows of photos that nobody sees any more.
enum ForgottenPhotos {
  /// Deletes those of an item.
  static func delete(of item: UUID, _ db: any ItemDatabase) throws {
    try db.run("\(delete) AND item = ?", [item.text])
  }

  /// Deletes those of all items.
  static func deleteAll(_ db: any ItemDatabase) throws { try db.run(delete) }

  // What is still to be sent is needed for that. Else the newest photo of an item is shown, until
  // that is deleted.
  private static let delete = """
    DELETE FROM photo WHERE NOT EXISTS (
        SELECT 1 FROM work WHERE work.id = photo.work AND work.state <> 'done')
      AND (rowid < (SELECT max(newer.rowid) FROM photo AS newer WHERE newer.item = photo.item)
        OR EXISTS (
          SELECT 1 FROM item WHERE item.uuid = photo.item AND item.deleted_at IS NOT NULL))
    """
}
