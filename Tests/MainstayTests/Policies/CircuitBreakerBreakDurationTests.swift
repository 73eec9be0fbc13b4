// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Breaks whose length a function says.
@Suite struct CircuitBreakerBreakDurationTests {
  private let clock = ManualClock()
  private let events = EventRecorder()

  /// What was asked, and which breaker to look at meanwhile.
  private final class Questions: Sendable {
    private let state = Locked<(trips: [CircuitBreaker.Trip], breaker: CircuitBreaker?)>(([], nil))

    var trips: [CircuitBreaker.Trip] { state.withLock { $0.trips } }
    var breaker: CircuitBreaker? {
      get { state.withLock { $0.breaker } }
      set { state.withLock { $0.breaker = newValue } }
    }

    func add(_ trip: CircuitBreaker.Trip) { state.withLock { $0.trips.append(trip) } }
  }

  private let questions = Questions()

  private func breaker(
    _ rule: CircuitBreaker.TripRule = .consecutiveFailures(2), breakJitter: Double = 0,
    halfOpen: CircuitBreaker.HalfOpen = .init(),
    answering answer: @escaping @Sendable (CircuitBreaker.Trip) -> Duration
  ) -> CircuitBreaker {
    let questions = questions
    return CircuitBreaker(
      "catalog", rule, breakJitter: breakJitter, halfOpen: halfOpen,
      breakDuration: { trip in
        questions.add(trip)
        return answer(trip)
      }, clock: clock, seed: 1, observer: events)
  }

  @Test(.requirement("P6")) func `it is asked how many breaks in a row there are, and obeyed`()
    throws
  {
    let breaker = breaker { .seconds(10 * $0.breaksInARow * $0.breaksInARow) }
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
    clock.advance(by: .seconds(10))
    try breaker.admit().fail()
    #expect(breaker.state == .open(retryAfter: .seconds(40)))
    clock.advance(by: .seconds(40))
    try breaker.admit().succeed()
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
    #expect(questions.trips.map(\.breaksInARow) == [1, 2, 1])
    #expect(questions.trips.map(\.failures) == [2, 1, 2])
    #expect(questions.trips.allSatisfy { $0.rate == nil })
    #expect(BreakerBench.names(events.events).filter { $0 == "circuitOpened" }.count == 3)
  }

  @Test func `it is told the rate where a rule about rates is the reason`() throws {
    let breaker = breaker(.failureRate(0.5, over: .count(4), minimumThroughput: 4)) {
      .seconds(100 * ($0.rate ?? 9))
    }
    try breaker.admit().fail()
    try breaker.admit().succeed()
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: .seconds(75)))
    #expect(questions.trips.map(\.rate) == [0.75])
    clock.advance(by: .seconds(75))
    try breaker.admit().fail()
    #expect(questions.trips.last?.rate == nil)
    #expect(breaker.state == .open(retryAfter: .seconds(900)))
  }

  @Test(
    .requirement("P10", "P18", "P23"),
    arguments: [
      (Duration.zero, Duration.zero), (.seconds(-5), .zero), (.seconds(Int64.min), .zero),
      (.seconds(Int64.max), .seconds(365 * 86_400)), (.nanoseconds(1), .nanoseconds(1)),
    ])
  func `whatever it answers is cut to what is useful`(answer: Duration, length: Duration) throws {
    let breaker = breaker { _ in answer }
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: length))
  }

  @Test(.requirement("P7")) func `chance lengthens what it answers, and never shortens it`() throws
  {
    let breaker = breaker(breakJitter: 0.5) { _ in .seconds(10) }
    for _ in 0..<2 { try breaker.admit().fail() }
    guard case .open(let retryAfter) = breaker.state else {
      Issue.record("\(breaker.state)")
      return
    }
    #expect(retryAfter > .seconds(10) && retryAfter <= .seconds(15))
  }

  @Test(.requirement("P6", "P35")) func `it is asked outside of the lock`() throws {
    let questions = questions
    let breaker = breaker { _ in
      // Would never return, or stop the program, if the lock were held.
      #expect(questions.breaker?.state == .closed)
      return .seconds(3)
    }
    questions.breaker = breaker
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .open(retryAfter: .seconds(3)))
    questions.breaker = nil
  }

  @Test(.requirement("P1", "P5")) func `an answer that comes too late counts for nothing`() throws {
    let questions = questions
    let breaker = breaker { _ in
      questions.breaker?.reset()
      return .seconds(3)
    }
    questions.breaker = breaker
    for _ in 0..<2 { try breaker.admit().fail() }
    #expect(breaker.state == .closed)
    #expect(BreakerBench.names(events.events) == ["circuitReset", "staleResult"])
    questions.breaker = nil
  }

  @Test(.requirement("P4")) func `a lease that passed and a break by hand are asked for, too`()
    throws
  {
    let breaker = breaker(halfOpen: .init(lease: .seconds(1))) { .seconds(7 * $0.breaksInARow) }
    breaker.open()
    #expect(breaker.state == .open(retryAfter: .seconds(7)))
    clock.advance(by: .seconds(7))
    let probe = try breaker.admit()
    clock.advance(by: .seconds(1))
    let refused = #expect(throws: Rejection.self) { try breaker.admit().ignore() }
    #expect(refused?.retryAfter == .seconds(14))
    #expect(questions.trips.map(\.failures) == [0, 1])
    probe.succeed()
    breaker.open(for: .seconds(1))
    #expect(breaker.state == .open(retryAfter: .seconds(1)))
    #expect(questions.trips.count == 2)
  }

  @Test(.requirement("P12")) func `a snapshot keeps how many breaks in a row there were`() throws {
    let noon = Date(timeIntervalSince1970: 1_700_000_000)
    let old = breaker { .seconds(100 * $0.breaksInARow) }
    for _ in 0..<2 { try old.admit().fail() }
    clock.advance(by: .seconds(100))
    try old.admit().fail()
    let kept = try JSONDecoder().decode(
      CircuitBreaker.Snapshot.self, from: JSONEncoder().encode(old.snapshot(at: noon)))
    let new = breaker { .seconds(100 * $0.breaksInARow) }
    try new.restore(kept, at: noon)
    #expect(new.state == .open(retryAfter: .seconds(200)))
    clock.advance(by: .seconds(200))
    try new.admit().fail()
    #expect(new.state == .open(retryAfter: .seconds(300)))
    // A snapshot of an earlier release does not say it.
    let before = #"{"version": 1, "name": "catalog", "takenAt": 0, "nextBreak": 5}"#
    let restored = try JSONDecoder().decode(CircuitBreaker.Snapshot.self, from: Data(before.utf8))
    try new.restore(restored, at: noon)
    #expect(new.state == .closed)
    let wrong = #"{"version": 1, "name": "catalog", "takenAt": 0, "nextBreak": 5, "breaks": -1}"#
    let broken = try JSONDecoder().decode(CircuitBreaker.Snapshot.self, from: Data(wrong.utf8))
    let error = #expect(throws: ConfigurationError.self) { try new.restore(broken, at: noon) }
    #expect(error?.violations.map(\.option) == ["breaks"])
  }

  @Test(.requirement("P5", "P6")) func `a random walk opens for exactly as long as was answered`()
    throws
  {
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SeededGenerator(seed: seed)
      let breaker = CircuitBreaker(
        "catalog", .consecutiveFailures(3), breakJitter: 0,
        breakDuration: { .milliseconds(100 * $0.failures + 10 * $0.breaksInARow) }, clock: clock)
      var (failures, breaks) = (0, 0)
      for _ in 0..<40 {
        var left = Duration.zero
        if case .open(let retryAfter) = breaker.state { left = retryAfter }
        clock.advance(by: left)
        let isProbe = breaks > 0
        if Bool.random(using: &random) {
          try breaker.admit().succeed()
          (failures, breaks) = (0, 0)
          #expect(breaker.state == .closed, "seed \(seed)")
          continue
        }
        try breaker.admit().fail()
        failures = isProbe ? 1 : failures + 1
        guard isProbe || failures == 3 else { continue }
        breaks += 1
        let length = Duration.milliseconds(100 * failures + 10 * breaks)
        #expect(breaker.state == .open(retryAfter: length), "seed \(seed)")
        failures = 0
      }
    }
  }

  @Test(.requirement("P5")) func `many failures at once open it once, for one answer`() async {
    let breaker = breaker(.consecutiveFailures(1)) { .seconds(Int64($0.breaksInARow)) }
    let gate = BreakerBench.Gate()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          _ = try? await breaker.run {
            await gate.pass()
            throw BreakerBench.down
          }
        }
      }
      await gate.arrivals(atLeast: 50)
      gate.open()
    }
    #expect(breaker.state == .open(retryAfter: .seconds(1)))
    let told = BreakerBench.names(events.events)
    #expect(told.filter { $0 == "circuitOpened" }.count == 1)
    #expect(told.filter { $0 == "staleResult" }.count == 49)
  }
}
