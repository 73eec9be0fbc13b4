// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Callers that wait for the verdict of a probe.
@Suite struct CircuitBreakerWaitingTests {
  private typealias Gate = BreakerBench.Gate

  private let clock = ManualClock()
  private let events = EventRecorder()

  private var told: [String] { BreakerBench.names(events.events) }

  /// Half-open, and nobody probes yet.
  private func breaker(
    permits: Int = 1, required: Int = 1, lease: Duration? = nil, atMost: Duration = .seconds(4),
    callers: Int = 100
  ) -> CircuitBreaker {
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakJitter: 0,
      halfOpen: .init(
        permits: permits, required: required, lease: lease,
        whileProbing: .wait(atMost: atMost, callers: callers)),
      clock: clock, observer: events)
    breaker.halfOpen()
    return breaker
  }

  @Test(.requirement("P2")) func `those who wait go on once the probe has succeeded`()
    async throws
  {
    let breaker = breaker()
    let probe = try breaker.admit()
    let calls = await started(3) { number in try await breaker.run { number } }
    #expect(breaker.waiting == 3)
    clock.advance(by: .seconds(1))
    probe.succeed()
    for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
    #expect(breaker.waiting == 0)
    #expect(told.first == "circuitHalfOpened" && told.dropFirst().first == "circuitClosed")
    #expect(!told.contains("rejected"))
  }

  @Test(.requirement("P2", "P6")) func `those who wait are refused once the probe has failed`()
    async throws
  {
    let breaker = breaker()
    let probe = try breaker.admit()
    let call = Task { try await breaker.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    probe.fail()
    let refused = await #expect(throws: Rejection.self) { try await call.value }
    #expect(
      refused == Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .seconds(5)))
    #expect(told == ["circuitHalfOpened", "circuitOpened", "rejected"])
  }

  @Test(.requirement("P3")) func `a probe without a verdict leaves its place to who waits`()
    async throws
  {
    let breaker = breaker()
    let probe = try breaker.admit()
    let call = Task { try await breaker.run { 42 } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    probe.ignore()
    #expect(try await call.value == 42)
    #expect(breaker.state == .closed)
    #expect(told == ["circuitHalfOpened", "waited", "circuitClosed"])
    guard case .waited(.seconds(1)) = events.events[1].what else {
      Issue.record("\(events.events)")
      return
    }
  }

  @Test(.requirement("P22", "T9")) func `nobody waits longer than it is willing to`() async throws {
    let breaker = breaker()
    let probe = try breaker.admit()
    let call = Task { try await breaker.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(4))
    let refused = await #expect(throws: Rejection.self) { try await call.value }
    #expect(refused == Rejection(policy: "catalog", reason: .waitedTooLong))
    #expect(breaker.waiting == 0)
    #expect(breaker.state == .halfOpen)
    probe.succeed()
    #expect(told == ["circuitHalfOpened", "rejected", "circuitClosed"])
  }

  @Test(.requirement("P22", "T9")) func `nobody waits beyond the deadline`() async throws {
    let breaker = breaker()
    let probe = try breaker.admit()
    let pipeline = Pipeline("reads") {
      Deadline(.seconds(2), clock: clock)
      breaker
      Timeout(.seconds(60), clock: clock)
    }
    let call = Task { try await pipeline.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    let refused = await #expect(throws: Rejection.self) { try await call.value }
    #expect(refused?.reason == .deadlineTooClose)
    probe.ignore()
  }

  @Test(.requirement("P4")) func `a lease that passes decides for those who wait`() async throws {
    let breaker = breaker(lease: .seconds(3))
    let probe = try breaker.admit()
    let calls = await started(2) { _ in try await breaker.run { Issue.record("it ran") } }
    #expect(breaker.waiting == 2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    for call in calls {
      let refused = await #expect(throws: Rejection.self) { try await call.value }
      #expect(refused?.reason == .circuitOpen)
    }
    probe.succeed()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test(.requirement("P26", "P31")) func `a cancelled caller leaves, and the next one is not lost`()
    async throws
  {
    let breaker = breaker()
    let probe = try breaker.admit()
    let first = await started { try await breaker.run { Issue.record("it ran") } }
    let second = await started { try await breaker.run { 42 } }
    #expect(breaker.waiting == 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    probe.ignore()
    #expect(try await second.value == 42)
    #expect(!told.contains("rejected"))
    // A caller that was cancelled before does not even begin to wait.
    breaker.halfOpen()
    let other = try breaker.admit()
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await breaker.run {}
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    other.ignore()
  }

  @Test(.requirement("P32")) func `so many wait and no more`() async throws {
    let breaker = breaker(callers: 1)
    let probe = try breaker.admit()
    let call = Task { try await breaker.run { 42 } }
    await clock.sleepers(atLeast: 1)
    #expect(breaker.waiting == 1)
    let refused = await #expect(throws: Rejection.self) { try await breaker.run {} }
    #expect(refused == Rejection(policy: "catalog", reason: .circuitProbing))
    #expect(told == ["circuitHalfOpened", "rejected"])
    probe.succeed()
    #expect(try await call.value == 42)
  }

  @Test func `what is admitted without a closure never waits`() throws {
    let breaker = breaker()
    let probe = try breaker.admit()
    let refused = #expect(throws: Rejection.self) { try breaker.admit().ignore() }
    #expect(refused?.reason == .circuitProbing)
    #expect(told == ["circuitHalfOpened", "rejected"])
    probe.ignore()
  }

  @Test(arguments: ["isolate", "reset", "mode"])
  func `whatever is done by hand ends the waiting`(deed: String) async throws {
    let breaker = breaker()
    let probe = try breaker.admit()
    let call = Task { try await breaker.run { 42 } }
    await clock.sleepers(atLeast: 1)
    var isolation: CircuitBreaker.Isolation?
    switch deed {
    case "isolate":
      isolation = breaker.isolate()
      let refused = await #expect(throws: Rejection.self) { try await call.value }
      #expect(refused?.reason == .circuitIsolated)
    case "reset":
      breaker.reset()
      #expect(try await call.value == 42)
    default:
      breaker.setMode(.metricsOnly)
      #expect(try await call.value == 42)
    }
    isolation?.end()
    probe.ignore()
    #expect(breaker.waiting == 0)
  }

  @Test(.requirement("P37")) func `whether callers wait can be changed`() async throws {
    let breaker = breaker()
    let probe = try breaker.admit()
    var settings = breaker.configuration
    settings.halfOpen.whileProbing = .reject
    try breaker.update(settings)
    let refused = await #expect(throws: Rejection.self) { try await breaker.run {} }
    #expect(refused?.reason == .circuitProbing)
    #expect(told == ["circuitHalfOpened", "settingsChanged", "rejected"])
    probe.ignore()
  }

  @MainActor @Test func `a caller that waits stays on its actor`() async throws {
    let breaker = breaker()
    let gate = Gate()
    let probe = Task {
      try await breaker.run {
        await gate.pass()
        throw CancellationError()
      }
    }
    await gate.arrivals(atLeast: 1)
    let deciding = Task {
      await clock.sleepers(atLeast: 1)
      gate.open()
    }
    var count = 0
    try await breaker.run {
      MainActor.assertIsolated()
      count += 1
    }
    await deciding.value
    _ = await probe.result
    #expect(count == 1)
  }

  @Test(.requirement("P2", "P31"))
  func `all end and no place is lost, whatever becomes of many callers`() async throws {
    for seed in 0..<UInt64(RandomDose.isTorture ? 300 : 10) {
      var random = SeededGenerator(seed: seed)
      let breaker = breaker(permits: 2, required: 2, atMost: .seconds(60), callers: 20)
      // Without a verdict it stays half-open, and all places are those of one cycle.
      let hasVerdicts = seed.isMultiple(of: 2)
      let calls = (0..<40).map { number in
        Task {
          try await breaker.run {
            for _ in 0..<number % 3 { await Task.yield() }
            switch number % 4 {
            case _ where !hasVerdicts: throw CancellationError()
            case 0: throw CancellationError()
            case 1 where number > 20: throw BreakerBench.down
            default: break
            }
          }
        }
      }
      for call in calls where Int.random(in: 0..<4, using: &random) == 0 { call.cancel() }
      // Whoever still waits does so for a probe that runs.
      for call in calls { _ = await call.result }
      #expect(breaker.waiting == 0, "seed \(seed)")
      if hasVerdicts {
        breaker.close()
        breaker.halfOpen()
      }
      #expect(breaker.state == .halfOpen)
      let first = try breaker.admit()
      let second = try breaker.admit()
      #expect(throws: Rejection.self, "seed \(seed)") { try breaker.admit().ignore() }
      first.ignore()
      second.ignore()
    }
  }

  @Test(.requirement("P10", "P23", "T8"))
  func `settings about waiting are checked, and survive JSON`() throws {
    let wrong = CircuitBreaker.Configuration(
      name: "a", halfOpen: .init(whileProbing: .wait(atMost: .zero, callers: 0)))
    let error = #expect(throws: ConfigurationError.self) {
      try CircuitBreaker(validating: wrong)
    }
    #expect(error?.violations.map(\.option) == ["halfOpen.wait", "halfOpen.callers"])
    for halfOpen in [
      CircuitBreaker.HalfOpen(), .init(whileProbing: .wait(atMost: .seconds(2))),
      .init(whileProbing: .wait(atMost: .milliseconds(1), callers: 10_000)),
    ] {
      let settings = CircuitBreaker.Configuration(name: "a", halfOpen: halfOpen)
      _ = try CircuitBreaker(validating: settings)
      #expect(
        try JSONDecoder().decode(
          CircuitBreaker.Configuration.self, from: JSONEncoder().encode(settings)) == settings)
    }
    let short = try JSONDecoder().decode(
      CircuitBreaker.WhileProbing.self, from: Data(#"{"wait": 2}"#.utf8))
    #expect(short == .wait(atMost: .seconds(2)))
  }

  @Test func `a pipeline says that callers wait, and for how long`() {
    let explanation = Pipeline("reads") { breaker() }.explain()
    #expect(explanation.description.contains("others wait up to 4 s"))
  }

  @Test func `a wait of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = CircuitBreaker(
        "catalog", halfOpen: .init(whileProbing: .wait(atMost: .zero)))
    }
  }
}
