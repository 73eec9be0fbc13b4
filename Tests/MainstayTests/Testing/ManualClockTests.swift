// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A8")) struct ManualClockTests {
  @Test func `wakes whoever has slept long enough, the earliest first`() async throws {
    let clock = ManualClock()
    let log = Log()
    let tasks = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        log.add("\(seconds)")
      }
    }
    await clock.sleepers(atLeast: 3)
    #expect(clock.nextWakeUp == .seconds(1))
    clock.advance(by: .seconds(1))
    try await tasks[1].value
    #expect(log.lines == ["1"])
    clock.advance(by: .seconds(5))
    for task in tasks { try await task.value }
    #expect(clock.sleeperCount == 0 && clock.nextWakeUp == nil)
  }

  @Test func `a sleep that is over does not wait`() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(1))
    try await clock.sleep(for: .zero)
    try await clock.sleep(until: .init(offset: .seconds(-5)))
  }

  @Test func `a cancelled sleeper wakes at once, also before it sleeps`() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }
}
