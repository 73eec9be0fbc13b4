// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// An item while a person fills it in.
struct ItemDraft: Sendable, Identifiable {
  var item = Item()
  var id: Item.ID { item.id }

  static let name = FormField<Self, String>(
    "name", \.item.name, label: "Name", rules: [.required, .length(1...80)])
  static let place = FormField<Self, String>(
    "place", \.item.place, label: "Where it is", rules: [.length(0...80)])

  static let fields = FormFields<Self> {
    name
    place
  }
}
