// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import MainstayUI

@Suite struct AlertStateMachineTests {
  private let first = UUID()
  private let second = UUID()

  @Test func `an error whose button was tapped is out of sight, and comes back`() {
    var machine = AlertStateMachine()
    #expect(machine.shows(first, isBusy: false) && !machine.shows(first, isBusy: true))
    machine.tap(first)
    #expect(!machine.shows(first, isBusy: false), "so that it is there anew afterwards")
    #expect(machine.shows(second, isBusy: false))
    machine.rest(after: first)
    #expect(machine.shows(first, isBusy: false))
  }

  @Test func `what goes away without a tap was put away by the system`() {
    var machine = AlertStateMachine()
    #expect(machine.isDismissal(of: first, inFront: first))
    #expect(!machine.isDismissal(of: first, inFront: second), "another one has its place")
    #expect(!machine.isDismissal(of: first, inFront: nil))
    machine.tap(first)
    #expect(!machine.isDismissal(of: first, inFront: first))
    machine.rest(after: first)
    #expect(machine.isDismissal(of: first, inFront: first))
  }

  @Test func `the rest after one tap does not end that after the next`() {
    var machine = AlertStateMachine()
    machine.tap(first)
    machine.tap(second)
    machine.rest(after: first)
    #expect(!machine.shows(second, isBusy: false))
  }
}
