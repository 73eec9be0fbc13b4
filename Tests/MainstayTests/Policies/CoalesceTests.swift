// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct CoalesceTests {
  private let recorder = EventRecorder()

  private func coalesce() -> Coalesce<String> {
    Coalesce("books", clock: ManualClock(), observer: recorder)
  }

  @Test func `callers of one key share one run`() async throws {
    let (books, gate, runs) = (coalesce(), BreakerBench.Gate(), Log())
    let calls = await started(5) { _ in
      try await books.run("a") {
        runs.add("ran")
        await gate.pass()
        return 42
      }
    }
    #expect(books.callerCount == 5)
    gate.open()
    for call in calls { #expect(try await call.value == 42) }
    #expect(runs.lines.count == 1)
    #expect(recorder.names == Array(repeating: "coalesced", count: 4))
    #expect(books.runCount == 0 && books.callerCount == 0)
  }

  @Test func `nothing is kept: the next caller begins a new run`() async throws {
    let (books, runs) = (coalesce(), Log())
    for expected in 1...3 {
      let value = try await books.run("a") {
        runs.add("ran")
        return runs.lines.count
      }
      #expect(value == expected)
    }
    #expect(recorder.events.isEmpty)
  }

  @Test func `other keys, and other types, have runs of their own`() async throws {
    let (books, gate) = (coalesce(), BreakerBench.Gate())
    let a = Task {
      try await books.run("a") {
        await gate.pass()
        return 1
      }
    }
    let b = Task {
      try await books.run("b") {
        await gate.pass()
        return 2
      }
    }
    let text = Task {
      try await books.run("a") { () -> String? in
        await gate.pass()
        return nil
      }
    }
    await gate.arrivals(atLeast: 3)
    #expect(books.runCount == 3)
    gate.open()
    #expect(try await a.value == 1)
    #expect(try await b.value == 2)
    #expect(try await text.value == nil)
  }

  @Test(.requirement("P38")) func `all callers get the error, each a value of its own`() async {
    let (books, gate) = (coalesce(), BreakerBench.Gate())
    let calls = await started(3) { _ in
      try await books.run("a") {
        await gate.pass()
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    #expect(books.callerCount == 3)
    gate.open()
    for call in calls {
      let error = await #expect(throws: AppError.self) { try await call.value }
      #expect(error?.httpStatus == 503)
    }
  }

  @Test(.requirement("P21", "P22")) func `a caller that is cancelled leaves at once`() async throws
  {
    let (books, gate) = (coalesce(), BreakerBench.Gate())
    let wasCancelled = Flag()
    let operation: @Sendable () async throws -> Int = {
      await gate.pass()
      if Task.isCancelled { wasCancelled.raise() }
      return 42
    }
    let first = await started { try await books.run("a", operation) }
    #expect(books.callerCount == 1)
    let second = await started { try await books.run("a", operation) }
    #expect(books.callerCount == 2)
    // Also whoever began the run may leave it to the others.
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(books.callerCount == 1 && books.runCount == 1)
    gate.open()
    #expect(try await second.value == 42)
    #expect(!wasCancelled.isRaised)
  }

  @Test func `the run is cancelled when all callers are gone`() async throws {
    let (books, patience) = (coalesce(), ManualClock())
    let ended = Countdown(1)
    let calls = await started(2) { _ in
      try await books.run("a") {
        defer { ended.count() }
        try await untilCancelled(patience)
      }
    }
    #expect(books.callerCount == 2)
    await patience.sleepers(atLeast: 1)
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    await ended.reached()
    #expect(books.runCount == 0)
    #expect(recorder.events.isEmpty)
  }

  @Test func `nobody joins a run that is being cancelled`() async throws {
    let (books, gate) = (coalesce(), BreakerBench.Gate())
    let deaf = Task {
      try await books.run("a") {
        await gate.pass()
        return "old"
      }
    }
    await gate.arrivals(atLeast: 1)
    deaf.cancel()
    await #expect(throws: CancellationError.self) { try await deaf.value }
    #expect(try await books.run("a") { "new" } == "new")
    gate.open()
    #expect(try await books.run("a") { "newer" } == "newer")
  }

  @Test(.requirement("P21")) func `a caller that was cancelled before begins nothing`() async {
    let books = coalesce()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await books.run("a") { _ = Issue.record("it ran") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(books.runCount == 0)
  }

  @Test func `the deadline of one caller is not that of the run`() async throws {
    let (books, gate, clock) = (coalesce(), BreakerBench.Gate(), ManualClock())
    let timeLeft = Log()
    let operation: @Sendable () async throws -> Int = {
      await gate.pass()
      timeLeft.add("\(Deadline.remaining == nil)")
      return 42
    }
    let hasty = Task {
      try await Deadline(.seconds(1), clock: clock).run { try await books.run("a", operation) }
    }
    await gate.arrivals(atLeast: 1)
    let patient = await started { try await books.run("a", operation) }
    #expect(books.callerCount == 2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await hasty.value }
    gate.open()
    #expect(try await patient.value == 42)
    #expect(timeLeft.lines == ["true"])
  }

  @Test func `a call from inside its own run does not wait for itself`() async throws {
    let books = coalesce()
    let value = try await books.run("a") {
      try await books.run("a") { try await books.run("a") { 1 } + 1 } + 1
    }
    #expect(value == 3)
  }

  @Test func `a run without a value is shared as well`() async throws {
    let (books, runs) = (coalesce(), Log())
    try await books.run("a") { runs.add("ran") }
    #expect(runs.lines == ["ran"])
  }

  @Test(.requirement("P39")) func `one coalescing twice in one pipeline stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let books = Coalesce<String>("books")
      _ = Pipeline("twice") {
        books.keyed("a")
        Retry()
        books.keyed("b")
      }
    }
  }

  @Test func `a stage of a pipeline has one key`() async throws {
    let (books, gate, runs) = (coalesce(), BreakerBench.Gate(), Log())
    let clock = ManualClock()  // nobody moves it: no machine is too slow
    let token = Pipeline("token") {
      Deadline(.seconds(30), clock: clock)
      books.keyed("token")
      Retry(backoff: .none, clock: clock)
      Timeout(.seconds(10), clock: clock)
    }
    let calls = await started(3) { _ in
      try await token.run {
        runs.add("ran")
        await gate.pass()
        return "t"
      }
    }
    #expect(books.callerCount == 3)
    gate.open()
    for call in calls { #expect(try await call.value == "t") }
    #expect(runs.lines.count == 1)
    #expect(token.explain().stages[1].title == "Coalesce \"books\"")
    #expect(token.explain().findings.isEmpty)
  }

  /// A call that fails twice, with a retry inside of its run.
  private func failingTwice(_ calls: Log) async throws -> Int {
    let books = coalesce()
    let token = Pipeline("token") {
      books.keyed("token")
      Retry(maximumAttempts: 3, backoff: .none)
    }
    return try await token.run {
      calls.add("call")
      if calls.lines.count < 3 { throw BreakerBench.down }
      return 42
    }
  }

  @Test(.requirement("P16")) func `a run is no attempt of the retry around who began it`()
    async throws
  {
    let (attempts, calls) = (Log(), Log())
    let value = try await Retry(maximumAttempts: 2, backoff: .none).run {
      attempts.add("attempt")
      if attempts.lines.count == 1 { throw BreakerBench.down }
      return try await failingTwice(calls)
    }
    #expect(value == 42 && attempts.lines.count == 2 && calls.lines.count == 3)
  }

  @Test func `a run spends neither the budget nor the time of a queue around who began it`()
    async throws
  {
    let calls = Log()
    let empty = RetryBudget(minimumPerSecond: 0, initial: 0, clock: ManualClock())
    let timeline = Timeline(ManualClock())
    let value = try await RetryScope.worker(budget: empty, until: (timeline.now, timeline)) {
      try await failingTwice(calls)
    }
    #expect(value == 42 && calls.lines.count == 3)
  }

  @Test func `many callers that come and go lose nothing`() async {
    let (books, runs) = (coalesce(), Log())
    await withTaskGroup { group in
      for index in 0..<200 {
        group.addTask {
          let task = Task {
            try await books.run("\(index % 5)") {
              runs.add("ran")
              await Task.yield()
              return index % 5
            }
          }
          if index % 3 == 0 { task.cancel() }
          let value = try? await task.value
          #expect(value == nil || value == index % 5)
          if index % 3 != 0 { #expect(value != nil) }
        }
      }
    }
    #expect(books.runCount == 0 && books.callerCount == 0 && runs.lines.count <= 200)
  }
}
