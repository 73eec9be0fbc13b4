// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("C21")) struct ConflictStateMachineTests {
  typealias Machine = ConflictStateMachine<Thing>

  static let start = Date(timeIntervalSince1970: 1000)
  static let later = Date(timeIntervalSince1970: 2000)
  private let base = Thing()

  func version(_ version: String, _ change: (inout Thing) -> Void = { _ in })
    -> VersionedState<Thing>
  {
    VersionedState(.present(base.with(change)), version: version)
  }

  func machine() -> Machine { Machine(record: "thing", base: version("1")) }

  func edited(_ change: (inout Thing) -> Void = { $0.title = "mine" }) -> Machine {
    var machine = machine()
    _ = machine.edited(to: .present(base.with(change)), policy: Thing.policy, at: Self.start)
    return machine
  }

  func sending(_ change: (inout Thing) -> Void = { $0.title = "mine" }) -> Machine {
    var machine = edited(change)
    _ = machine.began()
    return machine
  }

  /// Both changed the title.
  func conflicted() throws -> (machine: Machine, conflict: Conflict<Thing>) {
    var machine = edited()
    _ = machine.received(
      version("2") { ($0.title, $0.room) = ("theirs", 2) }, policy: Thing.policy, at: Self.start)
    return (machine, try #require(machine.conflict))
  }

  @Test func `a new machine has nothing to send`() {
    var machine = machine()
    #expect(machine.phase == .settled && machine.outgoing == nil && machine.conflict == nil)
    #expect(machine.began() == nil && machine.phase == .settled)
    #expect(machine.local == .present(base))
  }

  @Test func `one that begins with a change has`() {
    let machine = Machine(
      record: "thing", base: VersionedState(.deleted, version: nil), local: .present(base))
    #expect(machine.phase == .pending)
    #expect(machine.outgoing?.state == .present(base) && machine.outgoing?.precondition == nil)
  }

  @Test func `an edit is wanted to be sent, on condition of the base`() {
    var machine = machine()
    let local = RecordState.present(base.with { $0.title = "mine" })
    let step = machine.edited(to: local, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.phase == .pending && machine.local == local)
    #expect(machine.outgoing?.state == local && machine.outgoing?.precondition == "1")
  }

  @Test func `an edit that is taken back is dropped`() {
    var machine = edited()
    let step = machine.edited(to: .present(base), policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled && machine.outgoing == nil)
  }

  @Test func `a run that is repeated sends the same, whatever was edited meanwhile`() {
    var machine = sending()
    let first = machine.outgoing
    let step = machine.edited(
      to: .present(base.with { $0.title = "later" }), policy: Thing.policy, at: Self.start)
    #expect(step.next == .nothing && machine.phase == .sending)
    #expect(machine.began() == first && first != nil)
    #expect(machine.local.record?.title == "later")
  }

  @Test func `what arrived is the new base`() {
    var machine = sending()
    let step = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled)
    #expect(machine.base == version("2") { $0.title = "mine" })
  }

  @Test func `what was edited meanwhile is sent after it`() {
    var machine = sending()
    let local = RecordState.present(base.with { $0.title = "later" })
    _ = machine.edited(to: local, policy: Thing.policy, at: Self.start)
    let step = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.phase == .pending)
    #expect(machine.outgoing?.state == local && machine.outgoing?.precondition == "2")
  }

  @Test func `what did not arrive waits again`() {
    var machine = sending()
    let step = machine.released(policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.phase == .pending)
    #expect(machine == edited())
  }

  @Test func `answers that nobody waits for change nothing`() {
    for var machine in [machine(), edited()] {
      let before = machine
      #expect(
        machine.acknowledged(version: "9", policy: Thing.policy, at: Self.start).next == .nothing)
      #expect(machine.released(policy: Thing.policy, at: Self.start).next == .nothing)
      #expect(machine == before)
    }
  }

  @Test func `news of a settled record is taken over`() {
    var machine = machine()
    let news = version("2") { $0.title = "theirs" }
    let step = machine.received(news, policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.base == news && machine.local == news.state)
  }

  @Test func `old news and no news change nothing`() {
    for var machine in [machine(), edited()] {
      let before = machine
      for news in [version("1"), VersionedState(.missing, version: "7")] {
        #expect(machine.received(news, policy: Thing.policy, at: Self.start).next == .nothing)
      }
      #expect(machine == before)
    }
  }

  @Test func `news is merged with what waits, and becomes the base`() {
    var machine = edited { ($0.title, $0.theirs) = ("mine", 1) }
    let news = version("2") { ($0.room, $0.theirs) = (2, 2) }
    let step = machine.received(news, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.base == news)
    #expect(step.discarded.map(\.field) == ["theirs"])
    let merged = RecordState.present(
      base.with { ($0.title, $0.room, $0.theirs) = ("mine", 2, 2) })
    #expect(machine.outgoing?.state == merged && machine.outgoing?.precondition == "2")
    #expect(machine.local == merged)
  }

  @Test func `where the others made the same change nothing is sent`() {
    var machine = edited()
    let step = machine.received(
      version("2") { ($0.title, $0.room) = ("mine", 2) }, policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled)
  }

  @Test func `news that comes while something is on its way waits for its outcome`() {
    var machine = sending()
    let news = version("3") { ($0.title, $0.room) = ("mine", 2) }
    #expect(machine.received(news, policy: Thing.policy, at: Self.start).next == .nothing)
    #expect(machine.base == version("1"))
    let step = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.base == news && machine.local == news.state)
  }

  @Test func `counts are not doubled by news that holds them already`() {
    var machine = sending { $0.quantity = 7 }
    _ = machine.received(
      version("2") { $0.quantity = 7 }, policy: Thing.policy, at: Self.start)
    let step = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.local.record?.quantity == 7)
    // And those of another device are added.
    var other = sending { $0.quantity = 7 }
    _ = other.received(version("3") { $0.quantity = 8 }, policy: Thing.policy, at: Self.start)
    _ = other.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(other.local.record?.quantity == 8)
  }

  @Test func `old news that comes while something is on its way is forgotten`() {
    var machine = sending()
    _ = machine.received(version("1"), policy: Thing.policy, at: Self.start)
    let step = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.local.record?.title == "mine")
  }

  @Test func `what the other side made of the change is taken over`() {
    var machine = sending { $0.title = " mine " }
    _ = machine.received(version("2") { $0.title = "mine" }, policy: Thing.policy, at: Self.start)
    _ = machine.acknowledged(version: "2", policy: Thing.policy, at: Self.start)
    #expect(machine.local.record?.title == "mine" && machine.phase == .settled)
  }

  @Test func `news is merged after what did not arrive`() {
    var machine = sending()
    let news = version("3") { $0.room = 2 }
    _ = machine.received(news, policy: Thing.policy, at: Self.start)
    let step = machine.released(policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.base == news)
    #expect(machine.local.record?.room == 2 && machine.local.record?.title == "mine")
  }

  @Test func `a refusal is merged and sent again, on condition of what refused it`() {
    var machine = sending()
    let news = version("2") { $0.room = 2 }
    let step = machine.refused(by: news, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.merges == 1)
    #expect(machine.outgoing?.precondition == "2" && machine.local.record?.title == "mine")
    _ = machine.began()
    _ = machine.acknowledged(version: "3", policy: Thing.policy, at: Self.start)
    #expect(machine.merges == 0 && machine.phase == .settled)
  }

  @Test func `a refusal that does not say what is there parks the record until it is heard`() throws
  {
    let silence = VersionedState<Thing>(.missing, version: nil)
    var machine = sending()
    let step = machine.refused(by: silence, policy: Thing.policy, at: Self.start)
    let conflict = try #require(machine.conflict)
    #expect(step.next == .ask(conflict) && conflict.causes == [.noRemote])
    #expect(machine.base == version("1") && machine.local.record?.title == "mine")
    let news = version("2") { $0.room = 2 }
    #expect(machine.received(news, policy: Thing.policy, at: Self.later).next == .send)
    #expect(machine.outgoing?.precondition == "2" && machine.local.record?.title == "mine")
    // What was heard before will do.
    var informed = sending()
    _ = informed.received(news, policy: Thing.policy, at: Self.start)
    #expect(informed.refused(by: silence, policy: Thing.policy, at: Self.start).next == .send)
    #expect(informed.base == news)
    var misinformed = sending()
    _ = misinformed.received(version("1"), policy: Thing.policy, at: Self.start)
    _ = misinformed.refused(by: silence, policy: Thing.policy, at: Self.start)
    #expect(misinformed.conflict?.causes == [.noRemote])
  }

  @Test func `a refusal that nobody waits for is news`() {
    var machine = edited()
    let step = machine.refused(
      by: version("2") { $0.room = 2 }, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.merges == 0 && machine.local.record?.room == 2)
  }

  @Test func `a conflict parks the record, and this side is shown`() throws {
    var machine = edited()
    let news = version("2") { ($0.title, $0.room) = ("theirs", 2) }
    let step = machine.received(news, policy: Thing.policy, at: Self.start)
    let conflict = try #require(machine.conflict)
    #expect(step.next == .ask(conflict) && machine.phase == .conflicted)
    #expect(machine.outgoing == nil && machine.began() == nil)
    #expect(machine.local.record?.title == "mine" && machine.base == version("1"))
    #expect(conflict.record == "thing" && conflict.id == "thing")
    #expect(conflict.fields == [FieldConflict(field: "title", cause: .bothChanged)])
    #expect(conflict.causes == [.bothChanged] && conflict.since == Self.start)
    #expect(conflict.base == .present(base) && conflict.local == machine.local)
    #expect(conflict.remote == news)
    #expect(conflict.suggestion.record == base.with { ($0.title, $0.room) = ("mine", 2) })
  }

  @Test func `newer news changes the conflict in place`() throws {
    var (machine, first) = try conflicted()
    let news = version("3") { ($0.title, $0.words) = ("others", ["w"]) }
    let step = machine.received(news, policy: Thing.policy, at: Self.later)
    let conflict = try #require(machine.conflict)
    #expect(step.next == .ask(conflict) && conflict != first)
    #expect(conflict.remote == news && conflict.since == Self.start)
    #expect(machine.resolved(first, with: .present(base)) == nil)
    #expect(machine.received(news, policy: Thing.policy, at: Self.later).next == .nothing)
  }

  @Test func `news may resolve a conflict by itself`() throws {
    var (machine, _) = try conflicted()
    let step = machine.received(
      version("3") { ($0.title, $0.room) = ("mine", 3) }, policy: Thing.policy, at: Self.later)
    #expect(step.next == .drop && machine.phase == .settled && machine.conflict == nil)
  }

  @Test func `and so may an edit`() throws {
    var (machine, _) = try conflicted()
    let step = machine.edited(
      to: .present(base.with { ($0.title, $0.shelf) = ("theirs", 0) }), policy: Thing.policy,
      at: Self.later)
    #expect(step.next == .drop && machine.phase == .settled)
    var (other, _) = try conflicted()
    let open = other.edited(
      to: .present(base.with { $0.title = "still mine" }), policy: Thing.policy, at: Self.later)
    #expect(open.next == other.conflict.map(Machine.Next.ask))
    #expect(other.conflict?.local.record?.title == "still mine")
  }

  @Test func `what somebody decided is sent on condition of what they saw`() throws {
    var (machine, conflict) = try conflicted()
    let decided = RecordState.present(base.with { $0.title = "ours" })
    let step = machine.resolved(conflict, with: decided)
    #expect(step?.next == .send && machine.phase == .pending && machine.conflict == nil)
    #expect(machine.outgoing?.state == decided && machine.outgoing?.precondition == "2")
    #expect(machine.resolved(conflict, with: decided) == nil)
    // A second conflict is possible, and is made from what was decided.
    _ = machine.began()
    _ = machine.refused(
      by: version("3") { $0.title = "theirs again" }, policy: Thing.policy, at: Self.later)
    #expect(machine.conflict?.base == conflict.remote.state)
    #expect(machine.conflict?.local == decided && machine.conflict?.since == Self.later)
  }

  @Test func `taking the other side's version sends nothing`() throws {
    var (machine, conflict) = try conflicted()
    let step = machine.resolved(conflict, with: conflict.remote.state)
    #expect(step?.next == .drop && machine.phase == .settled && machine.base == conflict.remote)
  }

  @Test(arguments: [1, 5]) func `merging again and again comes to an end`(limit: Int) throws {
    var machine = edited { $0.quantity = 6 }
    for number in 1...limit {
      _ = machine.began()
      let step = machine.refused(
        by: version("r\(number)") { $0.room = number }, policy: Thing.policy, at: Self.start,
        limit: limit)
      #expect(step.next == .send && machine.merges == number)
    }
    _ = machine.began()
    let step = machine.refused(
      by: version("last") { $0.room = 99 }, policy: Thing.policy, at: Self.start, limit: limit)
    let conflict = try #require(machine.conflict)
    #expect(step.next == .ask(conflict))
    #expect(conflict.fields == [FieldConflict(field: "", cause: .tooManyMerges)])
    // News does not start it again; a person does.
    let news = machine.received(
      version("news") { $0.room = 7 }, policy: Thing.policy, at: Self.later)
    #expect(news.next == machine.conflict.map(Machine.Next.ask))
    let open = try #require(machine.conflict)
    #expect(open.causes == [.tooManyMerges] && open.suggestion.record?.quantity == 6)
    #expect(machine.resolved(open, with: open.suggestion)?.next == .send)
    #expect(machine.merges == 0)
  }

  @Test func `where nothing is left to send, too many merges are none`() {
    var machine = edited()
    for number in 1...6 {
      #expect(machine.phase == .pending)
      _ = machine.began()
      _ = machine.refused(
        by: version("r\(number)") { $0.room = number }, policy: Thing.policy, at: Self.start)
    }
    #expect(machine.phase == .conflicted)
    let step = machine.received(
      version("same") { $0.title = "mine" }, policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled)
  }

  @Test(arguments: [0, 101]) func `a limit has to be a limit`(limit: Int) async {
    await #expect(processExitsWith: .failure) { [limit] in
      var machine = ConflictStateMachine<Thing>(
        record: "", base: VersionedState(.missing, version: nil))
      _ = machine.refused(
        by: VersionedState(.deleted, version: nil), policy: Thing.policy, at: .distantPast,
        limit: limit)
    }
  }

  @Test func `two values under one stamp are told of`() {
    var machine = edited { $0.register = Register("a", at: .at(5)) }
    let step = machine.received(
      version("2") { $0.register = Register("b", at: .at(5)) }, policy: Thing.policy,
      at: Self.start)
    #expect(step.anomalies == ["register"])
  }

  @Test func `a record that a full list does not have is deleted, if it ever was there`() {
    var machine = machine()
    _ = machine.absentFromSnapshot(policy: Thing.policy, at: Self.start)
    #expect(machine.local == .deleted && machine.phase == .settled)
    var changed = edited()
    let step = changed.absentFromSnapshot(policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && step.discarded.map(\.rule) == ["editWins"])
    #expect(changed.base.state == .deleted && changed.outgoing?.precondition == nil)
    for state in [RecordState<Thing>.deleted, .missing] {
      var made = Machine(
        record: "thing", base: VersionedState(state, version: nil), local: .present(base))
      let before = made
      #expect(made.absentFromSnapshot(policy: Thing.policy, at: Self.start).next == .nothing)
      #expect(made == before)
    }
  }
}
