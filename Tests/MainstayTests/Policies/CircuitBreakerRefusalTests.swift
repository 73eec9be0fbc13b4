// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Refusals of which nobody is told, which pass the lock by.
@Suite struct CircuitBreakerRefusalTests {
  private typealias Bench = BreakerBench

  /// The same breaker twice: one refuses past the lock, the other tells somebody, so its machine
  /// is asked each time.
  private struct Twins {
    let clock = ManualClock()
    let quick: CircuitBreaker
    let heard: CircuitBreaker

    init(_ settings: CircuitBreaker.Configuration) throws(ConfigurationError) {
      quick = try CircuitBreaker(validating: settings, clock: clock)
      heard = try CircuitBreaker(validating: settings, clock: clock, observer: EventRecorder())
    }

    func both(_ move: (CircuitBreaker) -> Void) {
      move(quick)
      move(heard)
    }
  }

  @Test(.requirement("P1", "P6", "P8", "P9", "P37"))
  func `a breaker that nobody hears refuses as one that is heard`() async throws {
    for seed in 0..<UInt64(RandomDose.cases) {
      var random = SplitMix64(seed: seed)
      let twins = try Twins(
        .init(
          name: "catalog", tripRule: .consecutiveFailures(.random(in: 1...3, using: &random)),
          breakJitter: 0, halfOpen: .init(permits: .random(in: 1...2, using: &random))))
      for step in 0..<80 {
        twins.clock.advance(by: .milliseconds(Int.random(in: 0...1500, using: &random)))
        let error = Int.random(in: 0..<3, using: &random) > 0 ? Bench.down : nil
        let seen = await Bench.call(twins.quick, throwing: error)
        let told = await Bench.call(twins.heard, throwing: error)
        try #require(seen == told, "seed \(seed), step \(step)")
        byHand(twins, &random)
        try #require(twins.quick.state == twins.heard.state, "seed \(seed), step \(step)")
      }
    }
  }

  private func byHand(_ twins: Twins, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<60, using: &random) {
    case 0: twins.both { $0.reset() }
    case 1: twins.both { $0.open() }
    case 2: twins.both { $0.open(for: .seconds(2)) }
    case 3: twins.both { $0.halfOpen() }
    case 4: twins.both { $0.close() }
    case 5: twins.both { $0.isolate().end() }
    case 6: twins.both { $0.setMode(.metricsOnly) }
    case 7...8: twins.both { $0.setMode(.enabled) }
    default: break
    }
  }

  @Test(.requirement("P12"))
  func `by a clock that goes back nobody has to wait longer than the break`() async {
    let clock = ManualClock()
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(1), breakJitter: 0, clock: clock)
    clock.advance(by: .seconds(100))
    _ = await Bench.call(breaker, throwing: Bench.down)
    for (step, wait) in [(2, 3), (-1, 4), (-60, 5)] {
      clock.advance(by: .seconds(step))
      #expect(await Bench.call(breaker) == .open(.seconds(wait)))
    }
    clock.advance(by: .seconds(64))
    #expect(await Bench.call(breaker) == .ran)
  }

  @Test(.requirement("P1", "P2", "P11"))
  func `refusals past the lock name a time within the break, whatever other tasks do`() async {
    let clock = ManualClock()
    let breaker = CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakFor: .seconds(1), maximumBreak: .seconds(4),
      breakJitter: 0, clock: clock)
    let refused = await withTaskGroup(of: Int.self) { group in
      for seed in 0..<8 {
        group.addTask { await hammer(breaker, clock, seed: UInt64(seed)) }
      }
      return await group.reduce(0, +)
    }
    #expect(refused > 0)
    clock.advance(by: .seconds(86_400))
    #expect(await Bench.call(breaker) == .ran)
    #expect(breaker.state == .closed)
  }

  private func hammer(_ breaker: CircuitBreaker, _ clock: ManualClock, seed: UInt64) async -> Int {
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<500 {
      let chance = Int.random(in: 0..<100, using: &random)
      clock.advance(by: .milliseconds(chance))
      if chance == 0 { breaker.reset() }
      if chance == 1 { breaker.open(for: .seconds(2)) }
      let seen = await Bench.call(breaker, throwing: chance.isMultiple(of: 2) ? Bench.down : nil)
      guard case .refused(.circuitOpen, let retryAfter) = seen else { continue }
      refused += 1
      #expect(retryAfter.map { $0 > .zero && $0 <= .seconds(4) } == true)
    }
    return refused
  }

  @Test func `the live clock goes as the continuous clock does`() {
    let continuous = ContinuousClock()
    let clocks = (0..<100).map { _ in
      (before: continuous.now, reading: Timeline.live.now, after: continuous.now)
    }
    for (first, second) in zip(clocks, clocks.dropFirst()) {
      let passed = second.reading - first.reading
      #expect(passed >= first.after.duration(to: second.before))
      #expect(passed <= first.before.duration(to: second.after))
    }
  }
}
