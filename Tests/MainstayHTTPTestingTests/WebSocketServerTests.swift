// SPDX-License-Identifier: Apache-2.0

import MainstayHTTPTesting
import TestSupport
import Testing

/// That a WebSocket server does what its script says, byte for byte, and nothing else.
@Suite(.ends(withinMinutes: 2)) struct WebSocketServerTests {
  /// The request of RFC 6455 section 1.3, and what agrees to it.
  private static let request =
    "GET /chat?room=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  private static let agreement = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  private typealias Event = WebSocketServer.Event

  /// A client that has its WebSocket, and has heard so many bytes of frames.
  private func caller(
    _ server: WebSocketServer, hearing count: Int, trusting authority: CertificateAuthority? = nil
  ) async throws -> (caller: Caller, frames: [UInt8]) {
    let caller = try await Caller(to: server.port, trusting: authority)
    try await caller.say(Self.request)
    let head = await caller.hear("\r\n\r\n")
    #expect(head.contains(Self.agreement), "\(head)")
    return (caller, await frames(caller, count))
  }

  /// So many bytes of frames, or all where the connection ends.
  private func frames(_ caller: Caller, _ count: Int) async -> [UInt8] {
    let head =
      4
      + (caller.text.firstRange(of: "\r\n\r\n").map {
        caller.text[..<$0.lowerBound].utf8.count
      } ?? 0)
    await caller.hear(head + count)
    return Array(caller.heard.dropFirst(head))
  }

  /// A short frame of a client, masked as it must be.
  private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    return [first, 0x80 | UInt8(payload.count)] + mask
      + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  @Test func `text, bytes and pings go both ways, and fragments are joined`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages { await connection.send(message) }
    }
    let (caller, _) = try await caller(server, hearing: 0)
    try await caller.say(frame(0x81, Array("ab".utf8)))
    #expect(await frames(caller, 4) == [0x81, 2, 0x61, 0x62])
    try await caller.say(frame(0x01, Array("c".utf8)) + frame(0x89, [7]))
    #expect(await frames(caller, 7).suffix(3) == [0x8a, 1, 7])
    try await caller.say(frame(0x80, Array("d".utf8)) + frame(0x82, [0xff]))
    #expect(await frames(caller, 14).suffix(7) == [0x81, 2, 0x63, 0x64, 0x82, 1, 0xff])
    try await caller.say(frame(0x88, [3, 0xe9, 0x62]))
    #expect(await frames(caller, 18).suffix(4) == [0x88, 2, 3, 0xe9])
    #expect(await caller.end() == .finished)
    await server.log.first { $0 == .ended(connection: 0) }
    #expect(
      server.log.events == [
        .opened(connection: 0), .received(connection: 0, .text("ab")),
        .pinged(connection: 0, [7]), .received(connection: 0, .text("cd")),
        .received(connection: 0, .binary([0xff])),
        .closed(connection: 0, code: 1001, reason: "b"), .ended(connection: 0),
      ])
  }

  @Test func `the script knows the request, and its subprotocol is agreed to`() async throws {
    let server = try await WebSocketServer(receive: { request in
      request["SEC-websocket-version"] == "13" ? .accept(subprotocol: "echo") : .hangUp
    }) { connection in
      let query = connection.request.query ?? ""
      await connection.send("\(connection.request.path) \(query) \(connection.number)")
      await connection.ended()
    }
    for number in 0..<2 {
      let (caller, frames) = try await caller(server, hearing: 16)
      #expect(frames == [0x81, 14] + Array("/chat room=1 \(number)".utf8))
      #expect(caller.text.contains("Sec-WebSocket-Protocol: echo\r\n"))
    }
  }

  @Test func `what is sent may be as wrong as a test wants it`() async throws {
    let server = try await WebSocketServer { connection in
      await connection.send("abc", inFragmentsOf: 2)
      await connection.send(frame: .init(opcode: 3, [1], reservedBits: 7, declaredLength: 200))
      await connection.send(frame: .init(opcode: 2, [1, 2], mask: [1, 1, 1, 1]))
      await connection.send(raw: [9, 9])
      await connection.ping([5])
      await connection.close(code: 999, reason: String(repeating: "a", count: 130))
    }
    let (_, frames) = try await caller(server, hearing: 7 + 5 + 8 + 2 + 3 + 136)
    #expect(frames.prefix(7) == [0x01, 2, 0x61, 0x62, 0x80, 1, 0x63])
    #expect(frames.dropFirst(7).prefix(5) == [0xf3, 126, 0, 200, 1])
    #expect(frames.dropFirst(12).prefix(8) == [0x82, 0x82, 1, 1, 1, 1, 0, 3])
    #expect(frames.dropFirst(20).prefix(5) == [9, 9, 0x89, 1, 5])
    #expect(frames.dropFirst(25).prefix(6) == [0x88, 126, 0, 132, 3, 0xe7])
  }

  @Test func `long frames have long lengths`() async throws {
    let server = try await WebSocketServer { connection in
      await connection.send([UInt8](repeating: 1, count: 70_000))
      await connection.ended()
    }
    let (_, frames) = try await caller(server, hearing: 70_010)
    #expect(frames.prefix(10) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70])
    #expect(frames.count == 70_010)
  }

  @Test func `a connection ends by a frame, properly, halfway or by a reset`() async throws {
    let server = try await WebSocketServer { connection in
      switch connection.number {
      case 0: break
      case 1: await connection.hangUp()
      case 2: await connection.reset()
      default:
        await connection.finish()
        for await message in connection.messages where message == .text("bye") {
          await connection.reset()
        }
      }
    }
    let (first, frames) = try await caller(server, hearing: 4)
    #expect(frames == [0x88, 2, 3, 0xe8])
    try await first.say(frame(0x88, [3, 0xe8]))
    #expect(await first.end() == .finished)
    let (second, _) = try await caller(server, hearing: 0)
    #expect(await second.end() == .finished)
    let third = try await Caller(to: server.port)
    try await third.say(Self.request)
    #expect(await third.end() == .reset)
    let (fourth, _) = try await caller(server, hearing: 0)
    #expect(await fourth.end() == .finished)
    try await fourth.say(frame(0x81, Array("bye".utf8)))
    await server.log.first { $0 == .ended(connection: 3) }
    #expect(server.log.events.contains(.received(connection: 3, .text("bye"))))
  }

  @Test func `pings and closing may stay without an answer`() async throws {
    let server = try await WebSocketServer { connection in
      connection.ignorePings()
      connection.ignoreClose()
      await connection.send(raw: [1])
      for await _ in connection.messages {}
      await connection.send("still here")
      await connection.ended()
    }
    let (caller, _) = try await caller(server, hearing: 1)
    try await caller.say(frame(0x89, [1]) + frame(0x8a, [2]) + frame(0x88, []))
    #expect(await frames(caller, 13) == [1, 0x81, 10] + Array("still here".utf8))
    let events: [Event] = [
      .opened(connection: 0), .pinged(connection: 0, [1]), .ponged(connection: 0, [2]),
      .closed(connection: 0, code: nil, reason: ""),
    ]
    #expect(server.log.events == events)
  }

  @Test func `a closing without an answer has none as the script ends either`() async throws {
    let scriptEnded = Countdown(1)
    let server = try await WebSocketServer { connection in
      connection.ignoreClose()
      await connection.send(raw: [1])
      for await _ in connection.messages {}
      scriptEnded.count()
    }
    let (caller, _) = try await caller(server, hearing: 1)
    try await caller.say(frame(0x88, [3, 0xe8]))
    await scriptEnded.reached()
    // As often as a close frame needs to overtake one of them.
    var expected: [UInt8] = [1]
    for _ in 0..<50 {
      try await caller.say(frame(0x89, []))
      expected += [0x8a, 0]
      #expect(await frames(caller, expected.count) == expected)
    }
    #expect(server.openConnections == 1)
  }

  @Test func `what a client does wrong is in the log`() async throws {
    let server = try await WebSocketServer { await $0.ended() }
    let (caller, _) = try await caller(server, hearing: 0)
    try await caller.say([0x81, 1, 0x61] + frame(0x80, [1]) + frame(0x81, [0xff]))
    try await caller.say(frame(0xc1, [0x61]) + frame(0x09, []))
    #expect(await caller.end() == .finished)
    await server.log.first { $0 == .ended(connection: 0) }
    let wrong = server.log.events.compactMap { event -> String? in
      if case .violated(_, let what) = event { what } else { nil }
    }
    #expect(
      wrong.prefix(4) == [
        "a frame is not masked", "nothing goes on that has begun", "a text is no UTF-8",
        "a reserved bit is set",
      ])
    #expect(wrong.count == 5)
  }

  @Test func `a client may get something else than a WebSocket`() async throws {
    let server = try await WebSocketServer(receive: { request in
      switch request.connection {
      case 0: .refuse(status: 401, headers: [(name: "WWW-Authenticate", value: "Bearer")])
      case 1: .unavailable(retryAfter: 7)
      case 2: .portal
      case 3: .refuse(status: 101, headers: [(name: "Sec-WebSocket-Accept", value: "no")])
      case 4: .hangUp
      case 5: .reset
      default: .silence
      }
    }) { _ in Issue.record("nobody is served") }
    let answers = [
      "HTTP/1.1 401 Scripted\r\nWWW-Authenticate: Bearer\r\n", "Retry-After: 7\r\n", "<form",
      "HTTP/1.1 101 Scripted\r\nSec-WebSocket-Accept: no\r\n\r\n",
    ]
    for (number, answer) in answers.enumerated() {
      let caller = try await Caller(to: server.port)
      try await caller.say(Self.request)
      let heard = await caller.hear(answer)
      #expect(heard.contains(answer), "\(number): \(heard)")
      if number != 3 { #expect(await caller.end() == .finished) }
    }
    for end in [Caller.Heard.finished, .reset] {
      let caller = try await Caller(to: server.port)
      try await caller.say(Self.request)
      #expect(await caller.end() == end)
    }
    let last = try await Caller(to: server.port)
    try await last.say(Self.request)
    await server.log.first { $0 == .refused(connection: 6) }
    #expect(last.heard.isEmpty)
    let plain = try await Caller(to: server.port)
    try await plain.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await server.log.first { $0 == .refused(connection: 7) }
  }

  @Test func `a plain request is told that a WebSocket is needed`() async throws {
    let server = try await WebSocketServer { _ in Issue.record("nobody is served") }
    let caller = try await Caller(to: server.port)
    try await caller.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(await caller.hear("\r\n\r\n").hasPrefix("HTTP/1.1 426 "))
  }

  @Test func `over TLS it is the same`() async throws {
    let authority = try await CertificateAuthority()
    let server = try await WebSocketServer(tls: try await authority.identity()) { connection in
      for await message in connection.messages {
        await connection.send(message)
        await connection.reset()
      }
    }
    #expect(server.origin == "wss://localhost:\(server.port)")
    let (caller, _) = try await caller(server, hearing: 0, trusting: authority)
    try await caller.say(frame(0x81, [0x61]))
    #expect(await frames(caller, 3) == [0x81, 1, 0x61])
    #expect(await caller.end() == .reset)
  }

  @Test func `with the server all connections and scripts end`() async throws {
    let ended = Countdown(2)
    var server: WebSocketServer? = try await WebSocketServer { connection in
      for await _ in connection.messages {}
      ended.count()
    }
    let log = try #require(server?.log)
    var callers: [Caller] = []
    for _ in 0..<2 { callers.append(try await caller(try #require(server), hearing: 0).caller) }
    server = nil
    for caller in callers { #expect(await caller.end() != nil) }
    await ended.reached()
    await log.events(atLeast: 4)
  }

  @Test func `what nobody takes is not read without limit`() async throws {
    let gate = Countdown(1)
    let server = try await WebSocketServer { connection in
      await gate.passed()
      var count = 0
      for await _ in connection.messages {
        count += 1
        if count == 20 { await connection.send("all") }
      }
    }
    let (caller, _) = try await caller(server, hearing: 0)
    let quarter = [UInt8](repeating: 0, count: 1 << 18)
    let big = [0x82, 0xff, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0] + quarter
    let sending = Task { for _ in 0..<20 { try await caller.say(big) } }
    // Until more than 4 MiB wait.
    await server.log.events(atLeast: 18)
    gate.count()
    try await sending.value
    #expect(await frames(caller, 5) == [0x81, 3] + Array("all".utf8))
  }

  @Test func `reading may stop, and frames may be made one by one`() async throws {
    let gate = Gate()
    let server = try await WebSocketServer { connection in
      await connection.stopReading()
      await connection.send(frame: .text("a", isFinal: false))
      await connection.send(frame: .continuation("b", isFinal: true))
      await gate.opened()
      await connection.resumeReading()
      for await message in connection.messages { await connection.send(message) }
    }
    let (caller, frames) = try await caller(server, hearing: 6)
    #expect(frames == [0x01, 1, 0x61, 0x80, 1, 0x62])
    try await caller.say(frame(0x81, [0x63]))
    #expect(server.log.events == [.opened(connection: 0)] && server.openConnections == 1)
    gate.open()
    #expect(await self.frames(caller, 9).suffix(3) == [0x81, 1, 0x63])
    server.shutDown()
    #expect(await caller.end() != nil)
    await server.log.first { $0 == .ended(connection: 0) }
    #expect(server.openConnections == 0)
  }

  @Test func `a port that is in use is named`() async throws {
    let server = try await WebSocketServer { _ in }
    await #expect(throws: ServerFailure.portInUse(server.port)) {
      _ = try await WebSocketServer(port: server.port) { _ in }
    }
  }
}
