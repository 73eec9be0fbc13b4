// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// The outbox keeps the laws of the simulation, in many schedules.
@Suite(.requirement("A54", "C13", "O2", "O9", "O22")) struct OfflineSimulationTests {
  @Test(arguments: 0..<2) func `no schedule breaks a law`(half: Int) async {
    let count = Int(RandomDose.schedules) / 2
    let found = await CountingSimulation().violations(
      schedules: count, seed: UInt64(half * count + 1), steps: 24)
    #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n\n"))")
  }

  @Test func `a schedule repeats from its seed`() async {
    for seed in 1...20 as ClosedRange<UInt64> {
      let (first, second) = (
        await CountingSimulation().run(seed: seed), await CountingSimulation().run(seed: seed)
      )
      #expect(first.log == second.log)
      #expect(first.log.count > 10)
    }
  }

  @Test func `processes die at every durable step, and all that can fail does`() async {
    var coverage: Set<String> = []
    for seed in 1...80 as ClosedRange<UInt64> {
      coverage.formUnion(await CountingSimulation().run(seed: seed).coverage.keys)
    }
    let steps = [
      "between two steps", "before an enqueue is kept", "after an enqueue is kept",
      "before a claim is kept", "after a claim is kept", "before an effect", "after an effect",
      "before an end is kept", "after an end is kept",
    ]
    for step in steps { #expect(coverage.contains("crashed: \(step)")) }
    for status in [401, 409, 422, 429, 503] {
      #expect(coverage.contains("refused: http.\(status)"))
    }
    for fault in [
      "lost call", "lost answer", "arrives twice", "late", "clock set back", "clock set ahead",
      "a kind is paused",
    ] {
      #expect(coverage.contains(fault))
    }
  }

  @Test func `faults that are left out do not happen`() async {
    for seed in 1...20 as ClosedRange<UInt64> {
      let report = await CountingSimulation(faults: []).run(seed: seed)
      #expect(report.violation == nil)
      #expect(Set(report.coverage.keys).isSubset(of: ["calls", "effects", "a kind is paused"]))
    }
  }

  @Test func `nothing is judged before all calls have arrived`() async {
    for seed in 1...100 as ClosedRange<UInt64> {
      let report = await CountingSimulation(faults: .repetitions).run(seed: seed, steps: 5)
      #expect(report.violation == nil)
      let sent = report.coverage["calls", default: 0] + report.coverage["arrives twice", default: 0]
      let arrived = report.log.count {
        $0.contains("the server does #") || $0.contains("the server sees #")
      }
      #expect(arrived == sent, "seed \(seed)")
    }
  }

  @Test func `steps that are not kept are not made`() async {
    let report = await CountingSimulation().run(seed: 3, steps: 12, keeping: [2, 5])
    #expect(report.steps == [2, 5])
    #expect(await CountingSimulation().run(seed: 3, steps: 12).steps == Array(1...12))
  }

  @Test func `settings that make no sense stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = CountingSimulation(devices: 0) }
    await #expect(processExitsWith: .failure) {
      _ = await CountingSimulation().run(seed: 1, steps: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = await CountingSimulation().violations(schedules: 0)
    }
  }
}
