// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CircuitBreakerWalkTests {
  private typealias Walk = CircuitBreakerWalk

  private let isTorture = ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"

  @Test(.requirement("P1", "P2", "P3", "P4", "P5", "P6", "P12"))
  func `thousands of random schedules agree with a second opinion`() {
    let first: UInt64 = isTorture ? .random(in: .min ... .max - 1_000_000) : 20_260
    let count = isTorture ? 200_000 : 2_000
    if isTorture { print("breaker walk: seeds from \(first)") }
    for seed in first..<first + UInt64(count) {
      var random = SplitMix64(seed: seed)
      var steps: [Walk.Action] = []
      do throws(Walk.Disagreement) {
        var walk = Walk(settings(&random))
        let isByHand = random.next().isMultiple(of: 4)
        for _ in 0..<60 {
          let action = action(&random, isByHand: isByHand)
          steps.append(action)
          try walk.perform(
            action, pick: Int(random.next() >> 40), fraction: random.fraction())
        }
        try walk.finish()
      } catch {
        Issue.record("seed \(seed): \(error.what), after \(steps)")
        return
      }
    }
  }

  @Test(
    .requirement("P1", "P2", "P3", "P5"), arguments: [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 2, 2)])
  func `every short sequence of events agrees with a second opinion`(
    threshold: Int, permits: Int, required: Int
  ) throws {
    let walk = Walk(
      .init(
        failureThreshold: threshold, jitter: 0, permits: permits, required: required,
        lease: .seconds(15)))
    let alphabet: [Walk.Action] = [.admit, .succeed, .fail, .drop, .waitLong, .isolate]
    try explore(walk, alphabet, depth: isTorture ? 8 : 6)
  }

  /// Tries everything from here on; each action is about the call that has run the longest.
  private func explore(_ walk: Walk, _ alphabet: [Walk.Action], depth: Int) throws {
    guard depth > 0 else { return }
    for action in alphabet {
      var next = walk
      do throws(Walk.Disagreement) {
        try next.perform(
          action == .isolate && next.machine.isolations > 0 ? .endIsolation : action, pick: 0,
          fraction: 0)
      } catch {
        Issue.record("\(error.what), by \(action) at depth \(depth), from \(walk)")
        throw error
      }
      try explore(next, alphabet, depth: depth - 1)
    }
  }

  private func settings(_ random: inout SplitMix64) -> CircuitBreakerStateMachine.Settings {
    let permits = Int.random(in: 1...4, using: &random)
    return CircuitBreakerStateMachine.Settings(
      failureThreshold: .random(in: 1...4, using: &random),
      firstBreak: .milliseconds(Int.random(in: 1...8000, using: &random)),
      maximumBreak: .seconds(20), growth: .random(in: 1...3, using: &random),
      jitter: .random(in: 0...1, using: &random), permits: permits,
      required: .random(in: 1...4, using: &random),
      lease: Bool.random(using: &random) ? nil : .milliseconds(3000))
  }

  /// Mostly calls; what is done by hand only in some schedules, since it hides the rest.
  private func action(_ random: inout SplitMix64, isByHand: Bool) -> Walk.Action {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: .admit
    case 45..<58: .succeed
    case 58..<78: .fail
    case 78..<84: .drop
    case 84..<91: .wait
    case 91..<93: .waitLong
    case 93..<94: .goBack
    default:
      isByHand ? [.isolate, .endIsolation, .reset].randomElement(using: &random) ?? .reset : .fail
    }
  }
}
