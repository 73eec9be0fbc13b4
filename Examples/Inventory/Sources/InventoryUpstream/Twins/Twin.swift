// SPDX-License-Identifier: Apache-2.0

/// The service's copy of a thing, or the tombstone that it left.
package struct Twin: Sendable, Equatable {
  /// A UUID in lower case.
  package let id: String

  /// 1 when it was made, and one more with every change, the deletion included.
  package let version: Int
  package let updatedAt: Timestamp

  /// What is known of it; nil once it was deleted.
  package let fields: TwinFields?

  package init(id: String, version: Int, updatedAt: Timestamp, fields: TwinFields?) {
    self.id = id
    self.version = version
    self.updatedAt = updatedAt
    self.fields = fields
  }

  /// The entity tag of this version, quotes included.
  package var tag: String { "\"\(version)\"" }
}

extension Twin: Codable {
  private enum CodingKeys: String, CodingKey {
    case id
    case version
    case updatedAt
    case deleted
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    version = try container.decode(Int.self, forKey: .version)
    updatedAt = try container.decode(Timestamp.self, forKey: .updatedAt)
    let isDeleted = try container.decode(Bool.self, forKey: .deleted)
    fields = isDeleted ? nil : try TwinFields(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(version, forKey: .version)
    try container.encode(updatedAt, forKey: .updatedAt)
    try container.encode(fields == nil, forKey: .deleted)
    try fields?.encode(to: encoder)
  }
}

/// The answer of `GET /twins?since=`: each twin once, in the order of its last change.
package struct TwinChanges: Sendable, Equatable, Codable {
  /// Twins and tombstones.
  package let twins: [Twin]

  /// What to pass as `since` next time.
  package let next: String

  /// Whether there is more already.
  package let more: Bool

  package init(twins: [Twin], next: String, more: Bool) {
    self.twins = twins
    self.next = next
    self.more = more
  }
}
