// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What the page about testing calls shows.
@Suite(.ends(withinMinutes: 5)) struct TestingCallsTests {
  private let clock = ManualClock()

  @Test func `a call that fails once is tested in no time`() async throws {
    let clock = clock
    let pipeline = Pipeline("pay", clock: clock) {
      Deadline(.seconds(30), clock: clock)
      Retry(backoff: .constant(.seconds(2), jitter: .none), clock: clock)
      CircuitBreaker("pay", .consecutiveFailures(5), clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let plan = FailurePlan(
      [1: .fails(with: AppError.http(status: 503, isRepeatable: true))], clock: clock)
    async let receipt = pipeline.run { try await plan.run { 42 } }
    await clock.waiters(atLeast: 1, within: .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await receipt == 42)
    #expect(plan.passes == 2)
    #expect(pipeline.explain().findings.isEmpty)
  }

  @Test func `an outage is played through, and a probe after it closes the breaker`() async {
    let events = EventRecorder()
    let breaker = CircuitBreaker(
      "pay", .consecutiveFailures(3), breakFor: .seconds(20), clock: clock, observer: events)
    let pipeline = Pipeline("pay", clock: clock) { breaker }
    let service = ScriptedDependency(
      failures: .steps([(.zero, 1), (.seconds(60), 0)]), clock: clock, seed: 7)
    for _ in 1...100 {
      _ = await pipeline.outcome { try await service.call() }
      clock.advance(by: .seconds(1))
    }
    #expect(breaker.state == .closed)
    #expect(events.events.contains { if case .circuitClosed = $0.what { true } else { false } })
    #expect(service.calls.prefix { $0.began < .seconds(60) }.count <= 5)
  }
}
