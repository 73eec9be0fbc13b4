// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct RetryBudgetTests {
  struct Down: Error, Equatable {}

  static let repeating = Retry.Condition.anythingButCancellation

  /// A budget in which time pays nothing in.
  static func budget(
    ratio: Double = 0.2, initial: Int, capacity: Int = 50, costs: RetryBudget.Costs = .init()
  ) -> RetryBudget {
    RetryBudget(
      ratio: ratio, minimumPerSecond: 0, capacity: capacity, initial: initial, costs: costs,
      clock: ManualClock())
  }

  /// How often an operation runs that always fails.
  static func calls(of retry: Retry, throwing error: any Error = Down()) async -> Int {
    var calls = 0
    _ = try? await retry.run {
      calls += 1
      throw error
    }
    return calls
  }

  @Test(.requirement("P15")) func `a refusal throws the error that the operation ended with`() async
  {
    let recorder = EventRecorder()
    let retry = Retry(
      backoff: .none, retryIf: Self.repeating, budget: Self.budget(initial: 0), observer: recorder)
    await #expect(throws: Down()) { try await retry.run { throw Down() } }
    #expect(recorder.names == ["attemptFailed", "gaveUp"])
    #expect(recorder.gaveUpReasons == [.budgetExhausted])
  }

  @Test(.requirement("P15")) func `the first attempt is always made`() async {
    let budget = Self.budget(initial: 0)
    let retry = Retry(backoff: .none, retryIf: Self.repeating, budget: budget)
    for _ in 1...4 { #expect(await Self.calls(of: retry) == 1) }
    #expect(await Self.calls(of: retry) == 2, "the fifth call has paid for a repetition")
  }

  @Test func `a dependency that is down gets a fifth more calls, not three times as many`() async {
    let retry = Retry(
      maximumAttempts: 4, backoff: .none, retryIf: Self.repeating,
      budget: Self.budget(initial: 10))
    var calls = 0
    for _ in 0..<1_000 { calls += await Self.calls(of: retry) }
    #expect(calls == 1_000 + 10 + 200)
  }

  @Test(.requirement("P15")) func `the first failures of a fresh app are repeated`() async {
    let retry = Retry(backoff: .none, retryIf: Self.repeating, clock: ManualClock())
    for _ in 0..<5 { #expect(await Self.calls(of: retry) == 3) }
  }

  @Test func `each retry has a budget of its own, which its copies share`() async {
    let retry = Retry(
      maximumAttempts: 100, backoff: .none, retryIf: Self.repeating, clock: ManualClock())
    let copy = retry
    #expect(await Self.calls(of: retry) == 11)
    #expect(await Self.calls(of: copy) == 1)
    let other = Retry(
      maximumAttempts: 100, backoff: .none, retryIf: Self.repeating, clock: ManualClock())
    #expect(await Self.calls(of: other) == 11)
  }

  @Test func `a second pays for a repetition`() async {
    let clock = ManualClock()
    let budget = RetryBudget(initial: 0, clock: clock)
    let retry = Retry(backoff: .none, retryIf: Self.repeating, budget: budget, clock: clock)
    #expect(await Self.calls(of: retry) == 1)
    clock.advance(by: .seconds(2))
    #expect(budget.available == 2.2)
    #expect(await Self.calls(of: retry) == 3)
  }

  @Test func `no limit has to be asked for`() async {
    let retry = Retry(
      maximumAttempts: 500, backoff: .none, retryIf: Self.repeating, budget: .unlimited)
    #expect(await Self.calls(of: retry) == 500)
    #expect(RetryBudget.unlimited.available == .infinity)
  }

  @Test func `a repetition that succeeds gets its cost back`() async throws {
    let budget = Self.budget(ratio: 0.001, initial: 5)
    let retry = Retry(backoff: .none, retryIf: Self.repeating, budget: budget)
    var calls = 0
    try await retry.run {
      calls += 1
      if calls < 3 { throw Down() }
    }
    #expect(budget.available == 4.001, "the last of two is given back")
  }

  @Test func `costs go by what the attempt ended with`() async {
    let costs = RetryBudget.Costs(transient: 1, timedOut: 2, throttled: 3, unknownOutcome: 4)
    let cases: [(any Error, cost: Double)] = [
      (AppError.http(status: 503, isRepeatable: true), 1), (AppError.http(status: 429), 3),
      (Down(), 1),
      (AppError.http(status: 500, isRepeatable: false), 4),
    ]
    for (error, cost) in cases {
      let budget = Self.budget(ratio: 0.001, initial: 20, costs: costs)
      let retry = Retry(
        maximumAttempts: 2, backoff: .none, retryIf: Self.repeating, budget: budget)
      #expect(await Self.calls(of: retry, throwing: error) == 2)
      #expect(budget.available == 20.001 - cost, "\(error)")
    }
    let budget = Self.budget(ratio: 0.001, initial: 20, costs: costs)
    let clock = ManualClock()
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: budget)
    let task = Task {
      try await retry.run {
        try await Timeout(.seconds(1), clock: clock).run { try await untilCancelled(clock) }
      }
    }
    for _ in 1...2 {
      await clock.sleepers(atLeast: 2)
      clock.advance(by: .seconds(1))
    }
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(budget.available == 18.001)
  }

  @Test(.requirement("P17")) func `after a refusal by another policy nothing is paid`() async {
    let budget = Self.budget(ratio: 0.001, initial: 5)
    let retry = Retry(maximumAttempts: 3, backoff: .none, budget: budget)
    let refusal = Rejection(policy: "catalog", reason: .rateLimited, retryAfter: .zero)
    var calls = 0
    _ = try? await Deadline(.seconds(1), clock: ManualClock()).run {
      calls = await Self.calls(of: retry, throwing: refusal)
    }
    #expect(calls == 3)
    #expect(budget.available == 5.001)
  }

  @Test(.requirement("P21")) func `a repetition that is cancelled in its wait costs nothing`() async
  {
    let (budget, clock) = (Self.budget(ratio: 0.001, initial: 5), ManualClock())
    let retry = Retry(
      backoff: .constant(.seconds(5), jitter: .none), retryIf: Self.repeating, budget: budget,
      clock: clock)
    let task = Task { try await retry.run { throw Down() } }
    await clock.sleepers(atLeast: 1)
    #expect(budget.available == 4.001)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(budget.available == 5.001)
  }

  @Test(.requirement("P15")) func `many tasks never take more than was paid in`() async {
    let budget = Self.budget(initial: 10, capacity: 1_000_000)
    let retry = Retry(
      maximumAttempts: 5, backoff: .none, retryIf: Self.repeating, budget: budget)
    let (tasks, each) = (8, RandomDose.cases * 5)
    let calls = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var calls = 0
          for _ in 0..<each { calls += await Self.calls(of: retry) }
          return calls
        }
      }
      return await group.reduce(0, +)
    }
    let first = tasks * each
    #expect(calls == first + 10 + first / 5 - Int(budget.available))
    #expect(budget.available < 5, "what is left over when the others were done")
  }

  @Test(.requirement("P10", "P23")) func `settings say everything that is wrong at once`() throws {
    let json = """
      {"ratio": 1.5, "minimumPerSecond": -1, "capacity": 0, "initial": -1,
       "costs": {"transient": -1, "hedge": 1e300}}
      """
    let settings = try JSONDecoder().decode(
      RetryBudget.Configuration.self, from: Data(json.utf8))
    let error = #expect(throws: ConfigurationError.self) { try RetryBudget(validating: settings) }
    #expect(
      error?.violations.map(\.option) == [
        "ratio", "minimumPerSecond", "capacity", "initial", "costs.transient", "costs.hedge",
      ])
    let still = #expect(throws: ConfigurationError.self) {
      try RetryBudget(validating: .init(ratio: 0, minimumPerSecond: 0))
    }
    #expect(still?.violations.map(\.option) == ["minimumPerSecond"])
    for value in [Double.nan, .infinity, -.infinity, -0.1, .greatestFiniteMagnitude] {
      #expect(throws: ConfigurationError.self) { try RetryBudget(validating: .init(ratio: value)) }
      #expect(throws: ConfigurationError.self) {
        try RetryBudget(validating: .init(minimumPerSecond: value))
      }
      #expect(throws: ConfigurationError.self) {
        try RetryBudget(validating: .init(costs: .init(throttled: value)))
      }
    }
    #expect(throws: ConfigurationError.self) { try RetryBudget(validating: .init(capacity: .max)) }
    _ = try RetryBudget(validating: .init(ratio: 1, minimumPerSecond: 1e6, capacity: 1_000_000))
  }

  @Test func `settings survive JSON, and missing keys get their defaults`() throws {
    let settings = RetryBudget.Configuration(
      ratio: 0.1, minimumPerSecond: 10, capacity: 100, initial: 3, costs: .init(timedOut: 2))
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(RetryBudget.Configuration.self, from: data) == settings)
    let bare = try JSONDecoder().decode(RetryBudget.Configuration.self, from: Data("{}".utf8))
    #expect(bare == RetryBudget.Configuration())
    let small = try RetryBudget(validating: .init(capacity: 3), clock: ManualClock())
    #expect(small.available == 3, "the usual ten would not fit")
  }

  @Test(.requirement("P23")) func `illegal literals stop the program`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RetryBudget(ratio: -0.5)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("ratio: -0.5") && said.contains("0 to 1"))
    await #expect(processExitsWith: .failure) { _ = RetryBudget(capacity: 0) }
    await #expect(processExitsWith: .failure) { _ = RetryBudget(initial: 51) }
  }
}
