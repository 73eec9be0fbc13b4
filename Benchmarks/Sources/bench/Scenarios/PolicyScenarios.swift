// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Each policy alone, and pipelines of them.
enum PolicyScenarios {
  static let all = alone + refusals + timeLimits + pipelines

  private static let alone = [
    Scenario(
      "pass-through", "no policy: what handing the operation over in a closure costs",
      under: PassThrough()),
    Scenario("retry", "`Retry`, success", under: Retry()),
    Scenario("retry-2-failures", "`Retry`, without waiting, success at the third attempt") {
      count in
      let retry = Retry(backoff: .none, budget: .unlimited)
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
    Scenario(
      "breaker-rate", "`CircuitBreaker`, closed, opens by a rate over 30 s",
      under: CircuitBreaker(
        "rate", .failureRate(0.5, over: .time(.seconds(30)), minimumThroughput: 20))),
    Scenario("bulkhead", "`Bulkhead`, without waiting", under: Bulkhead("bulkhead", limit: 100)),
    Scenario("rate-limiter", "`RateLimiter`, token bucket, without waiting", under: rateLimiter()),
    Scenario(
      "adaptive-limit", "`AdaptiveLimit`, without waiting", under: AdaptiveLimit("adaptive")),
    Scenario("cooldown", "`Cooldown`, all is well", under: Cooldown("cooldown")),
    Scenario("throttle", "`Throttle`, all is accepted", under: Throttle("throttle")),
    Scenario("hedge", "`Hedge`, the first copy answers in time") { count in
      let hedge = Hedge(after: .fixed(.seconds(30)), safety: .safeToRepeat)
      for index in 0..<count { keep(try await hedge.runSendable { try await work(index) }) }
    },
  ]

  private static let refusals = [
    Scenario("breaker-open", "`CircuitBreaker`, open: `run` throws", refusedBy: openBreaker()),
    Scenario("breaker-open-admit", "`CircuitBreaker`, open: `admit` throws a typed error") {
      count in
      let breaker = openBreaker()
      _ = try? await breaker.run { () async throws -> Int in throw Fault() }
      var refusals = 0
      for index in 0..<count {
        do throws(Rejection) {
          try breaker.admit().succeed()
          keep(try? await work(index))
        } catch _ {
          refusals += 1
        }
      }
      precondition(refusals == count, "a call was let through")
    },
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
      "pipeline-3", "`Bulkhead`, `Retry`, `CircuitBreaker`: 3 stages without time limits",
      under: Pipeline("three") {
        Bulkhead("three", limit: 100)
        Retry()
        breaker()
      }),
    Scenario(
      "pipeline-5", "`Cooldown`, `Bulkhead`, `Retry`, `RateLimiter`, `CircuitBreaker`",
      under: Pipeline("five") {
        Cooldown("five")
        Bulkhead("five", limit: 100)
        Retry()
        rateLimiter()
        breaker()
      }),
    Scenario(
      "pipeline-3-limits", "`Retry`, `CircuitBreaker`, `Timeout`",
      under: Pipeline("three") {
        Retry()
        breaker()
        Timeout(.seconds(10))
      }),
    Scenario(
      "pipeline-5-limits", "`Deadline`, `Bulkhead`, `Retry`, `CircuitBreaker`, `Timeout`",
      under: Pipeline("five") {
        Deadline(.seconds(30))
        Bulkhead("five", limit: 100)
        Retry()
        breaker()
        Timeout(.seconds(10))
      }),
  ]

  private static func breaker(_ name: String = "breaker") -> CircuitBreaker {
    CircuitBreaker(name, .consecutiveFailures(5))
  }

  /// A limit that is never reached.
  private static func rateLimiter() -> RateLimiter {
    RateLimiter("limiter", .tokenBucket(rate: 1_000_000_000, per: .seconds(1)))
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
