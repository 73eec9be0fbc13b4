// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

/// What a backoff makes of the least and the most that it can be given.
@Suite(.requirement("A8")) struct BackoffBoundsTests {
  @Test func `an attempt before the first counts as the first`() {
    let backoff = Backoff.exponential(from: .seconds(4), to: .seconds(60), jitter: .none)
    for attempt in [0, -1, Int.min] {
      #expect(backoff.delay(attempt: attempt, fraction: 0.5) == .seconds(4))
    }
  }

  @Test func `a random number beyond one counts as one, far below the cap too`() {
    for jitter in [Backoff.Jitter.full, .equal] {
      let backoff = Backoff.exponential(from: .seconds(4), to: .seconds(60), jitter: jitter)
      #expect(backoff.delay(attempt: 1, fraction: 1.5) == .seconds(4))
      #expect(backoff.delay(attempt: 1, fraction: .infinity) == .seconds(4))
    }
    let backoff = Backoff.exponential(from: .seconds(4), to: .seconds(60), jitter: .decorrelated)
    #expect(backoff.delay(attempt: 1, fraction: 1.5) == .seconds(12))
  }

  @Test func `steps from zero begin at zero and grow from the second attempt on`() {
    let backoff = Backoff.linear(from: .zero, by: .seconds(2), to: .seconds(60), jitter: .none)
    #expect(
      (1...4).map { backoff.delay(attempt: $0, fraction: 0.5) }
        == [0, 2, 4, 6].map(Duration.seconds))
  }

  @Test func `the shortest delay grows by sums to the longest cap, and stays there`() {
    let backoff = Backoff.fibonacci(
      from: Duration(attoseconds: 1), to: .seconds(Int64.max), jitter: .none)
    for attempt in [200, 2_000, .max] {
      #expect(backoff.delay(attempt: attempt, fraction: 0.5) == .seconds(365 * 86_400))
    }
    let none = Backoff.fibonacci(from: .zero, to: .seconds(60), jitter: .none)
    #expect(none.delay(attempt: .max, fraction: 0.5) == .zero)
  }

  @Test func `zero stays zero however often it is multiplied`() {
    let backoff = Backoff.exponential(from: .zero, to: .seconds(60), jitter: .none)
    for attempt in [1, 2, 3, 2_000] {
      #expect(backoff.delay(attempt: attempt, fraction: 0.5) == .zero)
    }
  }
}
