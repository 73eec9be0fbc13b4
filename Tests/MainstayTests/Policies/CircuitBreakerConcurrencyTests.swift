// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Real tasks on one breaker.
@Suite struct CircuitBreakerConcurrencyTests {
  private typealias Bench = BreakerBench

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker(
    failures: Int = 1, halfOpen: CircuitBreaker.HalfOpen = .init(),
    observer: (any PolicyObserver)? = nil
  ) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(failures), breakJitter: 0, halfOpen: halfOpen, clock: clock,
      observer: observer ?? events)
  }

  @Test(.requirement("T1", "P2", "A22"), arguments: [1, 3])
  func `of 200 waiting callers exactly as many run as there are permits`(permits: Int) async {
    let breaker = breaker(halfOpen: .init(permits: permits, required: permits))
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    let crowd = Crowd(of: 200)
    let refused = await withTaskGroup(of: Rejection?.self) { group in
      for _ in 0..<200 {
        group.addTask {
          do {
            try await breaker.run {
              crowd.arrive(running: true)
              await crowd.gate.pass()
            }
            return nil
          } catch {
            crowd.arrive(running: false)
            return error as? Rejection
          }
        }
      }
      return await group.reduce(into: [Rejection]()) { list, rejection in
        if let rejection { list.append(rejection) }
      }
    }
    #expect(crowd.ran == permits)
    #expect(refused.count == 200 - permits)
    #expect(refused.allSatisfy { $0.reason == .circuitProbing && $0.retryAfter == nil })
    #expect(breaker.state == .closed)
  }

  /// Nobody in it goes on before all were either admitted or refused.
  private final class Crowd: Sendable {
    let gate = Bench.Gate()
    private let counts: Locked<(missing: Int, ran: Int)>

    init(of size: Int) { counts = Locked((size, 0)) }

    var ran: Int { counts.withLock { $0.ran } }

    func arrive(running: Bool) {
      let isLast = counts.withLock { counts in
        counts.missing -= 1
        if running { counts.ran += 1 }
        return counts.missing == 0
      }
      if isLast { gate.open() }
    }
  }

  @Test(.requirement("T2", "P1", "P5"))
  func `a late failure does not open the breaker again`() async {
    let breaker = breaker()
    let gate = Bench.Gate()
    async let slow: Void = breaker.run {
      await gate.pass()
      throw Bench.down
    }
    await gate.arrivals(atLeast: 1)
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    #expect(await Bench.call(breaker) == .ran)
    gate.open()
    _ = try? await slow
    #expect(breaker.state == .closed)
    #expect(
      Bench.names(events.events) == [
        "circuitOpened", "circuitHalfOpened", "circuitClosed", "staleResult",
      ])
  }

  @Test(.requirement("T3", "P1", "P5"), arguments: [true, false])
  func `late results neither close an open breaker nor extend its break`(succeeds: Bool) async {
    let breaker = breaker(failures: 1)
    let gate = Bench.Gate()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try? await breaker.run {
            await gate.pass()
            if !succeeds { throw Bench.down }
          }
        }
      }
      await gate.arrivals(atLeast: 20)
      _ = await Bench.call(breaker, throwing: Bench.down)
      clock.advance(by: .seconds(3))
      gate.open()
      await group.waitForAll()
      #expect(breaker.state == .open(retryAfter: .seconds(2)))
      clock.advance(by: .seconds(2))
      #expect(await Bench.call(breaker) == .ran)
    }
    let names = Bench.names(events.events)
    #expect(names.count { $0 == "circuitOpened" } == 1)
    #expect(names.count { $0 == "staleResult" } == 20)
  }

  @Test(.requirement("T3", "P1")) func `a late success does not close a half-open breaker`() async {
    let breaker = breaker()
    let late = Bench.Gate()
    let probing = Bench.Gate()
    async let slow: Void = breaker.run { await late.pass() }
    await late.arrivals(atLeast: 1)
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    async let probe: Void = breaker.run {
      await probing.pass()
      throw Bench.down
    }
    await probing.arrivals(atLeast: 1)
    late.open()
    try? await slow
    #expect(breaker.state == .halfOpen)
    #expect(await Bench.call(breaker) == .probing)
    probing.open()
    _ = try? await probe
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
  }

  @Test(.requirement("T4", "P3"))
  func `a cancelled probe gives its place back, and a cancelled call opens nothing`() async {
    let breaker = breaker(halfOpen: .init(lease: .seconds(86_400)))
    func cancelOne() async {
      let call = Task { try await breaker.run { try await clock.sleep(for: .seconds(86_400)) } }
      await clock.sleepers(atLeast: 1)
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
    await cancelOne()
    #expect(breaker.state == .closed)
    _ = await Bench.call(breaker, throwing: Bench.down)
    clock.advance(by: .seconds(5))
    await cancelOne()
    #expect(breaker.state == .halfOpen)
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P11")) func `calls run side by side while it is closed`() async throws {
    let breaker = breaker()
    let gate = Bench.Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try await breaker.run { await gate.pass() } } }
      await gate.arrivals(atLeast: 10)
      gate.open()
      try await group.waitForAll()
    }
  }

  @Test(.requirement("P35")) func `an observer may use the breaker, and is told in order`() async {
    let observer = Meddler()
    let breaker = breaker(observer: observer)
    observer.breaker.withLock { $0 = breaker }
    #expect(await Bench.call(breaker, throwing: Bench.down) == .ranAndThrew)
    #expect(breaker.state == .closed)
    #expect(
      Bench.names(observer.events.events) == [
        "circuitOpened", "circuitReset", "circuitIsolated", "circuitClosed",
      ])
    observer.breaker.withLock { $0 = nil }
  }

  /// Resets an open breaker, and isolates it for a moment after that.
  private final class Meddler: PolicyObserver {
    let events = EventRecorder()
    let breaker = Locked<CircuitBreaker?>(nil)

    func observe(_ event: PolicyEvent) {
      let breaker = breaker.withLock { $0 }
      switch event.what {
      case .circuitOpened: breaker?.reset()
      case .circuitReset:
        #expect(breaker?.state == .closed)
        breaker?.isolate().end()
      default: break
      }
      events.observe(event)
    }
  }

  @Test(.requirement("P1", "P2", "P35", "P11"))
  func `what is admitted is completed, whatever tasks do to one breaker`() async throws {
    let breaker = breaker(
      failures: 3, halfOpen: .init(permits: 2, required: 2, lease: .seconds(1e7)))
    let totals = await withTaskGroup(of: Tally.self) { group in
      for seed in 0..<8 {
        group.addTask { await hammer(breaker, seed: UInt64(seed)) }
      }
      return await group.reduce(into: Tally()) { $0 = $0 + $1 }
    }
    #expect(totals.calls == 8 * 500)
    #expect(totals.calls == totals.begun + totals.refused)
    #expect(totals.begun == totals.ended)
    #expect(totals.begun > 0 && totals.refused > 0)
    try breaker.update(breaker.configuration)
    await events.told("settingsChanged")
    let told = events.events
    #expect(Bench.names(told).count { $0 == "rejected" } == totals.refused)
    try expectLegalOrder(told)
    // A place that was not given back would be taken for months.
    clock.advance(by: .seconds(86_400))
    for _ in 0..<2 { #expect(await Bench.call(breaker) == .ran) }
    #expect(breaker.state == .closed)
  }

  @Test(.requirement("P2", "P35", "P37"))
  func `no place is lost, whatever is done to a breaker by hand meanwhile`() async {
    let breaker = CircuitBreaker(
      "catalog", .any(of: .consecutiveFailures(3), .failureRate(0.5), slow), breakJitter: 0,
      halfOpen: .init(permits: 2, required: 2, lease: .seconds(1e7)), clock: clock,
      observer: events)
    await withTaskGroup(of: Void.self) { group in
      for seed in 0..<8 {
        group.addTask { await meddle(with: breaker, seed: UInt64(seed)) }
      }
    }
    breaker.setMode(.enabled)
    clock.advance(by: .seconds(86_400))
    for _ in 0..<2 { #expect(await Bench.call(breaker) == .ran) }
    #expect(breaker.state == .closed)
    #expect(events.events.contains { if case .settingsChanged = $0.what { true } else { false } })
  }

  private var slow: CircuitBreaker.TripRule {
    .slowCalls(rate: 0.5, longerThan: .seconds(1), over: .count(50))
  }

  private func meddle(with breaker: CircuitBreaker, seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let chance = Int.random(in: 0..<100, using: &random)
      clock.advance(by: .milliseconds(chance))
      switch chance {
      case 0..<2: breaker.isolate().end()
      case 2..<4: breaker.reset()
      case 4..<8: breaker.setMode(CircuitBreaker.Mode.allCases[chance % 3])
      case 8..<10:
        var settings = breaker.configuration
        settings.halfOpen.permits = 2 + chance % 2
        settings.tripRule = .any(of: .consecutiveFailures(chance), slow)
        try? breaker.update(settings)
      case 10..<12:
        let noon = Date(timeIntervalSince1970: 0)
        try? breaker.restore(breaker.snapshot(at: noon), at: noon)
      case 12..<30:
        guard let admission = try? breaker.admit() else { continue }
        if chance.isMultiple(of: 3) { await Task.yield() }
        if chance.isMultiple(of: 2) { admission.fail() }
      default:
        try? await breaker.run {
          if chance.isMultiple(of: 3) { await Task.yield() }
          if chance < 60 { throw Bench.down }
        }
      }
    }
  }

  private struct Tally {
    var calls = 0
    var begun = 0
    var ended = 0
    var refused = 0

    static func + (left: Tally, right: Tally) -> Tally {
      Tally(
        calls: left.calls + right.calls, begun: left.begun + right.begun,
        ended: left.ended + right.ended, refused: left.refused + right.refused)
    }
  }

  private func hammer(_ breaker: CircuitBreaker, seed: UInt64) async -> Tally {
    var random = SplitMix64(seed: seed)
    var tally = Tally()
    for _ in 0..<500 {
      tally.calls += 1
      let chance = Int.random(in: 0..<100, using: &random)
      clock.advance(by: .milliseconds(chance))
      do {
        try await breaker.run {
          tally.begun += 1
          defer { tally.ended += 1 }
          if chance.isMultiple(of: 3) { await Task.yield() }
          if chance < 55 { throw Bench.down }
          if chance < 60 { throw CancellationError() }
        }
      } catch {
        if error is Rejection { tally.refused += 1 }
      }
    }
    return tally
  }

  private func expectLegalOrder(_ events: [PolicyEvent]) throws {
    var state = "circuitClosed"
    let arrows = [
      "circuitClosed": ["circuitOpened"], "circuitOpened": ["circuitHalfOpened"],
      "circuitHalfOpened": ["circuitOpened", "circuitClosed"],
    ]
    for name in Bench.names(events) where name.hasPrefix("circuit") {
      try #require(arrows[state]?.contains(name) == true, "\(name) after \(state)")
      state = name
    }
  }
}
