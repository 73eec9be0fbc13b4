// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A8")) struct ManualClockTests {
  @Test func `wakes whoever has slept long enough, the earliest first`() async throws {
    let clock = ManualClock()
    let log = Log()
    let tasks = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        log.add("\(seconds)")
      }
    }
    await clock.sleepers(atLeast: 3)
    #expect(clock.nextWakeUp == .seconds(1))
    clock.advance(by: .seconds(1))
    try await tasks[1].value
    #expect(log.lines == ["1"])
    clock.advance(by: .seconds(5))
    for task in tasks { try await task.value }
    #expect(clock.sleeperCount == 0 && clock.nextWakeUp == nil)
  }

  @Test func `a sleep that is over does not wait`() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(1))
    try await clock.sleep(for: .zero)
    try await clock.sleep(until: .init(offset: .seconds(-5)))
  }

  @Test func `a cancelled sleeper wakes at once, also before it sleeps`() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `whoever expects too many waiters stops when cancelled`() async {
    let clock = ManualClock()
    let told = Log()
    let expectations = UnmetWait.$tell.withValue({ told.add($0) }) {
      (0..<50).map { _ in
        Task {
          await clock.sleepers(atLeast: 9)
          await clock.waiters(atLeast: 9)
        }
      }
    }
    for expectation in expectations { expectation.cancel() }
    for expectation in expectations { await expectation.value }
    #expect(clock.waits.isEmpty)
    #expect(told.lines.count == 100)
  }

  @Test func `callers in one queue are a waiter each, though they share a sleeper`() async throws {
    let clock = ManualClock()
    let bulkhead = Bulkhead("reads", limit: 1, queue: 2, maximumWait: .seconds(10), clock: clock)
    let permit = try await bulkhead.acquire()
    let calls = (0..<2).map { _ in Task { try await bulkhead.run {} } }
    await clock.waiters(atLeast: 2)
    #expect(clock.waits == [.seconds(10), .seconds(10)])
    permit.release()
    for call in calls { try await call.value }
    #expect(clock.waits.isEmpty)
  }

  @Test func `a limit that is over is no waiter, and a bound leaves out one that runs`() async {
    let clock = ManualClock()
    let pipeline = Pipeline("reads") {
      Retry(maximumAttempts: 2, backoff: .constant(.seconds(1), jitter: .none), clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let call = Task {
      try await pipeline.run { throw AppError.http(status: 503, isRepeatable: true) }
    }
    await clock.waiters(atLeast: 1, within: .seconds(5))
    #expect(clock.waits == [.seconds(1)])
    clock.advance(by: .seconds(1))
    await #expect(throws: AppError.self) { try await call.value }
    #expect(clock.waits.isEmpty)
  }

  @Test func `an expectation within a bound is met by time that passes`() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(9)) }
    await clock.sleepers(atLeast: 1)
    async let isNear: Void = clock.waiters(atLeast: 1, within: .seconds(2))
    clock.advance(by: .seconds(7))
    await isNear
    clock.advance(by: .seconds(2))
    try await sleeper.value
  }
}
