// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

/// An item that was changed on both sides; a person decides.
package struct ItemConflict: Sendable, Hashable, Codable, Identifiable {
  package let id: UUID
  /// The item, as this side has it.
  package let item: Item
  package let since: Timestamp
  /// The fields to decide about.
  package let fields: [FieldMerge.Conflict]

  private enum CodingKeys: String, CodingKey {
    case id, item, since, fields
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.text, forKey: .id)
    try container.encode(item, forKey: .item)
    try container.encode(since, forKey: .since)
    try container.encode(fields, forKey: .fields)
  }
}

/// How a person decides.
package enum ConflictChoice: Sendable, Hashable, Codable {
  /// This side's values stand.
  case local
  /// The other side's values stand.
  case remote
  /// The other side's values of these fields stand, and this side's of the other fields.
  case chosen(remote: [String])
  /// These values stand; the fields in conflict that are not named keep this side's.
  case merged(ItemPatch)
}

extension ItemStore {
  /// What the service has now, put together with what is here.
  ///
  /// - Returns: The other side's document where somebody has to decide; nil where it can be sent.
  func merge(_ id: UUID, _ current: Twin?) async throws(AppError) -> Data? {
    let time = time
    return try await write { db in
      guard let work = try Work.find(id, db), var record = try ItemRecord.find(work.item, db) else {
        throw AppError.missingWork(id)
      }
      guard let current, let remote = current.fields else {
        // Deleted over there: what somebody still works on is made again.
        record.base = nil
        record.twinVersion = nil
        try record.save(db)
        try Work.unseal(id, db)
        return nil
      }
      let merge = FieldMerge(base: record.base, local: record.fields, remote: remote)
      guard merge.conflicts.isEmpty || record.deleted != nil else {
        try ConflictRecord(
          id: UUID(), item: work.item, work: id, remote: current, since: time
        ).save(db)
        return try JSONEncoder.inventory.encode(current)
      }
      record.take(merge.fields, at: time)
      record.base = remote
      record.twinVersion = current.version
      try record.save(db)
      try Work.unseal(id, db)
      return nil
    }
  }

  /// What waits for a person, the oldest first.
  package func conflicts() async throws(AppError) -> [ItemConflict] {
    try await read { db in
      let rows = try db.rows("SELECT * FROM conflict ORDER BY since, id")
      return try rows.compactMap { row in
        let conflict = try ConflictRecord(row)
        guard let record = try ItemRecord.find(conflict.item, db) else { return nil }
        return ItemConflict(
          id: conflict.id, item: try record.document(db), since: conflict.since,
          fields: conflict.merge(record).conflicts)
      }
    }
  }

  /// Ends a conflict by an ordinary change, made from the other side's version.
  ///
  /// - Throws: `AppError` of the kind `notFound` where there is no such conflict.
  package func resolve(
    _ id: UUID, _ choice: ConflictChoice, key: IdempotencyKey? = nil
  ) async throws(AppError) -> WriteAnswer {
    let request = WriteRequest(key, "resolve", Data(id.text.utf8), try encoded(choice))
    return try await answering(request) { db, time in
      guard let conflict = try ConflictRecord.find(id, db),
        var record = try ItemRecord.find(conflict.item, db)
      else { throw AppError.noConflict(id) }
      let merge = conflict.merge(record)
      switch choice {
      case .local: record.take(merge.fields, at: time)
      case .remote: record.take(merge.takingRemote(), at: time)
      case .chosen(let names): record.take(merge.takingRemote(of: Set(names)), at: time)
      case .merged(let patch): record.take(patch.applied(to: merge.fields), at: time)
      }
      record.base = conflict.remote.fields
      record.twinVersion = conflict.remote.version
      try record.save(db)
      try conflict.end(db)
      try Work.intend(.put, of: record.id, key: request.key, at: time, db)
      return record
    }
  }

  /// Whether work waits for a person.
  func isConflicted(_ work: UUID) async throws(AppError) -> Bool {
    try await read { db in try Work.find(work, db)?.state == .conflicted }
  }
}

extension AppError {
  static func noConflict(_ id: UUID) -> AppError {
    AppError(
      code: "inventory.no-conflict", kind: .notFound, disposition: .permanent, severity: .info,
      title: "This conflict is settled",
      message: "There is no open conflict with the id \(id.text).",
      suggestion: "Look at the list of conflicts again.", metadata: ["http.status": "404"])
  }
}
