// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// That a test which waits for a count or a line too many ends with its task, and says so.
@Suite(.ends(withinMinutes: 2)) struct CountdownTests {
  /// What is told where a task is cancelled in a wait, and before it.
  private func told(_ wait: @escaping @Sendable () async -> Void) async -> [String] {
    let told = Log()
    let (begun, early) = (Flag(), Flag())
    let task = UnmetWait.$tell.withValue({ told.add($0) }) {
      Task {
        begun.raise()
        await wait()
      }
    }
    while !begun.isRaised, !Task.isCancelled { await Task.yield() }
    task.cancel()
    await task.value
    let late = UnmetWait.$tell.withValue({ told.add($0) }) {
      Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await wait()
        early.raise()
      }
    }
    await late.value
    #expect(early.isRaised)
    return told.lines
  }

  @Test func `what has not happened often enough is told`() async {
    let countdown = Countdown(3)
    countdown.count()
    let lines = await told { await countdown.reached(fileID: "a/A.swift", line: 3) }
    let words =
      "a/A.swift:3: The task was cancelled, which waited until it had happened 3 times. "
      + "It had happened 1 times."
    #expect(lines == [words, words])
    for _ in 0..<2 { countdown.count() }
    #expect(await told { await countdown.reached() }.isEmpty)
  }

  @Test func `what is deaf waits on, and tells nothing`() async {
    let countdown = Countdown(1)
    let (isCancelled, isDone) = (Flag(), Flag())
    let lines = Log()
    let task = UnmetWait.$tell.withValue({ lines.add($0) }) {
      Task {
        withUnsafeCurrentTask { $0?.cancel() }
        isCancelled.raise()
        await countdown.passed()
        isDone.raise()
      }
    }
    while !isCancelled.isRaised { await Task.yield() }
    #expect(!isDone.isRaised)
    countdown.count()
    await task.value
    #expect(isDone.isRaised && lines.lines.isEmpty)
  }

  @Test func `a line too many is told with the last ones`() async {
    let log = Log()
    let nothing = await told { await log.lines(atLeast: 1, fileID: "a/A.swift", line: 4) }
    #expect(
      nothing.last
        == "a/A.swift:4: The task was cancelled, which waited until there were at least 1 lines. "
        + "There were none.")
    for number in 1...6 { log.add("l\(number)") }
    let one = await told { await log.lines(atLeast: 7, fileID: "a/A.swift", line: 5) }
    #expect(
      one.last
        == "a/A.swift:5: The task was cancelled, which waited until there were at least 7 lines. "
        + "There were 6, the last ones: l2, l3, l4, l5, l6.")
    #expect(await told { await log.lines(atLeast: 6) }.isEmpty)
  }
}
