// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@testable import MainstayHTTP

@Suite(.requirement("E13")) struct AuthorizationStateMachineTests {
  @Test func `the first request asks for a token, unless there is one`() {
    guard case .refresh(nil, 0) = AuthorizationStateMachine(token: nil).step() else {
      Issue.record("a token was expected to be asked for")
      return
    }
    #expect(ticket(AuthorizationStateMachine(token: "a"))?.token == "a")
  }

  @Test func `a token that is not taken is asked for anew, once`() throws {
    var machine = AuthorizationStateMachine(token: "a")
    let first = try #require(ticket(machine))
    machine.refused(first)
    guard case .refresh(let old, let generation) = machine.step() else {
      Issue.record("a new token was expected to be asked for")
      return
    }
    #expect(old == "a")
    machine.refreshed("b", generation: generation)
    #expect(ticket(machine)?.token == "b")
    // The others of that moment learn the same later.
    machine.refused(first)
    #expect(ticket(machine)?.token == "b")
  }

  @Test func `a late token changes nothing`() throws {
    var machine = AuthorizationStateMachine(token: "a")
    let first = try #require(ticket(machine))
    machine.refused(first)
    machine.reset("c")
    machine.refreshed("b", generation: 1)
    #expect(ticket(machine)?.token == "c")
    machine.failed(.unauthorized(), generation: 1)
    #expect(ticket(machine)?.token == "c")
  }

  @Test func `what needs a person refuses all requests until somebody signs in`() throws {
    var machine = AuthorizationStateMachine(token: nil)
    machine.failed(.unauthorized(), generation: 0)
    guard case .refuse(let error) = machine.step() else {
      Issue.record("requests were expected to be refused")
      return
    }
    #expect(error.kind == .unauthorized)
    machine.refreshed("late", generation: 0)
    guard case .refuse = machine.step() else {
      Issue.record("a late token must not undo it")
      return
    }
    machine.reset("d")
    #expect(ticket(machine)?.token == "d")
    machine.reset(nil)
    guard case .refresh(nil, _) = machine.step() else {
      Issue.record("whoever signed out has no old token")
      return
    }
  }

  @Test func `a token is asked for again once something has changed, and none in use is given up`()
    throws
  {
    var machine = AuthorizationStateMachine(token: "a")
    machine.askAgain()
    machine.refused(try #require(ticket(machine)))
    machine.failed(.unauthorized(), generation: 1)
    machine.askAgain()
    guard case .refresh(let old, let generation) = machine.step() else {
      Issue.record("a token was expected to be asked for")
      return
    }
    #expect(old == "a" && generation == 2)
    // Whoever was told before that there is none does not undo it.
    machine.failed(.unauthorized(), generation: 1)
    machine.refreshed("b", generation: generation)
    machine.askAgain()
    #expect(ticket(machine)?.token == "b")
  }

  private func ticket(_ machine: AuthorizationStateMachine) -> AuthorizationStateMachine.Ticket? {
    if case .use(let ticket) = machine.step() { ticket } else { nil }
  }
}
