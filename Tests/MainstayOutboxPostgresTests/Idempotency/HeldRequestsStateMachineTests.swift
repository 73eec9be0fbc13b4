// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import Testing

/// What a process holds of requests with a key, and what the database is owed.
@Suite struct HeldRequestsStateMachineTests {
  private let key = Data("a".utf8)
  private var machine = HeldRequestsStateMachine(
    lifetime: .seconds(60), maximumOwed: 3, maximumBytes: 100)

  private func answered(_ size: Int) -> HeldRequestsStateMachine.Ending {
    .answered(StoredAnswer(status: 200, fields: [:], body: Data(count: size)))
  }

  @Test mutating func `what runs is renewed until its end is told`() {
    let aDay = Duration.seconds(86_400)
    machine.began(1, key, at: .zero)
    machine.began(2, key, at: .seconds(30))
    #expect(Set(machine.renewals(at: aDay - .seconds(1)).map(\.claim)) == [1, 2])
    #expect(machine.renewals(at: aDay).map(\.claim) == [2], "nobody has ended it for long")
    machine.drop(2)
    machine.drop(2)
    #expect(machine.renewals(at: aDay).isEmpty)
    #expect(machine.count == 0)
  }

  @Test mutating func `what runs longer than answers are kept is renewed, and no answer is`() {
    machine.began(1, key, at: .zero)
    machine.began(2, key, at: .zero)
    machine.owe(2, key, answered(10), at: .seconds(1))
    #expect(Set(machine.renewals(at: .seconds(60)).map(\.claim)) == [1, 2])
    #expect(machine.renewals(at: .seconds(61)).map(\.claim) == [1])
    #expect(machine.bytes == 0 && !machine.owes)
    // Those who keep answers for longer than a day renew for as long.
    var patient = HeldRequestsStateMachine(lifetime: .seconds(100_000))
    patient.began(1, key, at: .zero)
    #expect(patient.renewals(at: .seconds(99_999)).map(\.claim) == [1])
    #expect(patient.renewals(at: .seconds(100_000)).isEmpty)
  }

  @Test mutating func `an answer that is owed is renewed, and a request that is free is not`() {
    machine.began(1, key, at: .zero)
    machine.owe(1, key, answered(10), at: .seconds(1))
    machine.owe(2, key, .free, at: .seconds(1))
    #expect(machine.renewals(at: .seconds(2)).map(\.claim) == [1])
    #expect(machine.owed(atMost: 9).map(\.claim) == [1, 2])
    #expect(machine.owed(atMost: 1).map(\.ending) == [answered(10)])
    machine.drop(1)
    #expect(machine.owed(atMost: 9).map(\.claim) == [2])
    #expect(machine.owes)
    machine.drop(2)
    #expect(!machine.owes)
  }

  @Test mutating func `what is owed stays within its bounds`() {
    machine.owe(1, key, answered(60), at: .zero)
    machine.owe(2, key, answered(60), at: .zero)
    #expect(machine.bytes == 60)
    let lost = StoredAnswer(status: 200, fields: [:], body: nil)
    #expect(machine.owed(atMost: 9).map(\.ending) == [answered(60), .answered(lost)])
    machine.owe(1, key, answered(90), at: .zero)
    #expect(machine.bytes == 90)
    machine.owe(3, key, .free, at: .zero)
    machine.owe(4, key, .free, at: .zero)
    #expect(machine.owed(atMost: 9).map(\.claim) == [2, 1, 3])
    #expect(machine.count == 3)
  }

  @Test mutating func `an answer that just fits keeps its body, and one without weighs nothing`() {
    let bare = StoredAnswer(status: 204, fields: [:], body: nil)
    machine.owe(1, key, .answered(bare), at: .zero)
    #expect(machine.bytes == 0)
    machine.owe(2, key, answered(100), at: .zero)
    #expect(machine.bytes == 100)
    #expect(machine.owed(atMost: 9).map(\.ending) == [.answered(bare), answered(100)])
  }

  @Test(arguments: 0..<20) func `any order of calls keeps the bounds`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var machine = HeldRequestsStateMachine(
      lifetime: .seconds(20), maximumOwed: 4, maximumBytes: 200)
    for step in 0..<300 {
      let now = Duration.seconds(step)
      let claim = UInt64.random(in: 1...8, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: machine.began(claim, key, at: now)
      case 1: machine.owe(claim, key, answered(.random(in: 0...90, using: &generator)), at: now)
      case 2: machine.owe(claim, key, .free, at: now)
      case 3: machine.drop(claim)
      default: _ = machine.renewals(at: now)
      }
      let owed = machine.owed(atMost: .max)
      #expect(owed.count <= 4 && machine.bytes <= 200 && machine.bytes >= 0)
      #expect(Set(owed.map(\.claim)).count == owed.count)
      #expect(machine.owes == !owed.isEmpty)
      #expect(owed.isEmpty ? machine.bytes == 0 : machine.count >= owed.count)
    }
  }
}
