// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// That a test which waits for too much ends with its task, and says what it waited for.
@Suite(.ends(withinMinutes: 5)) struct UnmetWaitTests {
  /// What is told where a task is cancelled in a wait.
  private func told(_ wait: @escaping @Sendable () async -> Void) async -> [String] {
    let told = Log()
    let task = UnmetWait.$tell.withValue({ told.add($0) }) { Task { await wait() } }
    task.cancel()
    await task.value
    return told.lines
  }

  @Test func `one waiter too many is told with those that were there`() async {
    let clock = ManualClock()
    let sleepers = [3, 1].map { seconds in
      Task { try await clock.sleep(for: .seconds(seconds)) }
    }
    await clock.waiters(atLeast: 2)
    #expect(
      await told { await clock.waiters(atLeast: 3, fileID: "a/A.swift", line: 7) } == [
        "a/A.swift:7: The task was cancelled, which waited until at least 3 waited for the clock. "
          + "2 waited, for 1.0 seconds, 3.0 seconds; 2 slept."
      ])
    let within = await told { await clock.waiters(atLeast: 2, within: .seconds(1)) }
    #expect(within.first?.contains("for the clock, each for 1.0 seconds at most. 2 ") == true)
    #expect(within.first?.hasPrefix("MainstayTests/UnmetWaitTests.swift:") == true)
    let asleep = await told { await clock.sleepers(atLeast: 3) }
    #expect(asleep.first?.contains("until at least 3 slept on the clock. 2 waited") == true)
    for sleeper in sleepers { sleeper.cancel() }
  }

  @Test func `a wait in a task that is cancelled with its waiters names them`() async {
    let (clock, told) = (ManualClock(), Log())
    let task = UnmetWait.$tell.withValue({ told.add($0) }) {
      Task {
        async let sleep: Void = clock.sleep(for: .seconds(5))
        await clock.waiters(atLeast: 2)
        try await sleep
      }
    }
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(told.lines.count == 1)
  }

  @Test func `what has come is not told, also in a task that is cancelled`() async {
    let (clock, sink) = (ManualClock(), MemorySink())
    let lines = await told {
      await clock.waiters(atLeast: 0)
      await sink.batches(atLeast: 0)
    }
    #expect(lines.isEmpty)
  }

  @Test func `one batch too many is told with how many there were`() async {
    let sink = MemorySink("analytics")
    let lines = await told { await sink.batches(atLeast: 2, fileID: "a/A.swift", line: 9) }
    #expect(
      lines == [
        "a/A.swift:9: The task was cancelled, which waited until the sink analytics had at least "
          + "2 batches. It had 0."
      ])
  }
}
