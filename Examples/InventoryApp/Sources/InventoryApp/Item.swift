// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox

/// Something that somebody owns.
struct Item: Codable, Sendable, Hashable, Identifiable {
  var id = UUID()
  var name = ""
  var place = ""
}

/// Everything that somebody owns, by name.
struct Shelf: Codable, Sendable, Equatable {
  private(set) var items: [Item] = []

  /// The shelf with an item as it is now, whether it was there before or not.
  func keeping(_ item: Item) -> Shelf {
    let others = items.filter { $0.id != item.id }
    return Shelf(items: (others + [item]).sorted { ($0.name, $0.id) < ($1.name, $1.id) })
  }
}

/// What a person wants to be kept.
struct SaveItem: QueuedOperation {
  static let kind: OperationKind = "save-item"
  var item: Item

  /// The name of an item whose change was given up; nil where it cannot be read.
  static func name(in letter: DeadLetter) -> String? {
    try? JSONDecoder().decode(Self.self, from: letter.operation.payload).item.name
  }
}
