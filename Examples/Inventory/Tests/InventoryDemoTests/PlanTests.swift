// SPDX-License-Identifier: Apache-2.0

import InventoryDemo
import InventoryUpstream
import TestSupport
import Testing

@Suite struct PlanTests {
  static let sizes = [Plan.Size(), Plan.Size(scans: 12, kills: 2), Plan.Size(scans: 1, kills: 0)]

  @Test func `a seed means one plan, and another seed another one`() {
    #expect(Plan(seed: 7) == Plan(seed: 7))
    #expect(Plan(seed: 7).actions.map(\.item) != Plan(seed: 8).actions.map(\.item))
  }

  @Test(arguments: 0..<20, sizes)
  func `every key is new, and every thing has its scan first and its deletion last`(
    _ seed: UInt64, _ size: Plan.Size
  ) {
    let plan = Plan(seed: seed, size: size)
    let actions = plan.actions
    #expect(Set(actions.map(\.key)).count == actions.count)
    let things = Dictionary(grouping: actions, by: \.item)
    #expect(Set(things.keys) == Set(0..<size.scans))
    for thing in things.values {
      for (place, action) in thing.enumerated() {
        switch action.kind {
        case .scan: #expect(place == 0)
        case .edit(let edit): #expect(place > 0 && edit.notes.hasSuffix(action.key))
        case .delete: #expect(place > 0 && place == thing.count - 1)
        }
      }
    }
  }

  @Test func `a full run scans 200 things, edits and deletes some, and repeats some`() {
    let actions = Plan(seed: 1).actions
    #expect(actions.count { if case .scan = $0.kind { true } else { false } } == 200)
    #expect(actions.count { if case .edit = $0.kind { true } else { false } } > 100)
    #expect(actions.count { $0.kind == .delete } > 10)
    for repetition in Action.Repetition.allCases {
      #expect(actions.contains { $0.repetition == repetition })
    }
  }

  @Test(arguments: 0..<20, sizes)
  func `every number is valid, and one or two are not in the catalog`(
    _ seed: UInt64, _ size: Plan.Size
  ) {
    let catalog = Catalog()
    let numbers = Plan(seed: seed, size: size).actions.compactMap { action in
      if case .scan(let isbn) = action.kind { isbn } else { nil }
    }
    for number in numbers {
      let digits = number.compactMap(\.wholeNumberValue)
      let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
      #expect(digits.count == 13 && sum % 10 == 0, "\(number)")
    }
    #expect((1...2).contains(numbers.count { catalog[$0] == nil }))
  }

  @Test(arguments: 0..<20)
  func `every fault has a phase, and some have one without dedupe`(_ seed: UInt64) {
    let phases = Plan(seed: seed).phases
    #expect(phases.map(\.number) == Array(phases.indices))
    #expect(Set(phases.map(\.faults.mode)) == Set(FaultMode.allCases))
    let careless = phases.filter { !$0.faults.dedupe }
    #expect(careless.contains { $0.faults.mode == .dropAfterCommit })
    for phase in careless { #expect(phase.faults.delayMs <= 1000, "below the settle time of 2 s") }
    let limited = phases.filter { $0.faults.limit != nil }
    #expect(limited.count == 1)
    for phase in limited {
      #expect(phase.faults.mode == .rateLimited && phase.faults.rate == 1)
      #expect(phases[phase.number - 1].faults.mode == .down, "so that a queue waits")
    }
  }

  @Test(arguments: 0..<20)
  func `five kills meet a cut after the commit and phases without dedupe`(_ seed: UInt64) {
    let phases = Plan(seed: seed).phases
    #expect(phases.flatMap(\.kills).count == 5)
    let killed = phases.filter { !$0.kills.isEmpty }
    #expect(killed.contains { $0.faults.mode == .dropAfterCommit && $0.faults.dedupe })
    #expect(killed.contains { $0.faults.mode == .dropAfterCommit && !$0.faults.dedupe })
    #expect(killed.contains { $0.faults.mode == .slow && !$0.faults.dedupe })
  }

  @Test(arguments: [0, 1, 2, 5, 30, 100])
  func `as many kills as were asked for`(_ kills: Int) {
    let plan = Plan(seed: 3, size: Plan.Size(scans: 50, kills: kills))
    #expect(plan.phases.flatMap(\.kills).count == kills)
    for phase in plan.phases {
      #expect(phase.kills.map(\.accepted) == phase.kills.map(\.accepted).sorted())
      #expect(phase.kills.allSatisfy { $0.accepted <= phase.actions.count })
    }
  }

  @Test func `sizes out of range are cut`() {
    #expect(Plan.Size(scans: 0, kills: -1) == Plan.Size(scans: 1, kills: 0))
    #expect(Plan.Size(scans: 10_000, kills: 1000) == Plan.Size(scans: 5000, kills: 100))
  }
}
