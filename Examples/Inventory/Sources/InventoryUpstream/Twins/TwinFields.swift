// SPDX-License-Identifier: Apache-2.0

/// What the client says about a thing, and the service keeps for it.
package struct TwinFields: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case book
    case product
    case manual
  }

  package var kind: Kind?
  package var barcode: String?
  package var title: String
  package var author: String?
  package var year: Int?
  package var location: String?
  package var notes: String?
  package var quantity: Int

  package init(
    kind: Kind? = nil, barcode: String? = nil, title: String, author: String? = nil,
    year: Int? = nil, location: String? = nil, notes: String? = nil, quantity: Int = 1
  ) {
    self.kind = kind
    self.barcode = barcode
    self.title = title
    self.author = author
    self.year = year
    self.location = location
    self.notes = notes
    self.quantity = quantity
  }
}

/// The body of `PUT /twins/{id}`: the fields, each within its range.
///
/// What the service itself decides (`id`, `version`, `updatedAt`, `deleted`) may stand there too
/// and is not heeded, so that a document that was read can be changed and sent back.
struct TwinRequest: Decodable {
  let fields: TwinFields

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let title = members.text("title", maximumLength: 500)
    if members.isAbsent("title") {
      members.refuse("title", "is needed")
    } else if title?.allSatisfy(\.isWhitespace) == true {
      members.refuse("title", "must not be empty")
    }
    fields = TwinFields(
      kind: members.choice("kind"),
      barcode: members.text("barcode", maximumLength: 50),
      title: title ?? "",
      author: members.text("author", maximumLength: 500),
      year: members.integer("year", in: -3000...3000),
      location: members.text("location", maximumLength: 500),
      notes: members.text("notes", maximumLength: 20_000),
      quantity: members.integer("quantity", in: 0...1_000_000) ?? 1)
    members.ignore("id", "version", "updatedAt", "deleted")
    try members.finish()
  }
}
