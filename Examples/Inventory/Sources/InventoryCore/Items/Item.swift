// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What kind of thing an item is.
package enum ItemKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// Has an ISBN.
  case book
  /// Has another barcode.
  case product
  /// Was entered by hand.
  case manual
}

/// What a person says about a thing: the part of an item that the service keeps too.
package struct ItemFields: Sendable, Hashable, Codable {
  package var kind: ItemKind
  package var barcode: String?
  package var title: String
  package var author: String?
  package var year: Int?
  package var location: String?
  package var notes: String?
  package var quantity: Int

  package init(
    kind: ItemKind = .manual, barcode: String? = nil, title: String, author: String? = nil,
    year: Int? = nil, location: String? = nil, notes: String? = nil, quantity: Int = 1
  ) {
    self.kind = kind
    self.barcode = barcode
    self.title = title
    self.author = author
    self.year = year
    self.location = location
    self.notes = notes
    self.quantity = quantity
  }
}

/// An item as everybody outside sees it; the states are described in `Documentation/Inventory.md`.
package struct Item: Sendable, Hashable, Codable, Identifiable {
  /// How it stands to its twin at the service.
  package enum Sync: String, Sendable, Hashable, Codable, CaseIterable {
    /// Changes wait to be sent.
    case pending
    /// Both sides are equal, as far as is known.
    case synced
    /// Somebody else changed the same field; a person decides.
    case conflict
    /// A change was given up, and stands among the dead letters; or it was discarded, and the item
    /// is kept here only.
    case rejected
  }

  /// What became of the look into the catalog.
  package enum Enrichment: String, Sendable, Hashable, Codable, CaseIterable {
    /// The catalog does not have such things.
    case none
    /// It was not asked yet.
    case pending
    /// It knew the book.
    case done
    /// It does not know the book: enter details by hand.
    case unknown
    /// It could not be asked.
    case failed
  }

  package let id: UUID
  package var barcode: String?
  package var kind: ItemKind
  package var title: String
  package var author: String?
  package var year: Int?
  package var location: String?
  package var notes: String?
  package var quantity: Int
  package var sync: Sync
  package var enrichment: Enrichment
  /// How many operations of it are not finished.
  package var pending: Int
  /// Counts the changes of its fields, on either side; 1 when it was made.
  package var version: Int
  package var createdAt: Timestamp
  package var updatedAt: Timestamp

  /// The entity tag of this version, quotes included.
  package var tag: String { "\"\(version)\"" }

  init(_ record: ItemRecord, sync: Sync, pending: Int) {
    id = record.id
    barcode = record.fields.barcode
    kind = record.fields.kind
    title = record.fields.title
    author = record.fields.author
    year = record.fields.year
    location = record.fields.location
    notes = record.fields.notes
    quantity = record.fields.quantity
    self.sync = sync
    enrichment = record.enrichment
    self.pending = pending
    version = record.version
    createdAt = record.created
    updatedAt = record.updated
  }

  private enum CodingKeys: String, CodingKey {
    case id, barcode, kind, title, author, year, location, notes, quantity, sync, enrichment
    case pending, version, createdAt, updatedAt
  }

  /// Ids are written in small letters, as everywhere in the contract.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.text, forKey: .id)
    try container.encodeIfPresent(barcode, forKey: .barcode)
    try container.encode(kind, forKey: .kind)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(author, forKey: .author)
    try container.encodeIfPresent(year, forKey: .year)
    try container.encodeIfPresent(location, forKey: .location)
    try container.encodeIfPresent(notes, forKey: .notes)
    try container.encode(quantity, forKey: .quantity)
    try container.encode(sync, forKey: .sync)
    try container.encode(enrichment, forKey: .enrichment)
    try container.encode(pending, forKey: .pending)
    try container.encode(version, forKey: .version)
    try container.encode(createdAt, forKey: .createdAt)
    try container.encode(updatedAt, forKey: .updatedAt)
  }
}

/// A page of items.
package struct ItemPage: Sendable, Hashable, Codable {
  package let items: [Item]
  /// What to pass as `after` for the next page; nil on the last one.
  package let next: String?

  private enum CodingKeys: String, CodingKey {
    case items, next
  }

  /// `next` is always written, as `null` where there is no further page.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(items, forKey: .items)
    try container.encode(next, forKey: .next)
  }
}

extension UUID {
  /// The id in small letters.
  package var text: String {
    // Each change writes a handful of them, and `uuidString` goes by way of `printf`.
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var place = 0
        for (index, byte) in bytes.enumerated() {
          if [4, 6, 8, 10].contains(index) {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          text[place] = Self.digit(byte >> 4)
          text[place + 1] = Self.digit(byte & 15)
          place += 2
        }
        return place
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
