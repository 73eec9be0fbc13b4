// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A task that is begun inside a call and goes on when the call has returned.
@Suite struct OutlivingTaskTests {
  private static let down = AppError.http(status: 503, isRepeatable: true)
  private let clock = ManualClock()

  /// What a task comes to that a pipeline begins, and that calls another one 60 s later.
  private func afterwards<P: ConcurrentPolicy>(_ pipeline: Pipeline<P>) async throws -> Int {
    let (clock, gate) = (clock, Countdown(1))
    let feed = Pipeline("feed") {
      Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited, clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let task = try await pipeline.run {
      #expect(Deadline.remaining == .seconds(10), "\(pipeline.name)")
      return Task {
        await gate.passed()
        #expect(Deadline.remaining == nil, "\(pipeline.name)")
        return try await feed.run {
          guard Retry.currentAttempt == 2 else { throw Self.down }
          return 7
        }
      }
    }
    clock.advance(by: .seconds(60))
    gate.count()
    return try await task.value
  }

  @Test func `a limit is over for a task that outlives its run`() async throws {
    let clock = clock
    let announced = Pipeline("announced") {
      Deadline(.seconds(30), clock: clock)
      Retry(clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    #expect(try await afterwards(announced) == 7)
    let enforced = Pipeline("enforced") { Deadline(.seconds(10), clock: clock) }
    #expect(try await afterwards(enforced) == 7)
    let heeded = Pipeline("heeded") { Timeout(.seconds(10), clock: clock).heeded }
    #expect(try await afterwards(heeded) == 7)
    let abandoning = Pipeline("abandoning") { Timeout.Abandoning(.seconds(10), clock: clock) }
    #expect(try await afterwards(abandoning) == 7)
  }

  @Test func `a limit around the run that has returned still holds`() async throws {
    let (clock, gate) = (clock, Countdown(1))
    try await Deadline(.seconds(30), clock: clock).run {
      let task = try await Timeout(.seconds(10), clock: clock).run {
        Task {
          await gate.passed()
          return Deadline.remaining
        }
      }
      clock.advance(by: .seconds(12))
      gate.count()
      #expect(await task.value == .seconds(18))
    }
  }

  @Test(.requirement("P16")) func `a task that outlives an attempt is no part of it`()
    async throws
  {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited, clock: clock)
    let gate = Countdown(1)
    let task = try await retry.run {
      guard Retry.currentAttempt == 2 else { throw Self.down }
      return Task {
        await gate.passed()
        #expect(Retry.currentAttempt == 1)
        return try await retry.run {
          guard Retry.currentAttempt == 2 else { throw Self.down }
          return 7
        }
      }
    }
    gate.count()
    #expect(try await task.value == 7)
  }

  @Test(.requirement("P16")) func `an attempt inside of another one ends for itself alone`()
    async throws
  {
    let retry = Retry(
      maximumAttempts: 2, backoff: .none, budget: .unlimited, nesting: .makesAllAttempts)
    let gate = Countdown(1)
    try await retry.run {
      guard Retry.currentAttempt == 2 else { throw Self.down }
      let task = try await Retry(
        maximumAttempts: 3, backoff: .none, budget: .unlimited, nesting: .makesAllAttempts
      ).run {
        guard Retry.currentAttempt == 3 else { throw Self.down }
        return Task {
          await gate.passed()
          return Retry.currentAttempt
        }
      }
      gate.count()
      #expect(await task.value == 2, "the outer one still makes its second attempt")
    }
  }

  @Test(.requirement("P22")) func `a task that outlives a worker's run has its own time`()
    async throws
  {
    let (timeline, gate) = (Timeline(clock), Countdown(1))
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited, clock: clock)
    let task = await RetryScope.worker(budget: nil, until: (timeline.now, timeline)) {
      Task {
        await gate.passed()
        return try await retry.run {
          guard Retry.currentAttempt == 2 else { throw Self.down }
          return 7
        }
      }
    }
    gate.count()
    #expect(try await task.value == 7)
  }
}
