// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import MainstayServer

/// What a connection keeps its server waiting for.
@Suite struct SlowRequestStateMachineTests {
  private typealias Event = SlowRequestStateMachine.Event

  private var machine = SlowRequestStateMachine()

  /// What is awaited after each event.
  private mutating func awaited(after events: Event...) -> [String] {
    events.map { event in
      _ = machine.handle(event)
      return machine.awaited?.rawValue ?? "-"
    }
  }

  @Test mutating func `the time of a head begins with its first byte, once`() {
    #expect(machine.awaited == nil)
    #expect(machine.handle(.readEnded) == .begin(wait: 1))
    #expect(machine.handle(.readEnded) == .nothing)
    #expect(machine.timeIsUp(wait: 1) == .head)
    #expect(machine.handle(.headRead) == .end)
    #expect(machine.timeIsUp(wait: 1) == nil)
  }

  @Test(arguments: [SlowRequestStateMachine.Event.answered, .unblocked])
  mutating func `before the first byte nothing is awaited, whatever else happens`(
    _ event: SlowRequestStateMachine.Event
  ) {
    #expect(machine.handle(event) == .nothing)
    #expect(machine.awaited == nil)
  }

  @Test mutating func `a request that comes at once keeps nobody waiting`() {
    #expect(awaited(after: .headRead, .requestRead, .readEnded, .answered) == ["-", "-", "-", "-"])
  }

  @Test mutating func `a body is awaited from its answer on`() {
    #expect(awaited(after: .headRead, .readEnded, .bodyRead, .readEnded) == ["-", "-", "-", "-"])
    #expect(machine.handle(.answered) == .begin(wait: 1))
    #expect(awaited(after: .bodyRead, .readEnded, .requestRead) == ["body", "body", "-"])
  }

  @Test mutating func `a head that begins while another request is answered waits for its turn`() {
    _ = awaited(after: .headRead, .requestRead, .readEnded)
    #expect(awaited(after: .readEnded, .answered) == ["-", "head"])
  }

  @Test mutating func `requests that stand in line are answered one by one`() {
    _ = awaited(after: .headRead, .requestRead, .headRead, .readEnded)
    #expect(awaited(after: .answered, .answered) == ["-", "body"])
  }

  @Test mutating func `an answer that is not read is awaited, and before all else`() {
    #expect(
      awaited(after: .headRead, .requestRead, .readEnded, .blocked) == ["-", "-", "-", "answer"])
    #expect(machine.timeIsUp(wait: 1) == .answer)
    // The next head begins, and the answer is written, while it still waits.
    #expect(awaited(after: .readEnded, .answered, .unblocked) == ["answer", "answer", "head"])
    #expect(machine.timeIsUp(wait: 1) == nil)
  }

  @Test(arguments: 0..<UInt64(20))
  func `whatever happens, a wait that is over cuts nothing off`(seed: UInt64) {
    var (machine, chance) = (SlowRequestStateMachine(), SeededGenerator(seed: seed))
    var last = 0
    for _ in 0..<2_000 {
      let before = machine.awaited
      let effect = machine.handle(Event.allCases.randomElement(using: &chance) ?? .readEnded)
      switch effect {
      case .nothing: #expect(machine.awaited == before)
      case .end: #expect(before != nil && machine.awaited == nil)
      case .begin(let wait):
        #expect(wait > last && machine.awaited != nil && machine.awaited != before)
        #expect(machine.timeIsUp(wait: last) == nil)
        last = wait
      }
    }
  }
}
