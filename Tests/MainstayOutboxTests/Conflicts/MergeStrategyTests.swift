// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import TestSupport
import Testing

/// Each strategy, where both sides changed a field to something else.
@Suite(.requirement("C21")) struct MergeStrategyTests: MergesThings {
  @Test func `without another strategy somebody has to decide, and this side is shown`() {
    let result = merge({ $0.title = "l" }, { $0.title = "r" })
    #expect(result.state.record?.title == "l")
    #expect(result.conflicts == [FieldConflict(field: "title", cause: .bothChanged)])
    #expect(!result.isClean && result.discarded.isEmpty)
  }

  @Test(arguments: [(MergeSide.local, "l"), (.remote, "r")])
  func `a conflict that somebody decided is none`(side: MergeSide, title: String) {
    let result = merge({ $0.title = "l" }, { $0.title = "r" }, choosing: ["title": side])
    #expect(result.isClean && result.state.record?.title == title)
  }

  @Test func `one side may be preferred, with a receipt`() {
    let result = merge({ ($0.theirs, $0.ours) = (1, 1) }, { ($0.theirs, $0.ours) = (2, 2) })
    #expect(result.isClean)
    #expect(result.state.record?.theirs == 2 && result.state.record?.ours == 1)
    #expect(
      result.discarded == [
        receipt("theirs", .local, "preferRemote"), receipt("ours", .remote, "preferLocal"),
      ])
  }

  @Test func `the last write stands, by a stamp of the record`() {
    let result = merge(
      { ($0.latest, $0.stamp) = (1, .at(9)) }, { ($0.latest, $0.stamp) = (2, .at(8)) })
    #expect(result.state.record?.latest == 1 && result.state.record?.stamp == .at(9))
    #expect(
      result.discarded == [
        receipt("latest", .remote, "lastWrite"), receipt("stamp", .remote, "greatest"),
      ])
    let other = merge(
      { ($0.latest, $0.stamp) = (1, .at(8)) }, { ($0.latest, $0.stamp) = (2, .at(9)) })
    #expect(other.state.record?.latest == 2 && other.state.record?.stamp == .at(9))
    #expect(other.discarded.map(\.side) == [.local, .local])
  }

  @Test func `the last write stands, by a stamp of its own`() {
    let (early, late) = (Register("early", at: .at(4)), Register("late", at: .at(5)))
    #expect(merge({ $0.register = early }, { $0.register = late }).state.record?.register == late)
    let result = merge({ $0.register = late }, { $0.register = early })
    #expect(result.state.record?.register == late && result.anomalies.isEmpty)
    #expect(result.discarded == [receipt("register", .remote, "lastWrite")])
  }

  @Test func `two values under one stamp are told of`() {
    let result = merge(
      { $0.register = Register("a", at: .at(4)) }, { $0.register = Register("b", at: .at(4)) })
    #expect(result.anomalies == ["register"] && result.state.record?.register.value == "b")
  }

  @Test func `counts are added up, also where both made the same change`() {
    #expect(merge({ $0.quantity = 7 }, { $0.quantity = 4 }).state.record?.quantity == 6)
    #expect(merge({ $0.quantity = 7 }, { $0.quantity = 7 }).state.record?.quantity == 9)
    #expect(merge({ $0.quantity = 7 }, { $0.quantity = 7 }).discarded.isEmpty)
  }

  @Test func `a sum outside of the range is cut, with receipts`() {
    let result = merge({ $0.quantity = 9 }, { $0.quantity = 9 })
    #expect(result.state.record?.quantity == 10)
    #expect(
      result.discarded == [
        receipt("quantity", .local, "counter"), receipt("quantity", .remote, "counter"),
      ])
  }

  @Test func `sets keep the additions and removals of both`() {
    let base = base.with { $0.tags = ["a", "b", "c"] }
    let result = Thing.policy.merge(
      base, base.with { $0.tags = ["b", "c", "l"] }, base.with { $0.tags = ["a", "c", "r"] })
    #expect(result.isClean && result.state.record?.tags == ["c", "l", "r"])
  }

  @Test func `maps are merged key by key`() {
    let base = base.with { $0.labels = ["same": "1", "here": "1", "there": "1", "gone": "1"] }
    let result = Thing.policy.merge(
      base, base.with { $0.labels = ["same": "1", "here": "2", "there": "1", "new": "l"] },
      base.with { $0.labels = ["same": "1", "here": "1", "there": "3", "gone": "1", "add": "r"] })
    #expect(
      result.state.record?.labels == [
        "same": "1", "here": "2", "there": "3", "new": "l", "add": "r",
      ])
    #expect(result.isClean && result.discarded.isEmpty)
  }

  @Test func `a key in conflict has a name of its own, and may be decided alone`() {
    func local(_ thing: inout Thing) { thing.labels = ["a/b~c": "l", "z": "l"] }
    func remote(_ thing: inout Thing) { thing.labels = ["a/b~c": "r", "z": "r"] }
    let result = merge(local, remote)
    #expect(result.conflicts.map(\.field) == ["labels/a~1b~0c", "labels/z"])
    #expect(result.conflicts.map(\.cause) == [.bothChanged, .bothChanged])
    #expect(result.state.record?.labels == ["a/b~c": "l", "z": "l"])
    let decided = merge(local, remote, choosing: ["labels/z": .remote])
    #expect(decided.conflicts.map(\.field) == ["labels/a~1b~0c"])
    #expect(decided.state.record?.labels == ["a/b~c": "l", "z": "r"])
  }

  @Test func `a key that one side removed and the other changed stays, with a receipt`() {
    let base = base.with { $0.labels = ["a": "1"] }
    let (gone, edited) = (base.with { $0.labels = [:] }, base.with { $0.labels = ["a": "2"] })
    let result = Thing.policy.merge(base, gone, edited)
    #expect(result.state.record?.labels == ["a": "2"])
    #expect(result.discarded == [receipt("labels/a", .local, "editWins")])
    let other = Thing.policy.merge(base, edited, gone)
    #expect(other.state.record?.labels == ["a": "2"])
    #expect(other.discarded == [receipt("labels/a", .remote, "editWins")])
  }

  @Test func `or it goes, with a receipt`() {
    let base = base.with { $0.counts = ["a": 1] }
    let (gone, edited) = (base.with { $0.counts = [:] }, base.with { $0.counts = ["a": 2] })
    let result = Thing.policy.merge(base, gone, edited)
    #expect(result.state.record?.counts == [:])
    #expect(result.discarded == [receipt("counts/a", .remote, "deleteWins")])
    let other = Thing.policy.merge(base, edited, gone)
    #expect(other.state.record?.counts == [:])
    #expect(other.discarded == [receipt("counts/a", .local, "deleteWins")])
  }

  @Test func `or somebody has to decide`() {
    let policy = MergePolicy<Thing>([.field("labels", \.labels, .map(deletion: .conflict))])
    let base = base.with { $0.labels = ["a": "1"] }
    let (gone, edited) = (base.with { $0.labels = [:] }, base.with { $0.labels = ["a": "2"] })
    let conflict = FieldConflict(field: "labels/a", cause: .editedAndDeleted)
    let result = policy.merge(base, gone, edited)
    #expect(result.conflicts == [conflict] && result.state.record?.labels == [:])
    let other = policy.merge(base, edited, gone)
    #expect(other.conflicts == [conflict] && other.state.record?.labels == ["a": "2"])
    for (side, labels) in [(MergeSide.local, [:]), (.remote, ["a": "2"])] {
      let decided = policy.merge(
        base: .present(base), local: .present(gone), remote: .present(edited),
        choosing: ["labels/a": side])
      #expect(decided.isClean && decided.state.record?.labels == labels)
    }
  }

  @Test func `counts in a map begin with zero where nobody had the key`() {
    let result = merge({ $0.counts = ["a": 3, "b": 2] }, { $0.counts = ["a": 3, "c": 1] })
    #expect(result.state.record?.counts == ["a": 6, "b": 2, "c": 1])
  }

  @Test func `a merger of one's own may merge, choose or decline`() {
    #expect(merge({ $0.words = ["b"] }, { $0.words = ["a"] }).state.record?.words == ["a", "b"])
    let base = base.with { $0.words = ["x"] }
    let declined = Thing.policy.merge(
      base, base.with { $0.words = ["b"] }, base.with { $0.words = ["x", "a"] })
    #expect(declined.conflicts == [FieldConflict(field: "words", cause: .bothChanged)])
    #expect(declined.state.record?.words == ["b"])
    let policy = MergePolicy<Thing>([
      .field("title", \.title, .custom { _, local, remote in max(local, remote) })
    ])
    let chosen = policy.merge(base, base.with { $0.title = "v" }, base.with { $0.title = "w" })
    #expect(chosen.state.record?.title == "w")
    #expect(chosen.discarded == [receipt("title", .local, "custom")])
    let other = policy.merge(base, base.with { $0.title = "w" }, base.with { $0.title = "v" })
    #expect(other.discarded == [receipt("title", .remote, "custom")])
  }

  @Test func `a merger that answers the base leaves a receipt of both changes`() {
    let policy = MergePolicy<Thing>([.field("title", \.title, .custom { base, _, _ in base })])
    let result = policy.merge(base, base.with { $0.title = "v" }, base.with { $0.title = "w" })
    #expect(result.state.record == base && result.isClean)
    #expect(
      result.discarded == [
        receipt("title", .local, "custom"), receipt("title", .remote, "custom"),
      ])
  }

  @Test func `values are the same by a relation of their own`() {
    #expect(merge({ $0.size = 2 }, { $0.size = 2.001 }).isClean)
    #expect(merge({ $0.size = 1.001 }, { $0.size = 3 }).state.record?.size == 3)
    #expect(
      merge({ $0.size = 2 }, { $0.size = 3 }).conflicts
        == [FieldConflict(field: "size", cause: .bothChanged)])
  }

  @Test func `counts in a map are added up where both did the same`() {
    let base = base.with { $0.counts = ["a": 1] }
    let other = base.with { $0.counts = ["a": 3] }
    #expect(Thing.policy.merge(base, other, other).state.record?.counts == ["a": 5])
  }

  @Test func `counts reach the ends of their type`() {
    let base = base.with { $0.counts = ["up": .max - 2, "down": .min + 2] }
    let other = base.with { $0.counts = ["up": .max - 1, "down": .min + 1] }
    let result = Thing.policy.merge(base, other, other)
    #expect(result.state.record?.counts == ["up": .max, "down": .min])
    #expect(result.discarded.isEmpty)
  }

  @Test func `a key that was renamed is another key`() {
    let base = base.with { $0.labels = ["a": "1"] }
    let result = Thing.policy.merge(
      base, base.with { $0.labels = ["b": "1"] }, base.with { $0.title = "r" })
    #expect(result.state.record?.labels == ["b": "1"])
    let other = Thing.policy.merge(
      base, base.with { $0.title = "l" }, base.with { $0.labels = ["b": "1"] })
    #expect(other.state.record?.labels == ["b": "1"])
  }

  @Test func `an edited value of a map stays unless something else is said`() {
    let policy = MergePolicy<Thing>([.field("labels", \.labels, .map(of: .preferLocal))])
    let base = base.with { $0.labels = ["a": "1"] }
    let result = policy.merge(
      base, base.with { $0.labels = [:] }, base.with { $0.labels = ["a": "2"] })
    #expect(result.state.record?.labels == ["a": "2"])
  }

  @Test func `equal by a relation of one's own is no conflict without a base either`() {
    #expect(
      Thing.policy.merge(nil, base.with { $0.size = 2 }, base.with { $0.size = 2.001 }).isClean)
    let policy = MergePolicy<Thing>([
      .field("labels", \.labels, .map(of: .conflict(isEqual: { $0.count == $1.count })))
    ])
    let (one, other) = (base.with { $0.labels = ["a": "1"] }, base.with { $0.labels = ["a": "2"] })
    #expect(policy.merge(nil, one, other).isClean)
  }

  @Test func `each strategy says what it promises`() {
    func promises(_ strategy: MergeStrategy<Int>) -> [Bool] {
      let rule = MergeRule<Thing>.field("ours", \.ours, strategy)
      return [rule.isSymmetric, rule.counts, rule.combines]
    }
    #expect(promises(.conflict) == [true, false, false])
    #expect(promises(.conflict(isEqual: { $0 == $1 })) == [true, false, false])
    #expect(promises(.preferLocal) == [false, false, false])
    #expect(promises(.preferRemote) == [false, false, false])
    #expect(promises(.greatest) == [true, false, false])
    #expect(promises(.counter()) == [true, true, true])
    #expect(promises(.custom { _, _, _ in nil }) == [false, false, true])
    func mapPromises(_ strategy: MergeStrategy<String>) -> [Bool] {
      let rule = MergeRule<Thing>.field("labels", \.labels, .map(of: strategy))
      return [rule.isSymmetric, rule.counts, rule.combines]
    }
    #expect(mapPromises(.conflict) == [true, false, true])
    #expect(mapPromises(.preferLocal) == [false, false, true])
    let counts = MergeRule<Thing>.field("counts", \.counts, .map(of: .counter()))
    #expect(counts.isSymmetric && counts.counts && counts.combines)
    let tags = MergeRule<Thing>.field("tags", \.tags, .set())
    #expect(tags.isSymmetric && !tags.counts && tags.combines)
    let register = MergeRule<Thing>.field("register", \.register, .lastWrite())
    #expect(register.isSymmetric && !register.counts && !register.combines)
  }

  @Test func `without a base what differs is a conflict, unless stamps or sizes decide`() {
    let result = Thing.policy.merge(
      nil,
      base.with {
        $0.title = "l"
        $0.theirs = 1
        $0.tags = ["l"]
        $0.quantity = 1
        $0.room = 1
        $0.register = Register("l", at: .at(9))
        $0.stamp = .at(9)
        $0.latest = 1
      }, base.with { $0.words = ["w"] })
    #expect(
      result.conflicts.map(\.field) == [
        "title", "theirs", "quantity", "tags", "words", "place",
      ])
    #expect(Set(result.conflicts.map(\.cause)) == [.noBase])
    #expect(result.state.record?.register.value == "l" && result.state.record?.latest == 1)
    #expect(result.state.record?.words == [])
  }
}
