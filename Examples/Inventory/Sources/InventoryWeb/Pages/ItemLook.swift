// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// How the state of an item looks, in words, colours and pictures.
enum ItemLook {
  struct Sync: Sendable {
    let style: String
    let icon: String
    let word: String

    init(_ sync: Item.Sync) {
      (style, icon, word) =
        switch sync {
        case .pending: ("orange", "clock", "Pending")
        case .synced: ("green", "checkmark.circle", "Synced")
        case .conflict: ("red", "arrow.triangle.branch", "Conflict")
        case .rejected: ("red", "xmark.circle", "Rejected")
        }
    }
  }

  struct Enrichment: Sendable {
    let style: String
    let word: String

    /// Nothing is said about what the catalog does not have anyway.
    init?(_ enrichment: Item.Enrichment) {
      switch enrichment {
      case .none: return nil
      case .pending: (style, word) = ("grey", "Not looked up yet")
      case .done: (style, word) = ("blue", "From the catalog")
      case .unknown: (style, word) = ("yellow", "Not in the catalog")
      case .failed: (style, word) = ("yellow", "Lookup failed")
      }
    }
  }

  /// What the person may want to do about an item.
  struct Note: Sendable {
    let text: String
    var href: String?
    var link: String?

    /// - Parameters:
    ///   - item: The item.
    ///   - isGivenUp: Whether a change of it stands among the dead letters.
    init?(_ item: Item, isGivenUp: Bool) {
      switch (item.sync, item.enrichment) {
      case (.conflict, _):
        text = "It was changed here and at the service, in different ways."
        (href, link) = ("/conflicts", "Choose what to keep")
      case (.rejected, _):
        guard isGivenUp else {
          text =
            "What stands here is kept here only. The next change that you save sends all of it."
          return
        }
        text = "A change of it was given up."
        (href, link) = (LetterPages.address(about: item.id), "See why")
      case (_, .unknown):
        text = "The catalog does not know it. Enter the details by hand."
        (href, link) = (HelpSubject.catalog.address, "Why?")
      case (_, .failed):
        text = "The catalog refused to look it up. Enter the details by hand."
        (href, link) = (HelpSubject.catalog.address, "Why?")
      default: return nil
      }
    }
  }

  static func icon(_ kind: ItemKind) -> String {
    switch kind {
    case .book: "book"
    case .product: "barcode"
    case .manual: "pencil"
    }
  }

  /// The address of a photo, by the number that tells it from the one before.
  static func photo(of item: Item, _ number: Int64?) -> String? {
    number.map { "/api/items/\(item.id.text)/photo?v=\($0)" }
  }

  static func pieces(_ quantity: Int) -> String { quantity == 1 ? "1 piece" : "\(quantity) pieces" }
}
