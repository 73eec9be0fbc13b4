// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// What `list.mustache` reads: scanning, adding, and the items.
struct ListPage: Sendable {
  /// How many items stand on one page.
  static let length = 24

  struct Row: Sendable {
    let id: String
    let icon: String
    let photo: String?
    let name: String
    let line: String?
    let sync: ItemLook.Sync
    let enrichment: ItemLook.Enrichment?
  }

  let key: String
  /// Whether a form was drawn again, with its key.
  let isAgain: Bool
  let barcode: FieldView
  let draft: [FieldView]
  let isAdding: Bool
  let query: String?
  let isEmpty: Bool
  let items: [Row]
  /// The address of the next page; nil on the last one.
  let next: String?
}

extension ListPage {
  /// What was typed into its two forms.
  struct Forms: Sendable {
    /// The key of a form that was sent: it may still be done by Retry, and is not done twice.
    var key = ""
    var scan = Typed.nothing
    var draft = Typed(values: ["quantity": "1"])
    var isAdding = false
  }

  init(_ found: ItemPage, photos: [UUID: Int64], query: String, forms: Forms) {
    isAgain = !forms.key.isEmpty
    key = isAgain ? forms.key : UUID().text
    barcode = [FieldView.barcode].filled(with: forms.scan)[0]
    draft = FieldView.item.filled(with: forms.draft)
    isAdding = forms.isAdding
    self.query = query.isEmpty ? nil : query
    isEmpty = found.items.isEmpty
    items = found.items.map { Row($0, photos[$0.id]) }
    next = found.next.map { after in
      query.isEmpty ? "/?after=\(after)" : "/?query=\(query.queryPart)&after=\(after)"
    }
  }
}

extension ListPage.Row {
  init(_ item: Item, _ photo: Int64?) {
    let parts = [
      item.author, item.year.map(String.init), item.location,
      item.quantity == 1 ? nil : ItemLook.pieces(item.quantity),
    ].compactMap { $0 }
    self.init(
      id: item.id.text, icon: ItemLook.icon(item.kind), photo: ItemLook.photo(of: item, photo),
      name: item.title, line: parts.isEmpty ? nil : parts.joined(separator: " · "),
      sync: ItemLook.Sync(item.sync), enrichment: ItemLook.Enrichment(item.enrichment))
  }
}

extension String {
  /// The text as a value in the query of an address.
  fileprivate var queryPart: String {
    let legal = CharacterSet(
      charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return addingPercentEncoding(withAllowedCharacters: legal) ?? ""
  }
}
