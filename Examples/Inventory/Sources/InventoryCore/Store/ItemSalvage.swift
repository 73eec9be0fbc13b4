// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

/// What was saved of a damaged file; kept in the new one until it has been settled with the outbox.
package struct ItemSalvage: Sendable, Hashable, Codable {
  /// Where the damaged file lies; its companions begin with the same name.
  package let keptAt: String
  /// How many items were saved, deleted ones included.
  package var items = 0
  /// How many of them could not be read, and were made again from the last change accepted.
  package var rebuilt = 0
  /// How many items are missing; nil where that cannot be known.
  package var missing: Int?
  /// How many changes that the service has not acknowledged were saved.
  package var changes = 0
  /// How many photos were saved.
  package var photos = 0
  /// How many conflicts were saved.
  package var conflicts = 0
  /// Whether all changes, photos, conflicts and answers could be read.
  package var isComplete = true

  init(keptAt: String) { self.keptAt = keptAt }

  /// What happened, in one sentence.
  package var sentence: String {
    let saved = [
      (items, "item", "items"), (changes, "change to send", "changes to send"),
      (photos, "photo", "photos"), (conflicts, "conflict", "conflicts"),
    ].map { "\($0) \($0 == 1 ? $1 : $2)" }.joined(separator: ", ")
    var parts = ["The file of the items was damaged: \(saved) were saved"]
    if rebuilt > 0 { parts.append("\(rebuilt) of the items from the last change to them") }
    switch missing {
    case 0?: break
    case let missing?: parts.append("\(missing) items could not be read")
    case nil: parts.append("how many items are missing cannot be known")
    }
    if !isComplete { parts.append("not all that belongs to them could be read") }
    parts.append("what the service has comes back, and the damaged file is kept as \(keptAt)")
    return parts.joined(separator: "; ") + "."
  }

  static func find(_ db: any ItemDatabase) throws -> ItemSalvage? {
    let row = try db.row("SELECT value FROM meta WHERE key = 'salvage'")
    return row.flatMap { row in
      let text: String = row["value"]
      return try? JSONDecoder().decode(ItemSalvage.self, from: Data(text.utf8))
    }
  }

  func save(_ db: any ItemDatabase) throws {
    let text = String(decoding: try JSONEncoder.inventory.encode(self), as: UTF8.self)
    try db.run("INSERT INTO meta (key, value) VALUES ('salvage', ?)", [text])
  }

  static func forget(_ db: any ItemDatabase) throws {
    try db.run("DELETE FROM meta WHERE key = 'salvage'")
  }
}
