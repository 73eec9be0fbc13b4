// SPDX-License-Identifier: Apache-2.0

import Mainstay
import Testing

/// Attempts that know their number.
@Suite struct RetryAttemptTests {
  static let down = AppError.http(status: 503, isRepeatable: true)

  @Test func `an attempt knows its number, in child tasks too`() async throws {
    let retry = Retry(maximumAttempts: 4, backoff: .none, budget: .unlimited)
    var seen: [Int] = []
    _ = try? await retry.run {
      async let number = Retry.currentAttempt
      seen.append(await number)
      throw Self.down
    }
    #expect(seen == [1, 2, 3, 4])
    #expect(Retry.currentAttempt == 1)
  }

  @Test func `of two retries around each other the one that repeats counts`() async throws {
    let retry = Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited)
    let pipeline = Pipeline("both") {
      retry
      retry
    }
    var seen: [Int] = []
    _ = try? await pipeline.run {
      seen.append(Retry.currentAttempt)
      throw Self.down
    }
    #expect(seen == [1, 2, 3])
  }
}
