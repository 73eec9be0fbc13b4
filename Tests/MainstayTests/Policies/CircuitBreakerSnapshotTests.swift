// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What a breaker knows, from one launch to the next.
@Suite struct CircuitBreakerSnapshotTests {
  private let clock = ManualClock()
  private let noon = Date(timeIntervalSince1970: 1_700_000_000)

  private func breaker(
    _ name: String = "catalog", failures: Int = 2, observer: (any PolicyObserver)? = nil
  ) -> CircuitBreaker {
    CircuitBreaker(
      name, .consecutiveFailures(failures), breakJitter: 0, clock: clock, observer: observer)
  }

  private func fail(_ breaker: CircuitBreaker, times: Int = 1) throws {
    for _ in 0..<times { try breaker.admit().fail() }
  }

  private func relaunch(_ snapshot: CircuitBreaker.Snapshot) throws -> CircuitBreaker.Snapshot {
    try JSONDecoder().decode(
      CircuitBreaker.Snapshot.self, from: JSONEncoder().encode(snapshot))
  }

  @Test(.requirement("P12", "P13"))
  func `a break goes on after the next launch, as the time of day has it`() throws {
    let old = breaker()
    try fail(old, times: 2)
    clock.advance(by: .seconds(1))
    let snapshot = try relaunch(old.snapshot(at: noon))
    #expect(snapshot.name == "catalog" && snapshot.takenAt == noon)
    #expect(snapshot.remainingBreak == .seconds(4))
    for (seconds, left) in [(3.0, 1), (4, 0), (1e9, 0), (0, 4), (-1e9, 4), (.nan, 4)] {
      let new = breaker()
      try new.restore(snapshot, at: noon.addingTimeInterval(seconds))
      #expect(new.state == .open(retryAfter: .seconds(left)))
    }
  }

  @Test func `failures in a row and the growth of breaks go on`() throws {
    let old = breaker()
    try fail(old)
    let new = breaker()
    try new.restore(relaunch(old.snapshot(at: noon)), at: noon)
    #expect(new.state == .closed)
    try fail(new)
    #expect(new.state == .open(retryAfter: .seconds(5)))
    let third = breaker()
    try third.restore(relaunch(new.snapshot(at: noon)), at: noon)
    clock.advance(by: .seconds(5))
    try fail(third)
    #expect(third.state == .open(retryAfter: .seconds(10)))
  }

  @Test func `a breaker that was restored tells it`() throws {
    let events = EventRecorder()
    let old = breaker()
    try fail(old, times: 2)
    let new = breaker(observer: events)
    try new.restore(old.snapshot(at: noon), at: noon)
    try new.restore(breaker().snapshot(at: noon), at: noon)
    #expect(BreakerBench.names(events.events) == ["circuitOpened", "circuitClosed"])
  }

  @Test(.requirement("P10", "T8"))
  func `a snapshot of another breaker or without sense is refused, and changes nothing`() throws {
    let breaker = breaker()
    try fail(breaker)
    let nonsense = try JSONDecoder().decode(
      CircuitBreaker.Snapshot.self,
      from: Data(
        #"""
        {"version": 1, "name": "twins", "takenAt": -1e308, "failures": -9, "nextBreak": -1e300,
         "remainingBreak": -1}
        """#.utf8))
    let error = try #require(throws: ConfigurationError.self) {
      try breaker.restore(nonsense, at: noon)
    }
    #expect(error.subject == "CircuitBreaker.Snapshot")
    #expect(
      error.violations.map(\.option) == ["name", "failures", "nextBreak", "remainingBreak"])
    try fail(breaker)
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test(
    .requirement("P10"),
    arguments: [
      #"{"version": 2, "name": "catalog", "takenAt": 0, "nextBreak": 5, "failures": 0}"#,
      #"{"name": "catalog", "takenAt": 0, "nextBreak": 5}"#,
      #"{"version": 1, "name": "catalog", "takenAt": 0}"#,
      #"{"version": 1, "name": "catalog", "takenAt": "noon", "nextBreak": 5}"#,
      #"{"version": 1, "name": "catalog", "takenAt": 0, "nextBreak": 5, "failures": 0.5}"#,
      "[]", "",
    ])
  func `another version and what is no snapshot is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CircuitBreaker.Snapshot.self, from: Data(json.utf8))
    }
  }

  @Test(.requirement("P18", "T8"), arguments: [0, 1, 1e300, -1e300, 1e9])
  func `no times and spans of a snapshot stop the program`(number: Double) throws {
    let json = """
      {"version": 1, "name": "catalog", "takenAt": \(number), "nextBreak": \(abs(number)),
       "remainingBreak": \(abs(number)), "failures": \(Int.max)}
      """
    let snapshot = try JSONDecoder().decode(
      CircuitBreaker.Snapshot.self, from: Data(json.utf8))
    for wallTime in [noon, .distantPast, .distantFuture] {
      let breaker = breaker()
      try breaker.restore(snapshot, at: wallTime)
      guard case .open(let retryAfter) = breaker.state else {
        Issue.record("\(breaker.state)")
        return
      }
      #expect(retryAfter >= .zero && retryAfter <= .seconds(60))
      _ = breaker.snapshot(at: wallTime)
    }
  }

  @Test func `nothing is restored while somebody holds the breaker isolated`() throws {
    let old = breaker()
    try fail(old, times: 2)
    let snapshot = old.snapshot(at: noon)
    let breaker = breaker()
    let isolation = breaker.isolate()
    #expect(breaker.snapshot(at: noon).remainingBreak == nil)
    let error = try #require(throws: ConfigurationError.self) {
      try breaker.restore(snapshot, at: noon)
    }
    #expect(error.violations.map(\.option) == ["state"])
    #expect(breaker.state == .isolated)
    isolation.end()
    #expect(breaker.state == .closed)
  }
}
