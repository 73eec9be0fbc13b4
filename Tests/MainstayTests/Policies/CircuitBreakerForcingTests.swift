// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// States that are brought about by hand.
@Suite struct CircuitBreakerForcingTests {
  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker() -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(2), breakJitter: 0, clock: clock, observer: events)
  }

  private var told: [String] { BreakerBench.names(events.events) }

  @Test func `opened by hand it refuses for a break as after a failure, which grows`() throws {
    let breaker = breaker()
    breaker.open()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    clock.advance(by: .seconds(1))
    breaker.open()
    #expect(breaker.state == .open(retryAfter: .seconds(4)))
    clock.advance(by: .seconds(4))
    try breaker.admit().fail()
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
    #expect(told == ["circuitOpened", "circuitHalfOpened", "circuitOpened"])
    guard case .circuitOpened(failures: 0, breakFor: .seconds(5)) = events.events.first?.what else {
      Issue.record("\(events.events)")
      return
    }
  }

  @Test func `a break that is over begins again when it is opened by hand`() {
    let breaker = breaker()
    breaker.open()
    clock.advance(by: .seconds(5))
    breaker.open()
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
  }

  @Test(
    .requirement("P10", "P23"),
    arguments: [
      (Duration.seconds(30), Duration.seconds(30)), (.zero, .zero), (.seconds(-1), .zero),
      (.seconds(Int64.max), .seconds(365 * 86_400)),
    ])
  func `a length by hand is kept exactly, and replaces a break that goes on`(
    asked: Duration, given: Duration
  ) throws {
    let breaker = breaker()
    breaker.open()
    breaker.open(for: asked)
    #expect(breaker.state == .open(retryAfter: given))
    clock.advance(by: given)
    try breaker.admit().fail()
    // The break before it was the first of the row, so this is the second.
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
  }

  @Test(.requirement("P6")) func `half-opened by hand the next call is a probe`() throws {
    let breaker = breaker()
    breaker.open(for: .seconds(60))
    breaker.halfOpen()
    breaker.halfOpen()
    #expect(breaker.state == .halfOpen)
    let probe = try breaker.admit()
    let refused = #expect(throws: Rejection.self) { try breaker.admit().ignore() }
    #expect(refused?.reason == .circuitProbing)
    probe.succeed()
    #expect(breaker.state == .closed)
    // A closed breaker is tried out as well: one failure is enough.
    breaker.halfOpen()
    try breaker.admit().fail()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    #expect(told.filter { $0 == "circuitHalfOpened" }.count == 2)
  }

  @Test func `closed by hand it lets calls through, and breaks begin small again`() throws {
    let breaker = breaker()
    breaker.close()
    #expect(events.events.isEmpty)
    breaker.open()
    clock.advance(by: .seconds(5))
    try breaker.admit().fail()
    breaker.close()
    #expect(breaker.state == .closed)
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    #expect(
      told == [
        "circuitOpened", "circuitHalfOpened", "circuitOpened", "circuitClosed", "circuitOpened",
      ])
  }

  @Test(.requirement("P1")) func `what was on its way changes nothing after a state by hand`()
    throws
  {
    let breaker = breaker()
    let first = try breaker.admit()
    let second = try breaker.admit()
    breaker.open()
    first.succeed()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    breaker.close()
    second.fail()
    #expect(breaker.state == .closed)
    #expect(told.filter { $0 == "staleResult" }.count == 2)
  }

  @Test func `an isolation outlives every state by hand`() {
    let breaker = breaker()
    let isolation = breaker.isolate()
    breaker.open()
    breaker.open(for: .seconds(9))
    breaker.halfOpen()
    breaker.close()
    #expect(breaker.state == .isolated)
    isolation.end()
    #expect(breaker.state == .closed)
    #expect(told == ["circuitIsolated", "circuitClosed"])
  }
}
