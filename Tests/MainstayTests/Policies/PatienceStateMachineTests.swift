// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct PatienceStateMachineTests {
  private func machine(silence: Duration = .seconds(30)) -> PatienceStateMachine {
    PatienceStateMachine(until: .seconds(10), silence: silence, now: .zero)
  }

  @Test func `nothing that moves has the time of any attempt`() {
    var machine = machine()
    #expect(machine.state == .waiting(until: .seconds(10)))
    #expect(machine.look(now: .seconds(9)) == .seconds(10))
    #expect(machine.look(now: .seconds(10)) == nil)
    #expect(machine.state == .over)
    #expect(!machine.hasMoved)
  }

  @Test func `each part that moves gives it another silence`() {
    var machine = machine()
    for second in stride(from: Int64(5), to: 600, by: 25) {
      machine.moved(now: .seconds(second))
      #expect(machine.state == .moving(until: .seconds(second + 30)))
      #expect(machine.look(now: .seconds(second)) == .seconds(second + 30))
    }
    #expect(machine.hasMoved)
  }

  @Test func `a clock that goes back takes nothing away`() {
    var machine = machine()
    machine.moved(now: .seconds(5))
    machine.moved(now: .seconds(1))
    #expect(machine.end == .seconds(35))
    #expect(machine.look(now: .zero) == .seconds(35))
  }

  @Test func `what stops to move ends after the silence`() {
    var machine = machine()
    machine.moved(now: .seconds(5))
    #expect(machine.look(now: .seconds(34)) == .seconds(35))
    #expect(machine.look(now: .seconds(35)) == nil)
    #expect(machine.hasMoved)
  }

  @Test func `a silence that is shorter takes nothing from the first time`() {
    var machine = machine(silence: .seconds(1))
    machine.moved(now: .seconds(2))
    #expect(machine.end == .seconds(10))
    machine.moved(now: .milliseconds(9_500))
    #expect(machine.end == .milliseconds(10_500))
  }

  @Test func `what is over stays over`() {
    var machine = machine()
    #expect(machine.look(now: .seconds(10)) == nil)
    machine.moved(now: .seconds(10))
    #expect(machine.state == .over)
    #expect(machine.end == nil)
    #expect(machine.look(now: .zero) == nil)
    #expect(!machine.hasMoved)
  }
}
