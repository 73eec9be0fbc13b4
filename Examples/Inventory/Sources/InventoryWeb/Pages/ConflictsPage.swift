// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// What `conflicts.mustache` reads.
struct ConflictsPage: Sendable {
  struct Field: Sendable {
    let name: String
    let label: String
    let base: String?
    let local: String?
    let remote: String?
  }

  struct Conflict: Sendable {
    let id: String
    /// The item that it is about, and its title.
    let item: String
    let name: String
    let since: TimeView
    let fields: [Field]
  }

  let key: String
  let conflicts: [Conflict]
}

extension ConflictsPage {
  init(_ conflicts: [ItemConflict]) {
    key = UUID().text
    self.conflicts = conflicts.map { conflict in
      Conflict(
        id: conflict.id.text, item: conflict.item.id.text, name: conflict.item.title,
        since: TimeView(conflict.since),
        fields: conflict.fields.map {
          Field(
            name: $0.name, label: Self.label(of: $0.name), base: $0.base, local: $0.local,
            remote: $0.remote)
        })
    }
  }

  private static func label(of name: String) -> String {
    name == "location" ? "Place" : name.capitalized
  }
}
