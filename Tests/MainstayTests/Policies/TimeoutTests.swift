// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Waits until it is cancelled, and says so.
func untilCancelled(_ clock: ManualClock) async throws {
  try await clock.sleep(until: clock.now.advanced(by: .seconds(1e9)))
}

@Suite struct TimeoutTests {
  @Test(.requirement("D6", "P26")) func `cancels an operation that takes too long`() async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let recorder = EventRecorder()
    let timeout = Timeout(.seconds(10), name: "catalog", clock: clock, observer: recorder)
    let result = Task { try await timeout.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.policy == "catalog")
    #expect(error?.scope == .attempt)
    #expect(error?.limit == .seconds(10))
    #expect(error?.disposition == .transient())
    #expect(recorder.names == ["timedOut"])
  }

  @Test func `leaves an operation alone that is done in time`() async throws {
    let clock = ManualClock()
    let value = try await Timeout(.seconds(10), clock: clock).run {
      await Task.yield()
      return 42
    }
    #expect(value == 42)
  }

  @Test func `arms no alarm for an operation that does not suspend`() async throws {
    let clock = ManualClock()
    let value = try await Timeout(.seconds(10), clock: clock).run { 42 }
    #expect(value == 42)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `passes on the error of the operation`() async {
    struct Own: Error {}
    await #expect(throws: Own.self) {
      try await Timeout(.seconds(1)).run { throw Own() }
    }
  }

  @Test(.requirement("P28")) func `keeps a value that came a moment after the limit`() async throws
  {
    let (clock, patience) = (ManualClock(), ManualClock())
    let result = Task {
      try await Timeout(.seconds(1), clock: clock).run {
        try? await untilCancelled(patience)
        return "late"
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(try await result.value == "late")
  }

  @Test(.requirement("P27")) func `waits for an operation that is deaf to cancellation`()
    async throws
  {
    let clock = ManualClock()
    let (gate, open) = AsyncStream<Void>.makeStream()
    let returned = Flag()
    let task = Task {
      let value = try await Timeout(.seconds(1), clock: clock).run {
        // A task of its own does not hear of the cancellation.
        await Task { for await _ in gate { break } }.value
        return 42
      }
      returned.raise()
      return value
    }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    for _ in 0..<100 { await Task.yield() }
    #expect(!returned.isRaised)
    open.yield()
    #expect(try await task.value == 42)
  }

  @Test(.requirement("P28", "T4")) func `a caller that cancels wins over the limit`() async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let task = Task {
      try await Timeout(.seconds(1), clock: clock).run { try await untilCancelled(patience) }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    task.cancel()
    clock.advance(by: .seconds(1))
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(.requirement("P26"), arguments: [true, false])
  func `a breaker inside counts the limit only where it passed before the caller cancelled`(
    isCallerFirst: Bool
  ) async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let timeout = Timeout(.seconds(10), clock: clock)
    let breaker = CircuitBreaker("catalog", .consecutiveFailures(1), clock: clock)
    let pipeline = Pipeline("catalog") {
      timeout
      breaker
    }
    let (gate, open) = AsyncStream<Void>.makeStream()
    let call = await started {
      try await pipeline.run {
        // It takes its time to heed the cancellation.
        await Task { for await _ in gate { break } }.value
        try Task.checkCancellation()
      }
    }
    if isCallerFirst { call.cancel() }
    clock.advance(by: .seconds(1))
    // Once this one has ended at its limit, that of the call has passed as well.
    let later = await started { try await timeout.run { try await untilCancelled(patience) } }
    clock.advance(by: .seconds(10))
    await #expect(throws: TimedOut.self) { try await later.value }
    if !isCallerFirst { call.cancel() }
    open.yield()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect((breaker.state == .closed) == isCallerFirst)
  }

  @Test func `tells an unknown outcome where the call may have had its effect`() async {
    let (clock, patience) = (ManualClock(), ManualClock())
    let timeout = Timeout(.seconds(1), disposition: .unknownOutcome, clock: clock)
    let result = Task { try await timeout.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect(error?.appError.title.description == "We don’t know whether it worked")
  }

  @MainActor final class Model {
    var log: [String] = []

    func load(_ clock: ManualClock) async throws {
      try await Timeout(.seconds(1), clock: clock).run {
        MainActor.assertIsolated()
        log.append("began")
        await Task.yield()
        MainActor.assertIsolated()
        log.append("ended")
      }
      MainActor.assertIsolated()
    }
  }

  @Test func `stays on its caller's actor`() async throws {
    let model = Model()
    try await model.load(ManualClock())
    #expect(await model.log == ["began", "ended"])
  }

  @Test(.requirement("P13")) func `counts by the clock that goes on while the device sleeps`() async
  {
    // The default is the continuous clock: its readings and those of the policies agree.
    let before = ContinuousClock.now
    _ = try? await Deadline(.seconds(5)).run {
      let left = try #require(Deadline.remaining)
      let spent = before.duration(to: .now)
      #expect(left <= .seconds(5) && left >= .seconds(5) - spent)
    }
  }

  @Test(.requirement("P18", "P10")) func `the longest limit does not trap`() async throws {
    for limit in [Duration.seconds(Int64.max), .seconds(1e17), .nanoseconds(1)] {
      _ = try? await Timeout(limit).run { await Task.yield() }
      _ = try? await Deadline(limit).run { await Task.yield() }
    }
  }

  @Test func `illegal limits stop the program and name the range`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Timeout(.zero)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Timeout(0.0 seconds)") && said.contains("more than zero"))
    await #expect(processExitsWith: .failure) { _ = Deadline(.seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = Timeout(.seconds(1), disposition: .permanent) }
  }
}
