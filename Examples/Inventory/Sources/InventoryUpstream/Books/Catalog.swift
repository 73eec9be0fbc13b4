// SPDX-License-Identifier: Apache-2.0

/// A book of the catalog.
package struct Book: Sendable, Equatable, Codable {
  /// 13 digits.
  package let isbn: String
  package let title: String
  package let author: String

  /// When it was first published; before our era, negative.
  package let year: Int
}

/// The product catalog.
///
/// It is sample data: the titles are real, their numbers are not.
package struct Catalog: Sendable {
  /// All books, as the data lists them.
  package let books: [Book]

  private let places: [String: Int]

  package init() {
    books = CatalogData.lines.split(separator: "\n").compactMap(Self.book)
    places = Dictionary(
      books.enumerated().map { ($0.element.isbn, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The book with a number of 13 digits, with or without hyphens.
  package subscript(isbn: String) -> Book? {
    places[isbn.filter { $0 != "-" }].map { books[$0] }
  }

  private static func book(_ line: Substring) -> Book? {
    let parts = line.split(separator: "|").map(String.init)
    guard parts.count == 4, let year = Int(parts[3]) else { return nil }
    return Book(isbn: parts[0], title: parts[1], author: parts[2], year: year)
  }
}
