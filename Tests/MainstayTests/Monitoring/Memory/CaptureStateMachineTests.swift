// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CaptureStateMachineTests {
  typealias Machine = CaptureStateMachine<Int, String>

  private func sighting(
    _ key: Int, operation: String? = nil, wantsTrace: Bool = false,
    at second: Int
  ) -> Machine.Sighting {
    Machine.Sighting(
      key: key, operation: operation, wantsTrace: wantsTrace, now: .seconds(second),
      date: Date(timeIntervalSince1970: Double(second)))
  }

  private func machine(_ count: Int? = 1, groups: Int = 10) -> Machine {
    let limit = count.map { FloodGate.Limit(count: $0, window: .seconds(60)) }
    return Machine(.init(limit: limit, maximumGroups: groups))
  }

  @Test(.requirement("B41")) func `similar failures are grouped, and told once`() {
    var machine = machine()
    #expect(machine.capture(sighting(1, at: 0)).fate == .told(after: nil, takesTrace: false))
    #expect(machine.capture(sighting(1, at: 2)).fate == .suppressed)
    #expect(machine.capture(sighting(2, at: 3)).fate == .told(after: nil, takesTrace: false))
    #expect(machine.groups.entry(1)?.count == 2 && machine.groups.entry(2)?.count == 1)
    #expect(machine.losses == [.suppressed: 1])
    #expect(machine.trends.total == 3)
    let date = Date(timeIntervalSince1970: 2)
    #expect(
      machine.capture(sighting(1, at: 60)).fate
        == .told(after: .init(count: 1, first: date, last: date), takesTrace: false))
    let group = machine.groups.entry(1)
    #expect(group?.firstSeen == Date(timeIntervalSince1970: 0))
    #expect(group?.lastSeen == Date(timeIntervalSince1970: 60))
  }

  @Test(.requirement("B43")) func `a stack is taken once for each group and minute`() {
    var machine = machine(nil)
    let traced = [0, 30, 59, 60, 119, 120].map { second in
      let sighting = sighting(1, wantsTrace: true, at: second)
      return machine.capture(sighting).fate == .told(after: nil, takesTrace: true)
    }
    #expect(traced == [true, false, false, true, false, true])
    let other = machine.capture(sighting(2, wantsTrace: true, at: 120))
    #expect(other.fate == .told(after: nil, takesTrace: true))
  }

  @Test(.requirement("A46")) func `an operation is asked for until it is known by its kept name`() {
    var machine = machine()
    #expect(machine.capture(sighting(1, operation: "save", at: 0)).asksForOperation == true)
    machine.update(1) { $0.count(operation: "save") }
    #expect(machine.capture(sighting(1, operation: "save", at: 1)).asksForOperation == false)
    #expect(machine.capture(sighting(1, operation: "a@b.de", at: 2)).asksForOperation == true)
    machine.update(1) { $0.count(operation: "<email>") }
    #expect(machine.capture(sighting(1, operation: "a@b.de", at: 2)).asksForOperation == true)
    #expect(machine.groups.entry(1)?.operations.map(\.count) == [2, 1])
  }

  @Test func `a random walk counts every capture exactly once`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...4, using: &random)
      var machine = machine(Int.random(in: 1...3, using: &random), groups: capacity)
      var (captured, told, second) = (0, 0, 0)
      for _ in 0..<50 {
        second += [0, 1, 30, -20].randomElement(using: &random) ?? 0
        let key = Int.random(in: 0..<6, using: &random)
        captured += 1
        if Int.random(in: 0..<9, using: &random) == 0 {
          machine.drop(.ownFailure)
          continue
        }
        if case .told = machine.capture(sighting(key, at: second)).fate { told += 1 }
        #expect(machine.groups.count <= capacity, "seed \(seed)")
        #expect(captured == told + machine.losses.values.reduce(0, +), "seed \(seed)")
        #expect(machine.trends.total == told + (machine.losses[.suppressed] ?? 0), "seed \(seed)")
      }
    }
  }
}
