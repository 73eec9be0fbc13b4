// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayHTTP

@Suite(.requirement("E13")) struct AuthorizationStateMachineTests {
  @Test func `the first request asks for a token, unless there is one`() {
    guard case .refresh(nil, 0) = AuthorizationStateMachine(token: nil).step(for: 0) else {
      Issue.record("a token was expected to be asked for")
      return
    }
    #expect(ticket(AuthorizationStateMachine(token: "a"))?.token == "a")
  }

  @Test func `a token that is not taken is asked for anew, once`() throws {
    var machine = AuthorizationStateMachine(token: "a")
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    guard case .refresh(let old, let generation) = machine.step(for: machine.person) else {
      Issue.record("a new token was expected to be asked for")
      return
    }
    #expect(old == "a")
    machine.refreshed("b", generation: generation)
    #expect(ticket(machine)?.token == "b")
    // The others of that moment learn the same later.
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    #expect(ticket(machine)?.token == "b")
  }

  @Test func `a late token changes nothing`() throws {
    var machine = AuthorizationStateMachine(token: "a")
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    machine.reset("c")
    machine.refreshed("b", generation: 1)
    #expect(ticket(machine)?.token == "c")
    machine.failed(.unauthorized(), generation: 1)
    #expect(ticket(machine)?.token == "c")
  }

  @Test func `what needs a person refuses all requests until somebody signs in`() throws {
    var machine = AuthorizationStateMachine(token: nil)
    machine.failed(.unauthorized(), generation: 0)
    guard case .refuse(let error) = machine.step(for: machine.person) else {
      Issue.record("requests were expected to be refused")
      return
    }
    #expect(error.kind == .unauthorized)
    machine.refreshed("late", generation: 0)
    guard case .refuse = machine.step(for: machine.person) else {
      Issue.record("a late token must not undo it")
      return
    }
    machine.reset("d")
    #expect(ticket(machine)?.token == "d")
    machine.reset(nil)
    guard case .refresh(nil, _) = machine.step(for: machine.person) else {
      Issue.record("whoever signed out has no old token")
      return
    }
  }

  @Test func `a token is asked for again once something has changed, and none in use is given up`()
    throws
  {
    var machine = AuthorizationStateMachine(token: "a")
    machine.askAgain()
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    machine.failed(.unauthorized(), generation: 1)
    machine.askAgain()
    guard case .refresh(let old, let generation) = machine.step(for: machine.person) else {
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

  /// A machine whose first token was refused, with one in its place.
  private func renewed() throws -> AuthorizationStateMachine {
    var machine = AuthorizationStateMachine(token: "a")
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    machine.refreshed("b", generation: 1)
    return machine
  }

  @Test func `a new token that is not taken stays, and no other is asked for until a rest is over`()
    throws
  {
    var machine = try renewed()
    let second = try #require(ticket(machine))
    #expect(!second.isTried)
    #expect(machine.refused(second, isAgain: false, at: .seconds(20)) == false)
    #expect(ticket(machine)?.token == "b")
    #expect(machine.refused(second, isAgain: false, at: .seconds(49)) == false)
    #expect(machine.refused(second, isAgain: false, at: .seconds(50)) == true)
    #expect(ticket(machine) == nil)
  }

  @Test(arguments: [(29, false), (30, true), (100, true)])
  func `a token that no answer has taken is new no more after a while`(
    _ seconds: Int, _ isRenewed: Bool
  ) throws {
    var machine = try renewed()
    let second = try #require(ticket(machine))
    #expect(machine.refused(second, isAgain: false, at: .seconds(seconds)) == isRenewed)
  }

  @Test func `the first token that an app has is renewed at once where it is over`() throws {
    var machine = AuthorizationStateMachine(token: nil)
    machine.refreshed("kept", generation: 0)
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    guard case .refresh("kept", _) = machine.step(for: 0) else {
      Issue.record("a token was expected to be asked for")
      return
    }
  }

  @Test func `a token that others are served with rests as well once a call was refused with two`()
    throws
  {
    var machine = try renewed()
    let second = try #require(ticket(machine))
    machine.taken(second)
    #expect(ticket(machine)?.isTried == true)
    #expect(machine.refused(second, isAgain: true, at: .zero) == false)
    #expect(ticket(machine)?.token == "b")
  }

  @Test func `a token that was taken is renewed as soon as it is over`() throws {
    var machine = try renewed()
    machine.taken(try #require(ticket(machine)))
    let later = try #require(ticket(machine))
    #expect(machine.refused(later, isAgain: false, at: .seconds(1)) == true)
  }

  @Test(arguments: [true, false])
  func `a rest ends where somebody signs in, or says that something has changed`(
    _ isSignIn: Bool
  ) throws {
    var machine = try renewed()
    let second = try #require(ticket(machine))
    #expect(machine.refused(second, isAgain: false, at: .zero) == false)
    if isSignIn { machine.reset("c") } else { machine.askAgain() }
    let next = try #require(ticket(machine))
    #expect(machine.refused(next, isAgain: false, at: .zero) == true)
  }

  @Test func `what one person has asked for is refused once they have signed out`() throws {
    var machine = AuthorizationStateMachine(token: "a")
    machine.reset("b")
    guard case .use = machine.step(for: 0) else {
      Issue.record("who signs in again is the same person")
      return
    }
    machine.reset(nil)
    machine.reset("c")
    guard case .refuse(let error) = machine.step(for: 0) else {
      Issue.record("nobody's request goes out with the token of somebody else")
      return
    }
    #expect(error.disposition == .needsUser && !error.mayHaveBeenSent)
    #expect(ticket(machine)?.token == "c")
  }

  @Test func `a token is more than a guess from the start, or once an answer has taken it`() throws
  {
    let kept = AuthorizationStateMachine(token: "a")
    #expect(try #require(ticket(kept)).isTried)
    var machine = kept
    let first = try #require(ticket(machine))
    #expect(machine.refused(first, isAgain: false, at: .zero) == true)
    machine.refreshed("b", generation: 1)
    // An answer to the token before says nothing about this one.
    machine.taken(first)
    #expect(ticket(machine)?.isTried == false)
  }

  @Test func `what was asked for before somebody signed out is late for good`() {
    var machine = AuthorizationStateMachine(token: nil)
    machine.failed(.unauthorized(), generation: 0)
    machine.askAgain()
    machine.reset(nil)
    #expect(machine.person > 0)
    machine.refreshed("late", generation: 0)
    #expect(ticket(machine) == nil)
  }

  @Test func `in any order of events nobody gets the token of somebody else`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      var machine = AuthorizationStateMachine(token: "0")
      var now = Duration.zero
      var calls: [Int] = []
      var tickets: [AuthorizationStateMachine.Ticket] = []
      var refreshes: [(person: Int, generation: Int)] = []
      // A token is named after the person whose it is.
      for _ in 0..<30 {
        now += .seconds(Int.random(in: 0...20, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: calls.append(machine.person)
        case 1, 2:
          guard let person = calls.randomElement(using: &random) else { continue }
          switch machine.step(for: person) {
          case .use(let ticket):
            #expect(ticket.token == "\(person)", "seed \(seed)")
            tickets.append(ticket)
          case .refresh(let old, let generation):
            #expect(old == nil || old == "\(person)", "seed \(seed)")
            refreshes.append((person, generation))
          case .refuse: break
          }
        case 3:
          guard let (person, generation) = refreshes.randomElement(using: &random) else { continue }
          machine.refreshed("\(person)", generation: generation)
        case 4:
          guard let (_, generation) = refreshes.randomElement(using: &random) else { continue }
          machine.failed(.unauthorized(), generation: generation)
        case 5:
          guard let ticket = tickets.randomElement(using: &random) else { continue }
          _ = machine.refused(ticket, isAgain: Bool.random(using: &random), at: now)
        case 6: if let ticket = tickets.randomElement(using: &random) { machine.taken(ticket) }
        case 7: machine.askAgain()
        default: machine.reset(Bool.random(using: &random) ? "\(machine.person)" : nil)
        }
      }
    }
  }

  @Test func `a service that takes no token has few renewed, however often it is asked`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      var machine = AuthorizationStateMachine(token: Bool.random(using: &random) ? "a" : nil)
      var (now, asked, renewed) = (Duration.zero, 0, 0)
      for _ in 0..<50 {
        now += .seconds(Int.random(in: 0...9, using: &random))
        var isAgain = false
        while true {
          if case .refresh(let old, let generation) = machine.step(for: 0) {
            asked += 1
            if old != nil { renewed += 1 }
            machine.refreshed("\(asked)", generation: generation)
          }
          guard let ticket = ticket(machine),
            machine.refused(ticket, isAgain: isAgain, at: now), !isAgain
          else { break }
          isAgain = true
        }
      }
      let most = 1 + Int(now / AuthorizationStateMachine.rest)
      #expect(renewed <= most, "seed \(seed)")
    }
  }

  private func ticket(_ machine: AuthorizationStateMachine) -> AuthorizationStateMachine.Ticket? {
    if case .use(let ticket) = machine.step(for: machine.person) { ticket } else { nil }
  }
}
