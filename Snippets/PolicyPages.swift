// SPDX-License-Identifier: Apache-2.0
// mainstay:ignore-file MS209, MS511 -- a page shows the whole of it in one place
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

func calling(_ isbn: String) async throws -> Book {
  let catalog = Pipeline("catalog") {
    Deadline(.seconds(30))
    Retry(maximumAttempts: 3)
    CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
    Timeout(.seconds(10))
  }
  let book = try await catalog.run { try await api.book(isbn) }
  return book
}

struct Shelf: Sendable {
  let catalog: any Policy

  func book(_ isbn: String) async throws -> Book {
    try await catalog.run {
      try await api.book(isbn)
    } fallback: { _ in
      try await cache.book(isbn)
    }
  }
}

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

struct Catalog {
  let book: BoundPipeline<String, Book>
}

func binding(_ isbn: String) async throws -> Book {
  let catalog = Pipeline("catalog") {
    Retry()
    Timeout(.seconds(10))
  }
  let book = catalog.bind { (isbn: String) in try await api.book(isbn) }
  let kept = Catalog(book: book)
  return try await kept.book(isbn)
}

func keeping(_ host: String) async throws -> Book {
  let breakers = PolicyRegistry("hosts") { (host: String) in CircuitBreaker(host) }
  let page = try await breakers.run(host) { try await api.book(host) }
  return page
}

func coalescing(_ isbn: String) async throws -> Book {
  let catalog = Pipeline("catalog") { Retry() }
  let books = Coalesce<String>("books")
  let book = try await books.run(isbn) { try await catalog.run { try await api.book(isbn) } }
  let refresh = Coalesce<String>("refresh").keyed("token")
  let token = Pipeline("token") {
    refresh
    Retry()
    Timeout(.seconds(10))
  }
  _ = token
  return book
}

func abandoning() -> PipelineExplanation {
  let report = Pipeline("report") { Timeout.Abandoning(.seconds(10)) }
  return report.explain()
}

func disturbing(isStaging: Bool, isOutage: @escaping @Sendable () -> Bool) -> [Chaos] {
  let slow = Chaos(.latency(.seconds(1) ... .seconds(5)), rate: 0.1)
  let down = Chaos(.error(AppError.http(status: 503, isRepeatable: true)), rate: 1, when: isOutage)
  let wrong = Chaos(enabledInRelease: isStaging, .outcome([Book]()), rate: 0.05)
  return [slow, down, wrong]
}

func disturbed(_ isbn: String) async throws -> Book {
  let catalog = Pipeline("catalog") {
    Retry()
    Timeout(.seconds(2))
    Chaos(.latency(.seconds(5)), rate: 0.1)
  }
  return try await catalog.run { try await api.book(isbn) }
}

func observing() {
  let catalog = Pipeline("catalog") {
    Trace("catalog")
    Retry()
    Trace("catalog attempt")
  }
  _ = catalog
  PolicyObservation.bootstrap(
    PolicyObservers(PolicyLogger(), PolicyMetrics(), PolicyTracing()))
}
