// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Something that is done many times while a clock runs.
struct Scenario: Sendable {
  /// A short name, by which ceilings and the command line refer to it.
  let name: String
  /// What one call does, for people.
  let summary: String
  /// Makes a number of calls.
  let calls: @Sendable (Int) async throws -> Void

  init(_ name: String, _ summary: String, calls: @escaping @Sendable (Int) async throws -> Void) {
    self.name = name
    self.summary = summary
    self.calls = calls
  }

  /// Calls an operation that returns at once under a policy.
  init(_ name: String, _ summary: String, under policy: some Policy) {
    self.init(name, summary) { count in
      var sum = 0
      for index in 0..<count { sum &+= try await policy.run { try await work(index) } }
      keep(sum)
    }
  }

  /// Calls an operation that suspends once under a policy.
  init(_ name: String, _ summary: String, suspendingUnder policy: some Policy) {
    self.init(name, summary) { count in
      var sum = 0
      for index in 0..<count { sum &+= try await policy.run { try await suspendedWork(index) } }
      keep(sum)
    }
  }

  /// Calls an operation that is never run, since the policy refuses every call after a failure.
  init(_ name: String, _ summary: String, refusedBy policy: some Policy) {
    self.init(name, summary) { count in
      _ = try? await policy.run { () async throws -> Int in throw Fault() }
      var refusals = 0
      for index in 0..<count {
        do { keep(try await policy.run { try await work(index) }) } catch _ { refusals += 1 }
      }
      precondition(refusals == count, "a call was let through")
    }
  }

  /// Calls an operation from eight tasks at once.
  init(_ name: String, _ summary: String, fromEightTasksUnder policy: some Policy) {
    self.init(
      name, summary,
      calls: Self.inEightTasks { count in
        var sum = 0
        for index in 0..<count { sum &+= try await policy.run { try await work(index) } }
        keep(sum)
      })
  }

  /// Makes an eighth of the calls in each of eight tasks at once.
  static func inEightTasks(
    _ calls: @escaping @Sendable (Int) async throws -> Void
  ) -> @Sendable (Int) async throws -> Void {
    { count in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await calls(count / 8) } }
        try await group.waitForAll()
      }
    }
  }
}

/// The operation: the least that an asynchronous call can do.
@inline(never)
func work(_ value: Int) async throws -> Int { value &+ 1 }

/// The same with one suspension, as every call over a network has.
@inline(never)
func suspendedWork(_ value: Int) async throws -> Int {
  await Task.yield()
  return value &+ 1
}

/// What an operation throws to open a breaker.
struct Fault: Error {}

/// Uses a value, so that the compiler leaves out nothing.
@inline(never)
@_optimize(none)
func keep<T>(_ value: T) {}
