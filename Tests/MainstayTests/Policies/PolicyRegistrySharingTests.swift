// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Mainstay
import TestSupport
import Testing

/// What runs under a policy that many callers ask for at the same moment.
@Suite(.ends(withinMinutes: 5)) struct PolicyRegistrySharingTests {
  /// Notes that a call ran under it.
  private struct Noting: Policy {
    let number: Int
    let log: Log

    func run<T>(_ operation: () async throws -> T) async throws -> T {
      log.add("\(number)")
      return try await operation()
    }
  }

  @Test func `callers that come together for a new key run under one policy`() async throws {
    for _ in 0..<(RandomDose.isTorture ? 2_000 : 50) {
      let made = Locked(0)
      let log = Log()
      let registry = PolicyRegistry("shared") { (_: Int) in
        let number = made.withLock { made in
          made += 1
          return made
        }
        return Noting(number: number, log: log)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<64 { group.addTask { try await registry.run(1) { await Task.yield() } } }
        try await group.waitForAll()
      }
      #expect(log.lines.count == 64)
      #expect(Set(log.lines).count == 1, "\(log.lines)")
    }
  }

  /// Runs tasks on a thread of its own, which may stand still without keeping others waiting.
  private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "own")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test func `who was slower to make a policy runs under that of who was faster`() async throws {
    let (log, slow) = (Log(), OwnThread())
    let begun = Countdown(1)
    let goOn = DispatchSemaphore(value: 0)
    let made = Locked(0)
    let registry = PolicyRegistry("shared") { (_: Int) in
      let number = made.withLock { made in
        made += 1
        return made
      }
      if number == 1 {
        begun.count()
        goOn.wait()
      }
      return Noting(number: number, log: log)
    }
    let slower = Task(executorPreference: slow) { try await registry.run(1) {} }
    await begun.reached()
    let faster = await started { try await registry.run(1) {} }
    _ = await faster.result
    goOn.signal()
    try await slower.value
    #expect(log.lines == ["2", "2"])
  }
}
