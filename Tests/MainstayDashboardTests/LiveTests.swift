// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// What pages that are open are told, and what that costs.
@Suite(.ends(withinMinutes: 3)) struct LiveTests {
  @Test func `an open page is told which parts have changed`() async throws {
    let clock = ManualClock()
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox, clock: clock)) { client in
      let socket = try Socket(port: try #require(client.port))
      await clock.sleepers(atLeast: 3)
      try socket.get("/mainstay/events")
      let head = try await socket.read(until: "retry: 3000\n\n")
      #expect(head.hasPrefix("HTTP/1.1 200"))
      #expect(head.lowercased().contains("content-type: text/event-stream"))
      #expect(head.lowercased().contains("cache-control: no-store"))
      let id = try #require(try await outbox.deadLetters().first).id
      try await outbox.discard(id)
      clock.advance(by: .seconds(5))
      let news = try await socket.read(until: "}\n\n")
      #expect(news.hasSuffix(#"data: {"parts":["outboxes"]}"# + "\n\n"))
    }
    await outbox.shutDown()
  }

  @Test func `a stream on which nothing happens says that it is there`() async throws {
    let clock = ManualClock()
    var dashboard = Dashboard(
      logger: Log().logger(), clock: clock)
    dashboard.sampleInterval = .seconds(3_600)
    try await serve(dashboard) { client in
      let socket = try Socket(port: try #require(client.port))
      await clock.sleepers(atLeast: 2)
      try socket.get("/mainstay/events")
      _ = try await socket.read(until: "retry: 3000\n\n")
      clock.advance(by: .seconds(15))
      #expect(try await socket.read(until: ": here\n\n").hasSuffix(": here\n\n"))
    }
  }

  @Test func `however many listen, everything is looked at once`() async throws {
    let clock = ManualClock()
    let store = CountingStore(InMemoryStore())
    let outbox = try await Outbox(store: store) {}
    let live = Live(Dashboard(outbox, clock: clock))
    let listeners = (0..<200).compactMap { _ in live.listener() }
    #expect(listeners.count == 200)
    let before = store.count("tally")
    await live.sample()
    #expect(store.count("tally") == before + 1)
    live.end()
    await outbox.shutDown()
  }

  @Test func `however many pages are loaded, nothing is counted for them`() async throws {
    let clock = ManualClock()
    let store = CountingStore(InMemoryStore(), letters: 3)
    let outbox = try await Outbox(store: store) {}
    try await serve(Dashboard(outbox, clock: clock)) { client in
      // Two look, and one says that it is there.
      await clock.sleepers(atLeast: 3)
      store.forget()
      let visitor = try await Visitor(client)
      for path in ["", "/outboxes/orders", "/outboxes/orders/dead"] {
        for _ in 0..<10 {
          let page = try await visitor.get("/mainstay\(path)")
          #expect(page.status == .ok)
        }
      }
      #expect(store.count("tally") == 0)
      clock.advance(by: .seconds(5))
      await clock.sleepers(atLeast: 3)
      #expect(store.count("tally") == 1)
    }
    await outbox.shutDown()
  }

  @Test func `whoever has decided on letters sees the numbers that this left`() async throws {
    let clock = ManualClock()
    let outbox = try await brokenOutbox(["a", "b"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    try await serve(Dashboard(outbox, clock: clock)) { client in
      await clock.sleepers(atLeast: 3)
      let visitor = try await Visitor(client)
      #expect(visitor.page.contains("2 operations were given up."))
      let done = try await visitor.post(
        "/mainstay/outboxes/orders/dead/discard", [("id", id), ("confirmed", "yes")])
      let page = try await visitor.get(try #require(done.headers[.location])).text
      #expect(page.contains("1 operation was given up."))
    }
    await outbox.shutDown()
  }

  @Test func `an open page is told of counts, reasons and evidence, though the state is the same`()
    async throws
  {
    let (tally, levels) = (PolicyTally(), DegradationController(.standard))
    let clock = ManualClock()
    let breaker = CircuitBreaker("catalog", clock: clock, observer: tally)
    let monitor = ConnectivityMonitor(
      source: ScriptedConnectivitySource(.online), clock: clock,
      date: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.offset / .seconds(1)) })
    var dashboard = Dashboard()
    (dashboard.breakers, dashboard.tally) = ([breaker], tally)
    (dashboard.levels, dashboard.connectivity) = (levels, monitor)
    for await state in monitor.updates where state.standing == .online { break }
    breaker.open()
    levels.report(.memory, isMet: false)
    let live = Live(dashboard)
    // As much evidence as is kept.
    for _ in 0..<300 { monitor.record(.delivered) }
    await live.sample()
    let listener = try #require(live.listener())
    await live.sample()
    #expect(listener.take()?.parts == [])
    await #expect(throws: Rejection.self) { try await breaker.run {} }
    await live.sample()
    #expect(listener.take()?.parts == .circuits)
    levels.report(.processor, isMet: false)
    await live.sample()
    #expect(listener.take()?.parts == .levels)
    clock.advance(by: .seconds(1))
    monitor.record(.delivered)
    await live.sample()
    #expect(listener.take()?.parts == .connection)
    live.end()
  }

  @Test func `every page that is told of anything is brought up to date now and then`()
    async throws
  {
    let clock = ManualClock()
    var dashboard = Dashboard(logger: Log().logger(), clock: clock)
    let breaker = CircuitBreaker("catalog")
    dashboard.breakers = [breaker]
    try await serve(dashboard) { client in
      let page = try await Visitor(client, at: "/mainstay/circuits").page
      #expect(page.contains(#"data-parts="circuits plots""#))
      #expect(page.contains(#"<p id="lead" class="lead" data-live><bdi>An open circuit"#))
      let socket = try Socket(port: try #require(client.port))
      await clock.sleepers(atLeast: 2)
      try socket.get("/mainstay/events")
      _ = try await socket.read(until: "retry: 3000\n\n")
      // In steps with news: no write may seem to take 30 seconds.
      let isolation = breaker.isolate()
      clock.advance(by: .seconds(25))
      #expect(try await socket.read(until: "}\n\n").contains(#"{"parts":["circuits"]}"#))
      isolation.end()
      clock.advance(by: .seconds(25))
      #expect(try await socket.read(until: "}\n\n").contains(#"{"parts":["circuits"]}"#))
      clock.advance(by: .seconds(10))
      #expect(try await socket.read(until: "}\n\n").contains(#"{"parts":["plots"]}"#))
    }
  }

  @Test func `a slow page finds its news put together`() async throws {
    let monitor = ErrorMonitor()
    let outbox = try await Outbox(store: InMemoryStore()) {}
    await outbox.pause()
    var dashboard = Dashboard(outbox)
    dashboard.errors = monitor
    let live = Live(dashboard)
    await live.sample()
    let listener = try #require(live.listener())
    for number in 0..<1_000 {
      monitor.capture(AppError.Network.offline, during: "Load")
      if number == 0 { try await outbox.enqueue(Order(text: "a")) }
      await live.sample()
    }
    var bell = listener.bell.makeAsyncIterator()
    _ = await bell.next()
    #expect(listener.take()?.parts == [.outboxes, .errors])
    #expect(listener.take()?.parts == [])
    live.end()
    #expect(await bell.next() == nil)
    await outbox.shutDown()
  }

  @Test func `more pages than may listen are refused, until one leaves`() async throws {
    let (log, clock) = (Log(), ManualClock())
    var dashboard = Dashboard(
      logger: log.logger(), clock: clock)
    dashboard.maximumStreams = 2
    let live = Live(dashboard)
    var listeners = [live.listener(), live.listener()].compactMap(\.self)
    #expect(live.listener() == nil)
    listeners.removeLast()
    #expect(live.count == 1)
    #expect(live.listener() != nil)
    try await serve(dashboard) { client in
      let port = try #require(client.port)
      var open: [Socket] = []
      for _ in 0..<2 {
        let socket = try Socket(port: port)
        try socket.get("/mainstay/events")
        _ = try await socket.read(until: "retry: 3000\n\n")
        open.append(socket)
      }
      #expect(open.count == 2)
      let refused = try await Visitor(client, at: "/mainstay").get("/mainstay/events")
      #expect(refused.status == .serviceUnavailable)
      #expect(refused.headers[.retryAfter] == "30")
      #expect(try await Visitor(client, at: "/mainstay").get("/mainstay").status == .ok)
    }
    #expect(log.lines.contains { $0.contains("refusal=tooManyStreams") })
  }

  @Test func `streams end when the server is asked to stop`() async throws {
    let router = Router(context: LiveContext.self)
    Dashboard().mount(on: router)
    let socket = try await Application(router: router).live { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.get("/mainstay/events")
      _ = try await socket.read(until: "retry: 3000\n\n")
      return socket
    }
    // The server has stopped, which it would not have while the stream was open.
    #expect(try await socket.readAll().contains("0\r\n\r\n"))
  }

  /// The full dose is a thousand, and nine thousand more; so many open files are too many while
  /// other tests start programs.
  @Test func `a thousand streams take less than 100 MB, and ten thousand are not had`()
    async throws
  {
    let child = try await BuiltProgram("DashboardChild", ["0"])
    let before = try await child.memory
    let count = RandomDose.isTorture ? 1_000 : 200
    var sockets: [Socket] = []
    for _ in 0..<count {
      let socket = try Socket(port: child.port)
      try socket.get("/mainstay/events")
      let head = try await socket.read(until: "retry: 3000\n\n")
      guard head.hasPrefix("HTTP/1.1 200") else {
        Issue.record("\(head)")
        break
      }
      sockets.append(socket)
    }
    #expect(sockets.count == count)
    let grown = try await child.memory - before
    #expect(grown < count * 100, "\(grown) kB for \(count) streams")
    for _ in 0..<(RandomDose.isTorture ? 9_000 : 0) {
      let socket = try Socket(port: child.port)
      try socket.get("/mainstay/events")
      let line = try await socket.read(until: "\r\n")
      guard line.hasPrefix("HTTP/1.1 503") else {
        Issue.record("\(line)")
        break
      }
    }
    _ = await child.stop(SIGTERM)
    withExtendedLifetime(sockets) {}
  }
}
