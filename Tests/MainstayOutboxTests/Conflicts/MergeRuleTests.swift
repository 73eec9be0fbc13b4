// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Groups of fields, and fields whose stamp is elsewhere.
@Suite(.requirement("C21")) struct MergeRuleTests: MergesThings {
  @Test func `fields of a group are taken from one side`() {
    let result = merge({ $0.room = 1 }, { $0.shelf = 1 })
    #expect(result.conflicts == [FieldConflict(field: "place", cause: .bothChanged)])
    #expect(result.state.record?.room == 1 && result.state.record?.shelf == 0)
    #expect(merge({ $0.room = 1 }, { $0.title = "r" }).state.record?.room == 1)
    #expect(merge({ $0.room = 1 }, { $0.room = 1 }).isClean)
    let decided = merge({ $0.room = 1 }, { $0.shelf = 1 }, choosing: ["place": .remote])
    #expect(decided.state.record?.room == 0 && decided.state.record?.shelf == 1)
  }

  @Test func `a group may prefer a side, with a receipt`() {
    let result = merge({ ($0.left, $0.near) = (1, 1) }, { ($0.right, $0.far) = (1, 1) })
    #expect(result.state.record?.left == 0 && result.state.record?.right == 1)
    #expect(result.state.record?.near == 1 && result.state.record?.far == 0)
    #expect(
      result.discarded == [
        receipt("sides", .local, "preferRemote"), receipt("distance", .remote, "preferLocal"),
      ])
  }

  @Test func `without a strategy somebody has to decide`() {
    let result = merge({ $0.title = "l" }, { $0.title = "r" })
    #expect(result.conflicts == [FieldConflict(field: "title", cause: .bothChanged)])
  }

  @Test func `without a base a group is in conflict as others are`() {
    let result = Thing.policy.merge(nil, base.with { $0.room = 1 }, base.with { $0.left = 1 })
    #expect(
      result.conflicts == [
        FieldConflict(field: "place", cause: .noBase),
        FieldConflict(field: "sides", cause: .noBase),
      ])
  }

  @Test func `a group stands beside what no rule names`() {
    let result = merge(
      { ($0.unnamed, $0.room) = (1, 1) }, { ($0.title, $0.left) = ("r", 1) })
    let other = merge(
      { ($0.title, $0.left) = ("r", 1) }, { ($0.unnamed, $0.room) = (1, 1) })
    let both = base.with {
      ($0.unnamed, $0.room, $0.title, $0.left) = (1, 1, "r", 1)
    }
    #expect(result.state == .present(both) && other.state == .present(both))
    #expect(result.isClean && other.isClean)
  }

  @Test func `rules say what they promise`() {
    func group(_ choice: GroupChoice) -> MergeRule<Thing> {
      .group("place", \.room, \.shelf, whenBothChanged: choice)
    }
    #expect(group(.conflict).isSymmetric)
    #expect(!group(.preferLocal).isSymmetric && !group(.preferRemote).isSymmetric)
    let written = MergeRule<Thing>.field("latest", \.latest, lastWriteBy: \.stamp)
    #expect(written.isSymmetric)
    for rule in [group(.conflict), written] { #expect(!rule.counts && !rule.combines) }
  }

  @Test func `the last write is asked only where both changed it`() {
    let local = base.with { ($0.stamp, $0.title) = (.at(9), "l") }
    let remote = base.with { $0.latest = 2 }
    let result = Thing.policy.merge(base, local, remote)
    #expect(result.state.record?.latest == 2 && result.discarded.isEmpty)
    let twins = merge({ $0.latest = 1 }, { $0.latest = 2 })
    #expect(twins.anomalies == ["latest"])
    #expect(Thing.policy.changedFields(from: base, to: remote) == ["latest"])
  }

  @Test func `the laws hold for these rules alone`() {
    let laws = MergeLaws(MergePolicy(Thing.rules.filter { $0.combines == false })) {
      Thing.random(using: &$0)
    }
    #expect(laws.violations(cases: RandomDose.cases, seed: 5) == [])
  }
}
