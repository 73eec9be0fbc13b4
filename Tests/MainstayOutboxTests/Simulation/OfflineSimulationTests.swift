// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// The outbox keeps the laws of the simulation, in many schedules.
@Suite(.requirement("A54", "C13", "O2", "O9", "O22")) struct OfflineSimulationTests {
  @Test(arguments: 0..<2) func `no schedule breaks a law`(half: Int) async {
    let count = Int(RandomDose.schedules) / 2
    let simulation = CountingSimulation()
    let clock = ContinuousClock.now
    let found = await simulation.violations(
      schedules: count, seed: UInt64(half * count + 1))
    print("TIME", ContinuousClock.now - clock)
    #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n\n"))")
  }

  @Test func `a schedule repeats`() async {
    var coverage: [String: Int] = [:]
    for seed in 1...50 as ClosedRange<UInt64> {
      let first = await CountingSimulation().run(seed: seed)
      let second = await CountingSimulation().run(seed: seed)
      #expect(first.log == second.log)
      coverage.merge(first.coverage) { $0 + $1 }
    }
    print(coverage)
  }
}
