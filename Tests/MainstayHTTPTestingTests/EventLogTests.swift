// SPDX-License-Identifier: Apache-2.0

import MainstayHTTPTesting
import MainstayTesting
import TestSupport
import Testing

/// That a test which waits for what does not come ends with its task, and says what it waited for.
@Suite(.ends(withinMinutes: 2)) struct EventLogTests {
  /// What is told where a task is cancelled in a wait.
  private func told(_ wait: @escaping @Sendable () async -> Void) async -> [String] {
    let told = Log()
    let task = UnmetWait.$tell.withValue({ told.add($0) }) { Task { await wait() } }
    task.cancel()
    await task.value
    return told.lines
  }

  @Test func `one event too many is told with what happened last`() async {
    let log = EventLog<String>(keeping: 10)
    let nothing = await told { await log.events(atLeast: 1, fileID: "a/A.swift", line: 3) }
    #expect(
      nothing == [
        "a/A.swift:3: The task was cancelled, which waited until there were at least 1 events. "
          + "There were none."
      ])
    for number in 1...7 { log.add("e\(number)") }
    let one = await told { await log.first(where: { $0 == "e8" }, fileID: "a/A.swift", line: 4) }
    #expect(
      one == [
        "a/A.swift:4: The task was cancelled, which waited until the event came that was meant. "
          + "There were 7, the last ones: e3, e4, e5, e6, e7."
      ])
  }

  @Test func `what has come, and a gate that stays closed, are not told`() async {
    let (log, gate) = (EventLog<String>(keeping: 10), Gate())
    log.add("e1")
    let lines = await told {
      await log.events(atLeast: 1)
      await log.first { $0 == "e1" }
      // A script waits for it, and is cancelled whenever its client leaves.
      await gate.opened()
    }
    #expect(lines.isEmpty)
  }
}
