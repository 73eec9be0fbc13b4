// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// The table of three-way merging, row by row.
@Suite(.requirement("C21")) struct MergePolicyTests {
  private let base = Thing()
  private var edited: Thing { base.with { $0.title = "e" } }

  private func merge(
    _ base: RecordState<Thing>, _ local: RecordState<Thing>, _ remote: RecordState<Thing>,
    _ rule: DeletionRule = .editWins
  ) -> MergeResult<Thing> {
    MergePolicy(Thing.rules, deletion: rule).merge(base: base, local: local, remote: remote)
  }

  @Test func `a change of one side stands`() {
    let other = base.with { $0.quantity = 9 }
    #expect(Thing.policy.merge(base, other, base).state == .present(other))
    #expect(Thing.policy.merge(base, base, other).state == .present(other))
    #expect(Thing.policy.merge(base, base, base).state == .present(base))
    #expect(Thing.policy.merge(nil, other, other).state == .present(other))
  }

  @Test func `changes of different fields both stand`() {
    let result = Thing.policy.merge(
      base, base.with { $0.title = "l" }, base.with { $0.room = 4 })
    #expect(result.isClean)
    #expect(result.state == .present(base.with { ($0.title, $0.room) = ("l", 4) }))
  }

  @Test func `what no rule names is one field`() {
    let local = base.with { ($0.unnamed, $0.title) = (1, "l") }
    let remote = base.with { ($0.unnamed, $0.room) = (2, 4) }
    let result = Thing.policy.merge(base, local, remote)
    #expect(result.conflicts == [FieldConflict(field: "*", cause: .bothChanged)])
    #expect(result.state.record == local.with { $0.room = 4 })
    let decided = Thing.policy.merge(
      base: .present(base), local: .present(local), remote: .present(remote),
      choosing: ["*": .remote])
    #expect(decided.isClean && decided.state.record == remote.with { $0.title = "l" })
    let withoutBase = Thing.policy.merge(nil, local, remote)
    #expect(withoutBase.conflicts.first == FieldConflict(field: "*", cause: .noBase))
  }

  @Test func `without a base only what differs is in conflict`() {
    let result = Thing.policy.merge(nil, base, edited)
    #expect(result.conflicts == [FieldConflict(field: "title", cause: .noBase)])
    let (one, other) = (base.with { $0.size = 2 }, base.with { $0.size = 2.001 })
    #expect(Thing.policy.merge(nil, one, other) == Thing.policy.merge(nil, one, one))
  }

  @Test func `of values that are the same by a relation this side's stays`() {
    let local = base.with { $0.size = 2 }
    let remote = base.with { ($0.size, $0.unnamed) = (2.001, 1) }
    let result = Thing.policy.merge(base, local, remote)
    #expect(result.state.record == local.with { $0.unnamed = 1 })
  }

  @Test func `what no rule names stands where one side changed it`() {
    let here = base.with { ($0.unnamed, $0.title) = (1, "l") }
    let there = base.with { $0.room = 4 }
    let both = base.with { ($0.unnamed, $0.title, $0.room) = (1, "l", 4) }
    #expect(Thing.policy.merge(base, here, there).state == .present(both))
    #expect(Thing.policy.merge(base, there, here).state == .present(both))
    let same = there.with { $0.unnamed = 1 }
    #expect(Thing.policy.merge(base, here, same).state == .present(both))
  }

  @Test func `deleted on both sides is deleted`() {
    for base in [RecordState.present(base), .deleted, .missing] {
      #expect(merge(base, .deleted, .deleted) == merge(.missing, .deleted, .missing))
      #expect(merge(base, .deleted, .deleted).state == .deleted)
    }
  }

  @Test(arguments: DeletionRule.allCases)
  func `deleted where the other side did nothing is deleted`(rule: DeletionRule) {
    for result in [
      merge(.present(base), .deleted, .present(base), rule),
      merge(.present(base), .present(base), .deleted, rule),
    ] {
      #expect(result.state == .deleted && result.isClean && result.discarded.isEmpty)
    }
  }

  @Test func `of deleting and changing, the rule decides`() {
    let (was, now) = (RecordState.present(base), RecordState.present(edited))
    for (local, remote, editor) in [
      (now, .deleted, MergeSide.local), (.deleted, now, .remote),
    ] as [(RecordState<Thing>, RecordState<Thing>, MergeSide)] {
      let kept = merge(was, local, remote, .editWins)
      #expect(kept.state == now && kept.isClean)
      #expect(kept.discarded.map(\.side) == MergeSide.allCases.filter { $0 != editor })
      let gone = merge(was, local, remote, .deleteWins)
      #expect(gone.state == .deleted && gone.isClean)
      #expect(gone.discarded == [DiscardedChange(field: "", side: editor, rule: "deleteWins")])
      let open = merge(was, local, remote, .conflict)
      #expect(open.state == local)
      #expect(open.conflicts == [FieldConflict(field: "", cause: .editedAndDeleted)])
      let policy = MergePolicy(Thing.rules, deletion: .conflict)
      for (side, state) in [(MergeSide.local, local), (.remote, remote)] {
        let decided = policy.merge(
          base: was, local: local, remote: remote, choosing: ["": side])
        #expect(decided.isClean && decided.state == state)
      }
    }
  }

  @Test func `the edit wins where nothing else is said`() {
    let result = Thing.policy.merge(
      base: .present(base), local: .deleted, remote: .present(edited))
    #expect(result.state == .present(edited))
  }

  @Test func `the same change on both sides stands, and counts twice where it counts`() {
    let other = base.with { ($0.title, $0.quantity) = ("x", 7) }
    #expect(Thing.policy.merge(base, other, other).state.record == other.with { $0.quantity = 9 })
    #expect(Thing.policy.merge(nil, other, other).state.record == other)
    let policy = MergePolicy<Thing>([.field("quantity", \.quantity)])
    #expect(policy.merge(base, other, other).state.record == other)
    #expect(policy.merge(base, base, other).state.record == other)
  }

  @Test func `what one side alone made stays`() {
    for rule in DeletionRule.allCases {
      #expect(merge(.deleted, .present(base), .deleted, rule).state == .present(base))
      #expect(merge(.deleted, .deleted, .present(base), rule).state == .present(base))
    }
  }

  @Test func `without a base a deletion counts as one of something changed`() {
    #expect(merge(.missing, .present(base), .deleted).state == .present(base))
    #expect(merge(.missing, .deleted, .present(base), .deleteWins).state == .deleted)
    #expect(merge(.missing, .deleted, .present(base), .conflict).conflicts.count == 1)
  }

  @Test func `missing never means deleted`() {
    for base in [RecordState.present(base), .deleted, .missing] {
      #expect(merge(base, .present(edited), .missing, .deleteWins).state == .present(edited))
      #expect(merge(base, .missing, .present(edited), .deleteWins).state == .present(edited))
      #expect(merge(base, .missing, .missing).state == .missing)
      #expect(merge(base, .deleted, .missing).state == .deleted)
      #expect(merge(base, .missing, .deleted).state == .deleted)
    }
  }

  @Test func `without a base the last write may stand as a whole`() {
    let policy = MergePolicy<Thing>(Thing.rules, withoutBase: .lastWrite(by: \.stamp))
    let (early, late) = (edited.with { $0.stamp = .at(8) }, base.with { $0.stamp = .at(9) })
    for (local, remote, loser) in [(early, late, MergeSide.local), (late, early, .remote)] {
      let result = policy.merge(nil, local, remote)
      #expect(result.state == .present(late) && result.isClean && result.anomalies.isEmpty)
      #expect(result.discarded.map(\.field) == ["title", "stamp"])
      #expect(Set(result.discarded.map(\.side)) == [loser])
    }
    // With a base it is field by field.
    #expect(policy.merge(base, early, late).state.record?.title == "e")
    let twins = policy.merge(nil, base, edited)
    #expect(twins.anomalies == [""])
  }

  @Test func `a rule across fields makes what breaks it a conflict`() {
    let policy = MergePolicy<Thing>(
      Thing.rules, invalidFields: { $0.room + $0.quantity > 10 ? ["place", "quantity"] : [] })
    let (local, remote) = (base.with { $0.room = 4 }, base.with { $0.quantity = 8 })
    let result = policy.merge(base, local, remote)
    #expect(result.state == .present(local))
    #expect(
      result.conflicts == [
        FieldConflict(field: "place", cause: .invalid),
        FieldConflict(field: "quantity", cause: .invalid),
      ])
    #expect(policy.merge(base, local, base.with { $0.quantity = 6 }).isClean)
  }

  @Test func `what one side has as a whole is not judged`() {
    let policy = MergePolicy<Thing>(Thing.rules, invalidFields: { _ in ["title"] })
    let other = base.with { $0.title = "x" }
    #expect(policy.merge(base, other, base).isClean)
    #expect(policy.merge(base, base, other).isClean)
    // Nor what turned out to be the same.
    let (here, there) = (base.with { $0.ours = 1 }, base.with { $0.ours = 2 })
    #expect(policy.merge(base, here, there).state == .present(here))
    #expect(policy.merge(base, here, there).isClean)
    let (mine, theirs) = (base.with { $0.theirs = 1 }, base.with { $0.theirs = 2 })
    #expect(policy.merge(base, mine, theirs).state == .present(theirs))
    #expect(policy.merge(base, mine, theirs).isClean)
    // Counted twice and cut, it is the same as both.
    let full = base.with { $0.quantity = 10 }
    #expect(policy.merge(base, full, full).isClean)
  }

  @Test func `a conflict is not judged before it is decided`() {
    let policy = MergePolicy<Thing>(Thing.rules, invalidFields: { _ in ["room"] })
    let result = policy.merge(
      base, base.with { ($0.title, $0.room) = ("l", 1) },
      base.with { ($0.title, $0.ours) = ("r", 1) })
    #expect(result.conflicts.map(\.cause) == [.bothChanged])
  }

  @Test func `fields that differ are named`() {
    #expect(Thing.policy.changedFields(from: base, to: base) == [])
    let other = base.with { ($0.title, $0.shelf, $0.unnamed) = ("x", 1, 1) }
    #expect(Thing.policy.changedFields(from: base, to: other) == ["title", "place", "*"])
    #expect(Thing.policy.changedFields(from: base, to: edited) == ["title"])
  }

  @Test(arguments: ["", " ", "*"]) func `a field needs a name`(name: String) async {
    await #expect(processExitsWith: .failure) { [name] in
      _ = MergePolicy<Thing>([.field(name, \.title)])
    }
  }

  @Test func `a field has one rule`() async {
    await #expect(processExitsWith: .failure) {
      _ = MergePolicy<Thing>([.field("title", \.title), .field("title", \.ours)])
    }
  }
}

/// Laws 3 to 7, 9 and 11, by the library that users run on their own policies.
@Suite(.requirement("C21")) struct MergePolicyLawTests {
  @Test(arguments: DeletionRule.allCases) func `the laws hold`(rule: DeletionRule) {
    let laws = MergeLaws(MergePolicy(Thing.rules, deletion: rule)) { Thing.random(using: &$0) }
    #expect(laws.violations(cases: RandomDose.cases, seed: 1) == [])
  }

  @Test func `the laws hold with a rule across fields`() {
    let policy = MergePolicy<Thing>(
      Thing.rules, invalidFields: { $0.room + $0.left > 3 ? ["place"] : [] })
    let laws = MergeLaws(policy) { Thing.random(using: &$0) }
    #expect(laws.violations(cases: RandomDose.cases, seed: 2) == [])
  }

  @Test func `the laws hold for a record without sets in bytes`() {
    let laws = MergeLaws(Labelled.policy) { Labelled.random(using: &$0) }
    #expect(laws.violations(cases: RandomDose.cases, seed: 3) == [])
    #expect(laws.codecViolations(cases: RandomDose.cases, seed: 3) == [])
  }

  @Test func `merging and bringing up to date may change places`() {
    let laws = MergeLaws(Labelled.policy) { Labelled.random(using: &$0) }
    let older = MergeLaws(OldLabelled.policy) { OldLabelled.random(using: &$0) }
    let found = laws.upcastViolations(
      from: older, by: \.upcast, cases: RandomDose.cases, seed: 4)
    #expect(found == [])
  }
}
