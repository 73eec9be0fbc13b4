// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@testable import MainstayOutbox

/// What becomes of an operation whose record somebody else has changed.
@Suite(.requirement("C21")) struct OperationMergingStateMachineTests {
  private static let latest = Data([7])
  private static let key = IdempotencyKey()
  private static let conflict = AppError.test(.needsUser, kind: .conflict)
  private static let many = FieldConflict(field: "", cause: .tooManyMerges)

  private func machine(effect: EffectCertainty = .notSent) -> OperationStateMachine {
    var rules = OperationStateMachine.Rules()
    rules.maximumMerges = 2
    rules.backoff = .exponential(from: .seconds(8), to: .seconds(60), jitter: .full)
    return OperationStateMachine(attempts: 0, unreachable: 0, effect: effect, rules: rules)
  }

  private func overtaken(
    _ step: MergeStep?, merges: Int = 0, by error: AppError = conflict,
    after effect: EffectCertainty = .notSent, isThere: Bool = false
  ) -> OperationVerdict {
    var machine = machine(effect: effect)
    return machine.overtaken(
      step, latest: Self.latest, merges: merges, key: Self.key, error: error, isThere: isThere,
      fraction: 0.5)
  }

  @Test func `what was merged is sent under a key of its own, and counted`() {
    let verdict = overtaken(MergeStep(.send), merges: 1)
    #expect(verdict.next == .ready && verdict.effect == .refused)
    #expect(verdict.news?.latest == Self.latest && verdict.news?.merges == 2)
    #expect(verdict.news?.idempotencyKey == Self.key)
    #expect(verdict.failure?.code == Self.conflict.code)
  }

  @Test(arguments: [Disposition.permanent, .needsUser])
  func `a conflict that nobody could resolve is a refusal`(_ disposition: Disposition) {
    let error = AppError.test(disposition, kind: .conflict)
    var machine = machine()
    let verdict = machine.failed(error, fraction: 0)
    #expect(verdict.next == .dead(.refused, followers: .holdKey) && verdict.effect == .refused)
    #expect(verdict.closesLane == nil)
    var doubtful = OperationStateMachine(
      attempts: 1, unreachable: 0, effect: .sentUnknown, rules: machine.rules)
    let unknown = doubtful.failed(error, fraction: 0)
    #expect(unknown.next == .dead(.outcomeUnknown, followers: .holdKey))
  }

  @Test func `nothing is merged while nobody knows what became of an earlier run`() {
    let field = FieldConflict(field: "title", cause: .bothChanged)
    for step in [MergeStep(.send), MergeStep(.ask([field]))] {
      let verdict = overtaken(step, after: .sentUnknown)
      #expect(
        verdict.next == .conflicted(remote: Self.latest, fields: [.outcomeUnknown]))
      #expect(verdict.effect == .sentUnknown && verdict.news?.idempotencyKey == nil)
      #expect(verdict.news?.latest == Self.latest, "what follows goes on from it")
    }
    let unread = overtaken(nil, after: .sentUnknown)
    #expect(
      unread.next == .conflicted(remote: Self.latest, fields: [.noRemote, .outcomeUnknown]))
  }

  @Test func `it is done where the other side has what was sent`() {
    let verdict = overtaken(MergeStep(.send), after: .sentUnknown, isThere: true)
    #expect(verdict.next == .done && verdict.effect == .sentUnknown)
    // Without a doubt that is another one's change, and counts beside this one.
    #expect(overtaken(MergeStep(.send), isThere: true).next == .ready)
  }

  @Test func `and where nothing is left to send, whatever became of that run`() {
    #expect(overtaken(MergeStep(.nothing), after: .sentUnknown).next == .done)
    let receipt = DiscardedChange(field: "title", side: .local, rule: "preferRemote")
    let dropped = overtaken(MergeStep(.nothing, discarded: [receipt]), after: .sentUnknown)
    #expect(dropped.next == .dropped && dropped.effect == .sentUnknown)
  }

  @Test func `merged too often it waits for somebody`() {
    let verdict = overtaken(MergeStep(.send), merges: 2)
    #expect(verdict.next == .conflicted(remote: Self.latest, fields: [Self.many]))
    #expect(verdict.news?.merges == 3 && verdict.news?.idempotencyKey == nil)
    for (merges, counted) in [(Int.max - 2, Int.max - 1), (.max - 1, .max), (.max, .max)] {
      #expect(overtaken(MergeStep(.send), merges: merges).news?.merges == counted)
    }
  }

  @Test func `what the other side has already is done, or dropped where something was lost`() {
    #expect(overtaken(MergeStep(.nothing)).next == .done)
    let receipt = DiscardedChange(field: "title", side: .local, rule: "preferRemote")
    #expect(overtaken(MergeStep(.nothing, discarded: [receipt])).next == .dropped)
  }

  @Test func `what nothing can decide is asked`() {
    let field = FieldConflict(field: "title", cause: .bothChanged)
    let asked = OperationVerdict.Next.conflicted(remote: Self.latest, fields: [field])
    #expect(overtaken(MergeStep(.ask([field]))).next == asked)
    #expect(overtaken(MergeStep(.ask([field])), merges: 9).next == asked)
    let unread = overtaken(nil)
    #expect(unread.next == .conflicted(remote: Self.latest, fields: [.noRemote]))
    #expect(unread.news?.merges == 1 && unread.news?.idempotencyKey == nil)
  }

  @Test func `what is no conflict for good is a failure like any other`() {
    let verdict = overtaken(MergeStep(.send), by: .test(.transient(), kind: .conflict))
    let wait = machine().rules.backoff.delay(attempt: 1, fraction: 0.5)
    #expect(wait > .zero && verdict.news == nil)
    #expect(verdict.next == .scheduled(after: wait), "it waits as long as chance has it")
  }

  @Test func `what need not be sent ends without a run`() {
    let machine = machine()
    let field = FieldConflict(field: "title", cause: .noBase)
    #expect(machine.notSent(MergeStep(.nothing), latest: nil).next == .done)
    #expect(
      machine.notSent(MergeStep(.ask([field])), latest: nil).next
        == .conflicted(remote: nil, fields: [field]))
    let verdict = machine.notSent(MergeStep(.send), latest: Self.latest)
    #expect(verdict.next == .conflicted(remote: Self.latest, fields: [Self.many]))
    #expect(verdict.failure == nil && verdict.effect == .notSent)
  }
}
