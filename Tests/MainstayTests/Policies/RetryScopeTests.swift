// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A retry inside of another one, and inside of a queue's worker.
@Suite struct RetryScopeTests {
  static func retry(
    _ attempts: Int = 4, nesting: Retry.Nesting = .runsOnce, observer: EventRecorder? = nil
  ) -> Retry {
    Retry(
      maximumAttempts: attempts, backoff: .none, budget: .unlimited, nesting: nesting,
      observer: observer)
  }

  static let down = AppError.http(status: 503, isRepeatable: true)

  /// An error with no place for the number of attempts.
  private struct Throttled: Error, AppErrorConvertible {
    var appError: AppError { .http(status: 429, retryAfter: .zero) }
  }

  /// Three layers of four attempts each, as code that knows nothing of the other layers has them.
  static func threeLayers(
    _ recorder: EventRecorder, _ operation: @escaping @Sendable () async throws -> Void
  ) async throws {
    let inner = Pipeline("inner") { Self.retry(observer: recorder) }
    let middle = Pipeline("middle") {
      Self.retry(observer: recorder)
      Timeout(.seconds(10), clock: ManualClock())
    }
    try await Self.retry(observer: recorder).run {
      try await middle.run { try await inner.run(operation) }
    }
  }

  @Test(.requirement("P16", "T7")) func `three layers of four attempts are four calls`() async {
    let (recorder, calls) = (EventRecorder(), Log())
    await #expect(throws: AppError.self) {
      try await Self.threeLayers(recorder) {
        calls.add("call")
        throw Self.down
      }
    }
    #expect(calls.lines.count == 4)
    // The innermost one makes the attempts, and the others count them as their own.
    #expect(recorder.gaveUpReasons == [.attemptsUsedUp, .attemptsUsedUp, .attemptsUsedUp])
  }

  @Test(.requirement("P16", "T7")) func `errors that cannot be counted add up and never multiply`()
    async
  {
    let (recorder, calls) = (EventRecorder(), Log())
    await #expect(throws: Throttled.self) {
      try await Self.threeLayers(recorder) {
        calls.add("call")
        throw Throttled()
      }
    }
    #expect(calls.lines.count == 4 + 3 + 3)
    #expect(recorder.gaveUpReasons.count { $0 == .insideAnotherRetry } == 3 + 2 * 3)
  }

  @Test(.requirement("P16")) func `a retry inside of a shared run makes its own attempts`() async {
    let (recorder, calls) = (EventRecorder(), Log())
    let pipeline = Pipeline("token") {
      Self.retry(1)
      Trace("between")
      Coalesce<String>("refresh").keyed("token")
      Timeout(.seconds(10), clock: ManualClock())
      Self.retry(3, observer: recorder)
    }
    await #expect(throws: AppError.self) {
      try await pipeline.run { @Sendable () async throws -> Void in
        calls.add("call")
        throw Self.down
      }
    }
    #expect(calls.lines.count == 3)
    #expect(recorder.gaveUpReasons == [.attemptsUsedUp])
  }

  @Test(.requirement("P16", "T7")) func `three stages of four attempts are four calls`() async {
    let (recorder, calls) = (EventRecorder(), Log())
    let inner = Pipeline("inner") { Self.retry(observer: recorder) }
    let pipeline = Pipeline("outer") {
      Self.retry(observer: recorder)
      Timeout(.seconds(10), clock: ManualClock())
      Self.retry(observer: recorder)
      inner
    }
    await #expect(throws: Throttled.self) {
      try await pipeline.run {
        calls.add("call")
        throw Throttled()
      }
    }
    #expect(calls.lines.count == 4)
    let expected = Array(repeating: PolicyEvent.GiveUpReason.insideAnotherRetry, count: 8)
    #expect(recorder.gaveUpReasons == expected + [.attemptsUsedUp])
  }

  @Test(.requirement("P16")) func `two retries in one pipeline make the attempts of the outer one`()
    async
  {
    var calls = 0
    let pipeline = Pipeline("both") {
      Self.retry(2)
      Self.retry(4)
    }
    _ = try? await pipeline.run {
      calls += 1
      throw Self.down
    }
    #expect(calls == 2)
  }

  @Test(.requirement("P16")) func `the outer one goes on where it has more attempts`() async throws
  {
    var calls = 0
    let error = await #expect(throws: AppError.self) {
      try await Self.retry(5).run {
        try await Self.retry(2).run {
          calls += 1
          throw Self.down
        }
      }
    }
    #expect(calls == 5)
    #expect(error?.metadata["retry.attempts"] == "5")
    let log = try #require(error?.metadata["retry.log"])
    #expect(log.hasPrefix("2 http.503"), "the two of the inner one are one entry: \(log)")
  }

  @Test(.requirement("P16")) func `the mark goes into the child tasks of policies`() async {
    let calls = Log()
    let hedge = Hedge(after: .fixed(.seconds(9)), safety: .safeToRepeat, clock: ManualClock())
    let pipeline = Pipeline("outer") {
      Self.retry(2)
      Timeout(.seconds(10), clock: ManualClock())
      hedge
      Deadline(.seconds(10), clock: ManualClock())
    }
    _ = try? await pipeline.run {
      try await Self.retry(4).run {
        calls.add("call")
        throw Throttled()
      }
    }
    #expect(calls.lines.count == 4 + 1)
  }

  @Test(.requirement("P16")) func `the mark goes into child tasks of one's own`() async {
    let calls = Log()
    _ = try? await Self.retry(3).run {
      async let value: Void = Self.retry(4).run {
        calls.add("call")
        throw Throttled()
      }
      return try await value
    }
    #expect(calls.lines.count == 4 + 2)
  }

  @Test(.requirement("P16")) func `many tasks at once each know whether they are inside`() async {
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<200 {
        group.addTask {
          var calls = 0
          _ = try? await Self.retry(3).run {
            await Task.yield()
            try await Self.retry(4).run {
              calls += 1
              await Task.yield()
              throw Throttled()
            }
          }
          return calls
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(counts == [4 + 2])
  }

  @Test func `a retry inside of another one in a pipeline pays nothing in`() async throws {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 0, clock: ManualClock())
    let pipeline = Pipeline("both") {
      Retry(budget: budget)
      Retry(budget: budget)
    }
    try await pipeline.run {}
    #expect(budget.available == 0.2)
  }

  @Test func `an error that is not repeated keeps its own reason`() async {
    let recorder = EventRecorder()
    _ = try? await Self.retry().run {
      try await Self.retry(observer: recorder).run { throw AppError.http(status: 404) }
    }
    #expect(recorder.gaveUpReasons == [.notRetryable])
  }

  @Test func `a retry that insists makes all its attempts`() async {
    var calls = 0
    _ = try? await Self.retry(3).run {
      try await Self.retry(4, nesting: .makesAllAttempts).run {
        calls += 1
        throw Self.down
      }
    }
    #expect(calls == 12)
  }

  @Test func `a retry after another one is no retry inside`() async {
    var calls = 0
    let retry = Self.retry(2)
    for _ in 1...2 {
      _ = try? await retry.run {
        calls += 1
        throw Self.down
      }
    }
    #expect(calls == 4)
  }

  @Test func `inside a worker the queue's budget is spent`() async {
    let own = RetryBudget(clock: ManualClock())
    let queue = RetryBudget(ratio: 0.001, minimumPerSecond: 0, initial: 2, clock: ManualClock())
    let retry = Retry(maximumAttempts: 9, backoff: .none, budget: own)
    var calls = 0
    _ = try? await RetryScope.worker(budget: queue) {
      try await retry.run {
        calls += 1
        throw Self.down
      }
    }
    #expect(calls == 3)
    #expect(queue.available == 0 && own.available > 10)
  }

  @Test(.requirement("P22")) func `inside a worker no attempt begins after its end`() async {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let timeline = Timeline(clock)
    let retry = Retry(
      backoff: .constant(.seconds(5), jitter: .none), clock: clock, observer: recorder)
    await #expect(throws: AppError.self) {
      try await RetryScope.worker(
        budget: nil, until: (timeline.now + .seconds(5), timeline)
      ) {
        try await retry.run { throw Self.down }
      }
    }
    #expect(recorder.gaveUpReasons == [.deadlineTooClose])
  }

  @Test func `a worker of a queue that runs inside a retry is no attempt of it`() async {
    var calls = 0
    _ = try? await Self.retry(1).run {
      try await RetryScope.worker(budget: .unlimited) {
        try await Self.retry(3).run {
          calls += 1
          throw Self.down
        }
      }
    }
    #expect(calls == 3)
  }
}
