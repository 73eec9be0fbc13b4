// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// A field of a form, as `field.mustache` draws it.
struct FieldView: Sendable {
  let name: String
  let label: String
  /// The id of the element; the name, where a page has one form with it.
  var element: String
  var value = ""
  var isOptional = false
  var isRequired = false
  var isLong = false
  /// Whether nobody may read what is typed.
  var isSecret = false
  var inputMode: String?
  /// A value that would be right.
  var example: String?
  /// What is wrong with the value.
  var error: String?
  /// What is said while nobody knows yet whether something is wrong.
  var checking: String?
  var isFocused = false
}

extension FieldView {
  init(
    name: String, label: String, isOptional: Bool = false, isRequired: Bool = false,
    isLong: Bool = false, inputMode: String? = nil, example: String? = nil
  ) {
    self.name = name
    self.label = label
    element = name
    self.isOptional = isOptional
    self.isRequired = isRequired
    self.isLong = isLong
    self.inputMode = inputMode
    self.example = example
  }

  static let barcode = FieldView(
    name: "barcode", label: "Barcode", isRequired: true, inputMode: "numeric",
    example: "9780141439518")

  /// The fields of an item that a person can fill in.
  static let item = [
    FieldView(name: "title", label: "Title", isRequired: true),
    FieldView(name: "author", label: "Author", isOptional: true),
    FieldView(name: "location", label: "Place", isOptional: true),
    FieldView(name: "quantity", label: "Quantity", inputMode: "numeric"),
    FieldView(name: "notes", label: "Notes", isOptional: true, isLong: true),
  ]
}

extension [FieldView] {
  /// The same fields with values, and what is wrong with them; the first mistake has the focus.
  func filled(with typed: Typed) -> [FieldView] {
    let first = first { typed.mistakes[$0.name] != nil }?.name
    return map { field in
      var field = field
      field.value = typed.values[field.name] ?? field.value
      field.error = typed.mistakes[field.name]
      field.isFocused = field.name == first
      return field
    }
  }
}

/// What a person has typed, and the mistakes in it.
struct Typed: Sendable {
  /// The values by the names of the fields.
  var values: [String: String] = [:]
  /// What is wrong, by the names of the fields.
  var mistakes: [String: String] = [:]

  static let nothing = Typed()
}

extension Typed {
  init(_ item: Item) {
    values = [
      "title": item.title, "author": item.author ?? "", "location": item.location ?? "",
      "notes": item.notes ?? "", "quantity": String(item.quantity),
    ]
  }
}
