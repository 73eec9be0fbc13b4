// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct ThrottleStateMachineTests {
  static func machine(
    multiplier: Double = 2, window: Duration = .seconds(120), minimum: Int = 0
  ) -> ThrottleStateMachine {
    ThrottleStateMachine(
      .init(multiplier: multiplier, window: window, minimumRequests: minimum), now: .zero)
  }

  /// So many calls that are sent at once and not accepted.
  private static func refuse(_ count: Int, by machine: inout ThrottleStateMachine) {
    let tokens = (0..<count).compactMap { _ in machine.admit(now: .zero) { 1 } }
    for token in tokens { machine.refused(token) }
  }

  @Test func `refuses by the rule of the book`() {
    var machine = Self.machine()
    #expect(machine.probability == 0)
    Self.refuse(3, by: &machine)
    #expect(machine.probability == 0.75)
    let token = machine.admit(now: .zero) { 0.75 }
    #expect(token != nil)
    if let token { machine.accepted(token) }
    #expect(machine.probability == (4.0 - 2) / 5)
    #expect(machine.admit(now: .zero) { 0.39 } == nil)
    #expect(machine.requests == 5, "a call that is not sent was made all the same")
    #expect(machine.accepts == 1)
  }

  @Test func `a call that is on its way says nothing yet`() {
    var machine = Self.machine(minimum: 10)
    let tokens = (1...100).compactMap { _ in machine.admit(now: .zero) { 0 } }
    #expect(tokens.count == 100 && machine.requests == 100 && machine.probability == 0)
    for token in tokens.prefix(9) { machine.refused(token) }
    #expect(machine.probability == 0, "nine have ended")
    machine.refused(tokens[9])
    #expect(machine.probability == 10.0 / 11)
    for token in tokens[10..<15] { machine.accepted(token) }
    #expect(machine.probability == 5.0 / 16)
    machine.forget(tokens[15])
    #expect(machine.probability == 5.0 / 16 && machine.requests == 99)
  }

  @Test(.requirement("P37")) func `other settings keep the calls of a window as long`() {
    var machine = Self.machine()
    let tokens = (1...6).compactMap { _ in machine.admit(now: .zero) { 1 } }
    machine.update(
      .init(multiplier: 3, window: .seconds(120), minimumRequests: 0), now: .seconds(9))
    machine.accepted(tokens[0])
    for token in tokens[3...] { machine.refused(token) }
    #expect(machine.requests == 6 && machine.accepts == 1)
    #expect(machine.probability == 1.0 / 5)
    machine.update(.init(multiplier: 1, window: .seconds(24), minimumRequests: 0), now: .seconds(9))
    #expect(machine.requests == 0 && machine.accepts == 0)
    machine.accepted(tokens[1])
    machine.forget(tokens[2])
    #expect(machine.requests == 0 && machine.accepts == 0, "they were sent before this window")
    _ = machine.admit(now: .seconds(9)) { 1 }
    machine.advance(to: .seconds(9 + 24) - .nanoseconds(1))
    #expect(machine.requests == 1, "the window begins with the change")
    machine.advance(to: .seconds(9 + 24))
    #expect(machine.requests == 0)
  }

  @Test func `draws no chance while nothing is refused`() {
    var machine = Self.machine()
    for _ in 1...100 {
      let token = machine.admit(now: .zero) {
        Issue.record("chance was asked")
        return 0
      }
      if let token { machine.accepted(token) }
    }
  }

  @Test func `half of the calls may fail before any is refused`() {
    var machine = Self.machine()
    let tokens = (1...100).compactMap { _ in machine.admit(now: .zero) { 1 } }
    for token in tokens.prefix(50) { machine.accepted(token) }
    for token in tokens.dropFirst(50) { machine.refused(token) }
    #expect(tokens.count == 100 && machine.probability == 0)
    Self.refuse(1, by: &machine)
    #expect(machine.probability > 0)
  }

  @Test func `refuses nothing before enough calls were made`() {
    var machine = Self.machine(minimum: 10)
    Self.refuse(9, by: &machine)
    #expect(machine.probability == 0)
    Self.refuse(1, by: &machine)
    #expect(machine.admit(now: .zero) { 0 } == nil)
  }

  @Test(.requirement("P9")) func `forgets what is older than the window`() {
    var machine = Self.machine()
    for second in 0..<120 { _ = machine.admit(now: .seconds(second)) { 1 } }
    #expect(machine.requests == 120)
    machine.advance(to: .seconds(120))
    #expect(machine.requests == 115, "five seconds are a part of the window")
    machine.advance(to: .seconds(1_000_000))
    #expect(machine.requests == 0 && machine.probability == 0)
    _ = machine.admit(now: .seconds(1_000_001)) { 1 }
    #expect(machine.requests == 1)
  }

  @Test(.requirement("P9")) func `a call leaves with its part, one of 24`() {
    var machine = Self.machine(window: .seconds(24))
    _ = machine.admit(now: .zero) { 1 }
    _ = machine.admit(now: .milliseconds(999)) { 1 }
    _ = machine.admit(now: .seconds(1)) { 1 }
    for (milliseconds, requests) in [(23_999, 3), (24_000, 1), (24_999, 1), (25_000, 0)] {
      machine.advance(to: .milliseconds(milliseconds))
      #expect(machine.requests == requests, "\(milliseconds) ms")
    }
  }

  @Test(.requirement("P9", "P12")) func `a clock may count from far before zero`() {
    var machine = ThrottleStateMachine(
      .init(multiplier: 2, window: .seconds(24), minimumRequests: 0), now: .seconds(-1_000))
    _ = machine.admit(now: .seconds(-1_000)) { 1 }
    machine.advance(to: .milliseconds(-976_001))
    #expect(machine.requests == 1)
    machine.advance(to: .seconds(-976))
    #expect(machine.requests == 0)
  }

  @Test(.requirement("P10")) func `a part is no shorter than a nanosecond`() {
    var machine = Self.machine(window: .nanoseconds(1))
    _ = machine.admit(now: .zero) { 1 }
    machine.advance(to: .nanoseconds(23))
    #expect(machine.requests == 1)
    machine.advance(to: .nanoseconds(24))
    #expect(machine.requests == 0)
  }

  @Test(.requirement("P1")) func `an answer to a call of long ago changes nothing`() {
    var machine = Self.machine()
    let old = machine.admit(now: .zero) { 1 }
    _ = machine.admit(now: .seconds(500)) { 1 }
    if let old {
      machine.accepted(old)
      machine.forget(old)
    }
    #expect(machine.requests == 1 && machine.accepts == 0)
  }

  @Test(.requirement("P12")) func `a clock that went back has not let time pass`() {
    var machine = Self.machine()
    _ = machine.admit(now: .seconds(60)) { 1 }
    for _ in 1...3 { _ = machine.admit(now: .seconds(-9_999)) { 1 } }
    #expect(machine.requests == 4)
    machine.advance(to: .seconds(60))
    #expect(machine.requests == 4)
  }

  @Test(.requirement("P10")) func `the shortest and the longest window work`() {
    for window in [Duration.nanoseconds(1), .seconds(365 * 86_400)] {
      var machine = Self.machine(window: window)
      for step in [0, 1, 2, 1_000, 1_000_000_000] {
        _ = machine.admit(now: .seconds(step)) { 0.5 }
      }
      #expect(machine.requests >= 1 && machine.probability < 1)
    }
  }

  @Test func `a random walk counts what a list would`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var generator = SeededGenerator(seed: seed)
      walk(&generator)
    }
  }

  private func walk(_ generator: inout SeededGenerator) {
    let seed = generator.seed
    var machine = Self.machine(window: .seconds(24))  // parts of one second
    var (now, part) = (Duration.zero, 0)
    var calls: [(part: Int, token: ThrottleStateMachine.Token?, accepted: Bool, gone: Bool)] = []
    for _ in 0..<120 {
      let known = calls.indices.filter { calls[$0].token != nil }
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        let gap = Int.random(in: -3...(seed.isMultiple(of: 3) ? 40 : 4), using: &generator)
        now += .seconds(gap)
        machine.advance(to: now)
        part = max(part, Int(now.components.seconds))
      case 1...2:
        let fraction = Double.random(in: 0..<1, using: &generator)
        let probability = machine.probability
        let token = machine.admit(now: now) { fraction }
        #expect((token == nil) == (probability > 0 && fraction < probability), "seed \(seed)")
        calls.append((part, token, false, false))
      case 3:
        guard let index = known.randomElement(using: &generator), let token = calls[index].token
        else { break }
        machine.accepted(token)
        calls[index].token = nil
        calls[index].accepted = true
      case 4:
        guard let index = known.randomElement(using: &generator), let token = calls[index].token
        else { break }
        machine.refused(token)
        calls[index].token = nil
      default:
        guard let index = known.randomElement(using: &generator), let token = calls[index].token
        else { break }
        machine.forget(token)
        calls[index].token = nil
        calls[index].gone = true
      }
      let live = calls.filter { part - $0.part < 24 && !$0.gone }
      #expect(machine.requests == live.count, "seed \(seed)")
      #expect(machine.accepts == live.count { $0.accepted }, "seed \(seed)")
      let ended = live.filter { $0.token == nil }
      let excess = Double(ended.count - 2 * ended.count { $0.accepted })
      #expect(machine.probability == max(0, excess / Double(ended.count + 1)), "seed \(seed)")
    }
  }
}
