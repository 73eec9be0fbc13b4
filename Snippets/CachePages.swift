// SPDX-License-Identifier: Apache-2.0
// The examples on the page about caching.

import Mainstay

nonisolated struct Book: Codable, Sendable {
  var title: String
}

struct API: Sendable {
  func book(_ isbn: String) async throws -> Book { Book(title: isbn) }
  func book(
    _ isbn: String, unless validator: String?
  ) async throws -> (book: Book?, version: String) {
    (validator == nil ? Book(title: isbn) : nil, "1")
  }
  func rename(_ book: Book, to title: String) async throws -> Book { Book(title: title) }
}

func show(_ book: Book, isOld: Bool) {}

let (api, isbn, user) = (API(), "9780141036144", 42)
let catalog = Pipeline("catalog") {
  Retry()
  Timeout(.seconds(10))
}
let cache = ResponseCache("books", of: .account(user), in: MemoryCacheStore())

func asking() async throws {
  let cache = ResponseCache("books", of: .account(user), in: MemoryCacheStore())
  let book = try await cache.value(for: "book/\(isbn)", as: Book.self) {
    try await catalog.run { try await api.book(isbn) }
  }
  show(book.value, isOld: !book.freshness.isFresh)
}

func following() async {
  for await shown in cache.updates(for: "book/\(isbn)", as: Book.self) {
    guard let shown else { continue }
    show(shown.value, isOld: !shown.freshness.isFresh)
  }
}

func changing(_ book: Book, title: String) async throws {
  let changed = try await api.rename(book, to: title)
  await cache.keep(changed, for: "book/\(isbn)")
  await cache.invalidate(.tag("shelf"))
}

func validating() async throws -> Book {
  let book = try await cache.value(for: "book/\(isbn)", as: Book.self) { validator in
    let answer = try await api.book(isbn, unless: validator)
    guard let book = answer.book else { return .unchanged }
    return .value(book, validator: answer.version, tags: ["shelf"])
  }
  return book.value
}

func fallingBack() async throws -> (Book, CachedValue<Book>?) {
  let book = try await catalog.run {
    let book = try await api.book(isbn)
    await cache.keep(book, for: "book/\(isbn)")
    return book
  } fallback: { error in
    try await cache.fallback(for: "book/\(isbn)", as: Book.self, after: error).value
  }
  let kept = await cache.cached("book/\(isbn)", as: Book.self)
  return (book, kept)
}
