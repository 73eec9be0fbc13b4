// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Waits of a retry that end too late, such as on a device that slept.
@Suite struct RetryLateWaitTests {
  private let clock = ManualClock()
  /// Of the retry alone, so that who sleeps on it is the retry.
  private let pauses = ManualClock()
  private let recorder = EventRecorder()
  private let budget = RetryBudget(
    ratio: 0.2, minimumPerSecond: 0, capacity: 10, initial: 5, clock: ManualClock())

  /// What a call ends with where a minute passes while it waits for a second.
  ///
  /// In the usual form the deadline is only announced, so nothing ends the wait.
  private func result(
    within deadline: Duration = .seconds(1_000), elapsed: Duration? = nil,
    _ attempt: @escaping @Sendable () throws -> Int
  ) async -> Result<Int, any Error> {
    let attempts = Log()
    let pipeline = Pipeline("catalog") {
      Deadline(deadline, clock: clock)
      Retry(
        backoff: .constant(.seconds(1), jitter: .none),
        retryIfResult: .init { (answer: Int) in answer == 0 }, maximumElapsed: elapsed,
        budget: budget, clock: pauses, observer: recorder)
      Timeout(.seconds(10), clock: clock)
    }
    let call = Task {
      try await pipeline.run {
        attempts.add("began")
        return try attempt()
      }
    }
    await pauses.sleepers(atLeast: 1)
    clock.advance(by: .seconds(60))
    pauses.advance(by: .seconds(60))
    let result = await call.result
    #expect(attempts.lines == ["began"])
    #expect(recorder.gaveUpReasons == [.deadlineTooClose])
    #expect(recorder.events.last?.attempts?.entries.map(\.decidedBy) == ["deadlineTooClose"])
    #expect(budget.available == 5.2, "what was paid for the attempt comes back")
    return result
  }

  @Test func `a wait that ends after the deadline ends with the error before it`() async {
    let result = await result(within: .seconds(30)) {
      throw AppError.http(status: 503, isRepeatable: true)
    }
    let error = #expect(throws: AppError.self) { try result.get() }
    #expect(error?.httpStatus == 503)
  }

  @Test func `a wait that ends after the longest time ends with the error before it`() async {
    let result = await result(elapsed: .seconds(30)) {
      throw AppError.http(status: 503, isRepeatable: true)
    }
    let error = #expect(throws: AppError.self) { try result.get() }
    #expect(error?.httpStatus == 503)
  }

  @Test func `a wait after a result that ends too late ends with that result`() async throws {
    #expect(try await result(within: .seconds(30)) { 0 }.get() == 0)
  }
}
