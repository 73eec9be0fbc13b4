// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOgmios

@Suite struct OgmiosListenersStateMachineTests {
  @Test func `two who find the same one gone remove nobody else`() {
    var machine = OgmiosListenersStateMachine<String>()
    for name in ["gone", "held"] { machine.add(name) }
    let (first, second) = (machine.all, machine.all)
    machine.remove(first.filter { $0.listener == "gone" }.map(\.number))
    machine.add("new")
    machine.remove(second.filter { $0.listener == "gone" }.map(\.number))
    #expect(machine.all.map(\.listener) == ["held", "new"])
  }

  @Test func `whoever is held is told, in every schedule`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      var machine = OgmiosListenersStateMachine<Int>()
      var (held, snapshots, count) = (Set<Int>(), [[(number: UInt64, listener: Int)]](), 0)
      for _ in 0..<40 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          count += 1
          machine.add(count)
          held.insert(count)
        case 1: if let name = held.min() { held.remove(name) }
        case 2: snapshots.append(machine.all)
        default:
          guard let index = snapshots.indices.randomElement(using: &random) else { continue }
          let gone = snapshots.remove(at: index).filter { !held.contains($0.listener) }
          machine.remove(gone.map(\.number))
        }
        let listening = machine.all.map(\.listener)
        guard held.isSubset(of: listening), listening == listening.sorted() else {
          Issue.record("seed \(seed)")
          return
        }
      }
    }
  }
}
