// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// What a form was filled with, in short: a fingerprint of each field.
///
/// With it a form that was open for a while touches only what the person has changed, so that what
/// the catalog or somebody else filled in meanwhile stays.
struct EditBasis: Sendable, Hashable {
  private let prints: [String: String]

  /// What the form of an item is filled with.
  init(_ item: Item) {
    prints = Typed(item).values.mapValues(Self.print)
  }

  /// Reads the text of a basis; nil where it is none.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == ItemForms.fields.count else { return nil }
    prints = Dictionary(uniqueKeysWithValues: zip(ItemForms.fields, parts))
  }

  /// The basis as a hidden field carries it.
  var text: String { ItemForms.fields.map { prints[$0] ?? "" }.joined(separator: "-") }

  /// Whether a field had this value.
  func had(_ value: String, in name: String) -> Bool { prints[name] == Self.print(value) }

  private static func print(_ value: String) -> String {
    Fingerprint(value.trimmingCharacters(in: .whitespacesAndNewlines).utf8).text
  }
}
