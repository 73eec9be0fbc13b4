// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about policies.

import Mainstay

struct Book: Sendable {
  var title: String
}

struct API: Sendable {
  func book(_ isbn: String) async throws -> Book { Book(title: isbn) }
  func answer() async throws -> Int { 42 }
  func pay(_ order: Int, key: IdempotencyKey?) async throws {}
}

let (api, cache) = (API(), API())

func composing(_ isbn: String) async throws -> Book {
  let catalog = Pipeline("catalog") {
    Deadline(.seconds(30))
    Retry(maximumAttempts: 3)
    CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
    Timeout(.seconds(10))
  }
  let book = try await catalog.run {
    try await api.book(isbn)
  } fallback: { error in
    try await cache.book(isbn)
  }
  return book
}

func retrying(_ order: Int) async throws -> Int {
  let retry = Retry(
    maximumAttempts: 5, backoff: .exponential(from: .milliseconds(100), to: .seconds(10)))
  let answer = try await retry.run { try await api.answer() }
  try await IdempotencyKey().active {
    try await retry.run { try await api.pay(order, key: IdempotencyKey.current) }
  }
  return answer
}

func limiting() -> Timeout {
  let catalog = Pipeline("catalog") {
    Deadline(.seconds(30))
    Retry()
    Timeout(.seconds(10))
  }
  _ = catalog
  let payment = Timeout(.seconds(10), disposition: .unknownOutcome)
  return payment
}
