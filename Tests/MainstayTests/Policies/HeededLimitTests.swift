// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Time limits that those inside keep by themselves.
@Suite struct HeededLimitTests {
  private let clock = ManualClock()
  private let patience = ManualClock()
  private let recorder = EventRecorder()

  private var limit: Timeout {
    Timeout(.seconds(5), name: "own", clock: clock, observer: recorder).heeded
  }

  @Test(.requirement("P28")) func `who says that the time is over ends with the limit's error`()
    async
  {
    let error = await #expect(throws: TimedOut.self) {
      try await limit.run {
        #expect(HeededLimit.remaining == .seconds(5))
        throw HeededLimit.end()
      }
    }
    #expect(error?.policy == "own" && error?.limit == .seconds(5))
    #expect(recorder.names == ["timedOut"])
    #expect(clock.sleeperCount == 0)
  }

  @Test func `nothing ends what says nothing`() async throws {
    let value = try await limit.run {
      clock.advance(by: .seconds(60))
      #expect(HeededLimit.remaining == .zero)
      return 1
    }
    #expect(value == 1 && recorder.names.isEmpty)
    await #expect(throws: CancellationError.self, "it is somebody else's") {
      try await limit.run { () async throws -> Int in throw CancellationError() }
    }
  }

  @Test(.requirement("P27")) func `a part that is enforced is ended, and the next one as well`()
    async throws
  {
    let result = Task {
      try await limit.run {
        let first = try await HeededLimit.enforce { 1 }
        #expect(HeededLimit.remaining == .seconds(5), "the first part is over")
        // It returns in spite of the limit, which is kept.
        let second = try await HeededLimit.enforce {
          do { try await untilCancelled(patience) } catch { return 2 }
          return 3
        }
        let third = try await HeededLimit.enforce {
          try Task.checkCancellation()
          return 4
        }
        return first + second + third
      }
    }
    await clock.sleepers(atLeast: 1)
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(5))
    #expect(try await result.value == 7)
    #expect(recorder.names.isEmpty)
  }

  @Test(.requirement("P27", "P28")) func `a part that ends as cancelled ends all with the limit`()
    async
  {
    let result = Task {
      try await limit.run { try await HeededLimit.enforce { try await untilCancelled(patience) } }
    }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "own")
    #expect(recorder.names == ["timedOut"])
  }

  @Test(.requirement("T4", "P28")) func `a caller that cancels is told so`() async {
    let result = Task {
      try await limit.run { try await HeededLimit.enforce { try await untilCancelled(patience) } }
    }
    await clock.sleepers(atLeast: 1)
    result.cancel()
    await #expect(throws: CancellationError.self) { try await result.value }
    #expect(recorder.names.isEmpty)
  }

  @Test func `a shorter limit further out names itself`() async {
    let outer = EventRecorder()
    let pipeline = Pipeline("two") {
      Deadline(.seconds(3), name: "outer", clock: clock, observer: outer)
      Retry(maximumAttempts: 1, clock: clock)
      limit
    }
    let error = await #expect(throws: TimedOut.self) {
      try await pipeline.run {
        #expect(HeededLimit.remaining == .seconds(3))
        throw HeededLimit.end()
      }
    }
    #expect(error?.policy == "outer" && error?.scope == .total)
    #expect(outer.names == ["timedOut"] && recorder.names.isEmpty)
  }

  @Test func `a limit around it on another clock is not its own to keep`() async {
    let outer = Deadline(.seconds(3), name: "outer", clock: clock, observer: recorder)
    let inner = EventRecorder()
    let heeded = Timeout(.seconds(86_400), name: "inner", observer: inner).heeded
    let result = Task {
      try await outer.run {
        try await heeded.run {
          #expect(Deadline.remaining == .seconds(3))
          let remaining = try #require(HeededLimit.remaining)
          #expect(remaining > .seconds(3))
          try await untilCancelled(patience)
        }
      }
    }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "outer" && error?.scope == .total)
    #expect(recorder.names == ["timedOut"] && inner.names.isEmpty)
  }

  @Test func `within a limit of its own, a part has nothing to keep`() async throws {
    try await limit.run {
      try await Timeout(.seconds(1), clock: clock).run { #expect(HeededLimit.remaining == nil) }
      try await HeededLimit.enforce { #expect(HeededLimit.remaining == nil) }
    }
    #expect(HeededLimit.remaining == nil)
    #expect(try await HeededLimit.enforce { 1 } == 1)
  }
}
