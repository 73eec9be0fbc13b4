// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// `GET /control/ledger`.
package struct LedgerReading: Sendable, Decodable {
  package struct Entry: Sendable, Decodable {
    package var key: String
    package var twin: String
    package var applied: Int
    package var replayed: Int

    package init(key: String, twin: String, applied: Int = 1, replayed: Int = 0) {
      self.key = key
      self.twin = twin
      self.applied = applied
      self.replayed = replayed
    }
  }

  package struct Request: Sendable, Decodable {
    /// When it arrived, in milliseconds since 1970.
    package var at: Int64
    package var key: String?
    /// Nil where the connection was cut.
    package var status: Int?

    package init(at: Int64, key: String? = nil, status: Int?) {
      self.at = at
      self.key = key
      self.status = status
    }

    private enum CodingKeys: String, CodingKey {
      case at, key, status
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let text = try container.decode(String.self, forKey: .at)
      let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
      at = Int64((date.timeIntervalSince1970 * 1000).rounded())
      key = try container.decode(String?.self, forKey: .key)
      status = try container.decode(Int?.self, forKey: .status)
    }

    var isSuccess: Bool { status.map { (200...299).contains($0) } ?? false }
  }

  /// In the order of first application.
  package var applied: [Entry]
  /// In the order of arrival.
  package var requests: [Request]

  package init(applied: [Entry] = [], requests: [Request] = []) {
    self.applied = applied
    self.requests = requests
  }
}

/// What both sides keep of a thing.
package struct Fields: Sendable, Equatable, Decodable {
  package var kind: String?
  package var barcode: String?
  package var title: String
  package var author: String?
  package var year: Int?
  package var location: String?
  package var notes: String?
  package var quantity: Int?

  package init(barcode: String, title: String, quantity: Int = 1) {
    kind = "book"
    self.barcode = barcode
    self.title = title
    self.quantity = quantity
  }

  /// Each member with its value as text.
  var members: [(name: String, value: String?)] {
    [
      ("kind", kind), ("barcode", barcode), ("title", title), ("author", author),
      ("year", year.map { "\($0)" }), ("location", location), ("notes", notes),
      ("quantity", quantity.map { "\($0)" }),
    ]
  }

  /// The names of the members that differ, with both values.
  func differences(from other: Fields) -> [String] {
    zip(members, other.members).compactMap { own, other in
      guard own.value != other.value else { return nil }
      return "\(own.name): \(own.value ?? "nothing") and \(other.value ?? "nothing")"
    }
  }
}

/// `GET /api/items/{id}`.
package struct ItemReading: Sendable, Decodable {
  package var fields: Fields
  package var sync: String
  package var enrichment: String

  package init(_ fields: Fields, sync: String = "synced", enrichment: String = "done") {
    self.fields = fields
    self.sync = sync
    self.enrichment = enrichment
  }

  private enum CodingKeys: String, CodingKey {
    case sync, enrichment
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sync = try container.decode(String.self, forKey: .sync)
    enrichment = try container.decode(String.self, forKey: .enrichment)
    fields = try Fields(from: decoder)
  }
}

/// `GET /twins/{id}`, or the tombstone that `GET /twins` lists.
package struct TwinReading: Sendable, Decodable {
  package var id: String
  /// Nil for a tombstone.
  package var fields: Fields?

  package init(id: String, fields: Fields?) {
    self.id = id
    self.fields = fields
  }

  private enum CodingKeys: String, CodingKey {
    case id, deleted
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    let isDeleted = try container.decodeIfPresent(Bool.self, forKey: .deleted) ?? false
    fields = isDeleted ? nil : try Fields(from: decoder)
  }
}

/// The parts of `GET /api/status` that a verdict needs.
package struct QueueReading: Sendable, Decodable {
  package var pending = 0
  package var conflicts = 0
  package var dead = 0
  package var isBalanced = true

  package init() {}

  private enum CodingKeys: String, CodingKey {
    case outbox, ledger, pending, conflicted, dead, balanced
  }

  package init(from decoder: any Decoder) throws {
    let status = try decoder.container(keyedBy: CodingKeys.self)
    let outbox = try status.nestedContainer(keyedBy: CodingKeys.self, forKey: .outbox)
    pending = try outbox.decode(Int.self, forKey: .pending)
    conflicts = try outbox.decode(Int.self, forKey: .conflicted)
    dead = try outbox.decode(Int.self, forKey: .dead)
    let ledger = try status.nestedContainer(keyedBy: CodingKeys.self, forKey: .ledger)
    isBalanced = try ledger.decode(Bool.self, forKey: .balanced)
  }
}
