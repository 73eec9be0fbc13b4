// SPDX-License-Identifier: Apache-2.0

/// What people write by hand instead of a policy.
enum NaiveScenarios {
  static let all = [
    Scenario("naive-breaker", "a breaker as an actor, by hand", calls: breakerLoop()),
    Scenario(
      "naive-breaker-8-tasks", "the same, shared by 8 tasks",
      calls: Scenario.inEightTasks(breakerLoop())),
    Scenario("naive-timeout", "a time limit as a task group with a sleep, by hand") { count in
      var sum = 0
      for index in 0..<count {
        sum &+= try await naiveTimeout(.seconds(30)) { try await work(index) }
      }
      keep(sum)
    },
    Scenario("naive-timeout-suspending", "the same around a call that suspends once") { count in
      var sum = 0
      for index in 0..<count {
        sum &+= try await naiveTimeout(.seconds(30)) { try await suspendedWork(index) }
      }
      keep(sum)
    },
  ]

  private static func breakerLoop() -> @Sendable (Int) async throws -> Void {
    let breaker = NaiveBreaker()
    return { count in
      var sum = 0
      for index in 0..<count { sum &+= try await breaker.run { try await work(index) } }
      keep(sum)
    }
  }
}

/// Five failures in a row open it for a minute; it is fair to it that nothing fails here.
private actor NaiveBreaker {
  private var failures = 0
  private var openUntil: ContinuousClock.Instant?

  struct Refused: Error {}

  func run<T: Sendable>(_ operation: @Sendable () async throws -> T) async throws -> T {
    if let openUntil, ContinuousClock.now < openUntil { throw Refused() }
    do {
      let value = try await operation()
      failures = 0
      return value
    } catch {
      failures += 1
      if failures >= 5 { openUntil = .now + .seconds(60) }
      throw error
    }
  }
}

/// The operation and a sleep side by side; whoever is first wins.
func naiveTimeout<T: Sendable>(
  _ limit: Duration, _ operation: @escaping @Sendable () async throws -> T
) async throws -> T {
  try await withThrowingTaskGroup(of: T.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw CancellationError()
    }
    guard let first = try await group.next() else { throw CancellationError() }
    return first
  }
}
