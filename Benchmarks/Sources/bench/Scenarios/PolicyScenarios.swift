// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Each policy alone, and pipelines of them.
enum PolicyScenarios {
  static let all = alone + refusals + timeLimits + pipelines

  private static let alone = [
    Scenario("retry", "`Retry`, success", under: Retry()),
    Scenario("retry-2-failures", "`Retry`, without waiting, success at the third attempt") {
      count in
      let retry = Retry(backoff: .none)
      for index in 0..<count {
        var attempts = 0
        let value = try await retry.run {
          attempts += 1
          if attempts < 3 { throw passing }
          return try await work(index)
        }
        keep(value)
      }
    },
    Scenario("breaker", "`CircuitBreaker`, closed", under: breaker()),
    Scenario(
      "breaker-8-tasks", "`CircuitBreaker`, closed, shared by 8 tasks",
      fromEightTasksUnder: breaker()),
  ]

  private static let refusals = [
    Scenario("breaker-open", "`CircuitBreaker`, open: `run` throws", refusedBy: openBreaker()),
    Scenario("breaker-open-outcome", "`CircuitBreaker`, open: `outcome` returns") { count in
      let pipeline = Pipeline("open") { openBreaker() }
      _ = try? await pipeline.run { () async throws -> Int in throw Fault() }
      var refusals = 0
      for index in 0..<count {
        let outcome = await pipeline.outcome { () async throws -> Int in try await work(index) }
        if case .rejected = outcome { refusals += 1 }
      }
      precondition(refusals == count, "a call was let through")
    },
  ]

  private static let timeLimits = [
    Scenario("timeout", "`Timeout`, does not fire", under: Timeout(.seconds(30))),
    Scenario(
      "timeout-suspending", "`Timeout`, does not fire, the call suspends once",
      suspendingUnder: Timeout(.seconds(30))),
    Scenario("deadline", "`Deadline`, does not fire", under: Deadline(.seconds(30))),
    Scenario(
      "limits-2", "`Deadline` and `Timeout`",
      under: Pipeline("limits") {
        Deadline(.seconds(30))
        Timeout(.seconds(10))
      }),
    Scenario(
      "limits-4", "two `Deadline`s and two `Timeout`s",
      under: Pipeline("limits") {
        Deadline(.seconds(40))
        Deadline(.seconds(30))
        Timeout(.seconds(20))
        Timeout(.seconds(10))
      }),
  ]

  private static let pipelines = [
    Scenario("pipeline-0", "a pipeline without stages", under: Pipeline("empty") {}),
    Scenario(
      "pipeline-3", "`Retry`, `CircuitBreaker`, `Retry`: 3 stages without time limits",
      under: Pipeline("three") {
        Retry()
        breaker()
        Retry()
      }),
    Scenario(
      "pipeline-5", "5 stages without time limits",
      under: Pipeline("five") {
        Retry()
        breaker("a")
        breaker("b")
        Retry()
        PassThrough()
      }),
    Scenario(
      "pipeline-3-limits", "`Retry`, `CircuitBreaker`, `Timeout`",
      under: Pipeline("three") {
        Retry()
        breaker()
        Timeout(.seconds(10))
      }),
    Scenario(
      "pipeline-5-limits", "5 stages with two time limits",
      under: Pipeline("five") {
        Deadline(.seconds(30))
        Retry()
        breaker("a")
        breaker("b")
        Timeout(.seconds(10))
      }),
  ]

  private static func breaker(_ name: String = "breaker") -> CircuitBreaker {
    CircuitBreaker(name, .consecutiveFailures(5))
  }

  /// An error that another attempt can mend.
  private static let passing = AppError(
    code: "benchmark.passing", kind: .server, disposition: .transient(), title: "Failed",
    message: "It failed.")

  /// A breaker that a single failure opens for good.
  private static func openBreaker() -> CircuitBreaker {
    CircuitBreaker("open", .consecutiveFailures(1), breakFor: .seconds(86_400))
  }
}
