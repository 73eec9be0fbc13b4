// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What ``Retry`` does with a call that a breaker inside of it refused.
@Suite(.ends(withinMinutes: 5)) struct RetryRefusalTests {
  private let clock = ManualClock()
  private let limitClock = ManualClock()

  /// Half-open, and nobody probes yet.
  private func breaker() -> CircuitBreaker {
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakJitter: 0, clock: clock)
    breaker.halfOpen()
    return breaker
  }

  private func retry(observer: EventRecorder? = nil) -> Retry {
    Retry(backoff: .constant(.seconds(2), jitter: .none), clock: clock, observer: observer)
  }

  @Test(.requirement("P2", "P17"))
  func `those who meet a probe come again by their backoff, and all go through`() async throws {
    let breaker = breaker()
    let pipeline = Pipeline("catalog", clock: clock) {
      Deadline(.seconds(30), clock: clock)
      retry()
      breaker
    }
    let probe = try breaker.admit()
    let calls = await started(9) { number in try await pipeline.run { number } }
    await clock.waiters(atLeast: 9, within: .seconds(2))
    probe.succeed()
    clock.advance(by: .seconds(2))
    for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
  }

  @Test(.requirement("P17"))
  func `a refusal by a probe that a pipeline inside has classified is repeated as well`()
    async throws
  {
    let breaker = breaker()
    let probe = try breaker.admit()
    let retry = retry()
    let call = await started {
      try await Deadline(.seconds(30), clock: clock).run {
        try await retry.run {
          try await withAppErrors { try await breaker.run { 7 } }
        }
      }
    }
    await clock.waiters(atLeast: 1, within: .seconds(2))
    probe.succeed()
    clock.advance(by: .seconds(2))
    #expect(try await call.value == 7)
  }

  @Test(.requirement("P17")) func `an isolation is not waited for`() async {
    let breaker = breaker()
    let isolation = breaker.isolate()
    defer { isolation.end() }
    let recorder = EventRecorder()
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(30), clock: clock)
      retry(observer: recorder)
      breaker
    }
    let refused = await #expect(throws: Rejection.self) { try await pipeline.run {} }
    #expect(refused?.reason == .circuitIsolated)
    #expect(recorder.gaveUpReasons == [.notRetryable])
  }

  @Test func `a limit that passes while a refusal is waited for tells the refusal`() async throws {
    let breaker = breaker()
    breaker.open(for: .seconds(3))
    let limit = Timeout(.seconds(10), clock: limitClock)
    let retry = retry()
    let call = await started {
      try await limit.run { try await retry.run { try await breaker.run {} } }
    }
    await clock.waiters(atLeast: 1, within: .seconds(5))
    limitClock.advance(by: .seconds(10))
    let refused = await #expect(throws: Rejection.self) { try await call.value }
    #expect(refused?.reason == .circuitOpen)
  }
}
