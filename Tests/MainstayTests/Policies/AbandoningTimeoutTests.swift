// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("P27"), .ends(withinMinutes: 5)) struct AbandoningTimeoutTests {
  private let clock = ManualClock()
  private let recorder = EventRecorder()

  private func limit(_ disposition: Disposition = .unknownOutcome) -> Timeout.Abandoning {
    Timeout.Abandoning(
      .seconds(10), disposition: disposition, name: "report", clock: clock, observer: recorder)
  }

  /// Returns once an abandoned operation has been heard of.
  private func stillRunning(_ count: Int, of limit: Timeout.Abandoning) async {
    while limit.stillRunning != count, !Task.isCancelled { await Task.yield() }
  }

  @Test func `returns at the limit while a deaf operation goes on, and counts it`() async {
    let (limit, gate) = (limit(), BreakerBench.Gate())
    let wasCancelled = Flag()
    let call = Task {
      try await limit.runSendable {
        await gate.pass()
        if Task.isCancelled { wasCancelled.raise() }
      }
    }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    #expect(limit.stillRunning == 0)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: TimedOut.self) { try await call.value }
    #expect(error?.policy == "report" && error?.scope == .attempt)
    #expect(error?.disposition == .unknownOutcome)
    #expect(limit.stillRunning == 1)
    #expect(recorder.names == ["timedOut", "abandoned"])
    gate.open()
    await stillRunning(0, of: limit)
    while recorder.events.count < 3, !Task.isCancelled { await Task.yield() }
    #expect(recorder.names.last == "abandonedEnded")
    #expect(wasCancelled.isRaised)
  }

  @Test func `leaves an operation alone that is done in time`() async throws {
    let limit = limit()
    #expect(
      try await limit.runSendable {
        await Task.yield()
        return 42
      } == 42)
    await #expect(throws: PipelineTests.PaymentError.declined) {
      try await limit.runSendable { throw PipelineTests.PaymentError.declined }
    }
    #expect(limit.stillRunning == 0 && recorder.events.isEmpty)
  }

  @Test(.requirement("P28")) func `a value that came before the limit is kept`() async throws {
    let (limit, gate) = (limit(), BreakerBench.Gate())
    let ended = Countdown(1)
    let call = Task {
      try await limit.runSendable {
        defer { ended.count() }
        await gate.pass()
        return "in time"
      }
    }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    gate.open()
    await ended.reached()
    #expect(try await call.value == "in time")
    clock.advance(by: .seconds(10))
    #expect(limit.stillRunning == 0)
  }

  @Test(.requirement("P22", "T4")) func `a caller that is cancelled leaves at once, neutral`() async
  {
    let (limit, gate) = (limit(), BreakerBench.Gate())
    let call = Task { try await limit.runSendable { await gate.pass() } }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(limit.stillRunning == 1 && recorder.events.isEmpty)
    gate.open()
    await stillRunning(0, of: limit)
    #expect(recorder.events.isEmpty)
  }

  /// How many still run, as observers were told.
  private var told: [Int] {
    recorder.events.compactMap { event in
      switch event.what {
      case .abandoned(let stillRunning), .abandonedEnded(let stillRunning): stillRunning
      default: nil
      }
    }
  }

  @Test(.requirement("T4")) func `what is told counts only what was left at the limit`() async {
    let (limit, first, second) = (limit(), BreakerBench.Gate(), BreakerBench.Gate())
    let late = Task { try await limit.runSendable { await first.pass() } }
    await clock.sleepers(atLeast: 1)
    await first.arrivals(atLeast: 1)
    clock.advance(by: .seconds(10))
    await #expect(throws: TimedOut.self) { try await late.value }
    let cancelled = Task { try await limit.runSendable { await second.pass() } }
    await second.arrivals(atLeast: 1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(limit.stillRunning == 2)
    first.open()
    await stillRunning(1, of: limit)
    second.open()
    await stillRunning(0, of: limit)
    while told.count < 2, !Task.isCancelled { await Task.yield() }
    #expect(told == [1, 0])
  }

  @Test func `the last that is told is how many still run, whatever ends at once`() async {
    let limit = limit()
    for _ in 1...20 {
      let gate = BreakerBench.Gate()
      await withTaskGroup { group in
        for index in 0..<20 {
          group.addTask {
            let call = Task { try await limit.runSendable { await gate.pass() } }
            await gate.arrivals(atLeast: 1)
            clock.advance(by: .seconds(10))
            if index.isMultiple(of: 3) { call.cancel() }
            if index == 10 { gate.open() }
            _ = try? await call.value
          }
        }
      }
      await stillRunning(0, of: limit)
    }
    // What ended last may be told a moment later.
    while told.last ?? 0 != 0, !Task.isCancelled { await Task.yield() }
    let told = told
    #expect(told.last ?? 0 == 0)
    #expect(zip([0] + told, told).allSatisfy { abs($0 - $1) == 1 }, "\(told)")
  }

  @Test(.requirement("P28")) func `a caller that cancels wins over the limit`() async {
    let (limit, gate) = (limit(), BreakerBench.Gate())
    let call = Task { try await limit.runSendable { await gate.pass() } }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    call.cancel()
    clock.advance(by: .seconds(10))
    await #expect(throws: CancellationError.self) { try await call.value }
    gate.open()
  }

  /// Runs tasks one after the other, and holds them while it is told to.
  private final class HeldExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "held")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Holds what comes from now on; on return nothing of what came before still runs.
    func hold() async {
      await withCheckedContinuation { continuation in
        queue.async { [queue] in
          queue.suspend()
          continuation.resume()
        }
      }
    }

    func letGo() { queue.resume() }
  }

  @Test
  func `a caller that cancels just after the limit has passed, and before it went on, wins too`()
    async
  {
    let (limit, gate, executor) = (limit(), BreakerBench.Gate(), HeldExecutor())
    let call = Task(executorPreference: executor) {
      try await limit.runSendable { await gate.pass() }
    }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    // It waits, and does not go on from there before it is let go.
    await executor.hold()
    clock.advance(by: .seconds(10))
    await stillRunning(1, of: limit)
    call.cancel()
    executor.letGo()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(recorder.names == ["abandoned"], "the limit is not told")
    gate.open()
    await stillRunning(0, of: limit)
  }

  @Test(.requirement("P21")) func `nothing is begun for a caller that has gone away`() async {
    let limit = limit()
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await limit.runSendable { _ = Issue.record("it ran") }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(limit.stillRunning == 0)
  }

  @Test(.requirement("P26")) func `a breaker inside counts what the limit cut off`() async {
    let breaker = CircuitBreaker("b", .consecutiveFailures(1), clock: clock)
    let (patience, limit) = (ManualClock(), limit())
    let pipeline = Pipeline("report") {
      limit
      breaker
    }
    let call = Task { try await pipeline.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    await #expect(throws: TimedOut.self) { try await call.value }
    await stillRunning(0, of: limit)
    guard case .open = breaker.state else {
      Issue.record("\(breaker.state)")
      return
    }
  }

  @Test func `a deadline outside of it ends the call and names itself`() async {
    let (limit, gate) = (limit(), BreakerBench.Gate())
    let pipeline = Pipeline("report") {
      Deadline(.seconds(3), clock: clock)
      limit
    }
    let call = Task { try await pipeline.run { await gate.pass() } }
    await clock.sleepers(atLeast: 1)
    await gate.arrivals(atLeast: 1)
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: TimedOut.self) { try await call.value }
    #expect(error?.scope == .total)
    #expect(error?.disposition == .unknownOutcome, "the operation goes on")
    #expect(limit.stillRunning == 1)
    gate.open()
  }

  @Test func `what is inside knows the time that is left`() async throws {
    let left = try await limit().runSendable { Deadline.remaining }
    #expect(left == .seconds(10))
  }

  @Test func `says what it does`() {
    let explanation = Pipeline("report") { limit(.transient()) }.explain()
    #expect(explanation.longestTime == .seconds(10))
    #expect(explanation.stages[0].title == "Timeout.Abandoning")
    #expect(
      Pipeline("report") {
        Retry()
        limit()
      }.explain().findings.map(\.rule) == [.abandonsInsideRetry])
  }

  @Test func `calls that come, end and are given up are all counted`() async {
    let limit = limit()
    await withTaskGroup { group in
      for index in 0..<100 {
        group.addTask {
          let call = Task { try await limit.runSendable { await Task.yield() } }
          if index.isMultiple(of: 3) { call.cancel() }
          if index.isMultiple(of: 7) { clock.advance(by: .seconds(10)) }
          _ = try? await call.value
        }
      }
    }
    await stillRunning(0, of: limit)
  }

  @Test(.requirement("P23", "T8")) func `settings from outside are those of a timeout`() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try Timeout.Abandoning(validating: .init(limit: .zero))
    }
    #expect(error?.subject == "Timeout.Abandoning")
    _ = try Timeout.Abandoning(validating: .init(limit: .seconds(1), leavesOutcomeUnknown: true))
  }

  @Test(arguments: [
    (#"{"limit": 10}"#, Disposition.unknownOutcome),
    (#"{"limit": 10, "leavesOutcomeUnknown": false}"#, .transient()),
  ])
  func `a file that only names the limit leaves unknown what goes on`(
    json: String, disposition: Disposition
  ) async throws {
    let (clock, patience) = (ManualClock(), ManualClock())
    let settings = try JSONDecoder().decode(Timeout.Configuration.self, from: Data(json.utf8))
    let limit = try Timeout.Abandoning(validating: settings, clock: clock)
    #expect(limit.configuration.leavesOutcomeUnknown == (disposition == .unknownOutcome))
    let result = Task { try await limit.runSendable { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.disposition == disposition)
  }

  @Test func `settings that leave it open change nothing that the code says`() throws {
    let given = Timeout.Abandoning(.seconds(9), disposition: .transient())
    try given.update(.init(limit: .seconds(1)))
    #expect(given.configuration.leavesOutcomeUnknown == false)
    let careful = Timeout(.seconds(9), disposition: .unknownOutcome)
    try careful.update(.init(limit: .seconds(1)))
    #expect(careful.configuration.leavesOutcomeUnknown == true)
    #expect(
      try Timeout(validating: .init(limit: .seconds(1))).configuration
        == .init(limit: .seconds(1), leavesOutcomeUnknown: false))
  }

  @Test(.requirement("P23", "T8")) func `illegal limits stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = Timeout.Abandoning(.zero) }
    await #expect(processExitsWith: .failure) {
      _ = Timeout.Abandoning(.seconds(1), disposition: .permanent)
    }
    _ = Timeout.Abandoning(.seconds(Int64.max))
  }
}
