// SPDX-License-Identifier: Apache-2.0

/// The raw limits that policies are measured against: no part of Mainstay is in them.
enum RawScenarios {
  static let all = [
    Scenario("raw", "an asynchronous call", calls: callLoop),
    Scenario(
      "raw-8-tasks", "an asynchronous call, from 8 tasks at once",
      calls: Scenario.inEightTasks(callLoop)),
    Scenario("raw-suspending", "a call that suspends once") { count in
      var sum = 0
      for index in 0..<count { sum &+= try await suspendedWork(index) }
      keep(sum)
    },
    Scenario("clock", "a reading of the clock") { count in
      for _ in 0..<count { keep(ContinuousClock.now) }
    },
    Scenario("is-cancelled", "a look whether the task is cancelled") { count in
      var cancelled = 0
      for _ in 0..<count where Task.isCancelled { cancelled += 1 }
      keep(cancelled)
    },
    Scenario("task-local", "a call with a task-local value set") { count in
      var sum = 0
      for index in 0..<count {
        sum &+= try await local.withValue(index) { try await work(index) }
      }
      keep(sum)
    },
    Scenario("child", "a bare immediate child task") { count in
      for index in 0..<count {
        try await withThrowingDiscardingTaskGroup { group in
          group.addImmediateTask { keep(try await work(index)) }
        }
      }
    },
    Scenario("child-value", "an immediate child task whose value is waited for") { count in
      var sum = 0
      for index in 0..<count {
        sum &+= try await withThrowingTaskGroup(of: Int.self) { group in
          group.addImmediateTask { try await work(index) }
          return try await group.next() ?? 0
        }
      }
      keep(sum)
    },
    Scenario("child-suspending", "a bare immediate child task that suspends once") { count in
      for index in 0..<count {
        try await withThrowingDiscardingTaskGroup { group in
          group.addImmediateTask { keep(try await suspendedWork(index)) }
        }
      }
    },
  ]

  private static let local = TaskLocal<Int>(wrappedValue: 0)

  private static let callLoop: @Sendable (Int) async throws -> Void = { count in
    var sum = 0
    for index in 0..<count { sum &+= try await work(index) }
    keep(sum)
  }
}
