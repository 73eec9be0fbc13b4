// SPDX-License-Identifier: Apache-2.0
// The example of the README.

import Mainstay

nonisolated struct Book: Codable, Sendable {
  var title: String
}

func fetchBook(_ isbn: String) async throws -> Book { Book(title: isbn) }
func show(_ book: Book, isOld: Bool) { print(book.title, isOld ? "(as it was kept)" : "") }

let isbn = "9780141439518"

// snippet.show
enum LibraryError: AppErrorConvertible {
  case cardExpired

  var appError: AppError {
    AppError(
      code: "library.card-expired", kind: .denied, disposition: .needsUser,
      title: "Your library card has expired", message: "Books can be borrowed with a valid card.",
      suggestion: "Renew the card at the front desk.")
  }
}

let catalog = Pipeline("catalog") {
  Deadline(.seconds(30))
  Retry(maximumAttempts: 3)
  CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
  Timeout(.seconds(10))
}

let cache = ResponseCache("books", of: .account("ada"), in: MemoryCacheStore())
let book = try await cache.value(for: "book/\(isbn)", as: Book.self) {
  try await catalog.run { try await fetchBook(isbn) }
}
show(book.value, isOld: !book.freshness.isFresh)
// snippet.end
