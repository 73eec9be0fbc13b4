// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayUI

@Suite struct FormStateMachineTests {
  private static let ask = FormAsk(delay: .milliseconds(300), limit: .seconds(10))
  private static let mistake = AppError.validation("It is wrong.", code: "test.wrong")
  private static let taken = AppError.validation("It is taken.", code: "test.taken")

  /// Fields that pass, with as many rules that ask as said for each.
  private func machine(asks: [Int] = [1], timing: FormErrorTiming = .edited) -> FormStateMachine {
    FormStateMachine(
      asks.enumerated().map { number, count in
        .init(
          pointer: JSONPointer(tokens: ["\(number)"]),
          asks: Array(repeating: Self.ask, count: count), judgement: .passed)
      }, timing: timing)
  }

  private func edited(
    _ machine: inout FormStateMachine, _ index: Int = 0,
    _ judgement: FormStateMachine.Judgement = .passed, at now: Duration = .zero
  ) -> [FormStateMachine.Action] {
    machine.edit(
      index,
      [
        .init(
          index: index, judgement: judgement, isAskedAnew: !machine.fields[index].asks.isEmpty)
      ], now: now)
  }

  @Test func `it asks after the delay and ends at the limit`() {
    var machine = machine()
    #expect(edited(&machine) == [] && machine.nextChange == .milliseconds(300))
    #expect(machine.advance(to: .milliseconds(299)) == [])
    let asks = machine.advance(to: .milliseconds(300))
    guard case .ask(0, 0, let run) = asks.first, asks.count == 1 else {
      Issue.record("\(asks)")
      return
    }
    #expect(machine.nextChange == .milliseconds(10_300))
    #expect(machine.fields[0].verdict == .checking && !machine.isValid && machine.canSubmit)
    #expect(machine.advance(to: .milliseconds(10_299)) == [])
    #expect(machine.advance(to: .milliseconds(10_300)) == [.giveUp(field: 0, run: run)])
    #expect(machine.fields[0].verdict == .unchecked && machine.isValid)
    #expect(machine.nextChange == nil)
    #expect(machine.answer(run, .mistake(Self.taken), now: .seconds(11)) == [])
    #expect(machine.fields[0].verdict == .unchecked, "too late")
  }

  @Test(.requirement("T19")) func `only the newest question counts`() {
    var machine = machine()
    _ = edited(&machine)
    guard case .ask(_, _, let old)? = machine.advance(to: .seconds(1)).first else {
      Issue.record("nobody was asked")
      return
    }
    #expect(edited(&machine, at: .seconds(1)) == [.stop(run: old)])
    #expect(machine.answer(old, .mistake(Self.taken), now: .seconds(1)) == [])
    #expect(machine.fields[0].verdict == .checking && machine.errors(of: 0).isEmpty)
    guard case .ask(_, _, let new)? = machine.advance(to: .seconds(2)).first else {
      Issue.record("nobody was asked again")
      return
    }
    #expect(machine.answer(new, .passed, now: .seconds(2)) == [])
    #expect(machine.answer(old, .mistake(Self.taken), now: .seconds(2)) == [])
    #expect(machine.answer(new, .mistake(Self.taken), now: .seconds(2)) == [], "once only")
    #expect(machine.fields[0].verdict == .valid)
  }

  @Test func `several rules are asked one after the other, and one that is unsure is remembered`() {
    var machine = machine(asks: [3])
    _ = edited(&machine)
    var actions = machine.advance(to: .seconds(1))
    for rule in 0..<3 {
      guard case .ask(0, rule, let run)? = actions.first else {
        Issue.record("\(actions)")
        return
      }
      #expect(machine.fields[0].verdict == .checking)
      actions = machine.answer(run, rule == 1 ? .unsure : .passed, now: .seconds(1))
    }
    #expect(actions == [] && machine.fields[0].verdict == .unchecked)
    _ = edited(&machine, at: .seconds(2))
    actions = machine.advance(to: .seconds(3))
    guard case .ask(0, 0, let run)? = actions.first else {
      Issue.record("nobody was asked")
      return
    }
    #expect(machine.answer(run, .mistake(Self.taken), now: .seconds(3)) == [])
    #expect(machine.fields[0].verdict == .invalid, "the others are not asked any more")
  }

  @Test func `a mistake by another rule stops the question, and it is asked once that passes`() {
    var machine = machine()
    _ = edited(&machine)
    guard case .ask(_, _, let run)? = machine.advance(to: .seconds(1)).first else {
      Issue.record("nobody was asked")
      return
    }
    let judged = FormStateMachine.Rejudged(
      index: 0, judgement: .mistake(Self.mistake), isAskedAnew: false)
    #expect(machine.edit(nil, [judged], now: .seconds(1)) == [.stop(run: run)])
    #expect(machine.fields[0].verdict == .invalid && machine.nextChange == nil)
    let passed = FormStateMachine.Rejudged(index: 0, judgement: .passed, isAskedAnew: false)
    #expect(machine.edit(nil, [passed], now: .seconds(2)) == [])
    #expect(machine.fields[0].verdict == .checking && machine.nextChange == .milliseconds(2_300))
  }

  @Test func `nobody asks about the first value while only other fields change`() {
    var machine = machine()
    for judgement in [FormStateMachine.Judgement.mistake(Self.mistake), .passed] {
      let judged = FormStateMachine.Rejudged(index: 0, judgement: judgement, isAskedAnew: false)
      #expect(machine.edit(nil, [judged], now: .zero) == [] && machine.nextChange == nil)
    }
    #expect(machine.fields[0].verdict == .valid)
  }

  @Test func `an answer holds while only other fields change`() {
    var machine = machine()
    _ = edited(&machine)
    guard case .ask(_, _, let run)? = machine.advance(to: .seconds(1)).first else {
      Issue.record("nobody was asked")
      return
    }
    _ = machine.answer(run, .mistake(Self.taken), now: .seconds(1))
    for judgement in [FormStateMachine.Judgement.mistake(Self.mistake), .passed] {
      let judged = FormStateMachine.Rejudged(index: 0, judgement: judgement, isAskedAnew: false)
      #expect(machine.edit(nil, [judged], now: .seconds(2)) == [])
    }
    #expect(machine.errors(of: 0) == [Self.taken] && machine.nextChange == nil)
  }

  @Test func `at most eight are asked at once, and the others in their turn`() {
    var machine = machine(asks: Array(repeating: 1, count: 20))
    for index in 0..<20 { _ = edited(&machine, index, at: .milliseconds(index)) }
    var actions = machine.advance(to: .seconds(1))
    var order: [Int] = []
    while let action = actions.first {
      #expect(machine.runs.count <= FormStateMachine.maximumRuns)
      actions.removeFirst()
      guard case .ask(let field, 0, let run) = action else {
        Issue.record("\(action)")
        return
      }
      order.append(field)
      #expect(machine.nextChange == .seconds(11), "whoever waits for room is not waited for")
      actions += machine.answer(run, .passed, now: .seconds(1))
    }
    #expect(order == Array(0..<20) && machine.isValid && machine.nextChange == nil)
  }

  @Test func `a submission asks at once, waits, and sends`() {
    var machine = machine(asks: [1, 0])
    _ = edited(&machine)
    #expect(machine.settle() == .none)
    guard let (submission, actions) = machine.submit(now: .zero),
      case .ask(0, 0, let run)? = actions.first
    else {
      Issue.record("nobody was asked")
      return
    }
    #expect(machine.submit(now: .zero) == nil && machine.isSubmitting && !machine.canSubmit)
    #expect(machine.settle() == .waits)
    _ = machine.answer(run, .passed, now: .zero)
    #expect(machine.settle() == .sends(submission: submission))
    #expect(machine.settle() == .none && machine.submit(now: .zero) == nil)
    machine.abandon(submission)
    #expect(machine.isSubmitting, "it is on its way")
    machine.finish(submission + 1, .succeeded)
    #expect(machine.isSubmitting, "of another one")
    machine.finish(submission, .succeeded)
    #expect(!machine.isSubmitting && machine.hasSucceeded)
    machine.finish(submission, .failed(.offline()))
    #expect(machine.submissionError == nil)
  }

  @Test func `who does not wait any longer sends nothing`() throws {
    var machine = machine()
    _ = edited(&machine)
    let submitted = machine.submit(now: .zero)
    let (submission, _) = try #require(submitted)
    machine.abandon(submission + 1)
    #expect(machine.isSubmitting)
    machine.abandon(submission)
    #expect(!machine.isSubmitting && machine.settle() == .none)
    #expect(machine.fields[0].verdict == .checking, "the question goes on")
  }

  @Test func `a mistake ends a submission, also while others are asked`() {
    var machine = machine(asks: [1, 0, 0])
    _ = edited(&machine)
    _ = edited(&machine, 2, .mistake(Self.mistake))
    _ = edited(&machine, 1, .empty(Self.mistake))
    #expect(machine.errors(of: 1).isEmpty && machine.errors(of: 2) == [Self.mistake])
    #expect(machine.submit(now: .zero) != nil && machine.settle() == .stopped)
    #expect(!machine.isSubmitting && machine.focus == 1 && machine.firstInvalid == 1)
    #expect(machine.errors(of: 1) == [Self.mistake])
  }

  @Test func `a reset stops all questions`() {
    var machine = machine(asks: [1, 1])
    _ = edited(&machine, 0)
    guard case .ask(_, _, let run)? = machine.advance(to: .seconds(1)).first else {
      Issue.record("nobody was asked")
      return
    }
    _ = edited(&machine, 1, at: .seconds(1))
    machine.moveFocus(to: 1)
    #expect(machine.reset([.passed, .empty(Self.mistake)]) == [.stop(run: run)])
    #expect(machine.nextChange == nil && machine.active.isEmpty && machine.focus == nil)
    #expect(machine.fields.map(\.verdict) == [.valid, .empty])
    #expect(machine.answer(run, .mistake(Self.taken), now: .seconds(1)) == [])
    #expect(machine.fields[0].verdict == .valid && machine.takeChanges() == [0, 1])
    #expect(machine.takeChanges().isEmpty)
  }

  @Test func `a refusal joins a mistake, and an edit takes it away`() throws {
    var machine = machine(asks: [0, 0])
    let submitted = machine.submit(now: .zero)
    let (submission, _) = try #require(submitted)
    #expect(machine.settle() == .sends(submission: submission))
    machine.finish(submission, .failed(Self.taken.about(field: "/1")))
    #expect(machine.fields[1].verdict == .refused && machine.focus == 1)
    #expect(!machine.isValid && machine.canSubmit && machine.submissionError == nil)
    let judged = FormStateMachine.Rejudged(
      index: 1, judgement: .mistake(Self.mistake), isAskedAnew: false)
    _ = machine.edit(0, [judged], now: .zero)
    #expect(machine.fields[1].verdict == .invalid && machine.errors(of: 1).count == 2)
    _ = edited(&machine, 1)
    #expect(machine.fields[1].verdict == .valid && machine.refused.isEmpty)
  }
}
