// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Rates, modes and other settings, through the breaker itself.
@Suite struct CircuitBreakerRateTests {
  private typealias Bench = BreakerBench

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker(
    _ rule: CircuitBreaker.TripRule, mode: CircuitBreaker.Mode = .enabled
  ) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", rule, breakJitter: 0, mode: mode, clock: clock, observer: events)
  }

  @Test(.requirement("P9")) func `the recommended rule opens by rate and by failures in a row`()
    async
  {
    let inARow = breaker(.recommended)
    for _ in 0..<5 { _ = await Bench.call(inARow, throwing: Bench.down) }
    #expect(inARow.state == .open(retryAfter: .seconds(5)))
    let byRate = breaker(.recommended)
    for _ in 0..<10 {
      #expect(byRate.state == .closed)
      _ = await Bench.call(byRate)
      _ = await Bench.call(byRate, throwing: Bench.down)
    }
    #expect(byRate.state == .open(retryAfter: .seconds(5)))
    let slowly = breaker(.recommended)
    for _ in 0..<10 {
      clock.advance(by: .seconds(2))
      _ = await Bench.call(slowly)
      _ = await Bench.call(slowly, throwing: Bench.down)
    }
    #expect(slowly.state == .open(retryAfter: .seconds(5)))
    let rarely = breaker(.recommended)
    for _ in 0..<30 {
      _ = await Bench.call(rarely)
      _ = await Bench.call(rarely, throwing: Bench.down)
      clock.advance(by: .seconds(4))
    }
    #expect(rarely.state == .closed)
  }

  @Test(.requirement("P13")) func `slow calls open, measured by the clock of the breaker`() async {
    let breaker = breaker(
      .slowCalls(rate: 0.5, longerThan: .seconds(1), over: .count(4), minimumThroughput: 4))
    for seconds in [1, 1, 2] {
      try? await breaker.run { clock.advance(by: .seconds(seconds)) }
      #expect(breaker.state == .closed)
    }
    try? await breaker.run {
      clock.advance(by: .seconds(9))
      throw Bench.error(.permanent)
    }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    clock.advance(by: .seconds(5))
    try? await breaker.run { clock.advance(by: .seconds(2)) }
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
    guard case .circuitOpened(let failures, _) = events.events.first?.what else {
      Issue.record("\(events.events)")
      return
    }
    #expect(failures == 2)
  }

  @Test func `a call that began before anybody asked how long it takes is not slow`() async throws {
    let breaker = breaker(.consecutiveFailures(1))
    try await breaker.run {
      var settings = breaker.configuration
      settings.tripRule = .slowCalls(
        rate: 0.1, longerThan: .seconds(1), over: .count(1), minimumThroughput: 1)
      try breaker.update(settings)
      clock.advance(by: .seconds(60))
    }
    #expect(breaker.state == .closed)
    try await breaker.run { clock.advance(by: .seconds(60)) }
    #expect(breaker.state != .closed)
  }

  @Test func `slow calls are measured by a live clock as well`() async {
    let breaker = CircuitBreaker(
      "catalog", .slowCalls(rate: 0.1, longerThan: .seconds(86_400), minimumThroughput: 1))
    for _ in 0..<10 { #expect(await Bench.call(breaker) == .ran) }
    #expect(breaker.state == .closed)
  }

  @Test func `the clock is read as often as the rules need it, and not more`() async {
    let count = CircuitBreaker.Window.count(50)
    let time = CircuitBreaker.Window.time(.seconds(50))
    let cases: [(CircuitBreaker.TripRule, readings: Int)] = [
      (.consecutiveFailures(2), 0),
      (.failureRate(0.5, over: count), 0),
      (.failureRate(0.5, over: time), 1),
      (.slowCalls(rate: 0.5, longerThan: .seconds(1), over: count), 2),
      (.any(of: .consecutiveFailures(2), .failureRate(0.5, over: time)), 1),
    ]
    for (rule, readings) in cases {
      let clock = CountingClock()
      let breaker = CircuitBreaker("catalog", rule, clock: clock)
      let before = clock.readings
      for _ in 0..<10 { _ = await Bench.call(breaker) }
      #expect(clock.readings == before + 10 * readings)
      breaker.setMode(.disabled)
      let disabled = clock.readings
      for _ in 0..<10 { _ = await Bench.call(breaker, throwing: Bench.down) }
      #expect(clock.readings == disabled)
    }
  }

  @Test func `a breaker that only watches refuses nothing and says what it would have refused`()
    async
  {
    let breaker = breaker(.consecutiveFailures(1), mode: .metricsOnly)
    for _ in 0..<3 { #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew) }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    #expect(
      Bench.names(events.events) == ["circuitOpened", "wouldHaveRejected", "wouldHaveRejected"])
    guard case .wouldHaveRejected(let rejection) = events.events.last?.what else { return }
    #expect(
      rejection == Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .seconds(5)))
    clock.advance(by: .seconds(5))
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.state == .closed)
  }

  @Test func `a mode is set at once`() async {
    let breaker = breaker(.consecutiveFailures(1))
    _ = await Bench.call(breaker, throwing: Bench.down)
    #expect(await Bench.call(breaker) == .open(.seconds(5)))
    breaker.setMode(.metricsOnly)
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.mode == .metricsOnly && breaker.configuration.mode == .metricsOnly)
    breaker.setMode(.enabled)
    #expect(await Bench.call(breaker) == .open(.seconds(5)))
    let isolation = breaker.isolate()
    breaker.setMode(.disabled)
    #expect(await Bench.call(breaker) == .ran)
    breaker.reset()
    breaker.setMode(.enabled)
    #expect(await Bench.call(breaker) == .isolated)
    isolation.end()
    #expect(await Bench.call(breaker) == .ran)
  }

  @Test(.requirement("P37")) func `other settings take effect at once and lose nothing`()
    async throws
  {
    let breaker = breaker(.consecutiveFailures(3))
    for _ in 0..<2 { _ = await Bench.call(breaker, throwing: Bench.down) }
    var settings = breaker.configuration
    settings.breakFor = .seconds(20)
    try await breaker.run {
      try breaker.update(settings)
      #expect(breaker.configuration == settings)
    }
    // The call that was on its way has counted: it succeeded.
    for _ in 0..<3 {
      #expect(breaker.state == .closed)
      _ = await Bench.call(breaker, throwing: Bench.down)
    }
    #expect(breaker.state == .open(retryAfter: .seconds(20)))
    settings.breakFor = .seconds(1)
    try breaker.update(settings)
    #expect(breaker.state == .open(retryAfter: .seconds(20)))
    #expect(
      Bench.names(events.events) == ["settingsChanged", "circuitOpened", "settingsChanged"])
  }

  @Test(.requirement("P10", "P37")) func `other settings that are not legal change nothing`() throws
  {
    let breaker = breaker(.consecutiveFailures(3))
    let before = breaker.configuration
    let error = try #require(throws: ConfigurationError.self) {
      try breaker.update(
        .init(name: "twins", tripRule: .any(of: .consecutiveFailures(0)), breakFor: .zero))
    }
    #expect(error.violations.map(\.option) == ["name", "consecutiveFailures", "breakFor"])
    #expect(breaker.configuration == before && events.events.isEmpty)
  }
}
