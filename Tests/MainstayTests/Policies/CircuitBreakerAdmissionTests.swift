// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Calls that are admitted without a closure.
@Suite struct CircuitBreakerAdmissionTests {
  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker(failures: Int = 1) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(failures), breakJitter: 0,
      halfOpen: .init(lease: .seconds(86_400)), clock: clock, observer: events)
  }

  private func open(_ breaker: CircuitBreaker) throws {
    try breaker.admit().fail()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `a refusal is thrown as what it is`() throws {
    let breaker = breaker()
    try open(breaker)
    do throws(Rejection) {
      let admission = try breaker.admit()
      admission.succeed()
      Issue.record("it was admitted")
    } catch {
      #expect(
        error == Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .seconds(5)))
    }
  }

  @Test(.requirement("P3")) func `a probe that succeeds closes`() throws {
    let breaker = breaker()
    try open(breaker)
    clock.advance(by: .seconds(5))
    let probe = try breaker.admit()
    #expect(throws: Rejection.self) { try breaker.admit().succeed() }
    probe.succeed()
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P3", "P2")) func `an admission that is dropped gives its place back`() throws
  {
    let breaker = breaker()
    try open(breaker)
    clock.advance(by: .seconds(5))
    for _ in 0..<3 {
      _ = try breaker.admit()
      #expect(breaker.state == .halfOpen)
      try breaker.admit().ignore()
      #expect(breaker.state == .halfOpen)
    }
    func leave(early: Bool) throws {
      let probe = try breaker.admit()
      if early { throw CancellationError() }
      probe.succeed()
    }
    #expect(throws: CancellationError.self) { try leave(early: true) }
    try breaker.admit().succeed()
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P8", "T4"))
  func `an error counts by its disposition, a failure without one always`() throws {
    for (disposition, counts) in [(Disposition.transient(), true), (.cancelled, false)] {
      let breaker = breaker()
      try breaker.admit().fail(BreakerBench.error(disposition))
      #expect((breaker.state != .closed) == counts)
    }
    let breaker = breaker(failures: 2)
    for error in [BreakerBench.down, BreakerBench.error(.permanent), BreakerBench.down] {
      try breaker.admit().fail(error)
    }
    #expect(breaker.state == .closed)
    try breaker.admit().fail()
    #expect(breaker.state != .closed)
  }

  @Test(.requirement("P1")) func `an admission of an earlier state is stale`() throws {
    let breaker = breaker()
    let late = try breaker.admit()
    try open(breaker)
    clock.advance(by: .seconds(5))
    try breaker.admit().succeed()
    late.fail()
    #expect(breaker.state == .closed)
    #expect(BreakerBench.names(events.events).last == "staleResult")
  }

  @Test func `an admission may end elsewhere, and outlive the last reference`() async throws {
    var breaker: CircuitBreaker? = breaker()
    let admission = try #require(breaker).admit()
    breaker = nil
    await end(admission)
    #expect(BreakerBench.names(events.events) == ["circuitOpened"])
  }

  @concurrent
  private func end(_ admission: consuming CircuitBreaker.Admission) async { admission.fail() }
}
