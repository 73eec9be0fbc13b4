// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// What a person enters by hand to make an item.
package struct ItemDraft: Sendable, Hashable, Codable {
  package let title: String
  package let author: String?
  package let location: String?
  package let notes: String?
  package let quantity: Int

  /// Reads a draft: `title` of 1 to 500 characters, `author` and `location` of at most 500, `notes`
  /// of at most 20,000, and `quantity` from 0 to 1,000,000, which is 1 where it is left out.
  ///
  /// - Throws: `AppError.validation` with all mistakes; see `AppError.fieldErrors`.
  package init(json: Data) throws(AppError) {
    var reader = try FieldReader(json, known: ItemPatch.names)
    let title = reader.title()
    if !reader.has("title") { reader.refuse("title", "The title is needed.") }
    author = reader.optionalText("author", maximumLength: 500)
    location = reader.optionalText("location", maximumLength: 500)
    notes = reader.optionalText("notes", maximumLength: 20_000)
    quantity = reader.integer("quantity", in: ItemPatch.quantities) ?? 1
    try reader.finish()
    self.title = title ?? ""
  }

  /// Makes a draft from its title, as a program does.
  ///
  /// - Throws: `AppError.validation`, as for one that is read.
  package init(
    title: String, author: String? = nil, location: String? = nil, notes: String? = nil,
    quantity: Int = 1
  ) throws(AppError) {
    var members: [String: JSONValue] = ["title": .string(title), "quantity": .integer(quantity)]
    members["author"] = author.map(JSONValue.string)
    members["location"] = location.map(JSONValue.string)
    members["notes"] = notes.map(JSONValue.string)
    do {
      try self.init(json: try JSONEncoder().encode(members))
    } catch {
      throw AppError.from(error)
    }
  }

  var fields: ItemFields {
    ItemFields(
      title: title, author: author, location: location, notes: notes, quantity: quantity)
  }
}

/// What a person changes about an item: only what is named is touched.
package struct ItemPatch: Sendable, Hashable, Codable {
  static let names = ["title", "author", "location", "notes", "quantity"]
  static let quantities = 0...1_000_000

  /// One field that is changed, by its name; `null` empties it.
  private let values: [String: JSONValue]

  /// Reads a patch, in the ranges of `ItemDraft`; `null` empties a field that may be empty.
  ///
  /// - Throws: `AppError.validation` with all mistakes; see `AppError.fieldErrors`.
  package init(json: Data) throws(AppError) {
    try self.init(FieldReader(json, known: Self.names))
  }

  /// Makes a patch from values, as a program does.
  ///
  /// - Throws: `AppError.validation`, as for one that is read.
  package init(_ values: [String: JSONValue], at parent: JSONPointer = "") throws(AppError) {
    try self.init(FieldReader(values, known: Self.names, parent: parent))
  }

  private init(_ reader: FieldReader) throws(AppError) {
    var reader = reader
    var values: [String: JSONValue] = [:]
    if reader.has("title") { values["title"] = reader.title().map(JSONValue.string) }
    for (name, length) in [("author", 500), ("location", 500), ("notes", 20_000)]
    where reader.has(name) {
      let text = reader.optionalText(name, maximumLength: length)
      values[name] = text.map(JSONValue.string) ?? .null
    }
    if reader.has("quantity") {
      let number = reader.integer("quantity", in: Self.quantities)
      values["quantity"] = number.map(JSONValue.integer)
      if reader.isNull("quantity") {
        reader.refuse("quantity", "The quantity must not be empty.")
      }
    }
    try reader.finish()
    self.values = values
  }

  /// The names of what is changed.
  package var names: Set<String> { Set(values.keys) }

  func applied(to fields: ItemFields) -> ItemFields {
    var fields = fields
    if case .string(let title)? = values["title"] { fields.title = title }
    if let value = values["author"] { fields.author = value.text }
    if let value = values["location"] { fields.location = value.text }
    if let value = values["notes"] { fields.notes = value.text }
    if case .integer(let quantity)? = values["quantity"] { fields.quantity = quantity }
    return fields
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
