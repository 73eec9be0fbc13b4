// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct PipelineExplanationTests {
  @Test func `stages by the clock of the system in a pipeline by another one are found`() {
    let clock = ManualClock()
    let mixed = Pipeline("pay", clock: clock) {
      Deadline(.seconds(30), clock: clock)
      Retry()
      CircuitBreaker("pay")
      Timeout(.seconds(10), clock: clock)
    }
    let finding = mixed.explain().findings.first
    #expect(finding?.rule == .mixedClocks && finding?.severity == .warning)
    #expect(finding?.message.hasSuffix("Retry, CircuitBreaker \"pay\".") == true)
    #expect(mixed.bind { () in 1 }.explain().findings.map(\.rule) == [.mixedClocks])
  }

  @Test func `stages that share the clock of their pipeline are in order`() {
    let clock = ManualClock()
    let pipeline = Pipeline("pay", clock: clock) {
      Deadline(.seconds(30), clock: clock)
      Bulkhead("pay", limit: 10, clock: clock)
      Retry(clock: clock)
      CircuitBreaker("pay", clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    #expect(pipeline.explain().findings.isEmpty)
    let live = Pipeline("pay") { Deadline(.seconds(30), clock: clock) }
    #expect(live.explain().findings.isEmpty)
  }

  private let catalog = Pipeline("catalog") {
    Deadline(.seconds(30))
    Retry(maximumAttempts: 3)
    CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
    Timeout(.seconds(10))
  }

  @Test func `the recommended order is found to be in order`() {
    #expect(catalog.explain().findings.isEmpty)
  }

  @Test func `a page says the stages, the worst case and that nothing was found`() {
    #expect(
      catalog.explain().description == """
        Pipeline "catalog", from the outside in:
          1. Deadline: ends everything inside after 30 s
          2. Retry: runs what is inside up to 3 times, waiting up to 600 ms in all, or 2.2 min \
        where the service asks for it
          3. CircuitBreaker "catalog": refuses calls at once while the dependency is failing
          4. Timeout: cancels what is inside after 10 s and waits for its end
          5. the operation
        At most 3 calls of the operation.
        At most 30 s.
        No findings.
        """)
  }

  @Test func `stages are named where they have names of their own`() {
    let pipeline = Pipeline("orders") {
      Retry(name: "patient")
      Retry()
      CircuitBreaker("orders")
    }
    #expect(
      pipeline.explain().stages.map(\.title)
        == ["Retry \"patient\"", "Retry", "CircuitBreaker \"orders\""])
  }

  @Test func `attempts of one retry inside another multiply`() {
    let pipeline = Pipeline("multiplied") {
      Retry(maximumAttempts: 4)
      Pipeline("inner") { Retry(maximumAttempts: 5, nesting: .makesAllAttempts) }
      Retry(maximumAttempts: 1)
      Timeout(.seconds(1))
    }
    #expect(pipeline.explain().maximumCalls == 20)
    let endless = Pipeline("endless") {
      Retry(maximumAttempts: .max)
      Retry(maximumAttempts: .max, nesting: .makesAllAttempts)
    }
    #expect(endless.explain().maximumCalls == .max)
  }

  @Test func `the longest time is that of all attempts and waits`() {
    let waits = Backoff.constant(.seconds(2), jitter: .none)
    func longest(_ retry: Retry) -> Duration? {
      Pipeline("timed") {
        retry
        Timeout(.seconds(10))
      }.explain().longestTime
    }
    #expect(
      longest(Retry(maximumAttempts: 3, backoff: waits, maximumServerDelay: .zero)) == .seconds(34))
    // A service may ask for a minute each time, to which a tenth is added.
    #expect(longest(Retry(maximumAttempts: 2, backoff: waits)) == .seconds(86))
    #expect(
      longest(Retry(maximumAttempts: 100, backoff: waits, maximumElapsed: .seconds(15)))
        == .seconds(25))
    #expect(longest(Retry(maximumAttempts: .max, backoff: waits)) == .seconds(365 * 86_400))
  }

  @Test func `a refusal is waited for as long as the limits allow`() {
    let breaker = CircuitBreaker("b", breakFor: .seconds(300))
    let refusing: [any PipelineStage] = [
      breaker, RateLimiter("r", .tokenBucket(rate: 1, per: .seconds(300))), Cooldown("c"),
    ]
    #expect(refusing.flatMap { $0.summaries }.allSatisfy { $0.refusesWithTime })
    func longest(_ limit: Duration?, elapsed: Duration?) -> Duration? {
      let retry = Retry(
        maximumAttempts: 2, backoff: .none, maximumServerDelay: .zero, maximumElapsed: elapsed)
      let inner = Pipeline("inner") {
        retry
        breaker
        Timeout(.seconds(1))
      }
      guard let limit else { return inner.explain().longestTime }
      return Pipeline("limited") {
        Deadline(limit)
        inner
      }.explain().longestTime
    }
    #expect(longest(.seconds(600), elapsed: nil) == .seconds(600))
    #expect(longest(.seconds(600), elapsed: .seconds(400)) == .seconds(401))
    #expect(longest(nil, elapsed: .seconds(400)) == .seconds(401))
    #expect(longest(nil, elapsed: nil) == .seconds(2), "no limit, no wait")
  }

  @Test func `a retry waits for a refusal beyond what a service may ask for`() async {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let open = CircuitBreaker("o", clock: clock)
    open.open(for: .seconds(300))
    let pipeline = Pipeline("waits") {
      Deadline(.seconds(600), clock: clock)
      Retry(
        maximumAttempts: 2, backoff: .none, maximumServerDelay: .zero, clock: clock,
        observer: recorder)
      open
    }
    let call = Task { try await pipeline.run {} }
    while recorder.events.isEmpty { await Task.yield() }
    guard case .attemptFailed(_, _, let delay?) = recorder.events[0].what else {
      Issue.record("\(recorder.events)")
      return
    }
    #expect(delay >= .seconds(300))
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test func `steps that mend something take their time before each further attempt`() {
    let plan = RecoveryPlan([
      .init("short", within: .seconds(5)) { _ in }, .init("long", within: .seconds(600)) { _ in },
    ])
    func longest(_ attempts: Int, elapsed: Duration? = nil) -> Duration? {
      Pipeline("mended") {
        Retry(
          maximumAttempts: attempts, backoff: .none, maximumServerDelay: .zero,
          maximumElapsed: elapsed
        ).recovering(by: plan)
        Timeout(.seconds(1))
      }.explain().longestTime
    }
    #expect(longest(1) == .seconds(1))
    #expect(longest(2) == .seconds(602))
    #expect(longest(3) == .seconds(1203))
    #expect(longest(3, elapsed: .seconds(30)) == .seconds(630))
  }

  @Test(.requirement("P16")) func `a retry of results multiplies with one outside of it`()
    async throws
  {
    struct Other: Error, AppErrorConvertible {
      var appError: AppError { .http(status: 503, isRepeatable: true) }
    }
    let pipeline = Pipeline("jobs") {
      Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited)
      Retry(
        maximumAttempts: 3, backoff: .none, retryIfResult: .init { (isDone: Bool) in !isDone },
        budget: .unlimited)
    }
    var calls = 0
    _ = await #expect(throws: Other.self) {
      try await pipeline.run {
        calls += 1
        if calls.isMultiple(of: 3) { throw Other() }
        return false
      }
    }
    #expect(calls == 9)
    #expect(pipeline.explain().maximumCalls == 9)
    let finding = pipeline.explain().findings.first { $0.rule == .retryInsideRetry }
    #expect(finding?.message.contains("up to 9") == true)
  }

  @Test func `the longest waits of every backoff are those that chance allows`() {
    func longest(_ backoff: Backoff, attempts: Int) -> Duration? {
      Pipeline("waiting") {
        Retry(maximumAttempts: attempts, backoff: backoff, maximumServerDelay: .zero)
        Timeout(.seconds(1))
      }.explain().longestTime.map { $0 - .seconds(attempts) }
    }
    let step = Duration.seconds(1)
    #expect(longest(.linear(from: step, to: .seconds(3)), attempts: 5) == .seconds(9))
    #expect(longest(.exponential(from: step, to: .seconds(5)), attempts: 5) == .seconds(12))
    #expect(
      longest(.exponential(from: step, to: .seconds(20), jitter: .decorrelated), attempts: 4)
        == .seconds(3 + 9 + 20))
    // What a service asks for counts as the wait before, from which it grows.
    let asked = Retry(
      maximumAttempts: 3,
      backoff: .exponential(from: step, to: .seconds(99), jitter: .decorrelated),
      maximumServerDelay: .seconds(10))
    let withHints = Pipeline("asked") {
      asked
      Timeout(.seconds(1))
    }.explain().longestTime
    #expect(withHints == .seconds(3 + 11 + 33))
    #expect(longest(.none, attempts: 9) == .zero)
    #expect(longest(.constant(step), attempts: 5001) == .seconds(5000))
  }

  @Test func `where nothing bounds the time it says why`() {
    #expect(catalog.explain().unboundedBecause == nil)
    let open = Pipeline("open") { Retry() }.explain()
    #expect(open.longestTime == nil)
    #expect(open.unboundedBecause == "the operation has no time limit of its own")
    #expect(open.description.contains("No longest time: the operation has no time limit"))
    #expect(Pipeline("empty") {}.explain().longestTime == nil)
  }

  @Test func `an empty pipeline calls its operation once and is not accused`() {
    let empty = Pipeline("empty") {}.explain()
    #expect(empty.maximumCalls == 1 && empty.stages.isEmpty && empty.findings.isEmpty)
  }

  @Test func `a policy that somebody else wrote is named and not accused`() {
    let pipeline = Pipeline("foreign") {
      Retry()
      PipelineTests.Witness(name: "w", log: Log())
    }
    let explanation = pipeline.explain()
    #expect(explanation.stages.last?.title.hasSuffix("Witness") == true)
    #expect(explanation.findings.isEmpty)
    #expect(explanation.unboundedBecause?.contains("Witness") == true)
  }

  @Test func `a limit outside of a stage of unknown length bounds it`() {
    let pipeline = Pipeline("bounded") {
      Deadline(.seconds(3))
      PipelineTests.Witness(name: "w", log: Log())
    }
    #expect(pipeline.explain().longestTime == .seconds(3))
  }

  @Test(
    arguments: [
      (Duration.zero, "0 s"), (.nanoseconds(1_500), "1.5 µs"), (.milliseconds(250), "250 ms"),
      (.seconds(1.5), "1.5 s"), (.seconds(90), "90 s"), (.seconds(600), "10 min"),
      (.seconds(7200), "2 h"), (.seconds(365 * 86_400), "365 d"),
    ])
  func `spans of time are said in words`(span: Duration, words: String) {
    #expect(span.inWords == words)
  }

  @Test(.requirement("P10", "P18", "P23", "T8"))
  func `no settings make the numbers overflow or trap`() {
    var random = SeededGenerator(seed: 11)
    let spans: [Duration] = [
      .nanoseconds(1), .milliseconds(1), .seconds(1), .seconds(3600), .seconds(365 * 86_400),
      .seconds(1e15), .seconds(Int64.max),
    ]
    for _ in 0..<RandomDose.cases * 10 {
      let attempts = [1, 2, 3, 1000, 1002, .max].randomElement(using: &random) ?? 1
      let (first, cap) = (spans.randomElement(using: &random) ?? .zero, spans[spans.count - 1])
      let backoff: Backoff =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .none
        case 1: .constant(first)
        case 2: .linear(from: first, by: cap, to: cap)
        default: .exponential(from: first, to: cap, factor: 1e300, jitter: .decorrelated)
        }
      let retry = Retry(
        maximumAttempts: attempts, backoff: backoff,
        maximumServerDelay: spans.randomElement(using: &random) ?? .zero,
        maximumElapsed: Bool.random(using: &random) ? spans.randomElement(using: &random) : nil)
      let limit = spans.randomElement(using: &random) ?? .seconds(1)
      let explanation = Pipeline("random") {
        retry
        Pipeline("inner") {
          retry
          Timeout(limit)
        }
      }.explain()
      #expect(explanation.maximumCalls >= attempts)
      let longest = explanation.longestTime ?? .zero
      #expect(longest >= min(limit, .seconds(365 * 86_400)))
      #expect(longest <= .seconds(365 * 86_400))
      #expect(!explanation.description.isEmpty)
    }
  }
}
