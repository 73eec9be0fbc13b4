// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The service's copy of an item, or the tombstone that it left.
package struct Twin: Sendable, Hashable {
  package let id: UUID
  package let version: Int
  /// What the service keeps; nil where the twin was deleted.
  package let fields: ItemFields?

  package init(id: UUID, version: Int, fields: ItemFields?) {
    self.id = id
    self.version = version
    self.fields = fields
  }
}

extension Twin: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, version, deleted, kind, barcode, title, author, year, location, notes, quantity
  }

  /// Reads what is needed and does not mind what else stands there.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    version = try container.decode(Int.self, forKey: .version)
    guard try container.decodeIfPresent(Bool.self, forKey: .deleted) != true else {
      fields = nil
      return
    }
    let kind = try container.decodeIfPresent(String.self, forKey: .kind)
    fields = ItemFields(
      kind: kind.flatMap(ItemKind.init) ?? .manual,
      barcode: try container.decodeIfPresent(String.self, forKey: .barcode),
      title: try container.decode(String.self, forKey: .title),
      author: try container.decodeIfPresent(String.self, forKey: .author),
      year: try container.decodeIfPresent(Int.self, forKey: .year),
      location: try container.decodeIfPresent(String.self, forKey: .location),
      notes: try container.decodeIfPresent(String.self, forKey: .notes),
      quantity: try container.decodeIfPresent(Int.self, forKey: .quantity) ?? 1)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.text, forKey: .id)
    try container.encode(version, forKey: .version)
    try container.encode(fields == nil, forKey: .deleted)
    try fields?.encode(to: encoder)
  }
}

/// The changes of twins after a cursor.
package struct TwinChanges: Sendable, Hashable, Codable {
  package let twins: [Twin]
  package let next: String
  package let more: Bool
}

/// What the catalog knows about a book.
package struct Book: Sendable, Hashable, Codable {
  package let isbn: String
  package let title: String
  package let author: String?
  package let year: Int?
}

/// What the service says about a write that it applied.
package struct Effect: Sendable, Hashable, Codable {
  package let key: String
  package let twin: UUID
  package let version: Int
  /// The twin or tombstone that the write left; nil for a photo.
  package let document: Twin?
}

/// How far the upload of a photo has come.
struct UploadProgress: Sendable, Codable {
  let received: Int
}

/// What a feature that needs the network says.
package struct FeatureAnswer: Sendable, Hashable, Codable {
  package let name: String
  package let subject: String
  package let answer: String
}
