// SPDX-License-Identifier: Apache-2.0

import Planted
import Testing

// It never tries the ticket 3, nor reads the state after a refusal: survivors are planted there.
@Suite struct GateTests {
  @Test func opens() {
    var gate = GateStateMachine()
    #expect(gate.state == .closed)
    let isIn = gate.enter(ticket: 9)
    #expect(isIn)
    #expect(gate.state == .open)
    gate.wait()
  }

  @Test func refuses() {
    var gate = GateStateMachine()
    let isIn = gate.enter(ticket: 1)
    #expect(!isIn)
  }
}
