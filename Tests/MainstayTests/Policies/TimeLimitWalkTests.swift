// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Many calls under limits at once, each of which ends exactly as arithmetic says.
@Suite struct TimeLimitWalkTests {
  private struct Call {
    var work: Int
    var attemptLimit: Int
    var totalLimit: Int
    var isCancelledAt: Int?

    /// What happens first, and when; all times of a walk differ.
    var ending: (at: Int, how: String) {
      let endings = [
        (work, "value"), (attemptLimit, "attempt"), (totalLimit, "total"),
        (isCancelledAt ?? .max, "cancelled"),
      ]
      return endings.min { $0.0 < $1.0 } ?? (0, "never")
    }
  }

  @Test(.requirement("P27", "P28", "T4")) func `a random walk ends as arithmetic says`() async {
    for seed in 0..<RandomDose.schedules / 20 {
      var generator = SeededGenerator(seed: seed)
      var times = (1...96).shuffled(using: &generator)
      let calls = (0..<24).map { number in
        Call(
          work: times.removeLast(), attemptLimit: times.removeLast(),
          totalLimit: times.removeLast(),
          isCancelledAt: number.isMultiple(of: 3) ? times.removeLast() : nil)
      }
      await run(calls, seed: seed)
    }
  }

  private func run(_ calls: [Call], seed: UInt64) async {
    let clock = ManualClock()
    let begun = Countdown(calls.count)
    let tasks = calls.map { call in Task { await outcome(of: call, clock, begun) } }
    await begun.reached()
    for (call, task) in zip(calls, tasks).sorted(by: { $0.0.ending.at < $1.0.ending.at }) {
      clock.advance(by: .seconds(call.ending.at) - clock.now.offset)
      if call.ending.how == "cancelled" { task.cancel() }
      #expect(await task.value == call.ending.how, "seed \(seed): \(call)")
    }
  }

  private func outcome(
    of call: Call, _ clock: ManualClock, _ begun: Countdown
  ) async -> String {
    let pipeline = Pipeline("walk") {
      Deadline(.seconds(call.totalLimit), clock: clock)
      Retry(maximumAttempts: 1, clock: clock)
      Timeout(.seconds(call.attemptLimit), clock: clock)
    }
    do {
      return try await pipeline.run {
        begun.count()
        try await clock.sleep(until: .init(offset: .seconds(call.work)))
        return "value"
      }
    } catch let error as TimedOut {
      return error.scope.rawValue
    } catch {
      return error.isCancellation ? "cancelled" : "\(error)"
    }
  }
}
