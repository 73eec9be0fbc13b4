// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct HedgeTests {
  struct Down: Error, Equatable {}

  private let clock = ManualClock()
  private let recorder = EventRecorder()

  private func hedge(
    after delay: Hedge.Delay = .fixed(.seconds(2)), copies: Int = 2,
    safety: Hedge.Safety = .safeToRepeat, budget: RetryBudget? = .unlimited
  ) -> Hedge {
    Hedge(
      after: delay, maximumCopies: copies, safety: safety, budget: budget, clock: clock,
      observer: recorder)
  }

  /// What each copy does, in the order in which they are started.
  final class Script: Sendable {
    enum Act: Sendable {
      case returns
      case fails(AppError)
      /// Waits on the script's clock, and does the rest afterwards.
      indirect case waits(Duration, then: Act)
    }

    let clock = ManualClock()
    let log = Log()
    private let acts: [Act]
    private let count = Locked(0)

    init(_ acts: Act...) { self.acts = acts }

    var started: Int { count.withLock { $0 } }

    /// Returns the number of the copy.
    @Sendable func run() async throws -> Int {
      let copy = count.withLock { count in
        count += 1
        return count
      }
      try await play(acts[min(copy, acts.count) - 1], copy)
      return copy
    }

    private func play(_ act: Act, _ copy: Int) async throws {
      switch act {
      case .returns: return
      case .fails(let error): throw error
      case .waits(let duration, let next):
        do {
          try await clock.sleep(until: clock.now.advanced(by: duration))
        } catch {
          log.add("\(copy) cancelled")
          throw error
        }
        try await play(next, copy)
      }
    }
  }

  /// Lets a test wait until a copy was withheld.
  struct Listener: PolicyObserver {
    let recorder: EventRecorder
    let withheld = Countdown(1)

    init(_ recorder: EventRecorder) { self.recorder = recorder }

    func observe(_ event: PolicyEvent) {
      recorder.observe(event)
      if case .hedgeWithheld = event.what { withheld.count() }
    }
  }

  static let down = AppError.http(status: 503, isRepeatable: true)
  static let slow = Script.Act.waits(.seconds(100), then: .returns)

  @Test func `a call that answers in time is one call`() async throws {
    let script = Script(.returns)
    #expect(try await hedge().runSendable(script.run) == 1)
    #expect(script.started == 1 && recorder.events.isEmpty)
  }

  @Test(.requirement("P29")) func `a slow call gets a second copy, and the first answer wins`()
    async throws
  {
    let script = Script(Self.slow, .waits(.seconds(1), then: .returns))
    async let answer = hedge().runSendable(script.run)
    await clock.sleepers(atLeast: 1)
    await script.clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await script.clock.sleepers(atLeast: 2)
    script.clock.advance(by: .seconds(1))
    #expect(try await answer == 2)
    #expect(script.log.lines == ["1 cancelled"], "the loser has ended when the call returns")
    #expect(recorder.names == ["hedgeStarted", "hedgeWon"])
    guard case .hedgeStarted(copy: 2, let after) = recorder.events.first?.what else {
      Issue.record("another event came first")
      return
    }
    #expect(after == .seconds(2))
  }

  @Test(.requirement("P29")) func `a fast failure does not win over a copy that still runs`()
    async throws
  {
    let script = Script(.waits(.seconds(9), then: .returns), .fails(Self.down))
    async let answer = hedge(after: .fixed(.zero)).runSendable(script.run)
    await script.clock.sleepers(atLeast: 1)
    script.clock.advance(by: .seconds(9))
    _ = try await answer
    #expect(recorder.names == ["hedgeStarted", "hedgeWon"])
  }

  @Test func `once all have failed the first failure is thrown`() async {
    let script = Script(
      .fails(Self.down.adding(metadata: ["n": "1"])),
      .fails(Self.down.adding(metadata: ["n": "2"])))
    let error = await #expect(throws: AppError.self) {
      try await hedge().runSendable(script.run)
    }
    #expect(error?.metadata["n"] == "1")
    #expect(script.started == 2, "the second one was started at once")
  }

  @Test(.requirement("P30")) func `no copy follows one that was asked to slow down`() async {
    let script = Script(.fails(.http(status: 429, retryAfter: .seconds(3))), .returns)
    let error = await #expect(throws: AppError.self) {
      try await hedge(copies: 5).runSendable(script.run)
    }
    #expect(error?.disposition == .throttled(retryAfter: .seconds(3)) && script.started == 1)
  }

  @Test(.requirement("P29")) func `an answer that will not change ends the call at once`() async {
    let script = Script(Self.slow, .fails(.http(status: 404)))
    let result = Task { [hedge = hedge()] in try await hedge.runSendable(script.run) }
    await clock.sleepers(atLeast: 1)
    await script.clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    let error = await #expect(throws: AppError.self) { try await result.value }
    #expect(error?.httpStatus == 404)
    #expect(script.log.lines == ["1 cancelled"])
  }

  @Test(.requirement("P30")) func `a second copy is paid for`() async throws {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 10, clock: clock)
    let hedge = hedge(after: .fixed(.zero), budget: budget)
    let script = Script(.returns)
    for _ in 0..<1_000 { _ = try await hedge.runSendable(script.run) }
    #expect(script.started == 1_000 + 10 + 200)
    let withheld = recorder.events.filter {
      if case .hedgeWithheld(copy: 2, reason: .budgetExhausted) = $0.what { true } else { false }
    }
    #expect(withheld.count == 1_000 - 210)
  }

  @Test(.requirement("P30")) func `retry and hedge draw on one budget, and pay in once`() async {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 1, clock: clock)
    let hedge = hedge(budget: budget)
    let pipeline = Pipeline("both") {
      Retry(maximumAttempts: 5, backoff: .none, budget: budget)
      hedge
    }
    let script = Script(.fails(Self.down))
    _ = try? await pipeline.runSendable(script.run)
    #expect(script.started == 2, "one token: the hedge took it")
    #expect(budget.available == 0.2)
  }

  @Test(.requirement("P30")) func `a hedge outside of a retry pays in once for both`()
    async throws
  {
    for safety in [Hedge.Safety.safeToRepeat, .underIdempotencyKey] {
      let budget = RetryBudget(minimumPerSecond: 0, initial: 0, clock: clock)
      let hedge = hedge(safety: safety, budget: budget)
      let retry = Retry(budget: budget, clock: clock)
      let pipeline = Pipeline("both") {
        hedge
        Pipeline("inner") { retry }
      }
      try await pipeline.runSendable {}
      #expect(budget.available == 0.2)
    }
  }

  @Test(.requirement("P30")) func `a hedge pays into a budget that the retry outside lacks`()
    async throws
  {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 0, clock: clock)
    let hedge = hedge(budget: budget)
    let pipeline = Pipeline("apart") {
      Retry(budget: .unlimited, clock: clock)
      hedge
    }
    try await pipeline.runSendable {}
    #expect(budget.available == 0.2)
  }

  @Test(.requirement("P29")) func `no copy is begun for a caller that has gone away`() async {
    let script = Script(Self.slow)
    let task = Task { [hedge = hedge()] in try await hedge.runSendable(script.run) }
    await clock.sleepers(atLeast: 1)
    await script.clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    clock.advance(by: .seconds(9))
    #expect(script.started == 1)
    let gone = Task { [hedge = hedge()] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await hedge.runSendable(script.run)
    }
    await #expect(throws: CancellationError.self) { try await gone.value }
    #expect(script.started == 1)
  }

  @Test(.requirement("P29")) func `no copy is begun too close to the deadline`() async {
    let (script, told) = (Script(Self.slow), Listener(recorder))
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(3), clock: clock)
      Hedge(
        after: .fixed(.seconds(2)), safety: .safeToRepeat, budget: .unlimited, clock: clock,
        observer: told)
    }
    let task = Task { try await pipeline.run(script.run) }
    await clock.sleepers(atLeast: 1)
    await script.clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await told.withheld.reached()
    #expect(recorder.names == ["hedgeWithheld"])
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(script.started == 1)
  }

  @Test(.requirement("P25")) func `only what is safe to repeat gets a second copy`() async throws {
    let hedge = hedge(after: .fixed(.zero), safety: .underIdempotencyKey)
    let bare = Script(.returns)
    #expect(try await hedge.runSendable(bare.run) == 1)
    #expect(bare.started == 1)
    let keyed = Script(.returns)
    _ = try await IdempotencyKey().active { try await hedge.runSendable(keyed.run) }
    #expect(keyed.started == 2)
  }

  @Test(.requirement("P29")) func `a loser is nothing to a breaker inside`() async throws {
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(1), observer: recorder)
    let pipeline = Pipeline("catalog") {
      Retry()
      hedge()
      breaker
    }
    let script = Script(Self.slow, .waits(.seconds(1), then: .returns))
    async let answer = pipeline.run(script.run)
    await clock.sleepers(atLeast: 1)
    await script.clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await script.clock.sleepers(atLeast: 2)
    script.clock.advance(by: .seconds(1))
    #expect(try await answer == 2)
    #expect(breaker.state == .closed)
  }

  @Test func `a percentile follows the calls once enough of them are known`() async throws {
    let hedge = hedge(after: .percentile(0.95, initially: .seconds(1_000), minimumSamples: 20))
    for call in 1...20 {
      #expect(hedge.currentDelay == .seconds(1_000))
      try await hedge.runSendable { [clock] in clock.advance(by: .seconds(call)) }
    }
    #expect(hedge.currentDelay == .seconds(19))
  }

  @Test func `each copy begins at the latest when the one before has ended`() async throws {
    func longest(_ hedge: Hedge) -> Duration? {
      Pipeline("books") {
        hedge
        Timeout(.seconds(10), clock: clock)
      }.explain().longestTime
    }
    let none = RetryBudget(ratio: 0.001, minimumPerSecond: 0, initial: 0, clock: clock)
    let usual = hedge(after: .percentile(0.95), budget: none)
    #expect(longest(usual) == .seconds(20))
    for _ in 1...20 { try await usual.runSendable { [clock] in clock.advance(by: .seconds(9)) } }
    #expect(usual.currentDelay == .seconds(9))
    #expect(longest(usual) == .seconds(20), "as long as the calls may take, not as they took")
    #expect(longest(hedge(after: .fixed(.seconds(2)), copies: 3)) == .seconds(14))
    #expect(longest(hedge(after: .fixed(.seconds(60)))) == .seconds(20))
  }

  @Test(.requirement("P29")) func `calls that were cut short do not make the delay shorter`()
    async throws
  {
    let hedge = hedge(after: .percentile(0.5, initially: .seconds(1_000), minimumSamples: 1))
    _ = try await hedge.runSendable { [clock] in clock.advance(by: .seconds(10)) }
    #expect(hedge.currentDelay == .seconds(10))
    for _ in 1...3 {
      let script = Script(Self.slow, .returns)
      async let answer = hedge.runSendable(script.run)
      await clock.sleepers(atLeast: 1)
      await script.clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(10))
      #expect(try await answer == 2)
    }
    #expect(hedge.currentDelay == .seconds(10), "three answers in no time came from second copies")
  }

  @Test(.requirement("P29")) func `many calls at once all end with an answer of their own`() async {
    let hedge = hedge(after: .fixed(.zero), copies: 3)
    let answers = await withTaskGroup(of: Int?.self) { group in
      for call in 0..<RandomDose.cases {
        group.addTask {
          let count = Locked(0)
          return try? await hedge.runSendable {
            let copy = count.withLock { count in
              count += 1
              return count
            }
            await Task.yield()
            if copy + call % 3 < 3 { throw Self.down }
            return call
          }
        }
      }
      return await group.reduce(into: [Int]()) { if let answer = $1 { $0.append(answer) } }
    }
    #expect(answers.sorted() == Array(0..<RandomDose.cases))
  }

  @Test(.requirement("P10", "P23")) func `settings say everything that is wrong at once`() throws {
    let json = #"{"delay": {"percentile": 1, "initially": -1, "minimumSamples": 0}}"#
    var settings = try JSONDecoder().decode(Hedge.Configuration.self, from: Data(json.utf8))
    settings.maximumCopies = 1
    let error = #expect(throws: ConfigurationError.self) { try Hedge(validating: settings) }
    #expect(
      error?.violations.map(\.option) == [
        "delay.percentile", "delay.initially", "delay.minimumSamples", "maximumCopies",
      ])
    for share in [Double.nan, .infinity, -1, 0.49] {
      #expect(throws: ConfigurationError.self) {
        try Hedge(validating: .init(delay: .percentile(share)))
      }
    }
    for fixed in [Duration.seconds(-1), .seconds(Int64.min)] {
      #expect(throws: ConfigurationError.self) {
        try Hedge(validating: .init(delay: .fixed(fixed)))
      }
    }
    let long = try Hedge(validating: .init(delay: .fixed(.seconds(Int64.max))))
    #expect(long.currentDelay == .seconds(365 * 86_400))
    for settings in [
      Hedge.Configuration(delay: .fixed(.seconds(2)), maximumCopies: 3), Hedge.Configuration(),
    ] {
      let data = try JSONEncoder().encode(settings)
      #expect(try JSONDecoder().decode(Hedge.Configuration.self, from: data) == settings)
    }
    let bare = try JSONDecoder().decode(Hedge.Configuration.self, from: Data("{}".utf8))
    #expect(bare == Hedge.Configuration())
  }

  @Test(.requirement("P23")) func `illegal literals stop the program`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Hedge(maximumCopies: 11)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("maximumCopies: 11") && said.contains("2 to 10"))
    await #expect(processExitsWith: .failure) { _ = Hedge(after: .fixed(.seconds(-1))) }
  }
}
