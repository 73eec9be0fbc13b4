// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayUI

/// Random walks of the form, whose invariants hold after every step.
@Suite struct FormWalkStateMachineTests {
  private struct Walk {
    var random: SeededGenerator
    var machine: FormStateMachine
    var now = Duration.zero
    /// Who is asked now, and who was and is not any more.
    var open: Set<UInt64> = []
    var closed: Set<UInt64> = []
    var sending: UInt64?
    /// By field: whether a mistake of the newest question of the newest value may show.
    var touched: Set<Int> = []
    var wasSubmitted = false

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let timing = FormErrorTiming.allCases.randomElement(using: &random) ?? .left
      let count = Int.random(in: 1...12, using: &random)
      var fields: [FormStateMachine.Field] = []
      for index in 0..<count {
        let ask = FormAsk(
          delay: .milliseconds(Int.random(in: 0...300, using: &random)), limit: .seconds(2))
        fields.append(
          .init(
            pointer: JSONPointer(tokens: ["\(index)"]),
            asks: Array(repeating: ask, count: Int.random(in: 0...2, using: &random)),
            judgement: Self.judgement(&random)))
      }
      machine = FormStateMachine(fields, timing: timing)
    }

    static func judgement(_ random: inout SeededGenerator) -> FormStateMachine.Judgement {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .empty(.validation("Empty.", code: "test.empty"))
      case 1: .mistake(.validation("Wrong.", code: "test.wrong"))
      case 2: .blank
      default: .passed
      }
    }

    mutating func field() -> Int { Int.random(in: machine.fields.indices, using: &random) }

    mutating func take(_ actions: [FormStateMachine.Action]) {
      for action in actions {
        switch action {
        case .ask(_, _, let run): open.insert(run)
        case .stop(let run), .giveUp(_, let run):
          #expect(open.remove(run) != nil, "stops who is not asked; seed \(random.seed)")
          closed.insert(run)
        }
      }
    }

    mutating func step() {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3: edit()
      case 4:
        now += .milliseconds(Int.random(in: 0...900, using: &random))
        take(machine.advance(to: now))
      case 5, 6: answer()
      case 7: lateAnswer()
      case 8:
        let index = field()
        machine.leave(index)
        touched.insert(index)
      case 9: submit()
      case 10: finish()
      default: if Int.random(in: 0..<4, using: &random) == 0 { reset() }
      }
      settle()
      check()
    }

    mutating func edit() {
      let index = field()
      var rejudged = [
        FormStateMachine.Rejudged(
          index: index, judgement: Self.judgement(&random),
          isAskedAnew: !machine.fields[index].asks.isEmpty)
      ]
      let other = field()
      if other != index {
        rejudged.append(
          .init(
            index: other, judgement: Self.judgement(&random),
            isAskedAnew: Bool.random(using: &random) && !machine.fields[other].asks.isEmpty))
      }
      if machine.timing == .edited { touched.insert(index) }
      take(machine.edit(index, rejudged, now: now))
    }

    mutating func answer() {
      guard let run = open.sorted().randomElement(using: &random) else { return }
      open.remove(run)
      closed.insert(run)
      let answers: [FormStateMachine.Answer] = [
        .passed, .unsure, .mistake(.validation("Taken.", code: "test.taken")),
      ]
      take(machine.answer(run, answers.randomElement(using: &random) ?? .passed, now: now))
    }

    /// An answer that nobody waits for changes nothing at all.
    mutating func lateAnswer() {
      guard let run = closed.sorted().randomElement(using: &random) else { return }
      let before = machine.fields.map(\.verdict)
      let late = machine.answer(run, .mistake(.validation("Late.", code: "test.late")), now: now)
      #expect(late.isEmpty && machine.fields.map(\.verdict) == before, "seed \(random.seed)")
    }

    mutating func submit() {
      guard let (submission, actions) = machine.submit(now: now) else {
        #expect(machine.isSubmitting, "seed \(random.seed)")
        return
      }
      wasSubmitted = true
      take(actions)
      if Int.random(in: 0..<6, using: &random) == 0 { machine.abandon(submission) }
    }

    mutating func settle() {
      if case .sends(let submission) = machine.settle() { sending = submission }
    }

    mutating func finish() {
      guard let submission = sending else { return }
      sending = nil
      let isNewest =
        if case .sending(submission, _) = machine.phase { true } else { false }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        machine.finish(submission, .succeeded)
        if isNewest {
          wasSubmitted = false
          touched = touched.filter { machine.fields[$0].isTouched || machine.fields[$0].isEdited }
        }
      case 1: machine.finish(submission, .cancelled)
      case 2: machine.finish(submission, .failed(.offline()))
      default:
        let pointer = JSONPointer(tokens: ["\(Int.random(in: 0..<14, using: &random))", "x"])
        machine.finish(submission, .failed(.validation("No.", field: pointer)))
        // The first field that is wrong gets the focus; the one that had it is left.
        touched.formUnion(machine.fields.indices.filter { machine.fields[$0].isTouched })
      }
    }

    mutating func reset() {
      let judgements = machine.fields.map { _ in Self.judgement(&random) }
      take(machine.reset(judgements))
      (touched, wasSubmitted) = ([], false)
    }

    func check() {
      let seed = random.seed
      let verdicts = machine.fields.map(\.verdict)
      for verdict in FormFieldVerdict.allCases {
        let count = verdicts.count { $0 == verdict }
        #expect(machine.count(of: verdict) == count, "seed \(seed)")
      }
      #expect(Set(machine.runs.keys) == open, "seed \(seed)")
      #expect(open.count <= FormStateMachine.maximumRuns, "seed \(seed)")
      for (index, verdict) in verdicts.enumerated() {
        let isActive = machine.active.contains(index)
        #expect(isActive == (verdict == .checking), "seed \(seed): field \(index)")
        let shown = machine.errors(of: index)
        // What is shown is a part of what is wrong, and nothing late is among it.
        let isWrong = verdict == .empty || verdict == .invalid || verdict == .refused
        #expect(shown.isEmpty || isWrong || verdict == .checking && hasRefusals(index))
        #expect(!shown.contains { $0.code == "test.late" }, "seed \(seed)")
        let mayShow = wasSubmitted || touched.contains(index) || hasRefusals(index)
        #expect(shown.isEmpty || mayShow, "seed \(seed): field \(index) was not touched")
      }
      let isBlocked = verdicts.contains { $0 == .empty || $0 == .invalid }
      #expect(machine.canSubmit == (!machine.isSubmitting && !isBlocked), "seed \(seed)")
      if let due = machine.nextChange {
        let hasRoom = open.count < FormStateMachine.maximumRuns
        #expect(due > now || !hasRoom || due == now, "seed \(seed): late")
      } else {
        #expect(machine.active.isEmpty, "seed \(seed): somebody waits for ever")
      }
    }

    private func hasRefusals(_ index: Int) -> Bool { !machine.fields[index].refusals.isEmpty }
  }

  @Test(.requirement("E25", "E26", "T19"), .ends(withinMinutes: 5))
  func `what is shown is a part of what is wrong, and nothing late shows`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var walk = Walk(seed: seed)
      for _ in 0..<60 { walk.step() }
    }
  }
}
