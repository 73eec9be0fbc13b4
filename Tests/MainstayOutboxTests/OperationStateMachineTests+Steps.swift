// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

extension OperationStateMachineTests {
  @Test(
    arguments: [
      (.test(.transient(), kind: .offline), .notSent),
      (.http(status: 503, isRepeatable: true), .refused),
      (.test(.rejected()), .notSent),
      (.test(.transient(), kind: .network).adding(metadata: ["http.sent": "no"]), .notSent),
    ] as [(AppError, EffectCertainty)])
  func `a later step that failed does not undo what a run noted before it`(
    error: AppError, effect: EffectCertainty
  ) {
    var first = Self.machine()
    #expect(first.failed(error, fraction: 0).effect == effect)
    var later = Self.machine()
    later.hasBegun = true
    let verdict = later.failed(error, fraction: 0)
    #expect(verdict.effect == .sentUnknown && later.mustReconcile)
    #expect(!verdict.isLost, "it is not gone without a trace")
    // The other side knows better, until the next run has failed as well.
    #expect(later.reconciled(.notApplied, fraction: 0) == nil && later.effect == .refused)
    #expect(later.failed(error, fraction: 0).effect == .sentUnknown)
  }

  @Test func `a step that is refused ends it as refused, and a part of it may be there`() {
    var machine = Self.machine()
    machine.hasBegun = true
    let verdict = machine.failed(.http(status: 422), fraction: 0)
    #expect(verdict.next == .dead(.refused, followers: .holdKey))
    #expect(verdict.effect == .sentUnknown)
  }

  @Test func `what has noted how far it came is not changed by one behind it`() {
    func operation(_ checkpoint: Data?) -> StoredOperation {
      let id = OperationID(UUID())
      return StoredOperation(
        id: id, type: Note.payloadType, lane: .main, orderingKey: "k",
        idempotencyKey: IdempotencyKey(), payload: Data(), state: .scheduled,
        enqueued: Date(timeIntervalSince1970: 0), checkpoint: checkpoint)
    }
    #expect(operation(nil).isUntouched && !operation(Data([1])).isUntouched)
    let rules = OperationStateMachine.Rules()
    #expect(OperationStateMachine(operation(Data([1])), rules: rules).hasBegun)
    #expect(!OperationStateMachine(operation(nil), rules: rules).hasBegun)
  }

  @Test func `failures that were classified are no reason to give up on one that is not`() {
    var machine = Self.machine(attempts: 5)
    let first = machine.failed(.test(.unclassified), fraction: 0)
    #expect(first.next == .scheduled(after: .seconds(32)) && first.failure?.unclassified == 1)
    let between = machine.failed(.http(status: 503, isRepeatable: true), fraction: 0)
    #expect(between.failure?.unclassified == 1, "it takes the place of the note before it")
    #expect(machine.failed(.test(.unclassified), fraction: 0).failure?.unclassified == 2)
    let last = machine.failed(.test(.unclassified), fraction: 0)
    #expect(last.next == .dead(.unclassified, followers: .holdKey) && last.attempts == 9)
  }

  @Test func `as many attempts as a worker allows are the end, whatever the last one was`() {
    var machine = Self.machine(attempts: 4, maximumAttempts: 5)
    let last = machine.failed(.test(.unclassified), fraction: 0)
    #expect(last.next == .dead(.attemptsUsedUp, followers: .holdKey))
    var only = Self.machine(maximumAttempts: 1)
    let verdict = only.failed(.test(.unclassified), fraction: 0)
    #expect(verdict.next == .dead(.unclassified, followers: .holdKey))
  }

  @Test func `the count of unclassified errors is kept, and begins anew with the attempts`() {
    let note = FailureNote(.test(.unclassified)).counting(2)
    let kept = FailureNote(code: note.code, message: note.message, column: note.column)
    #expect(kept == note && kept.unclassified == 2)
    #expect(FailureNote(.test(.unclassified)).counting(0).unclassified == 0)
    #expect(FailureNote.brokenOff.counting(1).message == FailureNote.brokenOff.message)
    let id = OperationID(UUID())
    for (attempts, counted) in [(0, 0), (7, 2)] {
      let operation = StoredOperation(
        id: id, type: Note.payloadType, lane: .main, orderingKey: nil,
        idempotencyKey: IdempotencyKey(), payload: Data(), state: .ready, attempts: attempts,
        failure: kept, enqueued: Date(timeIntervalSince1970: 0))
      let machine = OperationStateMachine(operation, rules: OperationStateMachine.Rules())
      #expect(machine.unclassified == counted, "a redrive begins anew")
    }
  }

  @Test(
    arguments: [
      (.test(.unclassified), .sentUnknown), (.test(.transient()), .sentUnknown),
      (.timeout(), .sentUnknown), (.test(.unknownOutcome), .sentUnknown),
      (.test(.transient(), kind: .offline), .notSent),
      (.test(.transient(), kind: .network).adding(metadata: ["http.sent": "no"]), .notSent),
    ] as [(AppError, EffectCertainty)])
  func `a run that was cancelled is given back at no cost, whatever its worker makes of that`(
    error: AppError, effect: EffectCertainty
  ) {
    var machine = Self.machine(attempts: 2)
    let verdict = machine.failed(error, isRunCancelled: true, fraction: 0)
    #expect(verdict.next == .ready && verdict.failure == nil && verdict.closesLane == nil)
    #expect(verdict.attempts == 2 && verdict.effect == effect)
  }

  @Test(arguments: [503, 422, 429])
  func `what was answered counts, though the run was cancelled meanwhile`(status: Int) {
    var (machine, other) = (Self.machine(), Self.machine())
    let error = AppError.http(status: status, isRepeatable: true)
    #expect(
      machine.failed(error, isRunCancelled: true, fraction: 0)
        == other.failed(error, fraction: 0))
  }
}
