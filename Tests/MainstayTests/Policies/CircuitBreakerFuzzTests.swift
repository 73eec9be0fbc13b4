// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Random settings, many of them senseless, and clocks that jump.
@Suite struct CircuitBreakerFuzzTests {
  private static let spans: [Duration] = [
    .zero, .seconds(-1), .nanoseconds(1), Duration(attoseconds: 1), .milliseconds(10), .seconds(1),
    .seconds(30), .seconds(1e9), Duration(secondsComponent: .max, attosecondsComponent: 0),
    Duration(secondsComponent: .min, attosecondsComponent: 0),
  ]
  private static let counts = [-1, 0, 1, 2, 3, 20, 100, 101, 100_000, 100_001, Int.max, Int.min]
  private static let fractions = [
    -1, 0, 0.2, 0.5, 1, 1.5, 2, 100, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude,
  ]

  @Test(.requirement("P10", "P12", "P18", "P23", "T8"))
  func `no settings and no steps of a clock stop the program`() throws {
    var legal = 0
    for seed in 0..<UInt64(10 * RandomDose.cases) {
      var random = SplitMix64(seed: seed)
      // Every other one is drawn from legal values only, so that some are legal as a whole.
      let settings = settings(&random, isSensible: seed.isMultiple(of: 2))
      let clock = ManualClock()
      do throws(ConfigurationError) {
        let breaker = try CircuitBreaker(validating: settings, clock: clock, seed: seed)
        legal += 1
        use(breaker, clock, &random)
      } catch {
        #expect(!error.violations.isEmpty && !error.description.isEmpty)
      }
    }
    #expect(legal > 5 * RandomDose.cases - 1)
  }

  private func use(_ breaker: CircuitBreaker, _ clock: ManualClock, _ random: inout SplitMix64) {
    let jumps: [Duration] = [
      .zero, .milliseconds(1), .seconds(1), .seconds(60), .seconds(-60), .seconds(1e10),
      .seconds(-1e10),
    ]
    var isolations: [CircuitBreaker.Isolation] = []
    for _ in 0..<60 {
      clock.advance(by: jumps.randomElement(using: &random) ?? .zero)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: isolations.append(breaker.isolate())
      case 1...2: isolations = []
      case 3: try? breaker.update(settings(&random, named: breaker.name, isSensible: true))
      case 4:
        let wall = Date(timeIntervalSince1970: 1e9)
        let later = wall + Self.pick(Self.fractions, &random)
        try? breaker.restore(breaker.snapshot(at: wall), at: later)
      case 5:
        breaker.setMode(CircuitBreaker.Mode.allCases.randomElement(using: &random) ?? .enabled)
      default:
        guard let admission = try? breaker.admit() else { continue }
        clock.advance(by: jumps.randomElement(using: &random) ?? .zero)
        if Bool.random(using: &random) { admission.fail() } else { admission.succeed() }
      }
      if case .open(let retryAfter) = breaker.state { #expect(retryAfter >= .zero) }
    }
  }

  private static func pick<T>(_ values: [T], _ random: inout SplitMix64) -> T {
    values[Int.random(in: values.indices, using: &random)]
  }

  private func settings(
    _ random: inout SplitMix64, named name: String = "a", isSensible: Bool
  ) -> CircuitBreaker.Configuration {
    let spans = isSensible ? Self.spans.filter { $0 > .zero } : Self.spans
    let counts = isSensible ? [1, 2, 3, 20, 100] : Self.counts
    let rates = isSensible ? [0.2, 0.5, 1, .leastNonzeroMagnitude] : Self.fractions
    let slow = Self.pick(spans, &random)
    func window(_ random: inout SplitMix64) -> CircuitBreaker.Window {
      Bool.random(using: &random)
        ? .time(Self.pick(spans, &random)) : .count(isSensible ? 100 : Self.pick(counts, &random))
    }
    let rules: [CircuitBreaker.TripRule] = [
      .consecutiveFailures(Self.pick(counts, &random)),
      .failureRate(
        Self.pick(rates, &random), over: window(&random),
        minimumThroughput: Self.pick(counts, &random)),
      .slowCalls(
        rate: Self.pick(rates, &random), longerThan: slow, over: window(&random),
        minimumThroughput: Self.pick(counts, &random)),
    ]
    let first = Self.pick(spans, &random)
    return CircuitBreaker.Configuration(
      name: name, tripRule: .any(of: Self.pick(rules, &random), Self.pick(rules, &random)),
      breakFor: first, maximumBreak: isSensible ? nil : Self.pick(spans + [first], &random),
      breakGrowth: isSensible ? 2 : Self.pick(Self.fractions, &random),
      breakJitter: isSensible ? 1 : Self.pick(Self.fractions, &random),
      halfOpen: .init(
        permits: Self.pick(counts, &random), required: Self.pick(counts, &random),
        lease: Bool.random(using: &random) ? nil : Self.pick(spans, &random)))
  }
}
