// SPDX-License-Identifier: Apache-2.0
// The example of the README.

import Mainstay

struct Book: Sendable {
  var title: String
}

func fetchBook(_ isbn: String) async throws -> Book { Book(title: isbn) }
func cachedBook(_ isbn: String) -> Book { Book(title: isbn) }

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

let book = try await catalog.run {
  try await fetchBook(isbn)
} fallback: { _ in
  cachedBook(isbn)
}
// snippet.end
