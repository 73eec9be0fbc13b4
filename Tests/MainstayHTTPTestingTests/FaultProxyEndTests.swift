// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTPTesting
import TestSupport
import Testing

/// Faults at the ends of a connection, what a proxy keeps, and that it leaves nothing behind.
@Suite(.ends(withinMinutes: 5)) struct FaultProxyEndTests {
  private static let request = "GET /a HTTP/1.1\r\n\r\n"

  @Test func `a connection may end as soon as it is there`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let proxy = try await FaultProxy(to: server.port) { .ended($0 == 0 ? .finish : .reset) }
    let caller = try await Caller(to: proxy.port)
    #expect(await caller.end() == .finished)
    // The reset may come before the connection is known to be there.
    if let second = try? await Caller(to: proxy.port) { #expect(await second.end() == .reset) }
    #expect(server.log.count == 0)
  }

  @Test func `a direction that stands still gives no more, and takes little`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200, streaming: .pattern(count: 100))
    }
    let proxy = try await FaultProxy(to: server.port) { number in
      .stall(number == 0 ? .response : .request, after: 10)
    }
    let first = try await Caller(to: proxy.port)
    try await first.say(Self.request)
    await first.hear(10)
    await server.log.first { $0 == .answered(connection: 0, "GET /a") }
    try await first.finish()
    #expect(await first.end() == .finished)
    #expect(proxy.traces.map(\.answered) == [10] && first.heard.count == 10)

    let second = try await Caller(to: proxy.port)
    let sending = Task { try await second.say([UInt8](repeating: 0x61, count: 32 << 20)) }
    await proxy.log.first { $0 == .asked(1) }
    try await exchange(20, on: server.port)
    proxy.shutDown()
    await #expect(throws: (any Error).self) { try await sending.value }
    #expect(proxy.traces[1].delivered == 10)
    // What the proxy keeps, and one read.
    #expect(proxy.traces[1].requested < 2 << 20)
  }

  /// Asks so often, one after the other, so that others get far.
  private func exchange(_ count: Int, on port: Int) async throws {
    for _ in 0..<count {
      let caller = try await Caller(to: port)
      try await caller.say("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
      _ = await caller.end()
    }
  }

  @Test(arguments: [(1, 1), (0, 0), (-1, 0)])
  func `one byte comes otherwise than it was sent`(index: Int, place: Int) async throws {
    let server = try await ScriptedHTTPServer { _, _ in .raw(Array("hello".utf8)) }
    let proxy = try await FaultProxy(to: server.port) { _ in .corruption(.response, at: index) }
    let caller = try await Caller(to: proxy.port)
    try await caller.say(Self.request)
    await caller.hear(5)
    var expected = Array("hello".utf8)
    expected[place] = ~expected[place]
    #expect(caller.heard == expected)
  }

  @Test func `what comes after half a connection has ended is read to its end`() async throws {
    let gate = Gate()
    let server = try await ScriptedHTTPServer(answersHalfClosed: true) { _, _ in
      await gate.opened()
      return .reply(400)
    }
    let proxy = try await FaultProxy(to: server.port) { _ in
      .halfClose(.request, after: Self.request.utf8.count)
    }
    let caller = try await Caller(to: proxy.port)
    // More than the systems of all three take.
    let rest = [UInt8](repeating: 0x61, count: 32 << 20)
    try await caller.say(Array(Self.request.utf8) + rest)
    try await caller.finish()
    await proxy.log.first { $0 == .left(0) }
    #expect(proxy.traces[0].requested == Self.request.utf8.count + rest.count)
    #expect(proxy.traces[0].delivered == Self.request.utf8.count)
    gate.open()
    #expect(await caller.end() == .finished)
    #expect(caller.text.hasPrefix("HTTP/1.1 400 "))
  }

  @Test func `a client may get bytes that nobody behind has said`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let proxy = try await FaultProxy(to: server.port) { _ in .garbage([1, 2, 3]) }
    let caller = try await Caller(to: proxy.port)
    try await caller.say(Self.request)
    #expect(await caller.end() == .finished)
    #expect(caller.heard == [1, 2, 3] && server.received.isEmpty)
  }

  @Test func `after a whole answer the end may be broken`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .raw([1, 2, 3]) }
    let proxy = try await FaultProxy(to: server.port) { _ in .brokenEnd }
    let caller = try await Caller(to: proxy.port)
    try await caller.say(Self.request)
    #expect(await caller.end() == .reset)
    #expect(proxy.traces.map(\.answered) == [3])
  }

  @Test func `a service that resets is a reset for the client`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reset }
    let proxy = try await FaultProxy(to: server.port) { _ in .none }
    let caller = try await Caller(to: proxy.port)
    try await caller.say(Self.request)
    #expect(await caller.end() == .reset)
  }

  @Test func `a slow client slows down the service, and loses nothing`() async throws {
    let size = 48 << 20
    let server = try await ScriptedHTTPServer { request, _ in
      request.path == "/a"
        ? .reply(200, streaming: .pattern(count: size), framing: .untilEnd) : .reply(200)
    }
    let proxy = try await FaultProxy(to: server.port) { _ in .none }
    let caller = try await Caller(to: proxy.port)
    try await caller.stopListening()
    try await caller.say(Self.request)
    await proxy.log.first { $0 == .answered(0) }
    try await exchange(20, on: server.port)
    // The systems of all three take something, but not all.
    #expect(!server.log.events.contains(.answered(connection: 0, "GET /a")))
    #expect(proxy.traces[0].answered < size)
    try await caller.listen()
    #expect(await caller.end() == .finished)
    var expected = (0..<251).map { UInt8($0) }
    while expected.count < size { expected += expected }
    #expect(Array(caller.heard.suffix(size)) == Array(expected.prefix(size)))
  }

  @Test func `nothing is left open after connections that broke anyhow`()
    async throws
  {
    let count = RandomDose.isTorture ? 10_000 : 300
    let server = try await ScriptedHTTPServer { _, _ in
      .reply(200, streaming: .pattern(count: 300))
    }
    let plan = FaultPlan(seed: 11, percent: 80)
    let proxy = try await FaultProxy(to: server.port, seed: 11) { number in
      // Waiting is not what this is about.
      switch plan.fault(number) {
      case .drip: .ended(.reset)
      case .refusal: .ended(.finish)
      case .blackHole: .stall(.response, after: 100)
      case let fault: fault
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        // So many at a time as a system lets be open by any default.
        if number >= 50 { await group.next() }
        group.addTask {
          guard let caller = try? await Caller(to: proxy.port) else { return }
          let head = "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 200\r\n\r\n"
          try? await caller.say(head + String(repeating: "a", count: 200))
          // Some leave at once, and some listen still.
          guard number.isMultiple(of: 2) else {
            try? await caller.close()
            return
          }
          try? await caller.finish()
          _ = await caller.end()
        }
      }
    }
    await proxy.log.first { _ in proxy.traces.count == count && proxy.openConnections == 0 }
    await server.log.first { _ in server.openConnections == 0 }
    #expect(proxy.traces.count == count)
    #expect(proxy.openConnections == 0 && server.openConnections == 0)
  }
}
