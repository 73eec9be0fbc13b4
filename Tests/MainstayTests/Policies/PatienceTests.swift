// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Time limits whose end moves while parts go or come.
@Suite struct PatienceTests {
  private let clock = ManualClock()
  private let recorder = EventRecorder()
  /// Each turn lets one part move.
  private let turns: AsyncStream<Void>
  private let turn: AsyncStream<Void>.Continuation
  private let log = Log()

  init() { (turns, turn) = AsyncStream.makeStream() }

  private var limit: Timeout {
    Timeout(.seconds(10), name: "own", clock: clock, observer: recorder)
      .patient(silence: .seconds(30))
  }

  /// Moves a part at each turn, until there are no more.
  private func moves() async throws -> Int {
    var count = 0
    for await _ in turns {
      count += 1
      Patience.current?.moved()
      log.add("moved")
    }
    try Task.checkCancellation()
    return count
  }

  private func moveAfter(_ seconds: Int64, lines: Int) async {
    clock.advance(by: .seconds(seconds))
    turn.yield()
    await log.lines(atLeast: lines)
  }

  @Test(.ends(withinMinutes: 5)) func `what moves on goes on`() async throws {
    let result = Task { try await limit.run { try await moves() } }
    await clock.sleepers(atLeast: 1)
    await moveAfter(9, lines: 1)
    for count in 2...10 { await moveAfter(29, lines: count) }
    turn.finish()
    #expect(try await result.value == 10)
    #expect(recorder.names.isEmpty)
  }

  @Test(.ends(withinMinutes: 5)) func `what never moves ends as any attempt`() async {
    let result = Task { try await limit.run { try await moves() } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "own" && error?.scope == .attempt && error?.limit == .seconds(10))
    #expect(recorder.names == ["timedOut"])
  }

  @Test(.ends(withinMinutes: 5)) func `what stops to move ends after the silence`() async {
    let result = Task { try await limit.run { try await moves() } }
    await clock.sleepers(atLeast: 1)
    await moveAfter(9, lines: 1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.limit == .seconds(30))
    #expect(recorder.names == ["timedOut"])
  }

  @Test(.ends(withinMinutes: 5)) func `the limits around it end what always moves`() async {
    let outer = EventRecorder()
    let pipeline = Pipeline("two", clock: clock) {
      Deadline(.seconds(60), name: "outer", clock: clock, observer: outer)
      Retry(maximumAttempts: 3, backoff: .none, clock: clock)
      limit
    }
    let result = Task {
      try await pipeline.run {
        #expect(Deadline.remaining == .seconds(10))
        #expect(Patience.current?.longestRemaining == .seconds(60))
        return try await moves()
      }
    }
    await clock.sleepers(atLeast: 1)
    await moveAfter(9, lines: 1)
    for count in 2...3 { await moveAfter(25, lines: count) }
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "outer" && error?.scope == .total && error?.limit == .seconds(60))
    #expect(outer.names == ["timedOut"] && recorder.names.isEmpty)
  }

  @Test(.ends(withinMinutes: 5)) func `a caller that cancels is told so`() async {
    let result = Task { try await limit.run { try await moves() } }
    await clock.sleepers(atLeast: 1)
    await moveAfter(9, lines: 1)
    result.cancel()
    await #expect(throws: CancellationError.self) { try await result.value }
    #expect(recorder.names.isEmpty)
  }

  @Test func `a limit further in has its own time`() async throws {
    try await limit.run {
      try await Timeout(.seconds(60), clock: clock).run {
        #expect(Deadline.remaining == .seconds(60))
        #expect(Patience.current != nil, "what is inside may move on as well")
      }
    }
    #expect(Patience.current == nil)
    try await Timeout(.seconds(10), clock: clock).run { #expect(Patience.current == nil) }
  }
}
