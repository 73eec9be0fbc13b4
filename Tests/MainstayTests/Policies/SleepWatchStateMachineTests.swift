// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("P13")) struct SleepWatchTests {
  private func slept(
    _ watch: inout SleepWatch, since start: Int, now: Int, asleep: Double?
  ) -> Bool {
    watch.hasSlept(
      since: .seconds(start), now: .seconds(now), asleep: asleep.map { .seconds($0) })
  }

  @Test func `a call during which the device slept says nothing, the next one does`() {
    var watch = SleepWatch(asleep: .seconds(7))
    #expect(!slept(&watch, since: 0, now: 1, asleep: 7))
    #expect(slept(&watch, since: 1, now: 9, asleep: 12))
    // Begun before the sleep was noticed.
    #expect(slept(&watch, since: 8, now: 10, asleep: 12))
    #expect(!slept(&watch, since: 9, now: 11, asleep: 12))
  }

  @Test func `what two readings of clocks differ by is no sleep`() {
    var watch = SleepWatch(asleep: .zero)
    #expect(!slept(&watch, since: 0, now: 1, asleep: 0.1))
    #expect(!slept(&watch, since: 0, now: 2, asleep: -5))
    #expect(!slept(&watch, since: 0, now: 3, asleep: 0.1))
    #expect(slept(&watch, since: 0, now: 4, asleep: 0.2001))
  }

  @Test func `a clock that does not say is taken to be awake`() {
    var watch = SleepWatch(asleep: nil)
    #expect(!slept(&watch, since: 0, now: 1, asleep: nil))
    #expect(!slept(&watch, since: 0, now: 1, asleep: 9))
    #expect(slept(&watch, since: 0, now: 2, asleep: 10))
  }

  @Test func `a random walk discards every call that spans a sleep`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var (now, asleep) = (0, 0)
      var watch = SleepWatch(asleep: .zero)
      var calls: [(start: Int, asleep: Int)] = []
      var noticed = -1
      for _ in 0..<40 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: calls.append((now, asleep))
        case 1: now += Int.random(in: 0...3, using: &random)
        case 2 where Int.random(in: 0..<3, using: &random) == 0:
          let duration = Int.random(in: 1...9, using: &random)
          (now, asleep) = (now + duration, asleep + duration)
        default:
          guard let index = calls.indices.randomElement(using: &random) else { continue }
          let call = calls.remove(at: index)
          let isDiscarded = slept(&watch, since: call.start, now: now, asleep: Double(asleep))
          if call.asleep < asleep { #expect(isDiscarded, "seed \(seed)") }
          // Nothing is discarded that began after the last sleep was noticed.
          if call.asleep < asleep { noticed = max(noticed, now) }
          if isDiscarded { #expect(call.start < max(noticed, now), "seed \(seed)") }
        }
      }
    }
  }
}
