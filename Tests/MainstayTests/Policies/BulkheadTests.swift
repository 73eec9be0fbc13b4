// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct BulkheadTests {
  private typealias Gate = BreakerBench.Gate

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func bulkhead(
    limit: Int = 1, queue: Int = 0, maximumWait: Duration = .seconds(10),
    order: Bulkhead.Order = .fifo
  ) -> Bulkhead {
    Bulkhead(
      "catalog", limit: limit, queue: queue, maximumWait: maximumWait, order: order, clock: clock,
      observer: events)
  }

  @Test func `a call beyond the limit is refused at once`() async throws {
    let bulkhead = bulkhead(limit: 2)
    let gate = Gate()
    async let first: Void = bulkhead.run { await gate.pass() }
    async let second: Void = bulkhead.run { await gate.pass() }
    await gate.arrivals(atLeast: 2)
    #expect(bulkhead.running == 2)
    let rejection = await #expect(throws: Rejection.self) { try await bulkhead.run {} }
    #expect(rejection == Rejection(policy: "catalog", reason: .bulkheadFull))
    #expect(BreakerBench.names(events.events) == ["rejected"])
    gate.open()
    _ = try await (first, second)
    #expect(bulkhead.running == 0)
    #expect(try await bulkhead.run { 42 } == 42)
  }

  @Test func `an error of the operation gives the permit back`() async {
    let bulkhead = bulkhead()
    await #expect(throws: AppError.self) { try await bulkhead.run { throw BreakerBench.down } }
    await #expect(throws: CancellationError.self) {
      try await bulkhead.run { throw CancellationError() }
    }
    #expect(bulkhead.running == 0)
  }

  @Test(.requirement("P32")) func `waiters go in the order in which they came`() async throws {
    let bulkhead = bulkhead(queue: 3)
    let order = Log()
    let held = await Held(bulkhead)
    let calls = await started(3) { number in
      try await bulkhead.run { order.add("\(number + 1)") }
    }
    #expect(bulkhead.waiting == 3)
    clock.advance(by: .seconds(3))
    try await held.release()
    for call in calls { try await call.value }
    #expect(order.lines == ["1", "2", "3"])
    #expect(BreakerBench.names(events.events) == ["waited", "waited", "waited"])
    guard case .waited(.seconds(3)) = events.events.first?.what else {
      Issue.record("\(events.events)")
      return
    }
  }

  @Test(.requirement("P32")) func `under overload who came last goes first`() async throws {
    let bulkhead = bulkhead(queue: 3, order: .lifoUnderOverload)
    let order = Log()
    let held = await Held(bulkhead)
    let calls = await started(3) { number in
      try await bulkhead.run { order.add("\(number + 1)") }
    }
    #expect(bulkhead.waiting == 3)
    clock.advance(by: .seconds(5))
    try await held.release()
    for call in calls { try await call.value }
    #expect(order.lines == ["3", "2", "1"])
  }

  @Test(.requirement("P31")) func `a waiter that has waited long enough takes no permit`()
    async throws
  {
    let bulkhead = bulkhead(queue: 1, maximumWait: .seconds(2))
    let held = await Held(bulkhead)
    let late = Task { try await bulkhead.run { Issue.record("it ran") } }
    await clock.sleepers(atLeast: 1)
    let refused = await #expect(throws: Rejection.self) { try await bulkhead.run {} }
    #expect(refused?.reason == .bulkheadFull)
    clock.advance(by: .seconds(2))
    let rejection = await #expect(throws: Rejection.self) { try await late.value }
    #expect(rejection == Rejection(policy: "catalog", reason: .waitedTooLong))
    try await held.release()
    #expect(bulkhead.running == 0 && bulkhead.waiting == 0)
  }

  @Test(.requirement("P31", "P22")) func `a cancelled waiter leaves, and its operation never runs`()
    async throws
  {
    let bulkhead = bulkhead(queue: 1)
    let held = await Held(bulkhead)
    let call = await started { try await bulkhead.run { Issue.record("it ran") } }
    #expect(bulkhead.waiting == 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(bulkhead.waiting == 0 && bulkhead.running == 1)
    try await held.release()
    #expect(events.events.isEmpty)
    // A caller that was cancelled before does not even begin to wait.
    let again = await Held(bulkhead)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await bulkhead.run {}
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    try await again.release()
    #expect(bulkhead.running == 0)
  }

  @Test(.requirement("P22", "T9")) func `nobody waits beyond the deadline`() async throws {
    let bulkhead = bulkhead(queue: 5)
    let pipeline = Pipeline("reads") {
      Deadline(.seconds(3), clock: clock)
      bulkhead
      Timeout(.seconds(60), clock: clock)
    }
    let held = await Held(bulkhead)
    let call = await started { try await pipeline.run {} }
    #expect(bulkhead.waiting == 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    let rejection = await #expect(throws: Rejection.self) { try await call.value }
    #expect(rejection == Rejection(policy: "catalog", reason: .deadlineTooClose))
    #expect(bulkhead.waiting == 0)
    let over = Pipeline("reads") {
      Deadline(.seconds(3), clock: clock)
      Slow(clock: clock, by: .seconds(3))
      bulkhead
      Timeout(.seconds(60), clock: clock)
    }
    let late = await #expect(throws: Rejection.self) { try await over.run {} }
    #expect(late?.reason == .deadlineTooClose)
    try await held.release()
  }

  /// A stage that uses time up.
  private struct Slow: Policy, PipelineStage {
    let clock: ManualClock
    let by: Duration

    func run<T>(_ operation: () async throws -> T) async throws -> T {
      clock.advance(by: by)
      return try await operation()
    }
  }

  @Test(.requirement("P37")) func `the limit moves while calls run and wait`() async throws {
    let bulkhead = bulkhead(limit: 2, queue: 2)
    let held = [await Held(bulkhead), await Held(bulkhead)]
    let waiter = await started { try await bulkhead.run {} }
    #expect(bulkhead.waiting == 1)
    try bulkhead.setLimit(1)
    #expect(bulkhead.running == 2 && bulkhead.waiting == 1)
    try await held[0].release()
    #expect(bulkhead.running == 1 && bulkhead.waiting == 1)
    try bulkhead.setLimit(2)
    try await waiter.value
    #expect(bulkhead.limit == 2)
    #expect(
      BreakerBench.names(events.events) == ["limitChanged", "limitChanged", "waited"])
    let error = #expect(throws: ConfigurationError.self) { try bulkhead.setLimit(0) }
    #expect(error?.violations.map(\.option) == ["limit"])
    #expect(bulkhead.limit == 2)
    try await held[1].release()
    #expect(bulkhead.running == 0)
  }

  /// A call that runs until it is let go.
  private final class Held: Sendable {
    private let gate = Gate()
    private let call: Task<Void, any Error>

    init(_ bulkhead: Bulkhead) async {
      let gate = gate
      call = Task { try await bulkhead.run { await gate.pass() } }
      await gate.arrivals(atLeast: 1)
    }

    func release() async throws {
      gate.open()
      try await call.value
    }
  }

  @Test(.requirement("P31")) func `a permit goes back once, released or dropped`() async throws {
    let bulkhead = bulkhead(limit: 2)
    do {
      let dropped = try await bulkhead.acquire()
      _ = dropped
    }
    let permit = try await bulkhead.acquire()
    #expect(bulkhead.running == 1)
    permit.release()
    let refusing = self.bulkhead(limit: 1)
    let held = await Held(refusing)
    do {
      _ = try await refusing.acquire()
      Issue.record("there was a second permit")
    } catch { #expect((error as? Rejection)?.reason == .bulkheadFull) }
    try await held.release()
    events.clear()
    #expect(bulkhead.running == 0)
    guard let first = bulkhead.tryAcquire(), let second = bulkhead.tryAcquire() else {
      Issue.record("no permit was free")
      return
    }
    if bulkhead.tryAcquire() != nil { Issue.record("there was a third permit") }
    first.release()
    second.release()
    #expect(bulkhead.running == 0)
    #expect(events.events.isEmpty)
  }

  @MainActor @Test func `a waiter stays on its actor`() async throws {
    let bulkhead = bulkhead(queue: 1)
    let held = await Held(bulkhead)
    var count = 0  // not Sendable, and not captured by anything that is
    let released = Task {
      await clock.sleepers(atLeast: 1)
      try await held.release()
    }
    try await bulkhead.run {
      MainActor.assertIsolated()
      count += 1
    }
    try await released.value
    #expect(count == 1)
  }
}
