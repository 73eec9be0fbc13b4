// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct CooldownStateMachineTests {
  private func machine(spread: Duration = .zero) -> CooldownStateMachine {
    CooldownStateMachine(.init(spread: spread))
  }

  @Test(.requirement("P24")) func `the longest request wins, cut to the maximum`() {
    var machine = machine()
    #expect(machine.begin(.seconds(5), now: .zero) == .seconds(5))
    #expect(machine.begin(.seconds(3), now: .seconds(1)) == nil)
    #expect(machine.begin(.seconds(4), now: .seconds(1)) == nil)
    #expect(machine.remaining(now: .seconds(1)) == .seconds(4))
    #expect(machine.begin(.seconds(1_000_000), now: .seconds(1)) == .seconds(300))
    #expect(machine.begin(.seconds(Int64.max), now: .seconds(1)) == nil)
    #expect(machine.remaining(now: .seconds(300)) == .seconds(1))
    #expect(machine.remaining(now: .seconds(301)) == nil)
    #expect(machine.isWell)
  }

  @Test func `without a hint it is short, and a hint of nothing changes nothing`() {
    var machine = machine()
    #expect(machine.begin(.zero, now: .zero) == nil)
    #expect(machine.begin(.seconds(-5), now: .zero) == nil)
    #expect(machine.isWell)
    #expect(machine.begin(nil, now: .zero) == .seconds(1))
  }

  @Test func `it wakes each caller at a moment of its own, never before the end`() {
    var machine = machine(spread: .seconds(2))
    _ = machine.begin(.seconds(4), now: .zero)
    #expect(
      machine.ask(now: .zero, atMost: .seconds(9), fraction: 0) == .waits(until: .seconds(4)))
    #expect(
      machine.ask(now: .zero, atMost: .seconds(9), fraction: 0.75)
        == .waits(until: .milliseconds(5_500)))
    #expect(
      machine.ask(now: .seconds(1), atMost: .seconds(4), fraction: 0.75)
        == .refused(retryAfter: .seconds(3)))
    #expect(machine.ask(now: .seconds(4), atMost: .zero, fraction: 0.75) == .runs)
  }

  @Test func `a call waits where its moment comes exactly in time`() {
    var machine = machine(spread: .seconds(2))
    _ = machine.begin(.seconds(4), now: .zero)
    #expect(
      machine.ask(now: .zero, atMost: .seconds(5), fraction: 0.5) == .waits(until: .seconds(5)))
    #expect(
      machine.ask(now: .zero, atMost: .seconds(5) - .nanoseconds(1), fraction: 0.5)
        == .refused(retryAfter: .seconds(4)))
  }

  @Test func `without further settings it does what the policy does by default`() throws {
    let policy = try Cooldown.Configuration().checked(name: nil)
    let settings = CooldownStateMachine.Settings()
    #expect(settings.withoutHint == policy.withoutHint && settings.maximum == policy.maximum)
    #expect(settings.maximumWait == policy.maximumWait && settings.spread == policy.spread)
  }

  @Test(.requirement("P12")) func `a clock that goes back makes it no longer`() {
    var machine = machine()
    _ = machine.begin(.seconds(4), now: .seconds(10))
    #expect(machine.remaining(now: .seconds(-90)) == .seconds(4))
    #expect(machine.begin(.seconds(3), now: .seconds(-90)) == nil)
    #expect(machine.remaining(now: .seconds(14)) == nil)
    #expect(machine.remaining(now: .seconds(10)) == nil)
  }

  @Test(.requirement("P12", "P24")) func `a random walk agrees with the latest end of all`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var machine = machine(spread: .seconds(1))
      var (now, latest, end) = (0, Int.min / 4, Int.min / 4)
      for _ in 0..<50 {
        now += Int.random(in: -2...4, using: &random)
        latest = max(latest, now)
        if Int.random(in: 0..<4, using: &random) == 0 {
          let hint = Int.random(in: -3...20, using: &random)
          let told = machine.begin(.seconds(hint), now: .seconds(now))
          let isLonger = latest + hint > max(end, latest)
          #expect(told == (isLonger ? .seconds(hint) : nil), "seed \(seed)")
          end = max(end, latest + hint)
        }
        let left = max(0, end - latest)
        let wait = Int.random(in: 0...20, using: &random)
        let fraction = random.fraction()
        switch machine.ask(now: .seconds(now), atMost: .seconds(wait), fraction: fraction) {
        case .runs: #expect(left == 0, "seed \(seed)")
        case .refused(let after):
          #expect(after == .seconds(left) && left + 1 > wait, "seed \(seed)")
        case .waits(let until):
          #expect(left > 0 && until >= .seconds(end), "seed \(seed)")
          #expect(until <= .seconds(end + 1) && until <= .seconds(latest + wait), "seed \(seed)")
        }
      }
    }
  }
}
