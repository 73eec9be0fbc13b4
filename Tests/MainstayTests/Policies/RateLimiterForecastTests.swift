// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What a limiter says of calls that are not made yet.
@Suite struct RateLimiterForecastTests {
  private let clock = ManualClock()

  @Test func `how many would be let through is known, and asking uses nothing up`() {
    let limiter = RateLimiter(
      "limit", .tokenBucket(rate: 1, per: .seconds(10), burst: 3), clock: clock)
    for _ in 0..<3 { #expect(limiter.available(atMost: 8) == 3) }
    #expect(limiter.available(atMost: 2) == 2 && limiter.available(atMost: 0) == 0)
    #expect(limiter.tryAcquire() && limiter.available(atMost: 8) == 2)
    for _ in 0..<2 { #expect(limiter.tryAcquire()) }
    #expect(limiter.available(atMost: 8) == 0)
    clock.advance(by: .seconds(10))
    #expect(limiter.available(atMost: 8) == 1)
  }

  @Test func `the next turn is known however far away it is, and nobody waits for it`() {
    let limiter = RateLimiter(
      "digest", .tokenBucket(rate: 1, per: .seconds(86_400), burst: 1), queue: 0, clock: clock)
    #expect(limiter.timeToTurn() == .zero)
    #expect(limiter.tryAcquire())
    for _ in 0..<2 { #expect(limiter.timeToTurn() == .seconds(86_400)) }
    clock.advance(by: .seconds(86_000))
    #expect(limiter.timeToTurn() == .seconds(400))
  }
}
