// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2)) struct DegradationControllerTests {
  private let clock = ManualClock()

  private func controller() -> DegradationController {
    DegradationController(
      .standard, dwell: .seconds(5), riseDelay: .seconds(3), clock: clock)
  }

  @Test(.requirement("A26", "A27")) func `each change is told once, with why, down and up`()
    async throws
  {
    let controller = controller()
    var changes = controller.changes.makeAsyncIterator()
    controller.report(.network, isMet: false)
    controller.report(.network, isMet: false)
    #expect(controller.status.level == .offline)
    #expect(controller.status.reasons.map(\.id) == [.network])
    controller.report(.network, isMet: true)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    let told = [await changes.following(), await changes.following()].compactMap(\.self)
    #expect(told.map(\.from) == [.full, .offline] && told.map(\.to) == [.offline, .full])
    #expect(told.map(\.isFall) == [true, false])
    #expect(told[0].reasons.map(\.id) == [.network] && told[1].reasons.isEmpty)
    let german = Locale(identifier: "de")
    #expect(
      told.map { $0.notice.string(in: german) } == [
        "Es gibt keine Verbindung. Was ohne sie geht, können Sie nutzen.", "Alles geht wieder.",
      ])
    #expect(controller.status.level == .full && controller.status.reasons.isEmpty)
    controller.end()
  }

  @Test(.requirement("A27")) func `actions run one after the other, those of the old level first`()
    async throws
  {
    let controller = controller()
    let log = Log()
    controller.onLeave(.full) { _ in
      await Task.yield()
      log.add("leave full")
    }
    controller.onEnter(.offline) { change in log.add("enter \(change.to) from \(change.from)") }
    controller.onLeave(.offline) { _ in log.add("leave offline") }
    controller.onEnter(.full) { _ in log.add("enter full") }
    controller.report(.network, isMet: false)
    controller.report(.network, isMet: true)
    await log.lines(atLeast: 2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await log.lines(atLeast: 4)
    #expect(
      log.lines == ["leave full", "enter offline from full", "leave offline", "enter full"])
  }

  @Test(.requirement("A26", "A37")) func `each change is in the log once, and among the last`()
    async throws
  {
    let log = Log()
    let controller = DegradationController(.standard, clock: clock) {
      Date(timeIntervalSince1970: 1_700_000_000)
    }
    controller.log(to: log.logger { "\($0.level) \($0.message)\($0.pairs())" })
    controller.report([.network: false, .memory: false])
    controller.report(.memory, isMet: true)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await log.lines(atLeast: 2)
    #expect(
      log.lines == [
        "warning level.fell from=full reasons=memory network to=minimal",
        "info level.rose from=minimal reasons=network to=offline",
      ])
    #expect(controller.history.map(\.to) == [.minimal, .offline])
    let monitor = ErrorMonitor(sinks: [])
    let source = Diagnostics.Source(monitor, sections: [.levels(controller)], clock: clock)
    let document = await source.collect()
    guard case .object(let levels)? = document.sections["levels"]?.value,
      case .array(let changes)? = levels["changes"], case .object(let change)? = changes.first
    else {
      Issue.record("\(document.sections)")
      return
    }
    #expect(levels["level"] == .string("offline") && changes.count == 2)
    #expect(change["to"] == .string("minimal") && change["time"] != nil)
    #expect(change["reasons"] == .array([.string("memory"), .string("network")]))
    controller.end()
  }

  @Test func `the last changes are fifty`() {
    let controller = controller()
    for round in 0..<200 {
      controller.report(.network, isMet: !round.isMultiple(of: 2))
      clock.advance(by: .seconds(60))
      controller.report(.network, isMet: !round.isMultiple(of: 2))
    }
    #expect(controller.history.count == DegradationController.historyCapacity)
    controller.end()
  }

  @Test func `an action that never returns delays no change`() async {
    let controller = controller()
    let (held, release) = AsyncStream.makeStream(of: Void.self)
    controller.onEnter(.offline) { _ in for await _ in held { break } }
    controller.report(.network, isMet: false)
    controller.report(.memory, isMet: false)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    for await status in controller.updates where status.level == .minimal { break }
    #expect(controller.status.reasons.map(\.id) == [.memory, .network])
    release.yield()
  }

  @Test(.requirement("A12", "O13")) func `it follows the connection`() async {
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    let controller = controller()
    controller.follow(monitor)
    source.say(.offline)
    // A person is not told of what lasts for a moment.
    #expect(controller.status.level == .full)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    for await status in controller.updates where status.level == .offline { break }
    controller.end()
    monitor.shutDown()
  }

  @Test(.requirement("A12")) func `a monitor that is shut down leaves no network missing`() async {
    let source = ScriptedConnectivitySource()
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    let controller = controller()
    controller.follow(monitor)
    source.say(.offline)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    for await status in controller.updates where status.level == .offline { break }
    monitor.shutDown()
    let moving = Task { [clock] in
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    for await status in controller.updates where status.level == .full { break }
    moving.cancel()
    #expect(controller.status.reasons.isEmpty)
    controller.end()
  }

  @Test func `after the end nothing is told, and nothing is kept alive`() async {
    var controller: DegradationController? = controller()
    weak let kept = controller
    let changes = controller?.changes
    controller?.report(.network, isMet: false)
    controller = nil
    // Whoever was running the actions of the change lets go of it soon.
    while kept != nil, !Task.isCancelled { await Task.yield() }
    var count = 0
    if let changes { for await _ in changes { count += 1 } }
    #expect(count == 1)
  }

  @Test(arguments: [(Duration.zero, Duration.zero), (.seconds(1), .seconds(-1))])
  func `settings that are not legal stop the program`(dwell: Duration, rise: Duration) async {
    await #expect(processExitsWith: .failure) { [dwell, rise] in
      _ = DegradationController(.standard, dwell: dwell, riseDelay: rise)
    }
  }
}
