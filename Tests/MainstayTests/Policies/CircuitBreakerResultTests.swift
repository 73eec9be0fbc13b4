// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import Testing

/// Results that count as failures.
@Suite struct CircuitBreakerResultTests {
  struct Answer: Equatable { var isEmpty: Bool }

  func breaker() -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(2), breakFor: .seconds(5), breakJitter: 0,
      failIfResult: .init { (answer: Answer) in answer.isEmpty }, clock: ManualClock())
  }

  @Test func `a result that counts as a failure is returned, and opens the breaker`() async throws {
    let breaker = breaker()
    for _ in 1...2 {
      #expect(try await breaker.run { Answer(isEmpty: true) } == Answer(isEmpty: true))
    }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `an outcome that counts as a failure opens the breaker`() async throws {
    let breaker = breaker()
    let pipeline = Pipeline("catalog") { breaker }
    for _ in 1...2 { _ = await pipeline.outcome { Answer(isEmpty: true) } }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `other results and results of other types are successes`() async throws {
    let breaker = breaker()
    for _ in 1...3 {
      _ = try await breaker.run { Answer(isEmpty: true) }
      _ = try await breaker.run { Answer(isEmpty: false) }
      _ = try await breaker.run { Answer(isEmpty: true) }
      _ = try await breaker.run { 0 }
    }
    #expect(breaker.state == .closed)
  }
}
