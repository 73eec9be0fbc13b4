// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// How often a breaker asks what an error is.
@Suite struct CircuitBreakerMappingTests {
  private struct Odd: Error {}

  private let clock = ManualClock()

  @Test func `a failure that opens nothing is mapped once`() async {
    let (mapped, asked) = (Log(), Log())
    let mapping = ErrorMapping.standard.adding(Odd.self) { _ in
      mapped.add("mapped")
      return BreakerBench.down
    }
    let rule = CircuitBreaker.TripRule.failureRate(0.9, over: .count(20), minimumThroughput: 10)
    let given: @Sendable (CircuitBreaker.Trip) -> Duration = { _ in
      asked.add("asked")
      return .seconds(5)
    }
    for isGiven in [false, true] {
      let breaker = CircuitBreaker(
        "catalog", rule, breakDuration: isGiven ? given : nil, clock: clock)
      let before = mapped.lines.count
      await ErrorMapping.with(mapping) {
        for _ in 1...9 { _ = await BreakerBench.call(breaker, throwing: Odd()) }
      }
      #expect(mapped.lines.count - before == 9)
      #expect(breaker.state == .closed && asked.lines.isEmpty)
      _ = await BreakerBench.call(breaker, throwing: BreakerBench.down)
      #expect(breaker.state != .closed)
    }
    #expect(asked.lines.count == 1)
  }
}
