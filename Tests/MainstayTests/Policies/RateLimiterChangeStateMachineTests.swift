// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// What becomes of calls and promises when the law changes, and when many promises are given back.
@Suite struct RateLimiterChangeStateMachineTests {
  private static let hour = RateLimiter.Kind.gcra(rate: 1, per: .seconds(3_600))

  @Test func `who would have to wait for longer than it is willing to is named`() {
    var machine = RateLimiterStateMachine(.gcra(rate: 1, per: .seconds(1)))
    _ = machine.ask(cost: 1, now: .zero, atMost: .zero)
    for wait in [Duration.seconds(10), .aYear, .seconds(10), .aYear] {
      _ = machine.ask(cost: 1, now: .zero, atMost: wait)
    }
    let broken = machine.change(to: Self.hour, now: .milliseconds(500))
    #expect(broken.map(\.id) == [0, 2])
    // Half a call was free: the other half takes half an hour, and each further one an hour.
    #expect(broken.first?.wait == .seconds(1_800))
    #expect(broken.first?.excess == .milliseconds(1_790_500))
    #expect(machine.waiting == 2)
    // Those who stay move up.
    #expect(machine.turn(of: 1) == .milliseconds(1_800_500))
    #expect(machine.turn(of: 3) == .milliseconds(5_400_500))
    #expect(machine.turn(of: 0) == nil && machine.turn(of: 2) == nil)
    #expect(machine.giveBack(0, now: .seconds(1)) == false)
    #expect(machine.takeTurns(now: .milliseconds(1_800_500)) == [1])
  }

  @Test func `a promise is kept to the nanosecond`() {
    for (wait, isKept) in [(Duration.seconds(4), true), (.seconds(4) - .nanoseconds(1), false)] {
      var machine = RateLimiterStateMachine(.gcra(rate: 1, per: .seconds(1)))
      _ = machine.ask(cost: 1, now: .zero, atMost: .zero)
      _ = machine.ask(cost: 1, now: .zero, atMost: wait)
      let broken = machine.change(to: .gcra(rate: 1, per: .seconds(4)), now: .zero)
      #expect(broken.isEmpty == isKept)
      #expect(machine.waiting == (isKept ? 1 : 0))
    }
  }

  @Test func `calls go on counting from when they began while a window is raised`() {
    func window(_ limit: Int) -> RateLimiter.Kind {
      .slidingWindow(limit: limit, per: .seconds(60))
    }
    var machine = RateLimiterStateMachine(window(100))
    for call in 0..<100 {
      let now = Duration.milliseconds(590 * call)
      #expect(machine.ask(cost: 1, now: now, atMost: .zero) == .granted)
    }
    // To and fro, as a limit that processes share while they come and go.
    for limit in [1_000, 100, 200, 100, 1_000] {
      #expect(machine.change(to: window(limit), now: .seconds(59)) == [])
    }
    #expect(machine.ask(cost: 1, now: .seconds(59), atMost: .zero) == .refused(wait: .seconds(1)))
    #expect(machine.ask(cost: 1, now: .seconds(60), atMost: .zero) == .granted)
    // What was raised is free a window later, with what the calls of then have left.
    #expect(machine.ask(cost: 999, now: .seconds(119), atMost: .zero) == .granted)
    #expect(machine.ask(cost: 1, now: .seconds(119), atMost: .zero) == .refused(wait: .seconds(1)))
  }

  @Test func `a lower limit of a window counts the latest calls`() {
    var machine = RateLimiterStateMachine(.slidingWindow(limit: 10, per: .seconds(10)))
    for second in 0..<10 {
      _ = machine.ask(cost: 1, now: .seconds(second), atMost: .zero)
    }
    _ = machine.change(to: .slidingWindow(limit: 2, per: .seconds(10)), now: .seconds(9))
    let answer = machine.ask(cost: 1, now: .seconds(9), atMost: .zero)
    #expect(answer == .refused(wait: .seconds(9)))
    // Calls that a shorter window does not see count for one such window.
    _ = machine.change(to: .slidingWindow(limit: 2, per: .milliseconds(500)), now: .seconds(9))
    #expect(
      machine.ask(cost: 1, now: .seconds(9), atMost: .zero) == .refused(wait: .milliseconds(500)))
  }

  @Test func `a part of a call that became free is not lost by a change`() {
    for law in [RateLimiter.Kind.Law.tokenBucket, .gcra] {
      func kind(_ rate: Int) -> RateLimiter.Kind {
        RateLimiter.Kind(law: law, rate: rate, per: .seconds(3_600), burst: 1)
      }
      var machine = RateLimiterStateMachine(kind(1))
      #expect(machine.ask(cost: 1, now: .zero, atMost: .zero) == .granted)
      for quarter in 1...3 {
        _ = machine.change(
          to: kind(quarter.isMultiple(of: 2) ? 1 : 2), now: .seconds(quarter * 900))
      }
      // A quarter, a half and a quarter.
      #expect(machine.ask(cost: 1, now: .seconds(2_700), atMost: .zero) == .granted, "\(law)")
    }
  }

  @Test func `at each change as much is free as was`() {
    func kind(_ random: inout SplitMix64) -> RateLimiter.Kind {
      let rate = Int.random(in: 1...9, using: &random)
      let per = Duration.nanoseconds(Int.random(in: 1...60, using: &random))
      let burst = Int.random(in: 1...6, using: &random)
      return switch Int.random(in: 0..<3, using: &random) {
      case 0: .tokenBucket(rate: rate, per: per, burst: burst)
      case 1: .gcra(rate: rate, per: per, burst: burst)
      default: .slidingWindow(limit: burst, per: per)
      }
    }
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SplitMix64(seed: seed)
      var schedule = RateSchedule(kind(&random))
      var time = Nanoseconds(Int.random(in: -90...0, using: &random))
      for _ in 0..<60 {
        time += Nanoseconds(Int.random(in: 0...20, using: &random))
        let free = schedule.free(at: time)
        if Bool.random(using: &random) {
          let next = kind(&random)
          schedule = schedule.changed(to: next, at: time)
          #expect(schedule.free(at: time) == min(free, next.burst), "seed \(seed): \(next)")
        } else if free > 0 {
          schedule.admit(Int.random(in: 1...free, using: &random), at: time)
        }
      }
    }
  }

  @Test(arguments: [
    RateLimiter.Kind.gcra(rate: 1, per: .seconds(1)), .tokenBucket(rate: 1, per: .seconds(1)),
    .slidingWindow(limit: 1, per: .seconds(1)),
  ])
  func `giving back costs as much for each of many as for each of few`(kind: RateLimiter.Kind) {
    for count in [500, 5_000] {
      for order in [true, false] {
        var machine = RateLimiterStateMachine(kind)
        for _ in 0...count { _ = machine.ask(cost: 1, now: .zero, atMost: .aYear) }
        let ids = order ? Array(0..<UInt64(count)) : (0..<UInt64(count)).reversed()
        for id in ids {
          #expect(machine.giveBack(id, now: .zero) == true)
          #expect(machine.takeTurns(now: .zero).isEmpty)
          _ = machine.nextTurn
        }
        #expect(machine.waiting == 0 && machine.promiseCount == 0)
        #expect(machine.turnsComputed <= count)
      }
    }
  }

  @Test func `turns that were computed late are those of turns computed at once`() {
    for seed in 0..<RandomDose.schedules / 20 {
      var random = SplitMix64(seed: seed)
      let kinds: [RateLimiter.Kind] = [
        .tokenBucket(rate: 3, per: .seconds(1), burst: 4),
        .gcra(rate: 3, per: .seconds(1), burst: 2), .slidingWindow(limit: 3, per: .seconds(1)),
      ]
      let kind = kinds[Int.random(in: 0..<3, using: &random)]
      var (late, atOnce) = (RateLimiterStateMachine(kind), RateLimiterStateMachine(kind))
      var now = Duration.zero
      var ids: [UInt64] = []
      for _ in 0..<60 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0..<2:
          let cost = Int.random(in: 1...kind.burst, using: &random)
          let answer = late.ask(cost: cost, now: now, atMost: .seconds(9))
          #expect(atOnce.ask(cost: cost, now: now, atMost: .seconds(9)) == answer)
          if case .promised(let id, _) = answer { ids.append(id) }
        case 2:
          guard let id = ids.randomElement(using: &random) else { break }
          let wasGivenBack = late.giveBack(id, now: now)
          #expect(atOnce.giveBack(id, now: now) == wasGivenBack, "seed \(seed)")
        default: now += .milliseconds(Int.random(in: 0...400, using: &random))
        }
        // Whoever asks for a turn has all of them computed.
        for id in ids { _ = atOnce.turn(of: id) }
        #expect(late.nextTurn == atOnce.nextTurn, "seed \(seed)")
        #expect(late.takeTurns(now: now) == atOnce.takeTurns(now: now), "seed \(seed)")
        #expect(late.waiting == atOnce.waiting)
      }
      for id in ids { #expect(late.turn(of: id) == atOnce.turn(of: id), "seed \(seed)") }
    }
  }
}
