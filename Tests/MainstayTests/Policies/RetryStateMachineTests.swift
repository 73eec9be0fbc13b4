// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct RetryStateMachineTests {
  typealias Situation = RetryStateMachine.Situation

  static func machine(
    attempts: Int = 3, backoff: Backoff = .constant(.seconds(2), jitter: .none),
    maximumServerDelay: Duration = .seconds(60), maximumElapsed: Duration? = nil
  ) -> RetryStateMachine {
    RetryStateMachine(
      limits: .init(
        maximumAttempts: attempts, backoff: backoff, maximumServerDelay: maximumServerDelay,
        maximumElapsed: maximumElapsed))
  }

  static func situation(
    elapsed: Duration = .zero, timeLeft: Duration? = nil, isRepeatable: Bool = false,
    hintChance: Double = 0
  ) -> Situation {
    Situation(
      elapsed: elapsed, timeLeft: timeLeft, isRepeatable: isRepeatable,
      chance: (own: 0.5, hint: hintChance))
  }

  @Test func `waits its backoff after a transient failure`() {
    var machine = Self.machine()
    #expect(machine.attemptFailed(.afterBackoff(hint: nil), Self.situation()) == .wait(.seconds(2)))
  }

  @Test(.requirement("P24")) func `takes the longer of hint and backoff`() {
    var machine = Self.machine(attempts: 9)
    let short = machine.attemptFailed(.afterBackoff(hint: .seconds(1)), Self.situation())
    #expect(short == .wait(.seconds(2)))
    let long = machine.attemptFailed(.afterBackoff(hint: .seconds(5)), Self.situation())
    #expect(long == .wait(.seconds(5)))
  }

  @Test(.requirement("P24")) func `it says whether the service chose the wait`() {
    var machine = Self.machine(attempts: 99)
    #expect(!machine.isHint)
    let rules: [(Disposition.RetryRule, isHint: Bool)] = [
      (.afterHint(.seconds(5)), true), (.afterBackoff(hint: nil), false),
      (.afterBackoff(hint: .seconds(1)), false), (.afterBackoff(hint: .seconds(2)), true),
      (.afterHint(nil), false), (.onlyIfFitsDeadline(.seconds(1)), true),
      (.onlyWithIdempotencyKey, false),
    ]
    for (rule, isHint) in rules {
      _ = machine.attemptFailed(
        rule, Self.situation(timeLeft: .seconds(99), isRepeatable: true))
      #expect(machine.isHint == isHint, "\(rule)")
    }
  }

  @Test(.requirement("P24")) func `spreads a hint upward by at most a tenth`() {
    var machine = Self.machine(attempts: 9)
    let most = machine.attemptFailed(.afterHint(.seconds(10)), Self.situation(hintChance: 1))
    #expect(most == .wait(.seconds(11)))
    let least = machine.attemptFailed(.afterHint(.seconds(10)), Self.situation(hintChance: 0))
    #expect(least == .wait(.seconds(10)))
  }

  @Test func `a hint of no time, or of one that has passed, is none`() {
    var machine = Self.machine(attempts: 9)
    for hint in [Duration.zero, .seconds(-5)] {
      for rule in [Disposition.RetryRule.afterHint(hint), .afterBackoff(hint: hint)] {
        #expect(
          machine.attemptFailed(rule, Self.situation(hintChance: 1)) == .wait(.seconds(2)))
        #expect(!machine.isHint)
      }
    }
  }

  @Test(.requirement("P24")) func `gives up at once on a server that asks to wait too long`() {
    var machine = Self.machine(maximumServerDelay: .seconds(60))
    let decision = machine.attemptFailed(.afterHint(.seconds(61)), Self.situation())
    #expect(decision == .giveUp(.serverDelayTooLong))
    var other = Self.machine()
    #expect(
      other.attemptFailed(.afterBackoff(hint: .seconds(Int64.max)), Self.situation())
        == .giveUp(.serverDelayTooLong))
  }

  @Test(.requirement("P24")) func `a wait that is too long matters only to whoever would wait`() {
    for rule in [Disposition.RetryRule.afterHint(.seconds(61)), .afterBackoff(hint: .seconds(61))] {
      var inner = Self.machine(maximumServerDelay: .seconds(60))
      var situation = Self.situation()
      situation.isInsideAnother = true
      #expect(inner.attemptFailed(rule, situation) == .giveUp(.insideAnotherRetry))
      var last = Self.machine(attempts: 1, maximumServerDelay: .seconds(60))
      #expect(last.attemptFailed(rule, Self.situation()) == .giveUp(.attemptsUsedUp))
    }
  }

  @Test(.requirement("T7", "D31")) func `three attempts are at most three calls`() {
    var machine = Self.machine(attempts: 3)
    let decisions = (1...3).map { _ in
      machine.attemptFailed(.afterBackoff(hint: nil), Self.situation())
    }
    #expect(decisions == [.wait(.seconds(2)), .wait(.seconds(2)), .giveUp(.attemptsUsedUp)])
  }

  @Test func `never means never`() {
    var machine = Self.machine()
    #expect(machine.attemptFailed(.never, Self.situation()) == .giveUp(.notRetryable))
  }

  @Test func `repeats an unknown outcome only under an idempotency key`() {
    var without = Self.machine()
    #expect(
      without.attemptFailed(.onlyWithIdempotencyKey, Self.situation()) == .giveUp(.notRetryable))
    var with = Self.machine()
    #expect(
      with.attemptFailed(.onlyWithIdempotencyKey, Self.situation(isRepeatable: true))
        == .wait(.seconds(2)))
  }

  @Test(.requirement("P17"))
  func `repeats its own rejection only where the wait fits the deadline`() {
    let cases: [(hint: Duration?, timeLeft: Duration?, RetryStateMachine.Decision)] = [
      (.seconds(5), .seconds(6), .wait(.seconds(5))),
      (.seconds(5), .seconds(5), .giveUp(.deadlineTooClose)),
      (.seconds(5), nil, .giveUp(.notRetryable)),
      (nil, .seconds(6), .giveUp(.notRetryable)),
    ]
    for (hint, timeLeft, expected) in cases {
      var machine = Self.machine()
      let decision = machine.attemptFailed(
        .onlyIfFitsDeadline(hint), Self.situation(timeLeft: timeLeft))
      #expect(decision == expected)
    }
  }

  @Test(.requirement("P17"))
  func `repeats a refusal that passes soon by its backoff where that fits the deadline`() {
    let cases: [(hint: Duration?, timeLeft: Duration?, RetryStateMachine.Decision)] = [
      (nil, .seconds(3), .wait(.seconds(2))),
      (nil, .seconds(2), .giveUp(.deadlineTooClose)),
      (nil, nil, .giveUp(.notRetryable)),
      (.seconds(1), .seconds(3), .wait(.seconds(1))),
    ]
    for (hint, timeLeft, expected) in cases {
      var machine = Self.machine()
      var situation = Self.situation(timeLeft: timeLeft)
      situation.passesSoon = true
      #expect(machine.attemptFailed(.onlyIfFitsDeadline(hint), situation) == expected)
      #expect(machine.isHint == (hint != nil))
    }
  }

  @Test(.requirement("P22", "T9")) func `does not sleep towards a deadline that cannot be met`() {
    var machine = Self.machine()
    let decision = machine.attemptFailed(
      .afterBackoff(hint: nil), Self.situation(timeLeft: .seconds(2)))
    #expect(decision == .giveUp(.deadlineTooClose))
  }

  @Test(.requirement("P22")) func `counts the wait into the longest time for all attempts`() {
    var machine = Self.machine(attempts: 9, maximumElapsed: .seconds(10))
    let early = machine.attemptFailed(
      .afterBackoff(hint: nil), Self.situation(elapsed: .seconds(7)))
    #expect(early == .wait(.seconds(2)))
    let late = machine.attemptFailed(
      .afterBackoff(hint: nil), Self.situation(elapsed: .seconds(8)))
    #expect(late == .giveUp(.deadlineTooClose))
  }

  @Test(.requirement("P12")) func `takes a clock that went back for no time passed`() {
    var machine = Self.machine(maximumElapsed: .seconds(10))
    let decision = machine.attemptFailed(
      .afterBackoff(hint: nil), Self.situation(elapsed: .seconds(-1_000)))
    #expect(decision == .wait(.seconds(2)))
  }

  @Test(.requirement("P20")) func `decorrelated jitter sees the actual last wait`() {
    var machine = Self.machine(
      attempts: 9,
      backoff: .exponential(from: .seconds(1), to: .seconds(100), jitter: .decorrelated))
    _ = machine.attemptFailed(.afterHint(.seconds(20)), Self.situation())
    let next = machine.attemptFailed(.afterBackoff(hint: nil), Self.situation())
    #expect(next == .wait(.seconds(30.5)))  // halfway between 1 and 3 x 20
  }

  @Test func `a random walk keeps every promise`() {
    var waits = 0
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      waits += walk(&generator)
    }
    #expect(waits > RandomDose.schedules / 2)
  }

  /// - Returns: How often it waited.
  private func walk(_ generator: inout SeededGenerator) -> Int {
    let attempts = Int.random(in: 1...6, using: &generator)
    let cap = Duration.seconds(Double.random(in: 1...50, using: &generator))
    var machine = Self.machine(
      attempts: attempts, backoff: .exponential(from: .seconds(1), to: cap),
      maximumServerDelay: .seconds(30))
    var calls = 1
    while calls < 20 {
      let hint =
        [nil, Duration.seconds(Double.random(in: 0...40, using: &generator))]
        .randomElement(using: &generator) ?? nil
      let timeLeft = Duration.seconds(Double.random(in: 0...100, using: &generator))
      let situation = Situation(
        elapsed: .zero, timeLeft: timeLeft, isRepeatable: false,
        chance: (
          own: .random(in: 0..<1, using: &generator), hint: .random(in: 0..<1, using: &generator)
        ))
      guard case .wait(let delay) = machine.attemptFailed(.afterBackoff(hint: hint), situation)
      else { break }
      calls += 1
      #expect(delay < timeLeft, "seed \(generator.seed)")
      #expect(delay >= hint ?? .zero, "seed \(generator.seed)")
      // A time that was asked for is lengthened by a tenth at most, and the backoff by nothing; a
      // nanosecond is for rounding.
      let longest = max(cap, (hint ?? .zero) * 1.1) + .nanoseconds(1)
      #expect(delay <= longest, "seed \(generator.seed)")
    }
    #expect(calls <= attempts, "seed \(generator.seed)")
    return calls - 1
  }
}
