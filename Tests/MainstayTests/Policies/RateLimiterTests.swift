// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct RateLimiterTests {
  private let clock = ManualClock()
  private let events = EventRecorder()

  private func limiter(
    _ kind: RateLimiter.Kind = .gcra(rate: 1, per: .seconds(1)), maximumWait: Duration = .zero
  ) -> RateLimiter {
    RateLimiter("search", kind, maximumWait: maximumWait, clock: clock, observer: events)
  }

  @Test(.requirement("P33")) func `a call beyond the limit is refused with the time to come back`()
    async throws
  {
    let limiter = limiter(.tokenBucket(rate: 2, per: .seconds(1)))
    for _ in 0..<2 { try await limiter.run {} }
    let rejection = await #expect(throws: Rejection.self) { try await limiter.run {} }
    #expect(
      rejection
        == Rejection(policy: "search", reason: .rateLimited, retryAfter: .milliseconds(500)))
    clock.advance(by: .milliseconds(500))
    #expect(try await limiter.run { 42 } == 42)
    #expect(BreakerBench.names(events.events) == ["rejected"])
  }

  @Test(.requirement("P33")) func `what costs more than is ever allowed is refused for ever`()
    async throws
  {
    let limiter = limiter(.slidingWindow(limit: 5, per: .seconds(1)), maximumWait: .seconds(600))
    let rejection = await #expect(throws: Rejection.self) { try await limiter.run(cost: 6) {} }
    #expect(rejection == Rejection(policy: "search", reason: .costTooHigh))
    #expect(try await limiter.run(cost: 5) { 42 } == 42)
    #expect(try await limiter.run(cost: .min) { 42 } == 42)
    #expect(!limiter.tryAcquire())
    #expect(limiter.tryAcquire(cost: 0))
  }

  @Test func `calls wait for their turn, in order`() async throws {
    let limiter = limiter(maximumWait: .seconds(10))
    let order = Log()
    try await limiter.run {}
    let calls = await started(3) { number in try await limiter.run { order.add("\(number + 1)") } }
    #expect(limiter.waiting == 3)
    for number in 1...3 {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
      await order.lines(atLeast: number)
    }
    for call in calls { try await call.value }
    #expect(order.lines == ["1", "2", "3"])
    #expect(BreakerBench.names(events.events) == ["waited", "waited", "waited"])
  }

  @Test func `no more wait than there are places for`() async throws {
    let limiter = RateLimiter(
      "search", .gcra(rate: 1, per: .seconds(1)), maximumWait: .seconds(60), queue: 1,
      clock: clock, observer: events)
    try await limiter.run {}
    let waiting = await started { try await limiter.run { 42 } }
    #expect(limiter.waiting == 1)
    let full = Rejection(policy: "search", reason: .rateLimited, retryAfter: .seconds(2))
    // Also where a deadline would have ended the wait, which is not why it is refused.
    for deadline in [Duration.seconds(1), .seconds(60)] {
      let refused = await #expect(throws: Rejection.self) {
        try await Deadline(deadline, clock: clock).run { try await limiter.run {} }
      }
      #expect(refused == full)
    }
    do {
      _ = try limiter.reserve(maximumWait: .seconds(9))
      Issue.record("there was a place")
    } catch {
      #expect(error == full)
    }
    var settings = limiter.configuration
    settings.queue = 2
    try limiter.update(settings)
    let turn = try limiter.reserve()
    #expect(turn.delay == .seconds(2))
    turn.cancel()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(try await waiting.value == 42)
  }

  @Test(.requirement("P33", "P22", "P31")) func `a cancelled waiter gives its turn back`()
    async throws
  {
    let limiter = limiter(maximumWait: .seconds(10))
    try await limiter.run {}
    let first = await started { try await limiter.run { Issue.record("it ran") } }
    #expect(limiter.waiting == 1)
    let second = await started { try await limiter.run { 42 } }
    #expect(limiter.waiting == 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(try await second.value == 42)
    #expect(limiter.waiting == 0)
  }

  @Test(.requirement("P33")) func `a turn that is given back wakes a waiter at once`()
    async throws
  {
    let limiter = limiter(
      .tokenBucket(rate: 1, per: .seconds(1), burst: 10), maximumWait: .seconds(60))
    try await limiter.run(cost: 9) {}
    let large = await started { try await limiter.run(cost: 10) {} }
    #expect(limiter.waiting == 1)
    let small = await started { try await limiter.run(cost: 1) { 42 } }
    #expect(limiter.waiting == 2)
    large.cancel()
    #expect(try await small.value == 42)
    await #expect(throws: CancellationError.self) { try await large.value }
  }

  @Test(.requirement("P22", "P33", "T9")) func `a turn after the deadline is refused at once`()
    async throws
  {
    let limiter = limiter(maximumWait: .seconds(10))
    let pipeline = Pipeline("reads") {
      Deadline(.seconds(1), clock: clock)  // the turn would come when it is over
      limiter
    }
    try await pipeline.run {}
    let rejection = await #expect(throws: Rejection.self) { try await pipeline.run {} }
    #expect(
      rejection
        == Rejection(policy: "search", reason: .deadlineTooClose, retryAfter: .seconds(1)))
    #expect(limiter.waiting == 0)
  }

  @Test func `a turn may be taken before it is used`() async throws {
    let limiter = limiter()
    let now = try limiter.reserve()
    #expect(now.delay == .zero)
    try await now.wait()
    #expect(throws: Rejection.self) { _ = try limiter.reserve() }
    let later = try limiter.reserve(maximumWait: .seconds(5))
    let last = try limiter.reserve(maximumWait: .seconds(5))
    #expect(later.delay == .seconds(1))
    #expect(last.delay == .seconds(2))
    clock.advance(by: .milliseconds(400))
    #expect(last.delay == .milliseconds(1_600))
    later.cancel()
    #expect(last.delay == .milliseconds(600))
    clock.advance(by: .milliseconds(600))
    try await last.wait()
    do { _ = try limiter.reserve(maximumWait: .seconds(5)) }
    #expect(limiter.waiting == 0)
    clock.advance(by: .seconds(1))
    #expect(limiter.tryAcquire())
    #expect(!limiter.tryAcquire())
  }

  @Test(.requirement("P37")) func `another kind takes effect while calls wait`() async throws {
    let limiter = limiter(maximumWait: .seconds(10))
    try await limiter.run {}
    let call = Task { try await limiter.run { clock.now.offset } }
    await clock.sleepers(atLeast: 1)
    try limiter.setKind(.gcra(rate: 4, per: .seconds(1)))
    clock.advance(by: .milliseconds(250))
    #expect(try await call.value == .milliseconds(250))
    #expect(throws: ConfigurationError.self) {
      try limiter.setKind(.gcra(rate: 0, per: .seconds(1)))
    }
    #expect(BreakerBench.names(events.events) == ["settingsChanged", "waited"])
  }

  @Test func `another kind lets nobody wait beyond its deadline`() async throws {
    let limiter = limiter(maximumWait: .seconds(10))
    // The usual order, in which the deadline is only announced: nothing but the limiter keeps it.
    let pipeline = Pipeline("reads") {
      Deadline(.seconds(5), clock: clock)
      limiter
      Timeout(.seconds(2), clock: clock)
    }
    try await limiter.run {}
    let bound = await started { try await pipeline.run {} }
    let patient = await started { try await limiter.run {} }
    #expect(limiter.waiting == 2)
    // Six seconds are too long for the one, by its deadline, and not for the other.
    try limiter.setKind(.gcra(rate: 1, per: .seconds(6)))
    let late = await #expect(throws: Rejection.self) { try await bound.value }
    #expect(
      late == Rejection(policy: "search", reason: .deadlineTooClose, retryAfter: .seconds(6)))
    #expect(limiter.waiting == 1)
    try limiter.setKind(.gcra(rate: 1, per: .seconds(3_600)))
    let refused = await #expect(throws: Rejection.self) { try await patient.value }
    #expect(
      refused == Rejection(policy: "search", reason: .rateLimited, retryAfter: .seconds(3_600)))
    #expect(limiter.waiting == 0)
    #expect(
      BreakerBench.names(events.events)
        == ["settingsChanged", "rejected", "settingsChanged", "rejected"])
  }

  @Test func `a turn that another kind moves too far away is lost`() async throws {
    let limiter = limiter()
    try await limiter.run {}
    let turn = try limiter.reserve(maximumWait: .seconds(5))
    #expect(turn.delay == .seconds(1))
    try limiter.setKind(.gcra(rate: 1, per: .seconds(60)))
    #expect(turn.delay == .zero)
    #expect(limiter.waiting == 0)
    do {
      try await turn.wait()
      Issue.record("its turn came")
    } catch {
      #expect(
        error as? Rejection
          == Rejection(policy: "search", reason: .rateLimited, retryAfter: .seconds(60)))
    }
  }

  @MainActor @Test func `a waiter stays on its actor`() async throws {
    let limiter = limiter(maximumWait: .seconds(1))
    try await limiter.run {}
    let moving = Task {
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
    }
    var count = 0
    try await limiter.run {
      MainActor.assertIsolated()
      count += 1
    }
    await moving.value
    #expect(count == 1)
  }

  @Test(.requirement("P31")) func `a caller that was cancelled before uses no turn up`() async {
    let limiter = limiter(maximumWait: .seconds(10))
    let pipeline = Pipeline("search") { limiter }
    let calls = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) {
        try await limiter.run { _ = Issue.record("it ran") }
      }
      let outcome = await pipeline.outcome { () throws(AppError) in Issue.record("it ran") }
      guard case .cancelled = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
    await calls.value
    #expect(limiter.tryAcquire() && !limiter.tryAcquire())
    #expect(events.events.isEmpty)
  }

  @Test(.requirement("P33", "P31"))
  func `many tasks with cancellations get no more than the law allows, and all end`()
    async throws
  {
    let limiter = limiter(
      .tokenBucket(rate: 10, per: .seconds(1), burst: 5), maximumWait: .seconds(20))
    let ran = Log()
    for round in 0..<(RandomDose.isTorture ? 100 : 5) {
      var random = SeededGenerator(seed: UInt64(round))
      let begin = ran.lines.count
      let calls = await started(100) { _ in try await limiter.run { ran.add("ran") } }
      #expect(limiter.waiting == 95)  // five run at once
      let leaving = calls[5...].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      for call in leaving { call.cancel() }
      for call in leaving { await #expect(throws: CancellationError.self) { try await call.value } }
      let staying = calls.count - leaving.count
      #expect(limiter.waiting == staying - 5)
      // Those behind them have moved up: there is a turn every 100 ms.
      for step in 1...(staying - 5) {
        clock.advance(by: .milliseconds(100))
        await ran.lines(atLeast: begin + 5 + step)
        #expect(ran.lines.count - begin <= 5 + step)
      }
      for call in calls { _ = await call.result }
      #expect(limiter.waiting == 0)
      #expect(ran.lines.count - begin == staying)
      // All tokens are there again for the next round.
      clock.advance(by: .seconds(1))
    }
  }
}
