// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// The edges of what a retry waits for.
@Suite struct RetryBoundsStateMachineTests {
  private typealias Bench = RetryStateMachineTests

  @Test(.requirement("P24")) func `the longest wait that a service may ask for is waited`() {
    for rule in [
      Disposition.RetryRule.afterHint(.seconds(60)), .afterBackoff(hint: .seconds(60)),
    ] {
      var machine = Bench.machine(maximumServerDelay: .seconds(60))
      #expect(machine.attemptFailed(rule, Bench.situation()) == .wait(.seconds(60)))
    }
  }

  @Test(.requirement("P22")) func `the earlier of two ends decides`() {
    let rule = Disposition.RetryRule.afterBackoff(hint: nil)
    var deadlineFirst = Bench.machine(maximumElapsed: .seconds(100))
    #expect(
      deadlineFirst.attemptFailed(rule, Bench.situation(timeLeft: .seconds(1)))
        == .giveUp(.deadlineTooClose))
    var ownFirst = Bench.machine(maximumElapsed: .seconds(10))
    let situation = Bench.situation(elapsed: .seconds(9), timeLeft: .seconds(100))
    #expect(ownFirst.attemptFailed(rule, situation) == .giveUp(.deadlineTooClose))
    var neither = Bench.machine(maximumElapsed: .seconds(100))
    #expect(
      neither.attemptFailed(rule, Bench.situation(timeLeft: .seconds(100))) == .wait(.seconds(2)))
  }
}
