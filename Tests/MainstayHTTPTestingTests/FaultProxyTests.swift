// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTPTesting
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// That the proxy does to a connection what it is told to, and nothing else.
@Suite(.ends(withinMinutes: 2)) struct FaultProxyTests {
  private static let body = Data(repeating: 0x61, count: 2_000)
  private static let request =
    "POST /a HTTP/1.1\r\nContent-Length: 500\r\n\r\n"
    + String(repeating: "b", count: 500)

  /// A service that answers each request with 2,000 bytes, and a proxy before it.
  private func proxy(
    _ plan: @escaping @Sendable (Int) -> Fault
  ) async throws -> (server: ScriptedHTTPServer, proxy: FaultProxy) {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200, body: Self.body) }
    return (server, try await FaultProxy(to: server.port, plan))
  }

  /// How many bytes an answer has with its head.
  private var answer: Int {
    "HTTP/1.1 200 Scripted\r\nContent-Length: 2000\r\n\r\n".utf8.count + Self.body.count
  }

  private func exchange(through fault: Fault) async throws -> Duration {
    let (server, proxy) = try await proxy { _ in fault }
    let start = ContinuousClock.now
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await talk.hear(answer)
    let took = start.duration(to: .now)
    #expect(talk.heard.count == answer)
    #expect(server.received.map(\.body.count) == [500])
    #expect(proxy.traces.map(\.delivered) == [Self.request.utf8.count])
    #expect(proxy.traces.map(\.answered) == [answer])
    return took
  }

  @Test func `without a fault everything arrives as it was sent`() async throws {
    let server = try await ScriptedHTTPServer { request, _ in .reply(200, body: request.body) }
    let proxy = try await FaultProxy(to: server.port) { _ in .none }
    let body = String(repeating: "0123456789", count: 50_000)
    let talk = try await Caller(to: proxy.port)
    let head = "HTTP/1.1 200 Scripted\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    for number in 1...3 {
      try await talk.say("POST / HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      await talk.hear((head.utf8.count + body.utf8.count) * number)
    }
    #expect(server.received.map { String(decoding: $0.body, as: UTF8.self) } == [body, body, body])
    try await talk.finish()
    #expect(await talk.end() == .finished)
    #expect(proxy.traces.count == 1)
    await proxy.log.first { $0 == .ended(0) }
    #expect(talk.text == String(repeating: head + body, count: 3))
  }

  /// Whether a connection is reset, at once or once it is there.
  private func isReset(_ proxy: FaultProxy) async -> Bool {
    do {
      return try await Caller(to: proxy.port).end() == .reset
    } catch {
      let failures = (error as? NIOConnectionError)?.connectionErrors ?? []
      return failures.map { ($0.error as? IOError)?.errnoCode } == [ECONNRESET]
    }
  }

  @Test func `who is refused is refused by the system, until the time is over`() async throws {
    let (server, proxy) = try await proxy { $0 == 0 ? .refusal(for: .seconds(3_600)) : .none }
    #expect(await isReset(proxy))
    #expect(await refusal(proxy) == [ECONNREFUSED])
    try await proxy.accept()
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await talk.hear(answer)
    #expect(talk.heard.count == answer)
    withExtendedLifetime(server) {}
  }

  /// Why there is no connection; nil where there is one.
  private func refusal(_ proxy: FaultProxy) async -> [Int32?]? {
    do {
      _ = try await Caller(to: proxy.port)
      return nil
    } catch {
      let failures = (error as? NIOConnectionError)?.connectionErrors ?? []
      return failures.map { ($0.error as? IOError)?.errnoCode }
    }
  }

  @Test func `who comes again as soon as it was reset is refused`() async throws {
    for _ in 0..<50 {
      let (server, proxy) = try await proxy { $0 == 0 ? .refusal(for: .seconds(3_600)) : .none }
      #expect(await isReset(proxy))
      #expect(await refusal(proxy) == [ECONNREFUSED])
      #expect(proxy.traces.count == 1)
      withExtendedLifetime(server) {}
    }
  }

  @Test func `a port that is about to be closed can be opened again`() async throws {
    let (server, proxy) = try await proxy { _ in .none }
    for _ in 0..<50 {
      // Either may be the first: whichever it is, nobody is told that the port is in use.
      async let refused: Void = proxy.refuse()
      try await proxy.accept()
      await refused
      try await proxy.accept()
    }
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await talk.hear(answer)
    #expect(talk.heard.count == answer)
    withExtendedLifetime(server) {}
  }

  @Test func `an outage by hand outlasts a refusal that ends by itself`() async throws {
    let span = Duration.milliseconds(50)
    let (server, proxy) = try await proxy { $0 == 0 ? .refusal(for: span) : .none }
    let (other, later) = try await self.proxy { $0 == 0 ? .refusal(for: span) : .none }
    _ = try? await Caller(to: proxy.port)
    await proxy.log.first { $0 == .began(0) }
    await proxy.refuse()
    // What was refused for as long, and after it, is over.
    _ = try? await Caller(to: later.port)
    await later.log.first { $0 == .began(0) }
    while later.traces.count < 2, !Task.isCancelled { _ = try? await Caller(to: later.port) }
    for _ in 0..<20 {
      await #expect(throws: (any Error).self) { try await Caller(to: proxy.port) }
    }
    #expect(proxy.traces.count == 1)
    try await proxy.accept()
    let caller = try await Caller(to: proxy.port)
    await proxy.log.first { $0 == .began(1) }
    _ = (caller, server, other)
  }

  @Test func `a refusal ends by itself`() async throws {
    let (server, proxy) = try await proxy { $0 == 0 ? .refusal(for: .milliseconds(20)) : .none }
    #expect(await isReset(proxy))
    var received = 0
    while received < answer, !Task.isCancelled {
      guard let talk = try? await Caller(to: proxy.port) else { continue }
      try? await talk.say(Self.request)
      await talk.hear(answer)
      received = talk.heard.count
    }
    #expect(received == answer)
    withExtendedLifetime(server) {}
  }

  @Test func `a black hole reads, and nobody is behind it`() async throws {
    let (server, proxy) = try await proxy { _ in .blackHole }
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await proxy.log.events(atLeast: 2)
    try await talk.close()
    await proxy.log.events(atLeast: 4)
    #expect(proxy.log.events.prefix(4) == [.began(0), .asked(0), .left(0), .ended(0)])
    #expect(talk.heard.count == 0 && server.received.isEmpty)
    #expect(proxy.traces.map(\.requested) == [Self.request.utf8.count])
  }

  @Test func `what is delayed comes later, in both directions`() async throws {
    let took = try await exchange(through: .delay(.milliseconds(60), jitter: .milliseconds(20)))
    #expect(took >= .milliseconds(120))
  }

  @Test func `what drips comes in pieces, with time between them`() async throws {
    let took = try await exchange(through: .drip(bytes: 100, every: .milliseconds(5)))
    #expect(took >= .milliseconds(5 * ((answer - 1) / 100 + (Self.request.utf8.count - 1) / 100)))
  }

  @Test func `no more than the throughput comes in a second`() async throws {
    let took = try await exchange(through: .throughput(bytesPerSecond: 20_000))
    #expect(took >= .milliseconds(100))
  }

  @Test(arguments: [Fault.Ending.finish, .reset], [0, 1, 100])
  func `a request is cut after so many bytes`(ending: Fault.Ending, count: Int) async throws {
    let (server, proxy) = try await proxy { _ in .cut(.request, after: count, by: ending) }
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    let end = await talk.end()
    #expect(ending == .finish || end == .reset)
    #expect(proxy.traces.map(\.delivered) == [count])
    #expect(talk.heard.count == 0 && server.received.isEmpty)
  }

  @Test(arguments: [0, 1, 1_000])
  func `an answer is cut after so many bytes`(count: Int) async throws {
    let (server, proxy) = try await proxy { number in
      .cut(.response, after: count, by: number == 0 ? .finish : .reset)
    }
    for end in [Caller.Heard.finished, .reset] {
      let talk = try await Caller(to: proxy.port)
      try await talk.say(Self.request)
      #expect(await talk.end() == end)
      // What was on its way may go with a reset.
      #expect(talk.heard.count == count || end == .reset && talk.heard.count < count)
    }
    #expect(proxy.traces.map(\.answered) == [count, count])
    #expect(server.received.count == 2)
  }

  @Test func `half a connection ends, and the other half goes on`() async throws {
    let (server, proxy) = try await proxy { number in
      .halfClose(number == 0 ? .response : .request, after: 100)
    }
    let first = try await Caller(to: proxy.port)
    try await first.say(Self.request)
    #expect(await first.end() == .finished)
    #expect(first.heard.count == 100)
    try await first.say(Self.request)
    await server.answered(2)

    // The service closes what ends in the middle of a request.
    let second = try await Caller(to: proxy.port)
    try await second.say(Self.request)
    #expect(await second.end() == .finished)
    #expect(proxy.traces.map(\.delivered) == [2 * Self.request.utf8.count, 100])
    #expect(server.received.count == 2)
  }

  @Test(arguments: [Fault.Ending.finish, .reset, nil])
  func `a swallowed answer was given`(ending: Fault.Ending?) async throws {
    let (server, proxy) = try await proxy { _ in .swallowedAnswer(then: ending) }
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await server.answered(1)
    if let ending {
      #expect(await talk.end() == (ending == .finish ? .finished : .reset))
    } else {
      try await talk.close()
      await proxy.log.events(atLeast: 4)
      #expect(proxy.log.events.prefix(4) == [.began(0), .asked(0), .left(0), .ended(0)])
    }
    #expect(talk.heard.count == 0 && proxy.traces.map(\.answered) == [0])
    #expect(server.received.count == 1)
  }

  @Test func `a late answer is sent once the client has stopped to wait`() async throws {
    let (server, proxy) = try await proxy { _ in .lateAnswer }
    let talk = try await Caller(to: proxy.port)
    try await talk.say(Self.request)
    await server.answered(1)
    try await talk.finish()
    await talk.hear(answer)
    #expect(talk.heard.count == answer)
    #expect(proxy.log.events.prefix(4) == [.began(0), .asked(0), .left(0), .answered(0)])
  }

  @Test func `a plan is the same for the same seed, and has every fault`() {
    let plan = FaultPlan(seed: 7, percent: 100)
    let faults = (0..<2_000).map(plan.fault)
    #expect(faults == (0..<2_000).map(FaultPlan(seed: 7, percent: 100).fault))
    #expect(faults != (0..<2_000).map(FaultPlan(seed: 8, percent: 100).fault))
    let names = Set(faults.map { String(describing: $0).prefix { $0 != "(" }.description })
    #expect(
      names == [
        "refusal", "blackHole", "delay", "drip", "throughput", "cut", "halfClose",
        "swallowedAnswer", "lateAnswer",
      ])
    let some = (0..<2_000).count { FaultPlan(seed: 7, percent: 30).fault($0) != .none }
    #expect((500...700).contains(some))
  }
}

extension ScriptedHTTPServer {
  /// Returns once so many requests were answered.
  fileprivate func answered(_ count: Int) async {
    var left = count
    await log.first { event in
      if case .answered = event { left -= 1 }
      return left == 0
    }
  }
}
