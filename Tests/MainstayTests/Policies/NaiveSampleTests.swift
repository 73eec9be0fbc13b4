// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// The situations in which the obvious first implementation of each policy goes wrong: a breaker as
/// an actor with five failures, a minute of `Date()` and an open door after it; a retry that calls
/// itself after `pow(2, n)` seconds.
@Suite(.requirement("P40")) struct NaiveSampleTests {
  private static let down = AppError.http(status: 503, isRepeatable: true)

  private func opened(_ clock: ManualClock) async -> CircuitBreaker {
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(2), breakFor: .seconds(60), breakJitter: 0, clock: clock)
    for _ in 1...2 { _ = try? await breaker.run { throw Self.down } }
    return breaker
  }

  @Test(.requirement("P2", "T1")) func `after the break everybody is let through`() async throws {
    let clock = ManualClock()
    let breaker = await opened(clock)
    clock.advance(by: .seconds(60))
    let probe = try breaker.admit()
    for _ in 1...200 {
      if let another = try? breaker.admit() {
        Issue.record("two probes at the same time")
        another.ignore()
      }
    }
    probe.succeed()
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P11")) func `calls wait for each other in the breaker`() async throws {
    let breaker = CircuitBreaker("catalog", clock: ManualClock())
    let inside = Countdown(8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        // No call ends before all are inside.
        group.addTask {
          try await breaker.run {
            inside.count()
            await inside.reached()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(breaker.state == .closed)
  }

  @Test func `what was seen before a call is taken for true after it`() async throws {
    let (clock, events) = (ManualClock(), EventRecorder())
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(2), breakFor: .seconds(60), breakJitter: 0, clock: clock,
      observer: events)
    let (gate, inside) = (BreakerBench.Gate(), Log())
    @Sendable func call(_ error: (any Error)?) async throws {
      try await breaker.run {
        inside.add("inside")
        await gate.pass()
        if let error { throw error }
      }
    }
    // All were let in before one of them failed: it opens once.
    let failing = await started(8) { _ in try await call(Self.down) }
    await gate.arrivals(atLeast: 8)
    gate.open()
    for call in failing { await #expect(throws: AppError.self) { try await call.value } }
    #expect(events.names.filter { $0 == "circuitOpened" } == ["circuitOpened"])
    // One place, and many who come while its probe is on its way.
    clock.advance(by: .seconds(60))
    let (probing, probes) = (BreakerBench.Gate(), Log())
    let calls = await started(8) { _ in
      try await breaker.run {
        probes.add("probe")
        await probing.pass()
      }
    }
    await probing.arrivals(atLeast: 1)
    var refused = 0
    probing.open()
    for call in calls {
      do { try await call.value } catch is Rejection { refused += 1 }
    }
    #expect(probes.lines.count == 1 && refused == 7)
    #expect(inside.lines.count == 8 && breaker.state == .closed)
  }

  @Test(.requirement("P12")) func `a clock that is set back keeps it open`() async {
    let clock = ManualClock()
    let breaker = await opened(clock)
    clock.advance(by: .seconds(30))
    #expect(breaker.state == .open(retryAfter: .seconds(30)))
    clock.advance(by: .seconds(-3600))
    #expect(breaker.state == .open(retryAfter: .seconds(30)))
  }

  @Test(.requirement("P26", "T4")) func `calls that their callers cancel open it`() async {
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(2), clock: ManualClock())
    for _ in 1...5 { _ = try? await breaker.run { throw CancellationError() } }
    #expect(breaker.state == .closed)
    // Whoever is cancelled says so in many ways.
    let errors: [any Error] = [CancellationError(), RetryTests.URLErrorLike.cancelled]
    let patience = ManualClock()
    for error in errors + errors {
      let call = await started {
        try await breaker.run {
          await #expect(throws: CancellationError.self) { try await untilCancelled(patience) }
          #expect(Task.isCancelled)
          throw error
        }
      }
      call.cancel()
      await #expect(throws: (any Error).self) { try await call.value }
      #expect(breaker.state == .closed, "\(error)")
    }
    // What a time limit cancels is its own affair: that counts.
    let limit = ManualClock()
    for _ in 1...2 {
      let call = await started {
        try await Timeout(.seconds(1), clock: limit).run {
          try await breaker.run { try await untilCancelled(patience) }
        }
      }
      await limit.sleepers(atLeast: 1)
      limit.advance(by: .seconds(1))
      await #expect(throws: TimedOut.self) { try await call.value }
    }
    #expect(breaker.state != .closed)
  }

  @Test(.requirement("P16", "T7")) func `layers of attempts multiply`() async {
    var calls = 0
    let retry = Retry(maximumAttempts: 4, backoff: .none, budget: .unlimited)
    _ = try? await retry.run {
      try await retry.run {
        try await retry.run {
          calls += 1
          throw Self.down
        }
      }
    }
    #expect(calls == 4)
  }

  @Test(.requirement("P18", "T8"), arguments: [1, 36, 64, 1025, .max])
  func `the power of two overflows`(attempt: Int) {
    let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(60), jitter: .none)
    #expect(backoff.delay(attempt: attempt, fraction: 0) <= .seconds(60))
  }

  @Test(.requirement("P19", "T9")) func `everybody at the cap waits equally long`() {
    let backoff = Backoff.exponential(from: .seconds(1), to: .seconds(60))
    var random = SplitMix64(seed: 7)
    let delays = (1...100).map { _ in backoff.delay(attempt: 20, fraction: random.fraction()) }
    #expect(Set(delays).count > 90 && delays.allSatisfy { $0 <= .seconds(60) })
  }

  @Test(.requirement("P21", "P22")) func `the wait does not end with its caller`() async {
    let (clock, calls) = (ManualClock(), Log())
    let retry = Retry(backoff: .constant(.seconds(9), jitter: .none), clock: clock)
    let call = Task {
      try await retry.run {
        calls.add("call")
        throw Self.down
      }
    }
    await clock.sleepers(atLeast: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(calls.lines.count == 1)
  }
}
