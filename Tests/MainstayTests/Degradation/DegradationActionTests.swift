// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What is done at changes of level, whenever somebody says what that is.
@Suite(.ends(withinMinutes: 2)) struct DegradationActionTests {
  private let clock = ManualClock()
  private let log = Log()

  private func controller() -> DegradationController {
    DegradationController(.standard, dwell: .seconds(5), riseDelay: .seconds(3), clock: clock)
  }

  @Test func `an action for a level that has begun already runs for it, once`() async {
    let controller = controller()
    controller.onEnter(.offline) { [log] _ in log.add("first") }
    controller.report(.network, isMet: false)
    await log.lines(atLeast: 1)
    controller.onEnter(.offline) { [log] change in log.add("late from \(change.from)") }
    controller.onEnter(.minimal) { [log] _ in log.add("not yet") }
    controller.onEnter(.full) { [log] _ in log.add("full") }
    await log.lines(atLeast: 2)
    controller.report(.network, isMet: true)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await log.lines(atLeast: 3)
    #expect(log.lines == ["first", "late from full", "full"])
    controller.end()
  }

  @Test func `it does not run for a level that has ended meanwhile`() async {
    let controller = controller()
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    let entered = Log()
    var changes = controller.changes.makeAsyncIterator()
    controller.onEnter(.offline) { _ in
      entered.add("entered")
      for await _ in held { break }
    }
    controller.report(.network, isMet: false)
    await entered.lines(atLeast: 1)
    controller.report(.memory, isMet: false)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    #expect(await changes.next()?.to == .offline)
    #expect(await changes.next()?.to == .minimal)
    // The change away is on its way already, so this is too late.
    controller.onEnter(.offline) { [log] _ in log.add("paused for nothing") }
    controller.onEnter(.minimal) { [log] _ in log.add("minimal") }
    release.yield()
    await log.lines(atLeast: 1)
    controller.onEnter(.minimal) { [log] _ in log.add("all before has had its turn") }
    await log.lines(atLeast: 2)
    #expect(log.lines == ["minimal", "all before has had its turn"])
    controller.end()
  }
}
