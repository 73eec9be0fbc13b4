// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import Testing

/// What a cancellation does to an operation: it is asked of the error, and of the run.
@Suite struct OperationCancellationTests {
  private static func machine(
    maximumAttempts: Int, effect: EffectCertainty = .notSent
  ) -> OperationStateMachine {
    var rules = OperationStateMachine.Rules()
    rules.maximumAttempts = maximumAttempts
    rules.backoff = .exponential(from: .seconds(1), to: .seconds(60), jitter: .none)
    return OperationStateMachine(attempts: 0, unreachable: 0, effect: effect, rules: rules)
  }

  @Test func `a cancellation that nobody asked for is given up in the end`() {
    var machine = Self.machine(maximumAttempts: 3)
    let verdicts = (0..<3).map { _ in machine.failed(.cancelled(), fraction: 0) }
    #expect(
      verdicts.map(\.next) == [
        .scheduled(after: .seconds(1)), .scheduled(after: .seconds(2)),
        .dead(.outcomeUnknown, followers: .holdKey),
      ])
    #expect(verdicts.allSatisfy { $0.effect == .sentUnknown && $0.failure == .brokenOff })
    // What somebody did ask for costs nothing, however often.
    var stopped = Self.machine(maximumAttempts: 1)
    for _ in 0..<3 {
      let verdict = stopped.failed(.cancelled(), isRunCancelled: true, fraction: 0)
      #expect(verdict.next == .ready && verdict.attempts == 0 && verdict.failure == nil)
    }
  }

  @Test func `a question that was cancelled with its run costs no attempt`() {
    var machine = Self.machine(maximumAttempts: 3, effect: .sentUnknown)
    let verdict = machine.reconcilingFailed(
      .cancelled(), isRunCancelled: true, fraction: 0)
    #expect(verdict.next == .ready && verdict.attempts == 0 && machine.mustReconcile)
  }
}
