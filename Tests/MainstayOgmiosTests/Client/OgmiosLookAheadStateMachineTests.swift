// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOgmios

@Suite struct OgmiosLookAheadStateMachineTests {
  typealias Machine = OgmiosLookAheadStateMachine<Int>

  @Test func `one step is asked for at first, and twice as many with each that is told`() {
    var machine = Machine()
    var rooms: [Int] = []
    for step in 0..<6 {
      rooms.append(machine.ask(upTo: 10))
      machine.answered(step, in: machine.round)
      let taken = machine.take()
      #expect(taken == step)
      machine.told()
    }
    // Never more than the limit are asked for and not taken.
    #expect(rooms == [1, 2, 3, 5, 3, 1])
    #expect(machine.asked == 9)
  }

  @Test func `what came before a failure is told, and then one step is asked for`() {
    var machine = Machine()
    for _ in 0..<3 { machine.told() }
    let round = machine.round
    #expect(machine.ask(upTo: 5) == 5)
    machine.answered(1, in: round)
    machine.answered(2, in: round)
    let endings = [Machine.Failure.lost, .unreadable].map { machine.failed(in: round, $0) }
    #expect(endings == [true, false])
    machine.answered(3, in: round)
    #expect(machine.isReady(machine.round))
    var taken: [Int?] = []
    for _ in 0..<3 { taken.append(machine.take()) }
    #expect(taken == [1, 2, nil])
    #expect(machine.ask(upTo: 5) == 1)
  }

  @Test func `after a step that cannot be read nothing is asked until somebody knows the place`() {
    var machine = Machine()
    #expect(machine.ask(upTo: 5) == 1)
    #expect(machine.failed(in: machine.round, .unreadable) == true)
    #expect(machine.isAstray)
    #expect(machine.isReady(machine.round))
    #expect(machine.ask(upTo: 5) == 0)
    machine.drop()
    #expect(machine.ask(upTo: 5) == 1)
  }

  @Test func `the server goes on by what was asked beside a question that it refused`() {
    var machine = Machine()
    for asked in [1, 2, 4] {
      #expect(machine.ask(upTo: 4) == asked)
      let isCounted = machine.failed(in: machine.round, .refused)
      #expect(isCounted && machine.isAstray)
      // By one question alone it goes on no more, whether it has done so or not.
      #expect(machine.hasStrays == (asked > 1))
      #expect(machine.ask(upTo: 4) == 0)
      machine.drop()
      #expect(machine.hasStrays == (asked > 1))
      _ = machine.connectionChanged()
      #expect(!machine.hasStrays)
      for _ in 0..<asked { machine.told() }
    }
  }

  @Test func `a question that waits for a connection goes on, and answers of the last one do not`()
  {
    var machine = Machine()
    #expect(machine.ask(upTo: 5) == 1)
    let round = machine.round
    let isWaitingOver = machine.connectionChanged()
    #expect(!isWaitingOver)
    machine.answered(1, in: round)
    let isOver = machine.connectionChanged()
    #expect(isOver)
    #expect(machine.isReady(round))
    #expect(machine.take() == nil)
  }

  @Test func `never more are asked for than a server takes at once`() {
    var machine = Machine()
    for _ in 0..<20 { machine.told() }
    #expect(machine.ask(upTo: 1_000) == 500)
  }

  @Test func `a new connection is where its caller is`() {
    var machine = Machine()
    #expect(machine.ask(upTo: 1) == 1)
    #expect(machine.failed(in: machine.round, .unreadable) == true)
    #expect(machine.connectionChanged() == true)
    #expect(!machine.isAstray)
    #expect(machine.ask(upTo: 1) == 1)
  }

  @Test func `what nobody wants any more is not told later`() {
    var machine = Machine()
    #expect(machine.ask(upTo: 1) == 1)
    let round = machine.round
    machine.drop()
    machine.answered(1, in: round)
    #expect(machine.take() == nil)
    #expect(machine.asked == 0 && machine.isReady(round))
  }

  /// A caller, a connection and a server with an endless chain.
  private struct Walk {
    var machine = Machine()
    /// The last step that the caller was told, and the number of the server's last step.
    var (place, server) = (0, 0)
    /// The rounds of the questions that the server has not answered.
    var questions: [UInt64] = []
    var faults: [String] = []

    mutating func act(_ random: inout SeededGenerator, limit: Int) {
      switch Int.random(in: 0..<13, using: &random) {
      case 0...2:
        if machine.isAstray, machine.answers.isEmpty { bring() }
        let room = machine.ask(upTo: limit)
        questions += Array(repeating: machine.round, count: room)
      case 3...6:
        guard !questions.isEmpty else { return }
        server += 1
        machine.answered(server, in: questions.removeFirst())
      case 7...9:
        guard let step = machine.take() else { return }
        if step != place + 1 { faults.append("told \(step) after \(place)") }
        place = step
        machine.told()
      case 10: lose(Bool.random(using: &random) ? .lost : .unreadable)
      case 11:
        // The server refuses the oldest question, whatever it did, and answers the others.
        guard !questions.isEmpty else { return }
        if Bool.random(using: &random) { server += 1 }
        _ = machine.failed(in: questions.removeFirst(), .refused)
      default:
        // Somebody begins somewhere else.
        place = Int.random(in: 0..<100, using: &random)
        bring()
      }
      if machine.asked + machine.answers.count > limit { faults.append("too many") }
      if machine.asked > questions.count { faults.append("a question is nowhere") }
    }

    /// The connection breaks, and the next one is brought to the caller's place.
    private mutating func lose(_ failure: Machine.Failure) {
      for round in questions { _ = machine.failed(in: round, failure) }
      questions = []
      _ = machine.connectionChanged()
      server = place
    }

    /// The server goes to the caller's place; what it was asked before it answers before.
    ///
    /// Where nobody waits for those answers, that is the server of another connection.
    private mutating func bring() {
      if machine.hasStrays { (machine, questions) = (Machine(), []) }
      while !questions.isEmpty {
        server += 1
        machine.answered(server, in: questions.removeFirst())
      }
      machine.drop()
      server = place
    }
  }

  @Test func `each step is told once and in its order, in every schedule`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      var walk = Walk()
      let limit = Int.random(in: 1...8, using: &random)
      for _ in 0..<80 where walk.faults.isEmpty { walk.act(&random, limit: limit) }
      guard walk.faults.isEmpty else {
        Issue.record("seed \(seed): \(walk.faults)")
        return
      }
    }
  }
}
