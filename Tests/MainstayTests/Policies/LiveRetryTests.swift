// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Retries, budgets, hedges and throttles whose settings change while calls run (P37).
@Suite(.requirement("P37")) struct LiveRetryTests {
  private let clock = ManualClock()
  private let recorder = EventRecorder()

  private func retry(
    attempts: Int = 3, backoff: Backoff = .none, budget: RetryBudget = .unlimited
  ) -> Retry {
    Retry(
      maximumAttempts: attempts, backoff: backoff, budget: budget, clock: clock, observer: recorder)
  }

  /// How many attempts a call makes that fails each time.
  private func attempts(under policy: some Policy) async -> Int {
    var count = 0
    _ = await #expect(throws: (any Error).self) {
      try await policy.run {
        count += 1
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    return count
  }

  // MARK: Retry

  @Test func `a retry in a pipeline follows its settings`() async throws {
    let retry = retry()
    let pipeline = Pipeline("catalog") { retry }
    #expect(await attempts(under: pipeline) == 3)
    var settings = retry.configuration
    settings.maximumAttempts = 5
    try retry.update(settings)
    #expect(await attempts(under: pipeline) == 5)
    #expect(recorder.names.filter { $0 == "settingsChanged" }.count == 1)
    #expect(pipeline.explain().stages.first?.words.contains("up to 5 times") == true)
  }

  @Test func `a call keeps to the settings of its first failure`() async throws {
    let retry = retry(attempts: 4)
    var count = 0
    _ = await #expect(throws: (any Error).self) {
      try await retry.run {
        count += 1
        if count == 2 { try retry.update(.init(maximumAttempts: 1)) }
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    #expect(count == 4)
    #expect(await attempts(under: retry) == 1)
  }

  @Test func `a longest time that is set while a first attempt runs counts from its end`()
    async throws
  {
    let retry = retry(attempts: 9)
    var count = 0
    _ = await #expect(throws: (any Error).self) {
      try await retry.run {
        count += 1
        clock.advance(by: .seconds(60))
        var settings = retry.configuration
        settings.maximumElapsed = .seconds(63)
        try retry.update(settings)
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    #expect(count == 3, "120 s have passed since the first attempt ended")
  }

  @Test func `a longest time that was set before counts from the beginning of a call`()
    async throws
  {
    let retry = retry(attempts: 100, backoff: .constant(.seconds(1), jitter: .none))
    var settings = retry.configuration
    #expect(settings.maximumElapsed == nil)
    settings.maximumElapsed = .seconds(1)
    try retry.update(settings)
    #expect(await attempts(under: retry) == 1, "no attempt begins at the end of the time")
  }

  @Test func `the settings say the backoff of the code, and change it`() async throws {
    let retry = retry(backoff: .linear(from: .seconds(1), to: .seconds(9), jitter: .equal))
    var settings = retry.configuration
    #expect(settings.backoff.growth == .linear && settings.backoff.first == .seconds(1))
    #expect(settings.backoff.cap == .seconds(9) && settings.backoff.jitter == .equal)
    settings.backoff = .init(.constant, first: .zero)
    try retry.update(settings)
    #expect(await attempts(under: retry) == 3, "it waits for nothing now")
  }

  @Test func `a backoff that a function says stays until the settings say another one`()
    async throws
  {
    let asked = Log()
    let retry = retry(
      backoff: .custom(to: .seconds(1)) { failures in
        asked.add("\(failures)")
        return .zero
      })
    var settings = retry.configuration
    #expect(settings.backoff == .init(.exponential))
    settings.maximumAttempts = 2
    try retry.update(settings)
    #expect(await attempts(under: retry) == 2)
    #expect(asked.lines == ["1", "2"])
    settings.backoff = .init(.constant, first: .zero)
    try retry.update(settings)
    #expect(await attempts(under: retry) == 2)
    #expect(asked.lines.count == 2, "the function was asked again")
  }

  // MARK: RetryBudget

  @Test func `a budget keeps what lies in it, as far as it holds that much`() throws {
    let budget = RetryBudget(minimumPerSecond: 0, capacity: 50, initial: 30, clock: clock)
    var settings = budget.configuration
    settings.capacity = 20
    settings.initial = nil
    try budget.update(settings)
    #expect(budget.available == 20)
    settings.capacity = 100
    try budget.update(settings)
    #expect(budget.available == 20)
    #expect(budget.configuration == settings)
  }

  @Test func `calls and repetitions go by the new settings at once`() async throws {
    let budget = RetryBudget(
      ratio: 0.5, minimumPerSecond: 0, capacity: 10, initial: 0, clock: clock)
    let retry = retry(budget: budget)
    try budget.update(
      .init(
        ratio: 1, minimumPerSecond: 0, capacity: 10, initial: 0, costs: .init(transient: 2)))
    #expect(await attempts(under: retry) == 1, "one token is there, and two are needed")
    #expect(await attempts(under: retry) == 2)
    #expect(budget.available == 0)
  }

  @Test(.requirement("P12")) func `time that nothing was paid for pays nothing afterwards`() throws
  {
    let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, initial: 0, clock: clock)
    clock.advance(by: .seconds(1000))
    try budget.update(.init(ratio: 1, minimumPerSecond: 2, initial: 0))
    #expect(budget.available == 0)
    clock.advance(by: .seconds(3))
    #expect(budget.available == 6)
  }

  @Test func `a budget without a limit takes no settings`() {
    let error = #expect(throws: ConfigurationError.self) {
      try RetryBudget.unlimited.update(.init())
    }
    #expect(error?.violations.map(\.option) == ["unlimited"])
    #expect(RetryBudget.unlimited.available == .infinity)
  }

  // MARK: Throttle

  @Test func `a throttle keeps what it knows, but for a window of another length`() async throws {
    let throttle = Throttle("catalog", minimumRequests: 1, clock: clock, observer: recorder)
    for _ in 1...10 { _ = await attempts(under: throttle) }
    let before = throttle.rejectionProbability
    #expect(before > 0.5)
    var settings = throttle.configuration
    settings.minimumRequests = 100
    try throttle.update(settings)
    #expect(throttle.rejectionProbability == 0)
    settings.minimumRequests = 1
    try throttle.update(settings)
    #expect(throttle.rejectionProbability == before)
    settings.window = .seconds(60)
    try throttle.update(settings)
    #expect(throttle.rejectionProbability == 0)
    #expect(throttle.configuration == settings)
    #expect(recorder.names.filter { $0 == "settingsChanged" }.count == 3)
  }

  // MARK: Hedge

  @Test func `a hedge follows its settings, and keeps what it knows of calls`() async throws {
    let hedge = Hedge(
      after: .percentile(0.5, initially: .seconds(9), minimumSamples: 1), safety: .safeToRepeat,
      clock: clock, observer: recorder)
    let pipeline = Pipeline("catalog") { hedge }
    let clock = clock
    try await pipeline.run { @Sendable in clock.advance(by: .seconds(3)) }
    #expect(hedge.currentDelay == .seconds(3))
    try hedge.update(.init(delay: .fixed(.seconds(1)), maximumCopies: 4))
    #expect(hedge.currentDelay == .seconds(1))
    #expect(hedge.configuration.maximumCopies == 4)
    #expect(pipeline.explain().stages.first?.words.contains("3 more copies") == true)
    try hedge.update(.init(delay: .percentile(0.5, initially: .seconds(9), minimumSamples: 1)))
    #expect(hedge.currentDelay == .seconds(3))
  }

  @Test(.requirement("P10")) func `settings that are not legal change nothing`() {
    let (retry, budget) = (retry(), RetryBudget(clock: clock))
    let hedge = Hedge(safety: .safeToRepeat, clock: clock, observer: recorder)
    let throttle = Throttle("catalog", clock: clock, observer: recorder)
    let before = (
      retry.configuration, budget.configuration, hedge.configuration, throttle.configuration
    )
    let first = #expect(throws: ConfigurationError.self) {
      try retry.update(.init(maximumAttempts: 0, maximumElapsed: .zero))
    }
    #expect(first?.violations.map(\.option) == ["maximumAttempts", "maximumElapsed"])
    let second = #expect(throws: ConfigurationError.self) {
      try budget.update(.init(ratio: .nan, capacity: 0))
    }
    #expect(second?.violations.map(\.option) == ["ratio", "capacity"])
    let third = #expect(throws: ConfigurationError.self) {
      try hedge.update(.init(delay: .fixed(.seconds(-1)), maximumCopies: 1))
    }
    #expect(third?.violations.map(\.option) == ["delay.fixed", "maximumCopies"])
    let fourth = #expect(throws: ConfigurationError.self) {
      try throttle.update(.init(name: "other", multiplier: 0))
    }
    #expect(fourth?.violations.map(\.option) == ["name", "multiplier"])
    #expect(retry.configuration == before.0 && budget.configuration == before.1)
    #expect(hedge.configuration == before.2 && throttle.configuration == before.3)
    #expect(recorder.names.isEmpty)
  }
}
