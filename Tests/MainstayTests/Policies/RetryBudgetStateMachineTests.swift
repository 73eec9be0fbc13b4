// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct RetryBudgetStateMachineTests {
  static func machine(
    perSecond: Int = 0, capacity: Int = 10_000, initial: Int = 0
  ) -> RetryBudgetStateMachine {
    RetryBudgetStateMachine(
      limits: .init(deposit: 200, perSecond: perSecond, capacity: capacity), initial: initial,
      now: .zero)
  }

  @Test(.requirement("P15")) func `takes the whole cost or nothing`() {
    var machine = Self.machine(initial: 1_500)
    let taken = (1...3).map { _ in machine.withdraw(1_000, now: .zero) }
    #expect(taken == [true, false, false])
    #expect(machine.balance == 500)
  }

  @Test(.requirement("P37")) func `time pays by the old settings up to the change`() {
    var machine = Self.machine(perSecond: 1_000)
    machine.update(.init(deposit: 100, perSecond: 10, capacity: 5_000), now: .seconds(3))
    #expect(machine.balance == 3_000)
    _ = machine.withdraw(0, now: .seconds(4))
    #expect(machine.balance == 3_010)
    machine.update(.init(deposit: 100, perSecond: 0, capacity: 2_000), now: .seconds(4))
    #expect(machine.balance == 2_000)
    machine.update(.init(deposit: 100, perSecond: 10, capacity: 5_000), now: .seconds(100))
    #expect(machine.balance == 2_000, "time was paid for nothing")
    machine.update(.init(deposit: 100, perSecond: 10, capacity: 5_000), now: .seconds(50))
    _ = machine.withdraw(0, now: .seconds(101))
    #expect(machine.balance == 2_010, "the clock went back in between")
  }

  @Test func `five calls pay for one repetition`() {
    var machine = Self.machine()
    for _ in 1...4 { machine.deposit(200) }
    #expect(machine.withdraw(1_000, now: .zero) == false)
    machine.deposit(200)
    #expect(machine.withdraw(1_000, now: .zero) == true)
  }

  @Test(.requirement("P15")) func `time alone fills it again, to the nanosecond`() {
    var machine = Self.machine(perSecond: 1_000)
    #expect(machine.wait(for: 1_000, now: .zero) == .seconds(1))
    #expect(machine.withdraw(1_000, now: .nanoseconds(999_999_999)) == false)
    #expect(machine.withdraw(1_000, now: .seconds(1)) == true)
    #expect(machine.withdraw(1_000, now: .seconds(1.5)) == false)
    #expect(machine.withdraw(1_000, now: .seconds(2)) == true)
  }

  @Test(.requirement("P14")) func `many small steps of time pay as much as one`() {
    var machine = Self.machine(perSecond: 1)  // a thousandth of a token per second
    for step in 1...5_000 { _ = machine.withdraw(9_999, now: .milliseconds(step)) }
    #expect(machine.balance == 5)
  }

  @Test func `never holds more than its capacity`() {
    var machine = Self.machine(perSecond: 1_000, initial: 10_000)
    machine.deposit(.max)
    machine.refund(.max)
    _ = machine.withdraw(0, now: .seconds(1_000_000))
    #expect(machine.balance == 10_000)
    var idle = Self.machine(perSecond: 1_000)
    #expect(idle.withdraw(10_000, now: .seconds(Int64.max / 2)) == true)
    #expect(idle.balance == 0)
  }

  @Test(.requirement("P12")) func `a clock that went back has not let time pass`() {
    var machine = Self.machine(perSecond: 1_000)
    #expect(machine.withdraw(1_000, now: .seconds(-1_000)) == false)
    #expect(machine.balance == 0)
    #expect(machine.withdraw(1_000, now: .seconds(1)) == true)
    #expect(machine.withdraw(1_000, now: .seconds(-5)) == false)
    #expect(machine.withdraw(1_000, now: .seconds(1)) == false)
  }

  @Test func `says when it can be asked again`() {
    var machine = Self.machine(perSecond: 2_000, initial: 400)
    #expect(machine.wait(for: 400, now: .zero) == .zero)
    #expect(machine.wait(for: 1_000, now: .zero) == .milliseconds(300))
    #expect(machine.wait(for: 10_001, now: .zero) == nil, "more than it can ever hold")
    var still = Self.machine()
    #expect(still.wait(for: 1, now: .zero) == nil, "time pays nothing in")
  }

  @Test(.requirement("P14"), arguments: [1, 3, 7, 999, 1_000, 10_000])
  func `after the wait it is there, and a nanosecond before it is not`(perSecond: Int) throws {
    for initial in [0, 1, 998] {
      for now in [0, 1, 100_000_000, 333_333_333, 333_333_334, 1_000_000_007] {
        for cost in [1, 2, 999, 10_000] {
          var machine = Self.machine(perSecond: perSecond, initial: initial)
          let now = Duration.nanoseconds(now)
          let known = machine.wait(for: cost, now: now)
          let wait = try #require(known)
          var early = machine
          #expect(machine.withdraw(cost, now: now + wait) == true)
          guard wait > .zero else { continue }
          #expect(early.withdraw(cost, now: now + wait - .nanoseconds(1)) == false)
        }
      }
    }
  }

  @Test(.requirement("P14")) func `what is less than a thousandth of a token is rounded up`() {
    // A third of a second each, of which the last nanosecond is not given away.
    var machine = Self.machine(perSecond: 3)
    for (nanoseconds, isThere) in [
      (333_333_333, false), (333_333_334, true), (666_666_667, false), (666_666_668, true),
    ] {
      #expect(machine.withdraw(1, now: .nanoseconds(nanoseconds)) == isThere, "\(nanoseconds)")
    }
  }

  @Test(.requirement("P15"), arguments: [3, 1_000])
  func `it is full no nanosecond too early, and then time pays nothing in`(perSecond: Int) {
    let full = Duration.nanoseconds(10_000 * 1_000_000_000 / perSecond)
    let isExact = perSecond == 1_000
    var early = Self.machine(perSecond: perSecond)
    #expect(early.withdraw(10_000, now: full - .nanoseconds(isExact ? 1 : 0)) == false)
    #expect(early.balance == 9_999)
    var machine = Self.machine(perSecond: perSecond)
    let later = full + .nanoseconds(1)
    #expect(machine.withdraw(10_000, now: later) == true)
    // The next one takes its whole time from here.
    let next = machine.wait(for: 1, now: later)
    #expect(next == .nanoseconds(isExact ? 1_000_000 : 333_333_334))
    #expect(machine.withdraw(10_000, now: .seconds(1_000_000)) == true)
    #expect(machine.withdraw(1, now: .seconds(1_000_000)) == false)
  }

  @Test(.requirement("P12")) func `a clock that went back while it was full pays nothing twice`() {
    var machine = Self.machine(perSecond: 1_000, initial: 10_000)
    #expect(machine.withdraw(0, now: .seconds(100)) == true)
    #expect(machine.withdraw(10_000, now: .seconds(-100)) == true)
    #expect(machine.withdraw(1, now: .seconds(100)) == false)
    #expect(machine.withdraw(1, now: .milliseconds(100_001)) == true)
  }

  @Test func `the largest budget is counted without overflow`() {
    let most = 1_000_000_000  // a million tokens
    var slow = Self.machine(perSecond: 1, capacity: most)
    #expect(slow.wait(for: most, now: .zero) == .seconds(most))
    #expect(slow.withdraw(1, now: .seconds(31_536_000)) == true)
    #expect(slow.balance == 31_535_999)
    var fast = Self.machine(perSecond: most, capacity: most)
    #expect(fast.wait(for: most, now: .zero) == .seconds(1))
    #expect(fast.withdraw(0, now: .nanoseconds(999_999_999)) == true)
    #expect(fast.balance == most - 1)
  }

  @Test func `a wait is never shorter than a nanosecond`() {
    var machine = Self.machine(perSecond: 1_000)
    let now = Duration.milliseconds(1) - Duration(secondsComponent: 0, attosecondsComponent: 1)
    #expect(machine.wait(for: 1, now: now) == .nanoseconds(1))
  }

  @Test(.requirement("P15")) func `a random walk never pays out more than came in`() {
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      walk(&generator)
    }
  }

  private func walk(_ generator: inout SeededGenerator) {
    let perSecond = [0, 1, 999, 10_000].randomElement(using: &generator) ?? 0
    let capacity = Int.random(in: 1_000...20_000, using: &generator)
    let initial = Int.random(in: 0...capacity, using: &generator)
    var machine = Self.machine(perSecond: perSecond, capacity: capacity, initial: initial)
    var (now, latest) = (Duration.zero, Duration.zero)
    var (paidIn, paidOut) = (initial, 0)
    for _ in 0..<50 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        machine.deposit(200)
        paidIn += 200
      case 1:
        now += .nanoseconds(Int.random(in: -1_000_000...2_000_000_000, using: &generator))
        latest = max(latest, now)
      case 2:
        let cost = Int.random(in: 0...2_000, using: &generator)
        guard let wait = machine.wait(for: cost, now: now) else { break }
        let (before, isThere) = (machine.balance, machine.withdraw(cost, now: now))
        #expect(isThere == (wait == .zero), "seed \(generator.seed)")
        #expect(machine.balance == before - (isThere ? cost : 0), "seed \(generator.seed)")
        paidOut += isThere ? cost : 0
      default:
        let amount = Int.random(in: 0...500, using: &generator)
        machine.refund(amount)
        paidIn += amount
      }
      let byTime = Int((latest.inSeconds * Double(perSecond)).rounded(.up))
      #expect(paidOut <= paidIn + byTime, "seed \(generator.seed)")
      #expect((0...capacity).contains(machine.balance), "seed \(generator.seed)")
    }
  }
}
