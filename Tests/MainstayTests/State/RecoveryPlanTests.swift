// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2), .requirement("A9")) struct RecoveryPlanTests {
  private static let missing = AppError.Capability.unavailable("camera").appError
  // Nobody moves it: no machine is too slow for a step.
  private let still = ManualClock()

  private func retry(_ recorder: EventRecorder? = nil, attempts: Int = 3) -> Retry {
    Retry(
      maximumAttempts: attempts, backoff: .constant(.zero, jitter: .none), name: "save",
      observer: recorder)
  }

  @Test(.requirement("A10")) func `a step mends what no further attempt would`() async throws {
    let log = Log()
    let plan = RecoveryPlan([
      .init("set up", when: { $0.code == Self.missing.code }, clock: still) { _ in
        log.add("set up")
      }
    ])
    let answer = try await retry().recovering(by: plan).run {
      log.add("called")
      if log.lines.count == 1 { throw Self.missing }
      return 7
    }
    #expect(answer == 7 && log.lines == ["called", "set up", "called"])
  }

  @Test func `the first step that fits is run, before the wait, and not after the last attempt`()
    async throws
  {
    let log = Log()
    let clock = ManualClock()
    let plan = RecoveryPlan([
      .init("sign in", for: .unauthorized, clock: still) { _ in log.add("sign in") },
      .init("look", when: { _ in true }, clock: still) { error in
        log.add("look at \(error.httpStatus ?? 0)")
      },
    ])
    let retry = Retry(
      maximumAttempts: 2, backoff: .constant(.seconds(5), jitter: .none), clock: clock
    ).recovering(by: plan)
    let run = Task {
      try await retry.run {
        log.add("called")
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await clock.sleepers(atLeast: 1)
    #expect(log.lines == ["called", "look at 503"])
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: AppError.self) { try await run.value }
    #expect(error?.httpStatus == 503)
    #expect(log.lines == ["called", "look at 503", "called"])
  }

  /// A retry with a budget that time does not refill, and a step of eight seconds before each wait
  /// of four.
  private func slowlyMended(
    _ clock: ManualClock, _ budget: RetryBudget, within elapsed: Duration? = nil,
    _ recorder: EventRecorder
  ) -> Retry {
    Retry(
      backoff: .constant(.seconds(4), jitter: .none), maximumElapsed: elapsed, budget: budget,
      clock: clock, observer: recorder
    ).recovering(
      by: RecoveryPlan([
        .init("set up", when: { _ in true }, clock: still) { _ in clock.advance(by: .seconds(8)) }
      ]))
  }

  private func budget(_ clock: ManualClock) -> RetryBudget {
    RetryBudget(ratio: 0.2, minimumPerSecond: 0, capacity: 10, initial: 5, clock: clock)
  }

  @Test func `after a long step nobody waits towards the deadline`() async throws {
    for hasDeadline in [true, false] {
      let (clock, recorder) = (ManualClock(), EventRecorder())
      let budget = budget(clock)
      let retry = slowlyMended(clock, budget, within: hasDeadline ? nil : .seconds(10), recorder)
      let pipeline = Pipeline("save") {
        // Only announced, since the other one ends each attempt.
        Deadline(hasDeadline ? .seconds(10) : .seconds(1_000), clock: clock)
        retry
        Timeout(.seconds(2), clock: clock)
      }
      let error = await #expect(throws: AppError.self) {
        try await pipeline.run { throw AppError.http(status: 503, isRepeatable: true) }
      }
      #expect(error?.httpStatus == 503)
      #expect(clock.now.offset == .seconds(8))
      #expect(recorder.gaveUpReasons == [.deadlineTooClose])
      #expect(recorder.events.last?.attempts?.entries.map(\.decidedBy) == ["deadlineTooClose"])
      #expect(budget.available == 5.2, "what was paid for the attempt comes back")
    }
  }

  @Test func `for a caller that has cancelled nothing is mended`() async {
    let recorder = EventRecorder()
    let plan = RecoveryPlan([
      .init("sign in", when: { _ in true }, clock: still) { _ in Issue.record("it was mended") }
    ])
    let retry = retry(recorder).recovering(by: plan)
    let call = Task {
      try await retry.run {
        withUnsafeCurrentTask { $0?.cancel() }
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(recorder.names == ["attemptFailed", "gaveUp"])
  }

  @Test func `who cancels during a step hears that, and not of the failure before`() async throws {
    // Neither of an error that the step was to mend, nor of one that is tried again anyway.
    for status in [404, 503] {
      let (clock, recorder) = (ManualClock(), EventRecorder())
      let budget = budget(clock)
      let plan = RecoveryPlan([
        .init("sign in", when: { _ in true }, clock: still) { _ in
          try await clock.sleep(for: .seconds(5))
        }
      ])
      let retry = Retry(budget: budget, clock: clock, observer: recorder).recovering(by: plan)
      let run = Task {
        try await retry.run { throw AppError.http(status: status, isRepeatable: true) }
      }
      await clock.sleepers(atLeast: 1)
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.value }
      #expect(recorder.gaveUpReasons == [.cancelled])
      #expect(budget.available == 5.2)
    }
  }

  @Test func `the failure of a step is told, and the error stays that of the operation`()
    async throws
  {
    struct Broken: Error {}
    let recorder = EventRecorder()
    let plan = RecoveryPlan([
      .init("set up", when: { _ in true }, clock: still) { _ in throw Broken() }
    ])
    // What another attempt may mend is tried again all the same; what it may not, is not.
    for (status, calls) in [(503, 3), (404, 1)] {
      let log = Log()
      let error = await #expect(throws: AppError.self) {
        try await retry(recorder).recovering(by: plan).run {
          log.add("called")
          throw AppError.http(status: status, isRepeatable: true)
        }
      }
      #expect(error?.httpStatus == status && log.lines.count == calls)
    }
    let ended = recorder.events.compactMap { event -> String? in
      guard case .recoveryEnded(let step, let error) = event.what else { return nil }
      return error.map { "\(step): \($0.cause(as: Broken.self) != nil)" }
    }
    #expect(ended == ["set up: true", "set up: true", "set up: true"])
  }

  @Test func `a step that hangs is left behind`() async throws {
    let clock = ManualClock()
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    let plan = RecoveryPlan([
      .init("hang", when: { _ in true }, within: .seconds(3), clock: clock) { _ in
        // It does not heed its cancellation.
        await Task { for await _ in held { break } }.value
      }
    ])
    let run = Task { await plan.recover(from: AppError.http(status: 503, isRepeatable: true)) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    guard case .failed("hang", let error) = await run.value else {
      return _ = #expect(Bool(false), "it did not fail")
    }
    #expect(error.kind == .timeout)
    release.yield()
  }

  @Test func `what fails inside of a step is not mended by a plan`() async throws {
    let log = Log()
    let plan = Locked<RecoveryPlan?>(nil)
    let going = RecoveryPlan([
      .init("again", when: { _ in true }, clock: still) { error in
        log.add("step")
        guard let plan = plan.withLock({ $0 }) else { return }
        _ = try await Retry(
          maximumAttempts: 2, backoff: .constant(.zero, jitter: .none), nesting: .makesAllAttempts
        )
        .recovering(by: plan).run { throw error }
      }
    ])
    plan.withLock { $0 = going }
    guard case .failed = await going.recover(from: AppError.http(status: 503, isRepeatable: true))
    else {
      return _ = #expect(Bool(false), "it did not fail")
    }
    #expect(log.lines == ["step"])
  }

  @Test func `a cancellation has no step`() async {
    let plan = RecoveryPlan([
      .init("never", when: { _ in true }) { _ in #expect(Bool(false), "it ran") }
    ])
    guard case .noStep = await plan.recover(from: CancellationError()) else {
      return _ = #expect(Bool(false), "there was a step")
    }
    await #expect(throws: CancellationError.self) {
      try await retry().recovering(by: plan).run { throw CancellationError() }
    }
  }

  @Test(.requirement("A11")) func `a state that does not fit goes back to a good one`()
    async throws
  {
    let client = StateClient("cart", ["sound"])
    try await client.update { $0 = ["broken"] }
    let plan = RecoveryPlan([.restoringKnownGood(client)])
    let state = try await retry().recovering(by: plan).run {
      let state = await client.state
      guard state == ["sound"] else { throw AppError.Client.invalidState("broken") }
      return state
    }
    #expect(state == ["sound"])
    #expect(await client.olderSnapshots.first?.state == ["broken"])
  }

  @Test func `a refused change is nothing to go back for`() async throws {
    let few = StateClient<[String]>.Invariant("few lines") { $0.count < 3 }
    let cart = StateClient("cart", [String](), invariants: [few])
    let wishes = StateClient("wishes", ["c", "d"], invariants: [few])
    try await cart.update { $0 = ["a", "b"] }
    let plan = RecoveryPlan([.restoringKnownGood(cart)])
    for client in [cart, wishes] {
      let error = await #expect(throws: AppError.self) {
        try await retry().recovering(by: plan).run { try await client.update { $0.append("e") } }
      }
      #expect(error?.code == AppError.Client.changeRefused("").appError.code)
    }
    #expect(await cart.snapshot == Snapshot(version: 1, state: ["a", "b"]))
  }

  @Test func `what is wrong with the state of another client goes by`() async throws {
    let cart = StateClient("cart", [String]())
    let settings = StateClient("settings", 1)
    try await cart.update { $0 = ["a"] }
    let plan = RecoveryPlan([.restoringKnownGood(cart)])
    let closed: @Sendable (inout Int) throws -> Void = { _ in
      throw AppError.Client.invalidState("closed")
    }
    await #expect(throws: AppError.self) {
      try await retry().recovering(by: plan).run { try await settings.update(closed) }
    }
    let odd = StateClient<Int>.Invariant("nothing is right") { _ in false }
    await #expect(throws: AppError.self) {
      try await retry().recovering(by: plan).run {
        _ = try StateClient(validating: "settings", 1, invariants: [odd])
      }
    }
    #expect(await cart.state == ["a"])
    // Of what does not say whose state it is, the plan knows best.
    await #expect(throws: AppError.Framework.self) {
      try await retry().recovering(by: plan).run { throw AppError.Framework.stateCorruption("odd") }
    }
    #expect(await cart.state.isEmpty)
  }
}
