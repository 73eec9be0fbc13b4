// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Settings that change while calls run and wait (P37).
@Suite(.requirement("P37")) struct LiveSettingsTests {
  private typealias Gate = BreakerBench.Gate

  private let clock = ManualClock()
  private let events = EventRecorder()

  private var told: [String] { BreakerBench.names(events.events) }

  private func bulkhead(queue: Int = 1) -> Bulkhead {
    Bulkhead("catalog", limit: 1, queue: queue, clock: clock, observer: events)
  }

  @Test func `a higher limit lets waiters in, a lower one lets those who run finish`()
    async throws
  {
    let bulkhead = bulkhead()
    let gate = Gate()
    async let first: Void = bulkhead.run { await gate.pass() }
    await gate.arrivals(atLeast: 1)
    async let second: Void = bulkhead.run { await gate.pass() }
    await clock.sleepers(atLeast: 1)
    var settings = bulkhead.configuration
    #expect(settings == Bulkhead.Configuration(name: "catalog", limit: 1, queue: 1))
    settings.limit = 2
    try bulkhead.update(settings)
    await gate.arrivals(atLeast: 2)
    settings.limit = 1
    try bulkhead.update(settings)
    #expect(bulkhead.running == 2 && bulkhead.limit == 1)
    gate.open()
    _ = try await (first, second)
    #expect(bulkhead.running == 0)
    #expect(told.filter { $0 == "limitChanged" }.count == 2)
    #expect(told.filter { $0 == "settingsChanged" }.count == 2)
  }

  @Test func `who waits stays when the queue and the wait get shorter`() async throws {
    let bulkhead = bulkhead()
    let gate = Gate()
    async let first: Void = bulkhead.run { await gate.pass() }
    await gate.arrivals(atLeast: 1)
    let waiter = Task { try await bulkhead.run { 42 } }
    await clock.sleepers(atLeast: 1)
    try bulkhead.update(.init(name: "catalog", limit: 1, queue: 0, maximumWait: .seconds(1)))
    #expect(bulkhead.waiting == 1)
    let refused = await #expect(throws: Rejection.self) { try await bulkhead.run {} }
    #expect(refused?.reason == .bulkheadFull)
    clock.advance(by: .seconds(9))
    gate.open()
    #expect(try await waiter.value == 42)
    try await first
  }

  @Test func `a new wait holds for those who come later`() async throws {
    let bulkhead = bulkhead()
    let gate = Gate()
    async let first: Void = bulkhead.run { await gate.pass() }
    await gate.arrivals(atLeast: 1)
    try bulkhead.update(.init(name: "catalog", limit: 1, queue: 1, maximumWait: .seconds(1)))
    let waiter = Task { try await bulkhead.run {} }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let refused = await #expect(throws: Rejection.self) { try await waiter.value }
    #expect(refused?.reason == .waitedTooLong)
    gate.open()
    try await first
  }

  @Test(.requirement("P10", "P23"))
  func `settings that are not legal change nothing, and everything wrong is said at once`() {
    let bulkhead = bulkhead()
    let error = #expect(throws: ConfigurationError.self) {
      try bulkhead.update(.init(name: "other", limit: 0, queue: -1, maximumWait: .zero))
    }
    #expect(error?.violations.map(\.option) == ["name", "limit", "queue", "maximumWait"])
    #expect(bulkhead.configuration == Bulkhead.Configuration(name: "catalog", limit: 1, queue: 1))
    let limit = AdaptiveLimit("catalog", clock: clock, observer: events)
    let second = #expect(throws: ConfigurationError.self) {
      try limit.update(.init(name: "other", kind: .vegas(initial: 0), queue: -1))
    }
    #expect(second?.violations.map(\.option) == ["name", "initial", "queue"])
    let cooldown = Cooldown("catalog", clock: clock, observer: events)
    let third = #expect(throws: ConfigurationError.self) {
      try cooldown.update(.init(withoutHint: .seconds(-1), maximum: .zero))
    }
    #expect(third?.violations.map(\.option) == ["withoutHint", "maximum"])
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    let fourth = #expect(throws: ConfigurationError.self) {
      try limiter.update(.init(name: "other", kind: .gcra(rate: 1, per: .seconds(1))))
    }
    #expect(fourth?.violations.map(\.option) == ["name"])
    #expect(events.events.isEmpty)
  }

  @Test(.requirement("P34")) func `an adaptive limit stays where it is, within its new bounds`()
    async throws
  {
    let limit = AdaptiveLimit("catalog", .aimd(), clock: clock, seed: 1, observer: events)
    try limit.update(.init(name: "catalog", kind: .gradient2(maximum: 500)))
    #expect(limit.limit == 20)
    try limit.update(.init(name: "catalog", kind: .vegas(initial: 5, maximum: 7), queue: 3))
    #expect(limit.limit == 7)
    try limit.update(.init(name: "catalog", kind: .aimd(initial: 50, minimum: 9)))
    #expect(limit.limit == 9)
    #expect(limit.configuration.kind == .aimd(initial: 50, minimum: 9))
    await #expect(throws: AppError.self) {
      try await limit.run { throw AppError.http(status: 503, isRepeatable: true) }
    }
    #expect(limit.limit == 9)  // the lowest
    #expect(told.filter { $0 == "settingsChanged" }.count == 3)
    #expect(told.filter { $0 == "limitChanged" }.count == 2)
  }

  @Test(.requirement("P34")) func `what began before the settings changed says nothing`()
    async throws
  {
    let limit = AdaptiveLimit("catalog", .aimd(), clock: clock, seed: 1)
    let gate = Gate()
    let call = Task {
      try await limit.run {
        await gate.pass()
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await gate.arrivals(atLeast: 1)
    try limit.update(.init(name: "catalog", kind: .aimd(maximum: 30)))
    gate.open()
    await #expect(throws: AppError.self) { try await call.value }
    #expect(limit.limit == 20)
  }

  @Test(.requirement("P34")) func `whatever is changed, a limit stays within the bounds in force`()
    async throws
  {
    for seed in 0..<RandomDose.schedules / 20 {
      var random = SeededGenerator(seed: seed)
      let limit = AdaptiveLimit("catalog", clock: clock, seed: seed)
      var bounds = 1...200
      for _ in 0..<30 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let minimum = Int.random(in: 1...50, using: &random)
          bounds = minimum...Int.random(in: minimum...300, using: &random)
          let (low, high) = (bounds.lowerBound, bounds.upperBound)
          let kinds: [AdaptiveLimit.Kind] = [
            .aimd(initial: high, minimum: low, maximum: high),
            .vegas(initial: low, minimum: low, maximum: high),
            .gradient2(initial: low, minimum: low, maximum: high),
          ]
          let kind = kinds[Int.random(in: 0..<3, using: &random)]
          try limit.update(.init(name: "catalog", kind: kind))
        case 1: _ = try? await limit.run { throw AppError.http(status: 503, isRepeatable: true) }
        default:
          let time = Duration.milliseconds(Int.random(in: 0...6_000, using: &random))
          try await limit.run { clock.advance(by: time) }
        }
        #expect(bounds.contains(limit.limit), "seed \(seed)")
        #expect(limit.running == 0, "seed \(seed)")
      }
    }
  }

  @Test func `a waiter at an adaptive limit is let in by a higher minimum`() async throws {
    let limit = AdaptiveLimit(
      "catalog", .aimd(initial: 1, maximum: 1), queue: 1, clock: clock, seed: 1)
    let gate = Gate()
    async let first: Void = limit.run { await gate.pass() }
    await gate.arrivals(atLeast: 1)
    async let second: Void = limit.run { await gate.pass() }
    await clock.sleepers(atLeast: 1)
    try limit.update(.init(name: "catalog", kind: .aimd(initial: 2, minimum: 2), queue: 1))
    await gate.arrivals(atLeast: 2)
    gate.open()
    _ = try await (first, second)
    #expect(limit.running == 0)
  }

  @Test(.requirement("P24")) func `a cooldown that has begun keeps its promise`() async throws {
    let cooldown = Cooldown(
      "catalog", maximumWait: .seconds(60), spread: .zero, clock: clock, seed: 1, observer: events)
    cooldown.begin(for: .seconds(30))
    let waiter = Task { try await cooldown.run { 42 } }
    await clock.sleepers(atLeast: 1)
    try cooldown.update(.init(maximum: .seconds(5), maximumWait: .zero, spread: .zero))
    #expect(cooldown.configuration.maximum == .seconds(5))
    #expect(cooldown.remaining == .seconds(30))
    let refused = await #expect(throws: Rejection.self) { try await cooldown.run {} }
    #expect(refused?.retryAfter == .seconds(30))
    clock.advance(by: .seconds(30))
    #expect(try await waiter.value == 42)
    cooldown.begin(for: .seconds(30))
    #expect(cooldown.remaining == .seconds(5))
    #expect(
      told == ["cooldownBegan", "settingsChanged", "rejected", "waited", "cooldownBegan"])
  }

  @Test func `all cooldowns of a client change, those to come as well`() throws {
    let cooldowns = Cooldowns(clock: clock, seed: 1)
    let known = cooldowns.cooldown(for: "a")
    try cooldowns.update(.init(maximum: .seconds(5)))
    for cooldown in [known, cooldowns.cooldown(for: "b")] {
      cooldown.begin(for: .seconds(30))
      #expect(cooldown.remaining == .seconds(5))
    }
    #expect(throws: ConfigurationError.self) { try cooldowns.update(.init(maximum: .zero)) }
  }

  @Test(.requirement("P33")) func `a rate limiter lets later calls wait longer`() async throws {
    let limiter = RateLimiter(
      "catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock, observer: events)
    try await limiter.run {}
    await #expect(throws: Rejection.self) { try await limiter.run {} }
    var settings = limiter.configuration
    settings.maximumWait = .seconds(1)
    try limiter.update(settings)
    let call = Task { try await limiter.run { 42 } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(try await call.value == 42)
    settings.kind = .gcra(rate: 100, per: .seconds(1))
    try limiter.update(settings)
    #expect(limiter.configuration == settings)
    #expect(told == ["rejected", "settingsChanged", "waited", "settingsChanged"])
  }
}
