// SPDX-License-Identifier: Apache-2.0

import InventoryUpstream
import Testing

@Suite struct CatalogTests {
  private let catalog = Catalog()

  @Test func `has at least 300 books, each with its own number`() {
    #expect(catalog.books.count >= 300)
    #expect(Set(catalog.books.map(\.isbn)).count == catalog.books.count)
    #expect(Set(catalog.books.map { $0.title + $0.author }).count == catalog.books.count)
  }

  @Test func `every number has 13 digits, the last of which checks the others`() {
    for book in catalog.books {
      let digits = book.isbn.compactMap(\.wholeNumberValue)
      #expect(digits.count == 13 && book.isbn.count == 13, "\(book)")
      let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
      #expect(sum % 10 == 0, "\(book)")
    }
  }

  @Test func `every book says who wrote what and when`() {
    for book in catalog.books {
      #expect(!book.title.isEmpty && !book.author.isEmpty, "\(book)")
      #expect((1300...1930).contains(book.year), "\(book)")
    }
  }

  @Test func `all numbers but one belong to no publisher`() {
    #expect(
      catalog.books.filter { !$0.isbn.hasPrefix("9799") }.map(\.title) == [
        "Pride and Prejudice"
      ])
  }

  @Test func `finds a book with or without hyphens`() {
    #expect(catalog["9780141439518"]?.author == "Jane Austen")
    #expect(catalog["978-0-14-143951-8"]?.year == 1813)
    #expect(catalog["9780141439519"] == nil)
    #expect(catalog[""] == nil)
  }
}
