// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// The way of ``Pipeline/outcome(_:)`` through its stages, beside that of `run`.
@Suite struct OutcomeTests {
  static let down = AppError.http(status: 503, isRepeatable: true)

  struct Strange: Error, Equatable {}

  /// A policy of somebody else's, which knows only `run`.
  struct Foreign: Policy {
    func run<T>(_ operation: () async throws -> T) async throws -> T { try await operation() }
  }

  let clock = ManualClock()

  func breaker(_ threshold: Int = 2, observer: EventRecorder? = nil) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(threshold), breakFor: .seconds(5), breakJitter: 0,
      clock: clock, observer: observer)
  }

  @Test(.requirement("P17")) func `a breaker counts outcomes, and refuses by an outcome`()
    async throws
  {
    let breaker = breaker()
    let pipeline = Pipeline("catalog") { breaker }
    for _ in 1...2 {
      let outcome = await pipeline.outcome { () throws(AppError) -> Int in throw Self.down }
      #expect(throws: Self.down) { try outcome.get() }
    }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    var calls = 0
    let refused = await pipeline.outcome { () throws(AppError) -> Int in
      calls += 1
      return 1
    }
    #expect(calls == 0)
    let expected = Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .seconds(5))
    #expect(throws: expected) { try refused.get() }
    clock.advance(by: .seconds(5))
    #expect(try await pipeline.outcome { 7 }.get() == 7)
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P8", "P26")) func `what says nothing of the dependency is not counted`() async
  {
    let breaker = breaker(1)
    let pipeline = Pipeline("catalog") { breaker }
    let rejection = Rejection(policy: "inner", reason: .bulkheadFull)
    _ = await pipeline.outcome { () throws(CancellationError) -> Int in throw CancellationError() }
    _ = await pipeline.outcome { () async throws -> Int in throw rejection }
    _ = await pipeline.outcome { () throws(AppError) -> Int in throw .http(status: 404) }
    #expect(breaker.state == .closed)
    let timedOut = TimedOut(
      policy: "inner", scope: .attempt, limit: .seconds(1), disposition: .transient())
    _ = await pipeline.outcome { () async throws -> Int in throw timedOut }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  /// How often stages outside let a call through that a stage inside makes fail with an error of
  /// its own, and what they know then.
  private func seen(
    by failing: some Policy, asOutcome: Bool
  ) async -> (calls: Int, state: CircuitBreaker.State, limit: Int, recorder: EventRecorder) {
    let (breaker, recorder, calls) = (breaker(4), EventRecorder(), Log())
    let limit = AdaptiveLimit("a", .aimd(initial: 20), clock: clock)
    let pipeline = Pipeline("catalog", clock: clock, observer: recorder) {
      Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited, observer: recorder)
      breaker
      limit
      Witness { calls.add("call") }
      failing
    }
    for _ in 1...3 {
      if asOutcome {
        let outcome = await pipeline.outcome { () throws(Strange) -> Int in 1 }
        if case .success = outcome { Issue.record("it succeeded") }
      } else {
        _ = try? await pipeline.run { () throws(Strange) -> Int in 1 }
      }
    }
    return (calls.lines.count, breaker.state, limit.limit, recorder)
  }

  /// Sees each call.
  private struct Witness: Policy {
    let see: @Sendable () -> Void

    func run<T>(_ operation: () async throws -> T) async throws -> T {
      see()
      return try await operation()
    }
  }

  /// A policy of somebody else's that makes errors of a type of its own.
  private struct Replacing: Policy {
    struct Busy: Error, AppErrorConvertible {
      var appError: AppError { .http(status: 503, isRepeatable: true) }
    }

    func run<T>(_ operation: () async throws -> T) async throws -> T { throw Busy() }
  }

  @Test func `an error that a stage made is retried and counted as by run`() async {
    let chaos = Chaos(enabledInRelease: true, .error(Self.down), rate: 1)
    for failing in [chaos, Replacing()] as [any Policy] {
      let run = await seen(by: failing, asOutcome: false)
      let outcome = await seen(by: failing, asOutcome: true)
      #expect(run.calls == 4 && outcome.calls == 4)
      #expect(run.state == .open(retryAfter: .seconds(5)) && outcome.state == run.state)
      #expect(outcome.limit == run.limit && run.limit < 20)
      #expect(outcome.recorder.names == run.recorder.names)
      let endings = [run, outcome].map { seen in
        seen.recorder.events.compactMap { event -> PolicyEvent.CallEnding? in
          guard case .callEnded(let ending, _) = event.what else { return nil }
          return ending
        }
      }
      #expect(endings[0] == endings[1] && endings[0].first == .failed)
    }
  }

  @Test func `a refusal that stands for an error is what that error is`() {
    let foreign = Rejection(policy: "p", reason: .foreignError, cause: Self.down)
    #expect(foreign.appError.disposition == Self.down.disposition)
    #expect(foreign.appError.code == "policy.foreign-error")
    let without = Rejection(policy: "p", reason: .foreignError)
    #expect(without.appError.disposition == .rejected(retryAfter: nil))
  }

  @Test func `a retry repeats outcomes, and keeps the type of the error`() async throws {
    let retry = Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited)
    let pipeline = Pipeline("catalog") { retry }
    var calls = 0
    let recovered = await pipeline.outcome { () throws(AppError) -> Int in
      calls += 1
      if calls < 3 { throw Self.down }
      return calls
    }
    #expect(try recovered.get() == 3)
    let failed = await pipeline.outcome { () throws(AppError) -> Int in throw Self.down }
    guard case .failure(let error) = failed else {
      Issue.record("\(failed)")
      return
    }
    #expect(error.metadata["retry.attempts"] == "3")
  }

  @Test func `a retry judges results of outcomes`() async throws {
    let retry = Retry(
      backoff: .none, retryIfResult: .init { (number: Int) in number < 3 }, budget: .unlimited)
    var calls = 0
    let outcome = await Pipeline("catalog") { retry }.outcome { () -> Int in
      calls += 1
      return calls
    }
    #expect(try outcome.get() == 3)
  }

  @Test(.requirement("P21", "P22")) func `no attempt begins for a caller that has gone away`() async
  {
    let retry = Retry()
    let calls = Log()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Pipeline("catalog") { retry }.outcome { calls.add("call") }
    }
    guard case .cancelled = await task.value else {
      Issue.record("not cancelled")
      return
    }
    #expect(calls.lines.isEmpty)
  }

  @Test func `stages that others write are asked by run`() async throws {
    let breaker = breaker(2)
    let pipeline = Pipeline("catalog") {
      Foreign()
      breaker
      Foreign()
    }
    let outcome = await pipeline.outcome { () throws(Strange) -> Int in throw Strange() }
    guard case .failure(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error == Strange())
    #expect(try await pipeline.outcome { 1 }.get() == 1)
  }

  @Test func `a pipeline in a pipeline tells how its calls ended`() async {
    let recorder = EventRecorder()
    let inner = Pipeline("inner", clock: clock, observer: recorder) { breaker(1) }
    let outer = Pipeline("outer", clock: clock, observer: recorder) { inner }
    _ = await outer.outcome { 1 }
    _ = await outer.outcome { () throws(AppError) -> Int in throw Self.down }
    _ = await outer.outcome { 1 }
    let endings = recorder.events.compactMap { event in
      if case .callEnded(let ending, _) = event.what { "\(event.policy) \(ending)" } else { nil }
    }
    #expect(
      endings == [
        "inner succeeded", "outer succeeded", "inner failed", "outer failed", "inner rejected",
        "outer rejected",
      ])
  }
}

/// Outcomes through policies that limit and slow down.
@Suite struct LimitOutcomeTests {
  let clock = ManualClock()

  static func busy() -> AppError { .http(status: 429, retryAfter: .seconds(3)) }

  @Test func `a bulkhead gives its permit back after every outcome`() async throws {
    let bulkhead = Bulkhead("bulkhead", limit: 1)
    let pipeline = Pipeline("limited") { bulkhead }
    #expect(try await pipeline.outcome { bulkhead.running }.get() == 1)
    _ = await pipeline.outcome { () throws(AppError) -> Int in throw Self.busy() }
    let nested = await pipeline.outcome { await pipeline.outcome { 1 } }
    guard case .rejected(let rejection) = nested else {
      Issue.record("\(nested)")
      return
    }
    #expect(rejection.reason == .bulkheadFull)
    #expect(bulkhead.running == 0)
  }

  @Test func `a rate limiter refuses by an outcome`() async throws {
    let limiter = RateLimiter("limiter", .tokenBucket(rate: 1, per: .seconds(1)), clock: clock)
    let pipeline = Pipeline("limited") { limiter }
    #expect(try await pipeline.outcome { 1 }.get() == 1)
    let refused = await pipeline.outcome { 2 }
    let expected = Rejection(policy: "limiter", reason: .rateLimited, retryAfter: .seconds(1))
    #expect(throws: expected) { try refused.get() }
  }

  @Test(.requirement("P24")) func `a cooldown learns from an outcome`() async throws {
    let cooldown = Cooldown("origin", maximumWait: .zero, spread: .zero, clock: clock)
    let pipeline = Pipeline("limited") { cooldown }
    _ = await pipeline.outcome { () throws(AppError) -> Int in throw Self.busy() }
    #expect(cooldown.remaining == .seconds(3))
    guard case .rejected(let rejection) = await pipeline.outcome({ 1 }) else {
      Issue.record("not refused")
      return
    }
    #expect(rejection.reason == .coolingDown && rejection.retryAfter == .seconds(3))
    clock.advance(by: .seconds(3))
    #expect(try await pipeline.outcome { 1 }.get() == 1)
    #expect(cooldown.remaining == nil)
  }

  @Test func `a throttle counts outcomes`() async throws {
    let throttle = Throttle("throttle", minimumRequests: 1, clock: clock, seed: 1)
    let pipeline = Pipeline("limited") { throttle }
    for _ in 1...20 {
      _ = await pipeline.outcome { () throws(AppError) -> Int in
        throw .http(status: 503, isRepeatable: true)
      }
    }
    #expect(throttle.rejectionProbability > 0.5)
    var refusals = 0
    for _ in 1...20 {
      if case .rejected = await pipeline.outcome({ 1 }) { refusals += 1 }
    }
    #expect(refusals > 0)
  }

  @Test func `an adaptive limit gives its permit back after every outcome`() async throws {
    let limit = AdaptiveLimit("adaptive", clock: clock)
    let pipeline = Pipeline("limited") { limit }
    #expect(try await pipeline.outcome { limit.running }.get() == 1)
    _ = await pipeline.outcome { () throws(AppError) -> Int in throw Self.busy() }
    _ = await pipeline.outcome { () async throws -> Int in throw CancellationError() }
    #expect(limit.running == 0)
  }
}
