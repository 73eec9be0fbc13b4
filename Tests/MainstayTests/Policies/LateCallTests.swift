// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Calls that begin when the time around them is over already: nothing was asked of the dependency.
@Suite(.requirement("P26")) struct LateCallTests {
  private let clock = ManualClock()
  private let patience = ManualClock()

  private var breaker: CircuitBreaker {
    CircuitBreaker("backup", .consecutiveFailures(1), clock: clock)
  }
  private var limit: AdaptiveLimit { AdaptiveLimit("backup", .aimd(initial: 20), clock: clock) }
  private var throttle: Throttle { Throttle("backup", minimumRequests: 0, clock: clock) }

  /// Lets a limit of one second pass while a first operation runs, and goes on with a second one.
  private func late(_ second: @escaping @Sendable () async throws -> Void) async {
    let timeout = Timeout(.seconds(1), clock: clock)
    let call = Task {
      try await timeout.run {
        try? await untilCancelled(patience)
        try await second()
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await call.value }
  }

  /// Lets a limit of one second pass while an operation runs.
  private func slow(_ policy: some Policy) async {
    let timeout = Timeout(.seconds(1), clock: clock)
    let call = Task {
      try await timeout.run { try await policy.run { try await untilCancelled(patience) } }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await call.value }
  }

  @Test func `open no breaker`() async {
    let (breaker, other) = (breaker, breaker)
    await late { try await breaker.run { try Task.checkCancellation() } }
    #expect(breaker.state == .closed)
    await slow(other)
    #expect(other.state != .closed, "it was too slow, and has to count")
  }

  @Test func `open no breaker by an outcome, nor by an admission`() async {
    let breaker = breaker
    await late {
      let outcome = await breaker.outcome(of: { () async -> Outcome<Int, AppError> in .cancelled })
      _ = try outcome.get()
    }
    #expect(breaker.state == .closed)
    await late {
      let admission = try breaker.admit()
      admission.fail(CancellationError())
      throw CancellationError()
    }
    #expect(breaker.state == .closed)
  }

  @Test func `open no breaker that was being tried out`() async {
    let breaker = breaker
    breaker.halfOpen()
    await late { try await breaker.run { try Task.checkCancellation() } }
    #expect(breaker.state == .halfOpen)
    try? await breaker.run {}
    #expect(breaker.state == .closed, "the place for the probe is free again")
  }

  @Test func `shrink no limit`() async {
    let (limit, other) = (limit, limit)
    await late { try await limit.run { try Task.checkCancellation() } }
    #expect(limit.limit == 20)
    await slow(other)
    #expect(other.limit < 20)
  }

  @Test func `count for no throttle`() async {
    let (throttle, other) = (throttle, throttle)
    await late { try await throttle.run { try Task.checkCancellation() } }
    #expect(throttle.rejectionProbability == 0)
    await slow(other)
    #expect(other.rejectionProbability > 0)
  }

  @Test func `say nothing of a backup that is asked when the deadline has passed`() async {
    let (breaker, clock) = (breaker, clock)
    let primary = Pipeline("primary") { Timeout(.seconds(60), clock: clock) }
    let request = Pipeline("request") { Deadline(.seconds(5), clock: clock) }
    let call = Task {
      try await request.run {
        try await primary.run {
          try await untilCancelled(patience)
        } fallback: { _ in
          try await breaker.run { try Task.checkCancellation() }
        }
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await #expect(throws: TimedOut.self) { try await call.value }
    #expect(breaker.state == .closed)
  }
}
