// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct CircuitBreakerTests {
  private typealias Bench = BreakerBench

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker(
    failures: Int = 1, breakFor: Duration = .seconds(5), halfOpen: CircuitBreaker.HalfOpen = .init()
  ) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(failures), breakFor: breakFor, breakJitter: 0,
      halfOpen: halfOpen, clock: clock, observer: events)
  }

  @Test(
    .requirement("T16", "A20", "A21", "A22", "A40", "A44", "D31"), arguments: [(5, 60), (3, 30)])
  func `runs, refuses and probes exactly as its states say, call by call`(
    failures: Int, breakFor: Int
  ) async {
    let breaker = breaker(failures: failures, breakFor: .seconds(breakFor))
    for _ in 0..<failures {
      #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew)
    }
    #expect(breaker.state == .open(retryAfter: .seconds(breakFor)))
    for _ in 0..<3 { #expect(await Bench.call(breaker) == .open(.seconds(breakFor))) }
    clock.advance(by: .seconds(breakFor - 1))
    #expect(await Bench.call(breaker) == .open(.seconds(1)))
    clock.advance(by: .seconds(1))
    #expect(breaker.state == .open(retryAfter: .zero))
    #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew)
    #expect(breaker.state == .open(retryAfter: .seconds(min(2 * breakFor, 60))))
    clock.advance(by: .seconds(60))
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.state == .closed)
    // The count began anew.
    for _ in 1..<failures {
      #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew)
    }
    #expect(await Bench.call(breaker) == .ran)
    for _ in 1..<failures {
      #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew)
    }
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("A21")) func `a refusal names the breaker, the reason and the time`() async {
    let breaker = breaker()
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(2))
    await #expect(
      throws: Rejection(policy: "catalog", reason: .circuitOpen, retryAfter: .seconds(3))
    ) { try await breaker.run {} }
  }

  @Test(
    .requirement("T4", "P8"),
    arguments: [
      (Disposition.transient(), true), (.unknownOutcome, true), (.unclassified, true),
      (.permanent, false), (.needsUser, false), (.throttled(retryAfter: .seconds(9)), false),
      (.cancelled, false), (.rejected(retryAfter: .seconds(9)), false),
    ])
  func `counts by what the error's disposition says`(disposition: Disposition, opens: Bool) async {
    let breaker = breaker()
    #expect(await Bench.call(breaker, throwing: Bench.error(disposition)) == .ranAndThrew)
    #expect((breaker.state != .closed) == opens)
  }

  @Test(.requirement("P8"))
  func `an answer that refuses starts the count again, one that says nothing does not`() async {
    for (disposition, opens) in [(Disposition.permanent, false), (.throttled(), true)] {
      let breaker = breaker(failures: 2)
      for error in [Bench.down, Bench.error(disposition), Bench.down] {
        #expect(await Bench.call(breaker, throwing: error) == .ranAndThrew)
      }
      #expect((breaker.state != .closed) == opens)
    }
  }

  @Test(
    .requirement("P3", "P8", "T4"),
    arguments: [Disposition.cancelled, .throttled(), .rejected()])
  func `a probe that ends without a verdict gives its place back`(disposition: Disposition) async {
    let breaker = breaker(halfOpen: .init(lease: .seconds(86_400)))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    for _ in 0..<3 {
      #expect(await Bench.call(breaker, throwing: Bench.error(disposition)) == .ranAndThrew)
      #expect(breaker.state == .halfOpen)
    }
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P8")) func `an error nobody classified and a passed time limit count`() async
  {
    struct Strange: Error {}
    let timedOut = TimedOut(
      policy: "t", scope: .attempt, limit: .seconds(1), disposition: .transient())
    for error in [Strange(), timedOut] as [any Error] {
      let breaker = breaker()
      #expect(await Bench.call(breaker, throwing: error) == .ranAndThrew)
      #expect(breaker.state == .open(retryAfter: .seconds(5)))
    }
  }

  @Test(.requirement("P26", "D36"), arguments: [true, false])
  func `a call that a time limit ended counts, inside of the limit or outside`(isInside: Bool) async
  {
    let breaker = breaker()
    let limit = Timeout(.seconds(1), clock: clock)
    let hang = { @Sendable [clock] in try await clock.sleep(for: .seconds(86_400)) }
    let call = Task {
      if isInside { return try await limit.run { try await breaker.run(hang) } }
      try await breaker.run { try await limit.run(hang) }
    }
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await call.value }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test(.requirement("A23", "D13", "D36", "P39"))
  func `one breaker in two pipelines guards its dependency for both`() async throws {
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(5), breakFor: .seconds(30), breakJitter: 0, clock: clock)
    let reads = Pipeline("reads") { breaker }
    let writes = Pipeline("writes") { breaker }
    for index in 0..<5 {
      let pipeline = index.isMultiple(of: 2) ? reads : writes
      await #expect(throws: AppError.self) { try await pipeline.run { throw Bench.down } }
    }
    for pipeline in [reads, writes] {
      let outcome = await pipeline.outcome { () throws(AppError) in Issue.record("it ran") }
      guard case .rejected(let rejection) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(rejection.retryAfter == .seconds(30))
    }
  }

  @Test(.requirement("P13")) func `a break goes on while the device sleeps`() async {
    let breaker = breaker(breakFor: .seconds(1800))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(3600))  // as the continuous clock does, the default
    #expect(await Bench.call(breaker) == .ran)
  }

  @Test(.requirement("P12")) func `a clock that goes back leaves an open breaker as it is`() async {
    let breaker = breaker()
    clock.advance(by: .seconds(100))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(-50))
    #expect(await Bench.call(breaker) == .open(.seconds(5)))
    clock.advance(by: .seconds(55))
    #expect(await Bench.call(breaker) == .ran)
  }

  @Test func `while closed it never reads the clock, and a refusal reads it once`() async {
    let counting = CountingClock()
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(3), clock: counting)
    let before = counting.readings
    for error in [nil, Bench.down, Bench.down, nil, Bench.error(.cancelled)] {
      _ = await Bench.call(breaker, throwing: error)
    }
    #expect(counting.readings == before)
    for _ in 0..<3 { _ = await Bench.call(breaker, throwing: Bench.down) }
    let opened = counting.readings
    for _ in 0..<10 { _ = await Bench.call(breaker) }
    #expect(counting.readings == opened + 10)
  }

  @Test func `tells its events in order, with the readings of its clock`() async {
    let breaker = breaker(halfOpen: .init(lease: .seconds(1)))
    _ = await Bench.call(breaker, throwing: Bench.down)
    _ = await Bench.call(breaker)
    clock.advance(by: .seconds(5))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(10))
    _ = await Bench.call(breaker)
    breaker.reset()
    breaker.isolate().end()
    #expect(
      Bench.names(events.events) == [
        "circuitOpened", "rejected", "circuitHalfOpened", "circuitOpened", "circuitHalfOpened",
        "circuitClosed", "circuitReset", "circuitIsolated", "circuitClosed",
      ])
    #expect(events.events.allSatisfy { $0.policy == "catalog" })
    let readings = events.events.map(\.reading)
    #expect(readings[4] - readings[0] == .seconds(15))
  }

  @Test(.requirement("P4")) func `a hung probe is told as expired, then as opened`() async throws {
    let breaker = breaker(halfOpen: .init(lease: .seconds(7)))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    let gate = Bench.Gate()
    async let hung: Void = breaker.run { await gate.pass() }
    await gate.arrivals(atLeast: 1)
    #expect(await Bench.call(breaker) == .probing)
    clock.advance(by: .seconds(7))
    #expect(await Bench.call(breaker) == .open(.seconds(10)))
    gate.open()
    try await hung
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
    #expect(
      Bench.names(events.events).dropFirst(2) == [
        "rejected", "probeExpired", "circuitOpened", "rejected", "staleResult",
      ])
  }

  @Test(.requirement("P38")) func `passes one and the same error on, however often it is thrown`()
    async
  {
    final class Cached: Error {}
    let cached = Cached()
    let breaker = breaker(failures: 1000)
    for _ in 0..<999 {
      do { try await breaker.run { throw cached } } catch { #expect(error as? Cached === cached) }
    }
    #expect(breaker.state == .closed)
    #expect(await Bench.call(breaker, throwing: cached) == .ranAndThrew)
    #expect(breaker.state != .closed)
    #expect(Bench.names(events.events) == ["circuitOpened"])
  }

  @Test(.requirement("P38", "T4")) func `a call cancelled beforehand is neither counted nor told`()
    async
  {
    let breaker = breaker()
    await withTaskGroup(of: Void.self) { group in
      group.cancelAll()
      for _ in 0..<10 {
        group.addTask { try? await breaker.run { try Task.checkCancellation() } }
      }
    }
    #expect(breaker.state == .closed)
    #expect(events.events.isEmpty)
  }

  @Test func `isolation is counted, outlives a reset, and ends with its last hold`() async {
    let breaker = breaker()
    let first = breaker.isolate()
    var second: CircuitBreaker.Isolation? = breaker.isolate()
    #expect(breaker.state == .isolated)
    #expect(await Bench.call(breaker) == .isolated)
    breaker.reset()
    #expect(breaker.state == .isolated)
    first.end()
    first.end()
    #expect(breaker.state == .isolated)
    withExtendedLifetime(second) {}
    second = nil
    #expect(breaker.state == .closed)
    #expect(await Bench.call(breaker) == .ran)
  }

  @Test func `a reset closes an open breaker at once`() async {
    let breaker = breaker()
    _ = await Bench.call(breaker, throwing: Bench.down)
    breaker.reset()
    #expect(await Bench.call(breaker) == .ran)
  }

  @MainActor
  @Test func `runs an operation on its caller's actor`() async throws {
    let breaker = breaker()
    var count = 0
    try await breaker.run {
      MainActor.assertIsolated()
      count += 1
      await Task.yield()
      MainActor.assertIsolated()
    }
    #expect(count == 1)
  }
}
