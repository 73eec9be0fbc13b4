// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Retry on results, and the log of attempts.
@Suite struct RetryResultTests {
  struct Job: Equatable { var isDone: Bool }
  struct Down: Error, Equatable {}

  @Test func `repeats until the result is acceptable`() async throws {
    let recorder = EventRecorder()
    let retry = Retry(maximumAttempts: 5, backoff: .none, observer: recorder)
    var calls = 0
    let job = try await retry.run(until: { $0.isDone }) {
      calls += 1
      return Job(isDone: calls == 3)
    }
    #expect(job.isDone && calls == 3)
    #expect(recorder.names == ["attemptFailed", "attemptFailed", "recovered"])
  }

  @Test func `returns the last result once all attempts are used up`() async throws {
    let recorder = EventRecorder()
    let retry = Retry(maximumAttempts: 3, backoff: .none, observer: recorder)
    var calls = 0
    let last = try await retry.run(until: { $0 > 100 }) {
      calls += 1
      return calls
    }
    #expect(last == 3)
    #expect(recorder.gaveUpReasons == [.attemptsUsedUp])
  }

  @Test func `a condition for results works in a pipeline`() async throws {
    let pipeline = Pipeline("jobs") {
      Retry(
        maximumAttempts: 4, backoff: .none,
        retryIfResult: .init { (job: Job) in !job.isDone })
      Timeout(.seconds(10), clock: ManualClock())
    }
    var calls = 0
    let job = try await pipeline.run {
      calls += 1
      return Job(isDone: calls == 2)
    }
    #expect(job.isDone && calls == 2)
    let number = try await pipeline.run {
      calls += 1
      return 7
    }
    #expect(number == 7 && calls == 3, "results of another type are acceptable")
  }

  @Test func `results and errors share the attempts`() async throws {
    let retry = Retry(
      maximumAttempts: 3, backoff: .none, retryIf: .anythingButCancellation,
      retryIfResult: .init { (number: Int) in number < 10 })
    var calls = 0
    await #expect(throws: Down()) {
      try await retry.run {
        calls += 1
        if calls == 3 { throw Down() }
        return calls
      }
    }
    #expect(calls == 3)
  }

  @Test(.requirement("P24")) func `a result that says how long to wait is asked for then`()
    async throws
  {
    let clock = ManualClock()
    let retry = Retry(
      backoff: .constant(.milliseconds(200), jitter: .none),
      retryIfResult: .rule { (job: Job) in
        job.isDone ? nil : .afterBackoff(hint: .seconds(30))
      }, clock: clock)
    let calls = Log()
    let job = Task {
      try await retry.run {
        calls.add("asked")
        return Job(isDone: calls.lines.count == 2)
      }
    }
    await clock.sleepers(atLeast: 1)
    let wait = try #require(clock.nextWakeUp)
    #expect(wait >= .seconds(30) && wait <= .seconds(33))
    clock.advance(by: wait)
    #expect(try await job.value.isDone)
    #expect(calls.lines.count == 2)
  }

  @Test(.requirement("P22")) func `a result that asks for too long a wait is returned at once`()
    async throws
  {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let rule = Retry.ResultCondition.rule { (wait: Int) in .afterHint(.seconds(wait)) }
    let retry = Retry(
      retryIfResult: rule, maximumServerDelay: .seconds(60), clock: clock, observer: recorder)
    let late = try await Pipeline("jobs") {
      Deadline(.seconds(20), clock: clock)
      retry
    }.run { 30 }
    #expect(late == 30)
    #expect(try await retry.run { 61 } == 61)
    #expect(try await retry.run(until: { _ in true }) { 61 } == 61, "the policy is asked as well")
    #expect(
      recorder.gaveUpReasons == [.deadlineTooClose, .serverDelayTooLong, .serverDelayTooLong])
    #expect(try await retry.run { "of another type" } == "of another type")
  }

  @Test(.requirement("P15")) func `a repetition for a result is paid for`() async throws {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 1, clock: ManualClock())
    var calls = 0
    let last = try await Retry(maximumAttempts: 9, backoff: .none, budget: budget)
      .run(until: { $0 > 100 }) {
        calls += 1
        return calls
      }
    #expect(last == 2)
  }

  @Test func `inside another retry results are still repeated`() async throws {
    let inner = Retry(maximumAttempts: 3, backoff: .none)
    let last = try await Retry(backoff: .none).run {
      var calls = 0
      return try await inner.run(until: { $0 > 100 }) {
        calls += 1
        return calls
      }
    }
    #expect(last == 3)
  }

  @Test(.requirement("P21")) func `a caller that has gone away waits for no better result`() async {
    let clock = ManualClock()
    let retry = Retry(backoff: .constant(.seconds(5), jitter: .none), clock: clock)
    let task = Task { try await retry.run(until: { $0 > 1 }) { 1 } }
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `the final error says what became of each attempt`() async throws {
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let retry = Retry(
      maximumAttempts: 3, backoff: .none, clock: clock, observer: recorder)
    let errors = Locked(
      [429, 503, 503].map {
        AppError.http(status: $0, isRepeatable: true, retryAfter: .nanoseconds(1))
      })
    let call = Task { try await retry.run { throw errors.withLock { $0.removeFirst() } } }
    for _ in 1...2 {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
    }
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.metadata["retry.attempts"] == "3")
    #expect(
      error?.metadata["retry.log"]
        == "1 http.429, 0.0 s by service; 2 http.503, 0.0 s by service; "
        + "3 http.503, attemptsUsedUp")
    #expect(error?.httpStatus == 503, "it is the operation's own error")
    let log = try #require(recorder.events.last?.attempts)
    #expect(log.entries.map(\.outcome) == ["http.429", "http.503", "http.503"])
    #expect(log.entries.map(\.decidedBy) == ["service", "service", "attemptsUsedUp"])
    #expect(recorder.events.dropLast().allSatisfy { $0.attempts == nil })
  }

  @Test func `an error of another type stays as it is, and the event has the log`() async throws {
    let recorder = EventRecorder()
    let retry = Retry(
      maximumAttempts: 2, backoff: .none, retryIf: .anythingButCancellation, observer: recorder)
    await #expect(throws: Down()) { try await retry.run { throw Down() } }
    let log = try #require(recorder.events.last?.attempts)
    #expect(log.entries.count == 2 && log.omitted == 0)
    #expect(log.entries.allSatisfy { $0.outcome.contains("Down") })
  }

  @Test(.requirement("P26")) func `nothing is added to a cancellation or to a single attempt`()
    async
  {
    var calls = 0
    let cancelled = await #expect(throws: AppError.self) {
      try await Retry(backoff: .none).run {
        calls += 1
        throw calls == 1 ? AppError.http(status: 503, isRepeatable: true) : AppError.cancelled()
      }
    }
    #expect(cancelled?.metadata["retry.log"] == nil && calls == 2)
    let single = await #expect(throws: AppError.self) {
      try await Retry(backoff: .none).run { throw AppError.http(status: 404) }
    }
    #expect(single?.metadata["retry.log"] == nil)
  }

  @Test(.requirement("P38")) func `the log of very many attempts stays short`() async throws {
    let recorder = EventRecorder()
    let retry = Retry(
      maximumAttempts: 1_000, backoff: .none, budget: .unlimited, observer: recorder)
    _ = try? await retry.run { throw AppError.http(status: 503, isRepeatable: true) }
    let log = try #require(recorder.events.last?.attempts)
    #expect(log.entries.count == 16 && log.omitted == 984)
    #expect(log.entries.first?.attempt == 1 && log.entries.last?.attempt == 1_000)
  }
}
