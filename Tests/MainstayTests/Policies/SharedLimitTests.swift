// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Time limits with nothing between them: one child task and one alarm for all.
@Suite struct SharedLimitTests {
  private let clock = ManualClock()
  private let patience = ManualClock()

  /// Four limits, of which each has the place and the length that is asked for.
  private func four(_ limits: [Int], told recorders: [EventRecorder]) -> some Policy {
    Pipeline("four") {
      Deadline(.seconds(limits[0]), name: "0", clock: clock, observer: recorders[0])
      Timeout(.seconds(limits[1]), name: "1", clock: clock, observer: recorders[1])
      Deadline(.seconds(limits[2]), name: "2", clock: clock, observer: recorders[2])
      Timeout(.seconds(limits[3]), name: "3", clock: clock, observer: recorders[3])
    }
  }

  @Test(.requirement("P28")) func `the shortest ends the operation and tells its own observer`()
    async
  {
    let rows = [([1, 2, 3, 4], 0), ([4, 1, 3, 2], 1), ([3, 4, 2, 5], 2), ([2, 2, 2, 2], 3)]
    for (limits, expected) in rows {
      let recorders = (0..<4).map { _ in EventRecorder() }
      let policy = four(limits, told: recorders)
      let result = Task { try await policy.run { try await untilCancelled(patience) } }
      await clock.sleepers(atLeast: 1)
      #expect(clock.sleeperCount == 1, "one alarm for all")
      clock.advance(by: .seconds(limits[expected]))
      let error = await #expect(throws: TimedOut.self) { try await result.value }
      #expect(error?.policy == "\(expected)" && error?.limit == .seconds(limits[expected]))
      for (place, recorder) in recorders.enumerated() {
        #expect(recorder.names == (place == expected ? ["timedOut"] : []), "\(limits), \(place)")
      }
    }
  }

  @Test func `what is inside knows the time that the shortest leaves`() async throws {
    let policy = four([4, 9, 3, 5], told: (0..<4).map { _ in EventRecorder() })
    let left = try await policy.run { Deadline.remaining }
    #expect(left == .seconds(3))
    #expect(clock.sleeperCount == 0, "what does not suspend needs no alarm")
  }

  @Test func `each is still a stage of its own for people`() {
    let explanation = Pipeline("four") {
      four([40, 20, 30, 10], told: [0, 1, 2, 3].map { _ in .init() })
    }
    .explain()
    #expect(explanation.stages.count == 4)
    #expect(explanation.longestTime == .seconds(10))
  }

  @Test func `limits of different clocks are enforced apart`() async {
    for isOuterManual in [true, false] {
      let forever = Duration.seconds(86_400)
      let result = Task {
        if isOuterManual {
          try await Pipeline("apart") {
            Deadline(.seconds(5), clock: clock)
            Timeout(forever)
          }.run { try await untilCancelled(patience) }
        } else {
          try await Pipeline("apart") {
            Deadline(forever)
            Timeout(.seconds(5), clock: clock)
          }.run { try await untilCancelled(patience) }
        }
      }
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: TimedOut.self) { try await result.value }
      #expect(error?.scope == (isOuterManual ? .total : .attempt))
    }
  }

  @Test func `a limit is seen through one of another clock`() async throws {
    let (outer, inner) = (Deadline(.seconds(5), clock: clock), Timeout(.seconds(60), clock: clock))
    try await outer.run {
      try await Timeout(.seconds(86_400)).run {
        try await inner.run { #expect(Deadline.remaining == .seconds(5)) }
        clock.advance(by: .seconds(6))
        #expect(Deadline.remaining == .zero)
        await #expect(throws: Rejection.self) { try await inner.run {} }
      }
    }
  }

  @Test(.requirement("P26")) func `a limit inside that passes ends only what is inside`()
    async throws
  {
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(30), clock: clock)
      Retry(backoff: .none, clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let result = Task {
      var attempts = 0
      return try await pipeline.run {
        attempts += 1
        if attempts == 1 { try await untilCancelled(patience) }
        #expect(!Task.isCancelled)
        return attempts
      }
    }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    #expect(try await result.value == 2)
  }

  @Test func `an attempt's limit directly around a deadline ends what is inside`() async {
    let pipeline = Pipeline("catalog") {
      Timeout(.seconds(15), name: "outer", clock: clock)
      Deadline(.seconds(30), clock: clock)
      Retry(backoff: .none, clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let second = Countdown(2)
    let result = Task {
      try await pipeline.run {
        second.count()
        try await untilCancelled(patience)
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    // Not one sleeper: that may still be the first attempt's.
    await second.reached()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "outer")
    #expect(clock.now.offset == .seconds(15))
  }

  @Test func `two limits that pass at once end the call once`() async {
    let recorder = EventRecorder()
    let pipeline = Pipeline("catalog") {
      Deadline(.seconds(10), clock: clock, observer: recorder)
      Retry(backoff: .none, clock: clock)
      Timeout(.seconds(10), clock: clock, observer: recorder)
    }
    let result = Task { try await pipeline.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.scope == .attempt, "the one further in names itself")
    #expect(recorder.names == ["timedOut"])
  }

  /// Counts how many of it there are.
  private final class Counted {
    let alive: Countdown
    init(_ alive: Countdown) { self.alive = alive }
    deinit { alive.count() }
  }

  @Test func `a value is handed over whatever it is, and freed once`() async throws {
    let timeout = Timeout(.seconds(10), clock: clock)
    try await timeout.run {}
    // Not of a wider type: frames of async functions are aligned to 16 bytes, so in a release build
    // the caller itself would crash, with or without a limit (Swift 6.3).
    #expect(try await timeout.run { (UInt8(1), SIMD2<Double>(repeating: 2)) }.1[1] == 2)
    #expect(try await timeout.run { Array(0..<1_000) }.count == 1_000)
    #expect(try await timeout.run { Int?.none } == nil)
    let freed = Countdown(200)
    for index in 0..<200 {
      let counted = try? await timeout.run {
        let made = Counted(freed)
        await Task.yield()
        if index.isMultiple(of: 2) { throw CancellationError() }
        return made
      }
      #expect((counted == nil) == index.isMultiple(of: 2))
    }
    await freed.reached()
  }

  @Test(.requirement("P27")) func `calls that are done take their alarms back`() async throws {
    let recorder = EventRecorder()
    let timeout = Timeout(.seconds(10), clock: clock, observer: recorder)
    await withTaskGroup { group in
      for index in 0..<200 {
        group.addTask {
          let call = Task { try await timeout.run { await Task.yield() } }
          if index.isMultiple(of: 3) { call.cancel() }
          _ = try? await call.value
        }
      }
    }
    clock.advance(by: .seconds(60))
    #expect(recorder.events.isEmpty)
  }
}
