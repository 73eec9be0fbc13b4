// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A39", "A47")) struct FailurePlanTests {
  private let down = AppError.http(status: 503, isRepeatable: true)

  @Test func `the second call fails, the third takes long`() async throws {
    let clock = ManualClock()
    let plan = FailurePlan([2: .fails(with: down), 3: .takes(.seconds(2))], clock: clock)
    #expect(try await plan.run { 1 } == 1)
    await #expect(throws: AppError.self) { try await plan.run { Issue.record("it ran") } }
    let third = Task { try await plan.run { 3 } }
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await third.value == 3)
    #expect(try await plan.run { 4 } == 4)
    #expect(plan.passes == 4)
  }

  @Test func `a task is cancelled at its third await`() async {
    let (plan, log) = (FailurePlan([3: .cancels]), Log())
    let task = Task {
      for step in 1...5 {
        try await plan.pass()
        log.add("\(step)")
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.lines == ["1", "2"] && plan.passes == 3)
    #expect(task.isCancelled)
  }

  @Test func `steps follow one another`() async {
    let clock = ManualClock()
    let plan = FailurePlan([1: .takes(.seconds(1)).then(.fails(with: down))], clock: clock)
    let call = Task { try await plan.pass() }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: AppError.self) { try await call.value }
  }

  @Test func `a call that hangs ends when it is cancelled`() async {
    let plan = FailurePlan([:], otherwise: .hangs)
    let clock = ManualClock()
    let call = Task { try await Timeout(.seconds(1), clock: clock).run { try await plan.pass() } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    await #expect(throws: TimedOut.self) { try await call.value }
  }

  @Test(.requirement("B35"))
  func `a foreign error arrives as the very error that it is mapped to`() async throws {
    struct Odd: Error {}
    let expected = AppError(
      code: "odd", kind: .storage, disposition: .permanent, title: "Odd", message: "It is odd.")
    let mapping = ErrorMapping.standard.adding(Odd.self) { _ in expected }
    let pipeline = Pipeline("under test") {
      Retry(maximumAttempts: 3, backoff: .none)
      FailurePlan([:], otherwise: .fails(with: Odd()))
    }
    let thrown = await #expect(throws: AppError.self) {
      try await withAppErrors("Save", mapping: mapping) {
        try await ErrorMapping.with(mapping) { try await pipeline.run { 1 } }
      }
    }
    #expect(thrown?.id == expected.id && thrown?.code == "odd")
    #expect(thrown?.cause(as: Odd.self) != nil)
    #expect(thrown?.context.map(\.operation) == ["Save"])
  }

  @Test func `drives a pipeline`() async throws {
    let plan = FailurePlan([1: .fails(with: down), 2: .fails(with: down)])
    let pipeline = Pipeline("under test") {
      Retry(maximumAttempts: 3, backoff: .none)
      plan
    }
    #expect(try await pipeline.run { 42 } == 42)
    #expect(plan.passes == 3)
  }

  @Test(.requirement("T4", "P3", "P26"), arguments: 1...6)
  func `a caller that is cancelled at any await leaves nothing behind`(await number: Int) async {
    let failures = [2: FailurePlan.Step.fails(with: down), 4: .fails(with: down)]
    let plan = FailurePlan(failures.merging([number: .cancels]) { $1 })
    let breaker = CircuitBreaker("b", .consecutiveFailures(3))
    let pipeline = Pipeline("under test") {
      Deadline(.seconds(3600))
      Retry(maximumAttempts: 3, backoff: .none)
      breaker
    }
    let call = Task {
      try await pipeline.run {
        try await plan.pass()
        try await plan.pass()
      }
    }
    _ = await call.result
    // Two failures at most, and a cancellation is none: it stays closed and takes further calls.
    #expect(breaker.state == .closed)
    #expect((try? await breaker.run { 1 }) == 1)
    #expect(plan.passes <= 6)
  }

  @Test func `passes are counted from one`() async {
    await #expect(processExitsWith: .failure) { _ = FailurePlan([0: .succeeds]) }
  }

  @Test func `fails the next call once`() async throws {
    let failing = FailingOnce(with: down)
    #expect(failing.isArmed)
    await #expect(throws: AppError.self) { try await failing.run { Issue.record("it ran") } }
    #expect(!failing.isArmed)
    #expect(try await failing.run { 1 } == 1)
    failing.failNext(with: CancellationError())
    failing.failNext(with: down)
    await #expect(throws: AppError.self) { try await failing.run {} }
    #expect(try await FailingOnce().run { 2 } == 2)
  }
}
