// SPDX-License-Identifier: Apache-2.0

import Planted
import Testing

@Suite struct GateStateMachineTests {
  @Test func opens() {
    var gate = GateStateMachine()
    let isIn = gate.enter(ticket: 9)
    #expect(isIn)
  }
}
