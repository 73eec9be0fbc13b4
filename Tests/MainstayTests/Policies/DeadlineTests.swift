// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct DeadlineTests {
  @Test func `ends everything inside it`() async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let deadline = Deadline(.seconds(30), name: "checkout", clock: clock)
    let result = Task { try await deadline.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error == TimedOut.total("checkout", .seconds(30)))
  }

  @Test func `tells what is left to everything inside`() async throws {
    let clock = ManualClock()
    #expect(Deadline.remaining == nil)
    try await Deadline(.seconds(30), clock: clock).run {
      #expect(Deadline.remaining == .seconds(30))
      clock.advance(by: .seconds(12))
      #expect(Deadline.remaining == .seconds(18))
      try await Deadline(.seconds(60), clock: clock).run {
        #expect(Deadline.remaining == .seconds(18), "an inner deadline never gives more time")
      }
      clock.advance(by: .seconds(100))
      #expect(Deadline.remaining == .zero)
    }
  }

  @Test(.requirement("P28")) func `the limit that ended first names itself`() async {
    for (total, attempt, expected) in [(5, 9, TimedOut.Scope.total), (9, 5, .attempt)] {
      let (clock, patience) = (ManualClock(), ManualClock())
      let pipeline = Pipeline("catalog") {
        Deadline(.seconds(total), clock: clock)
        Timeout(.seconds(attempt), clock: clock)
      }
      let result = Task { try await pipeline.run { try await untilCancelled(patience) } }
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: TimedOut.self) { try await result.value }
      #expect(error?.scope == expected)
      #expect(error?.limit == .seconds(5))
    }
  }

  @Test(.requirement("P22")) func `a retry that could not begin in time is not waited for`() async {
    let clock = ManualClock()
    let recorder = EventRecorder()
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(30), clock: clock)
      Retry(
        backoff: .constant(.seconds(20), jitter: .none), clock: clock, observer: recorder)
    }
    let result = Task {
      try await pipeline.run { throw AppError.http(status: 503, isRepeatable: true) }
    }
    await clock.sleepers(atLeast: 1)
    // The deadline has a sleeper of its own; the retry's is the earlier one.
    await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(20))
    let error = await #expect(throws: AppError.self) { try await result.value }
    #expect(error?.httpStatus == 503, "the last failure, not a time-out")
    #expect(clock.now.offset == .seconds(20), "failed at 20 s, not at 30 s")
    #expect(recorder.gaveUpReasons == [.deadlineTooClose])
  }

  @Test func `shares the child task of a time limit inside the same pipeline`() async throws {
    let clock = ManualClock()
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(30), clock: clock)
      Retry(backoff: .none, clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let (patience, attempts) = (ManualClock(), Log())
    let result = Task {
      try await pipeline.run {
        attempts.add("began")
        try await untilCancelled(patience)
      }
    }
    await clock.sleepers(atLeast: 1)
    #expect(clock.sleeperCount == 1, "one alarm for both limits")
    // Not one who sleeps: that may still be the attempt before.
    for count in 2...3 {
      clock.advance(by: .seconds(10))
      await attempts.lines(atLeast: count)
    }
    clock.advance(by: .seconds(10))
    await #expect(throws: TimedOut.self) { try await result.value }
  }

  @Test func `is enforced in place around a stage that it does not know`() async {
    struct Waiting: Policy {
      let clock: ManualClock
      func run<T>(_ operation: () async throws -> T) async throws -> T {
        try await untilCancelled(clock)
        return try await operation()
      }
    }
    let (clock, patience) = (ManualClock(), ManualClock())
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(30), clock: clock)
      Waiting(clock: patience)
      Timeout(.seconds(10), clock: clock)
    }
    let result = Task { try await pipeline.run {} }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.scope == .total)
  }

  @Test func `nothing is begun when no time is left`() async throws {
    let clock = ManualClock()
    try await Deadline(.seconds(1), clock: clock).run {
      clock.advance(by: .seconds(2))
      let refused = await #expect(throws: Rejection.self) {
        try await Timeout(.seconds(10), name: "inner", clock: clock).run {
          Issue.record("ran without time")
        }
      }
      #expect(refused?.reason == .deadlineTooClose)
      #expect(refused?.appError.kind == .timeout)
    }
  }
}

extension TimedOut {
  static func total(_ policy: String, _ limit: Duration) -> TimedOut {
    TimedOut(policy: policy, scope: .total, limit: limit, disposition: .transient())
  }
}

extension EventRecorder {
  var gaveUpReasons: [PolicyEvent.GiveUpReason] {
    events.compactMap { if case .gaveUp(_, let reason) = $0.what { reason } else { nil } }
  }
}
