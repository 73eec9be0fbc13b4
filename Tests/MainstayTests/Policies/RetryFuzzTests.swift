// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Random settings and clocks that jump: everything is refused or works, and nothing traps.
@Suite(.requirement("T8", "P10", "P23")) struct RetryFuzzTests {
  private static let numbers: [Double] = [
    -1, -0.0, 0, 1e-9, 0.001, 0.2, 0.5, 0.95, 1, 2, 50, 1e6, 1e18, 1e300, .infinity, .nan,
  ]
  private static let counts = [Int.min, -1, 0, 1, 2, 3, 10, 100, 1_000_000, .max]
  private static let spans: [Duration] = [
    .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(120),
    .seconds(1e9), .seconds(Int64.max),
  ]

  private static func any<T>(_ list: [T], _ generator: inout SeededGenerator) -> T {
    list[Int.random(in: list.indices, using: &generator)]
  }

  @Test func `budgets and retries`() async throws {
    var built = 0
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      let clock = ManualClock()
      let configuration = RetryBudget.Configuration(
        ratio: Self.any(Self.numbers, &generator),
        minimumPerSecond: Self.any(Self.numbers, &generator),
        capacity: Self.any(Self.counts, &generator),
        initial: Bool.random(using: &generator) ? nil : Self.any(Self.counts, &generator),
        costs: .init(transient: Self.any(Self.numbers, &generator)))
      guard let budget = try? RetryBudget(validating: configuration, clock: clock) else { continue }
      built += 1
      let retry = Retry(maximumAttempts: 3, backoff: .none, budget: budget, clock: clock)
      for _ in 0..<4 {
        clock.advance(by: Self.any([.seconds(-5), .zero, .seconds(1), .seconds(1e9)], &generator))
        var calls = 0
        _ = try? await retry.run {
          calls += 1
          throw AppError.http(status: 503, isRepeatable: true)
        }
        #expect((1...3).contains(calls), "seed \(seed)")
        let available = budget.available
        #expect((0...Double(configuration.capacity)).contains(available), "seed \(seed)")
      }
    }
    #expect(built > 0)
  }

  @Test func `hedges`() async throws {
    var built = 0
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      let delay: Hedge.Delay =
        Bool.random(using: &generator)
        ? .fixed(Self.any(Self.spans, &generator))
        : .percentile(
          Self.any(Self.numbers, &generator), initially: Self.any(Self.spans, &generator),
          minimumSamples: Self.any(Self.counts, &generator))
      let configuration = Hedge.Configuration(
        delay: delay, maximumCopies: Self.any([2, 3, 10] + Self.counts, &generator))
      guard
        let hedge = try? Hedge(
          validating: configuration, safety: .safeToRepeat, clock: ManualClock())
      else { continue }
      built += 1
      #expect(try await hedge.runSendable { seed } == seed)
      #expect(hedge.currentDelay >= .zero && hedge.currentDelay <= .seconds(365 * 86_400))
    }
    #expect(built > 0)
  }

  @Test func `throttles`() async throws {
    var built = 0
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      let clock = ManualClock()
      let configuration = Throttle.Configuration(
        name: "x", multiplier: Self.any(Self.numbers, &generator),
        window: Self.any(Self.spans, &generator),
        minimumRequests: Self.any(Self.counts, &generator))
      guard let throttle = try? Throttle(validating: configuration, clock: clock, seed: seed)
      else { continue }
      built += 1
      for _ in 0..<6 {
        clock.advance(by: Self.any([.seconds(-5), .zero, .seconds(1), .seconds(1e9)], &generator))
        _ = try? await throttle.run {
          if Bool.random(using: &generator) { throw AppError.http(status: 429) }
        }
        #expect((0..<1).contains(throttle.rejectionProbability), "seed \(seed)")
      }
    }
    #expect(built > 0)
  }
}
