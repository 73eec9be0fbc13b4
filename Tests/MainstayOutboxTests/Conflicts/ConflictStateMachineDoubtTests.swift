// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

/// A change whose first answer was lost, and that finds another version when it is sent again.
extension ConflictStateMachineTests {
  /// One was taken of five, and nobody knows whether the other side has heard of it.
  private func repeated() -> Machine {
    var machine = sending { $0.quantity -= 1 }
    _ = machine.began()
    return machine
  }

  private var count: Int { Thing().quantity }

  @Test func `its own version is no change of somebody else`() {
    var machine = repeated()
    let mine = version("2") { $0.quantity -= 1 }
    let step = machine.refused(by: mine, policy: Thing.policy, at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled && machine.base == mine)
    #expect(machine.local.record?.quantity == count - 1, "it counts once")
  }

  @Test func `what was edited meanwhile follows that`() {
    var machine = repeated()
    let later = RecordState.present(Thing().with { ($0.quantity, $0.title) = (count - 1, "new") })
    _ = machine.edited(to: later, policy: Thing.policy, at: Self.start)
    let step = machine.refused(
      by: version("2") { $0.quantity -= 1 }, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.outgoing?.state == later)
    #expect(machine.outgoing?.precondition == "2")
  }

  @Test func `another version is for a person, as long as anything is left to send`() throws {
    var machine = repeated()
    let theirs = version("3") { $0.quantity -= 2 }
    let step = machine.refused(by: theirs, policy: Thing.policy, at: Self.start)
    let conflict = try #require(machine.conflict)
    #expect(step.next == .ask(conflict) && machine.outgoing == nil)
    #expect(conflict.fields == [FieldConflict(field: "", cause: .outcomeUnknown)])
    #expect(conflict.suggestion == conflict.local && conflict.remote == theirs)
    // News does not merge it either, and neither does an edit.
    _ = machine.received(
      version("4") { $0.quantity -= 3 }, policy: Thing.policy, at: Self.later)
    #expect(machine.conflict?.causes == [.outcomeUnknown])
    _ = machine.edited(
      to: .present(Thing().with { $0.quantity -= 5 }), policy: Thing.policy, at: Self.later)
    let open = try #require(machine.conflict)
    #expect(open.causes == [.outcomeUnknown] && open.since == Self.start)
    #expect(machine.resolved(open, with: open.local)?.next == .send)
    // What was decided is merged like anything else.
    _ = machine.began()
    let news = version("5") { ($0.quantity, $0.room) = (count - 3, 9) }
    #expect(machine.refused(by: news, policy: Thing.policy, at: Self.later).next == .send)
  }

  @Test func `where nothing is left to send, nobody is asked`() {
    var machine = sending()
    _ = machine.began()
    let step = machine.refused(
      by: version("3") { ($0.title, $0.room) = ("mine", 2) }, policy: Thing.policy,
      at: Self.start)
    #expect(step.next == .drop && machine.phase == .settled)
  }

  @Test func `a side that does not say what it has leaves both questions open`() throws {
    var machine = repeated()
    _ = machine.refused(
      by: VersionedState(.missing, version: nil), policy: Thing.policy, at: Self.start)
    let conflict = try #require(machine.conflict)
    #expect(conflict.causes == [.noRemote, .outcomeUnknown])
    let back = try JSONDecoder().decode(Machine.self, from: JSONEncoder().encode(machine))
    #expect(back == machine)
  }

  @Test func `a side that looks at the key first has not had it`() {
    var machine = repeated()
    let step = machine.refused(
      by: version("2") { $0.quantity -= 2 }, policy: Thing.policy, at: Self.start,
      knowsRepetitions: true)
    #expect(step.next == .send && machine.local.record?.quantity == count - 3)
  }

  @Test func `what was asked about leaves no doubt`() {
    var machine = repeated()
    _ = machine.released(policy: Thing.policy, at: Self.start)
    _ = machine.began()
    let step = machine.refused(
      by: version("2") { $0.quantity -= 2 }, policy: Thing.policy, at: Self.start)
    #expect(step.next == .send && machine.local.record?.quantity == count - 3)
  }

  @Test func `the doubt outlives the process`() throws {
    let back = try JSONDecoder().decode(Machine.self, from: JSONEncoder().encode(repeated()))
    #expect(back == repeated())
    // What was kept by a build that knew of none has none.
    let text = String(decoding: try JSONEncoder().encode(sending()), as: UTF8.self)
    #expect(!text.contains("isInDoubt"))
  }
}
