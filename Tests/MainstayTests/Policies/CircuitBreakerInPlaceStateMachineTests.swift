// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// Calls that are known not to open a breaker before they end.
@Suite struct CircuitBreakerInPlaceTests {
  private typealias Machine = CircuitBreakerStateMachine

  private static func settings(_ generator: inout SeededGenerator) -> Machine.Settings {
    func rate(_ counts: Machine.Rate.Counted, _ generator: inout SeededGenerator) -> Machine.Rate {
      .init(
        counts: counts, threshold: [0.2, 0.5, 0.75, 1].randomElement(using: &generator) ?? 1,
        span: Bool.random(using: &generator) ? .count(5) : .time(.seconds(10)),
        minimum: Int.random(in: 1...6, using: &generator))
    }
    return Machine.Settings(
      failureThreshold: [nil, 1, 2, 4].randomElement(using: &generator) ?? nil,
      slowerThan: .seconds(1),
      rates: [rate(.failures, &generator), rate(.slowCalls, &generator)],
      permits: 2, required: 2)
  }

  @Test func `whatever opens a breaker was foretold`() throws {
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      var machine = Machine(Self.settings(&generator))
      var (now, opened, foreseen) = (Duration.zero, 0, 0)
      for _ in 0..<80 {
        now += .milliseconds(Int.random(in: 0...2_000, using: &generator))
        guard case .admitted(let token) = machine.admit(now: now, fraction: 0).decision else {
          now += .seconds(60)
          continue
        }
        let verdict = [Machine.Verdict.success, .failure, .neutral].randomElement(using: &generator)
        let took: Duration = .milliseconds(Bool.random(using: &generator) ? 1_500 : 500)
        let mayOpen = machine.mayOpen(token, verdict ?? .neutral, took: took, now: now)
        let event = machine.settle(token, verdict ?? .neutral, took: took, now: now, fraction: 0)
        if mayOpen { foreseen += 1 }
        guard case .opened = event else { continue }
        opened += 1
        #expect(mayOpen, "seed \(seed)")
      }
      #expect(foreseen >= opened, "seed \(seed)")
    }
  }

  @Test func `failures below the threshold of a rate open nothing`() throws {
    let rate = Machine.Rate(counts: .failures, threshold: 0.5, span: .count(20), minimum: 10)
    var machine = Machine(.init(failureThreshold: nil, rates: [rate]))
    for call in 1...9 {
      let token = try machine.token(at: call)
      #expect(machine.mayOpen(token, .failure, now: .seconds(call)) == false, "call \(call)")
      let isFailure = call <= 4
      _ = machine.settle(
        token, isFailure ? .failure : .success, now: .seconds(call), fraction: 0)
    }
    let token = try machine.token(at: 10)
    #expect(machine.mayOpen(token, .failure, now: .seconds(10)) == true)
    #expect(machine.mayOpen(token, .success, now: .seconds(10)) == false)
    #expect(machine.mayOpen(token, .neutral, now: .seconds(10)) == false)
  }
}
