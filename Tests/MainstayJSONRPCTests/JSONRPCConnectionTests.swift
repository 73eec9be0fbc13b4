// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// How connections end, are refused, and are opened again.
@Suite(.ends(withinMinutes: 3)) struct JSONRPCConnectionTests {
  /// A server whose first connection ends as a script says, once a request is there.
  private func failingOnce(
    _ end: @escaping @Sendable (WebSocketServer.Connection) async -> Void
  ) async throws -> WebSocketServer {
    try await WebSocketServer { connection in
      for await message in connection.messages {
        guard connection.number > 0 else {
          await end(connection)
          return await connection.ended()
        }
        await connection.send(Service.echo(message.json ?? .null))
      }
    }
  }

  @Test(.requirement("D3", "D10")) func `what was sent is lost, and what was not goes again`()
    async throws
  {
    let server = try await failingOnce { await $0.hangUp() }
    let client = try Service.client(server) { options in
      options.maximumInFlight = 1
      options.isRepeatable = { $0 == "read" }
    }
    let sent = await client.begun("write")
    let waiting = await client.begun("write", .array([.integer(1)]))
    let lost = try await sent.value
    #expect(lost.connectionError?.reason == .lost)
    #expect(lost.error?.disposition == .unknownOutcome)
    #expect(lost.error?.mayHaveBeenSent == true)
    #expect(try await waiting.value.get() == .array([.integer(1)]))
    #expect(client.status == .connected)
  }

  @Test func `a text that is not UTF-8 harms no call that waits`() async throws {
    let server = try await failingOnce { await $0.send(frame: .init(opcode: 1, [0xff])) }
    let client = try Service.client(server) { $0.maximumInFlight = 1 }
    let sent = await client.begun("write")
    let waiting = await client.begun("write", .array([.integer(1)]))
    #expect(try await sent.value.connectionError?.reason == .unreadable)
    #expect(try await waiting.value.get() == .array([.integer(1)]))
  }

  @Test func `without waiting for a connection, what a server sends to others is no answer`()
    async throws
  {
    let gate = Gate()
    let server = try await failingOnce { connection in
      await gate.opened()
      await connection.send(frame: .init(opcode: 1, [0xff]))
    }
    let client = try Service.client(server) {
      $0.maximumInFlight = 1
      $0.webSocket.waitsForConnection = false
    }
    let sent = await client.begun("write")
    let waiting = await client.begun("write")
    // A call that came after the end would be made on another connection.
    gate.open()
    #expect(try await sent.value.error?.disposition == .unknownOutcome)
    let outcome = try await waiting.value
    #expect(outcome.connectionError?.reason == .lost)
    #expect(outcome.error?.disposition == .transient())
    #expect(outcome.error?.mayHaveBeenSent == false)
  }

  @Test func `a call that may be repeated is transient when it is lost`() async throws {
    let server = try await failingOnce { await $0.reset() }
    let client = try Service.client(server) { $0.isRepeatable = { $0 == "read" } }
    let outcome = await client.outcome("read")
    #expect(outcome.error?.disposition == .transient())
    #expect(outcome.error?.kind == .network)
  }

  @Test(.requirement("D9")) func `a reason in JSON is understood`() async throws {
    let reason = #"{"id":null,"code":-32000,"message":"node connection lost"}"#
    let server = try await failingOnce { await $0.close(code: 1011, reason: reason) }
    let entry = JSONRPCErrorCatalog.Entry(
      -32000, "ConnectionLost", meaning: "The node is gone.", disposition: .transient())
    let client = try Service.client(server) { options in
      options.catalog = .standard.merging(JSONRPCErrorCatalog([entry]))
      options.isRepeatable = { _ in true }
    }
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .closedByServer)
    #expect(outcome.connectionError?.closeCode == 1011)
    #expect(outcome.serverError?.code == -32000)
    #expect(outcome.error?.code == "rpc.32000")
    #expect(outcome.error?.disposition == .transient())
    #expect(try await client.call("b") == .null)
  }

  @Test func `a reason that is too long is a violation, and no trap`() async throws {
    let server = try await failingOnce {
      await $0.close(code: 1000, reason: String(repeating: "x", count: 200))
    }
    let client = try Service.client(server)
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .violation)
    #expect(outcome.connectionError?.closeCode == 1002)
    #expect(outcome.error?.disposition == .unknownOutcome)
    await server.log.first { $0 == .closed(connection: 0, code: 1002, reason: "") }
  }

  @Test func `frames that break the rules are violations`() async throws {
    let frames: [WebSocketServer.Frame] = [
      .init(opcode: 1, Array("1".utf8), mask: [1, 2, 3, 4]),
      .init(opcode: 1, Array("1".utf8), reservedBits: 4),
      .init(opcode: 0, Array("1".utf8)), .init(opcode: 3),
      .init(opcode: 9, [], isFinal: false),
    ]
    for frame in frames {
      let server = try await failingOnce { await $0.send(frame: frame) }
      let client = try Service.client(server)
      let outcome = await client.outcome("a")
      #expect(outcome.connectionError?.reason == .violation, "\(frame)")
      #expect(outcome.connectionError?.closeCode == 1002, "\(frame)")
    }
  }

  @Test func `messages that are too large are refused, whole or in parts`() async throws {
    let long = String(repeating: "x", count: 2_000)
    for isWhole in [true, false] {
      let server = try await failingOnce { connection in
        await connection.send(long, inFragmentsOf: isWhole ? 5_000 : 700)
      }
      let client = try Service.client(server) { $0.maximumMessageSize = 1_000 }
      let outcome = await client.outcome("a")
      #expect(outcome.connectionError?.reason == .tooLarge)
      #expect(outcome.connectionError?.closeCode == 1009)
    }
  }

  @Test(.requirement("D6")) func `a server that answers no ping is given up`() async throws {
    let seen = Log()
    // No connection answers pings: on a machine that stands still the first one may be given up
    // before anything was sent. A call that came twice would be answered.
    let server = try await WebSocketServer { connection in
      connection.ignorePings()
      for await message in connection.messages {
        if !seen.lines.isEmpty { await connection.send(Service.echo(message.json ?? .null)) }
        seen.add("\(connection.number)")
      }
    }
    let client = try Service.client(server) { options in
      options.webSocket.pingInterval = .milliseconds(10)
      options.webSocket.pongTimeout = .milliseconds(500)
      options.isRepeatable = { _ in true }
    }
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .silent)
    #expect(outcome.error?.kind == .timeout)
    client.close()
  }

  @Test(.requirement("D2", "T19")) func `a refusal is an error of HTTP`() async throws {
    for (status, disposition, kind) in [
      (401, Disposition.needsUser, ErrorKind.unauthorized), (404, .permanent, .notFound),
      (403, .permanent, .denied),
    ] {
      let server = try await WebSocketServer(receive: { _ in
        .refuse(status: status, body: "no")
      }) { _ in }
      let client = try Service.client(server)
      let outcome = await client.outcome("a")
      #expect(outcome.connectionError?.reason == .refused)
      #expect(outcome.error?.disposition == disposition)
      #expect(outcome.error?.kind == kind)
      #expect(outcome.error?.mayHaveBeenSent == false)
      let cause: HTTPError? = outcome.error?.cause()
      #expect(cause?.status == status)
      #expect(client.status == .failed)
    }
  }

  @Test func `a service that asks for time is given it`() async throws {
    let server = try await WebSocketServer(receive: { _ in .unavailable(retryAfter: 7) }) { _ in }
    let client = try Service.client(server) { $0.webSocket.waitsForConnection = false }
    var events = client.events.makeAsyncIterator()
    let outcome = await client.outcome("a")
    #expect(outcome.error?.disposition == .transient(retryAfter: .seconds(7)))
    while let event = await events.following() {
      guard case .connectingFailed(_, _, let pause) = event else { continue }
      #expect(pause == .seconds(7))
      return
    }
    Issue.record("no event of a failed attempt")
  }

  @Test func `who does not wait for a connection fails while the service asks for time`()
    async throws
  {
    let server = try await WebSocketServer(receive: { _ in .unavailable(retryAfter: 100) }) { _ in
    }
    let client = try Service.client(server) { $0.webSocket.waitsForConnection = false }
    for _ in 0..<3 {
      let outcome = await client.outcome("a")
      #expect(outcome.error?.disposition == .transient(retryAfter: .seconds(100)))
      #expect(outcome.error?.mayHaveBeenSent == false)
    }
    #expect(server.log.events.count { $0 == .refused(connection: 0) } == 1)
    #expect(!server.log.events.contains(.refused(connection: 1)))
  }

  @Test func `who does not wait for a connection ends the pause before the next one`()
    async throws
  {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        if connection.number == 0 { return await connection.hangUp() }
        await connection.send(Service.echo(message.json ?? .null))
      }
    }
    let client = try Service.client(server) {
      $0.webSocket.waitsForConnection = false
      $0.webSocket.backoff = .constant(.seconds(86_400), jitter: .none)
    }
    #expect(await client.outcome("a").connectionError?.reason == .lost)
    #expect(try await client.call("a", .array([])) == .array([]))
  }

  @Test func `a client that is closed waits for no server that does not answer`() async throws {
    let server = try await WebSocketServer(receive: { _ in .silence }) { _ in }
    let client = try Service.client(server)
    let call = await client.begun("a")
    await server.log.first { $0 == .refused(connection: 0) }
    client.close()
    #expect(try await call.value.error?.isCancellation == true)
    await server.log.first { $0 == .ended(connection: 0) }
  }

  @Test func `a page for people is a portal`() async throws {
    let server = try await WebSocketServer(receive: { _ in .portal }) { _ in }
    let client = try Service.client(server) { $0.webSocket.waitsForConnection = false }
    let outcome = await client.outcome("a")
    #expect(outcome.error?.kind == .portal)
    #expect(outcome.error?.mayHaveBeenSent == false)
  }

  @Test func `an agreement without what belongs to it is none`() async throws {
    let server = try await WebSocketServer(receive: { _ in .refuse(status: 101) }) { _ in }
    let client = try Service.client(server) { $0.webSocket.waitsForConnection = false }
    #expect(await client.outcome("a").connectionError?.reason == .refused)
  }

  @Test func `a server that is not there, hangs up or resets is not reached`() async throws {
    let server = try await WebSocketServer(receive: { request in
      request.path == "/a" ? .hangUp : .reset
    }) { _ in }
    for path in ["/a", "/b"] {
      let client = try Service.client(server, path: path) {
        $0.webSocket.waitsForConnection = false
      }
      let outcome = await client.outcome("a")
      #expect(outcome.error?.kind == .network)
      #expect(outcome.error?.mayHaveBeenSent == false)
    }
    // Nobody listens there: it belongs to a service of the seventies.
    var options = JSONRPCClient.Options()
    options.webSocket.waitsForConnection = false
    let client = try JSONRPCClient(
      webSocket: Service.address("ws://127.0.0.1:1"), options: options)
    let outcome = await client.outcome("a")
    #expect(outcome.error?.code == "network.unreachable")
    #expect(outcome.error?.disposition == .transient())
  }

  @Test func `a call that waits for a connection says in the end why there is none`()
    async throws
  {
    let server = try await WebSocketServer(receive: { _ in .unavailable(retryAfter: 100) }) { _ in
    }
    let client = try Service.client(server)
    let outcome = await client.outcome("a", timeout: .milliseconds(200))
    #expect(outcome.connectionError?.reason == .timedOut)
    #expect(outcome.error?.mayHaveBeenSent == false)
  }

  @Test func `a new connection is restored before anything else is sent`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        let request = message.json ?? .null
        if request["method"]?.string == "die", connection.number == 0 {
          return await connection.hangUp()
        }
        await connection.send(Service.echo(request))
      }
    }
    let client = try Service.client(server) { options in
      options.webSocket.restore = { session in
        try await session.call("acquire", .array([.integer(session.number)]))
      }
    }
    _ = try await client.call("first")
    _ = await client.outcome("die")
    _ = try await client.call("second")
    let methods = server.log.events.compactMap { event -> String? in
      guard case .received(let number, let message) = event else { return nil }
      return "\(number) \(message.json?["method"]?.string ?? "")"
    }
    #expect(methods == ["0 acquire", "0 first", "0 die", "1 acquire", "1 second"])
  }

  @Test func `a connection that cannot be restored is not used`() async throws {
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        let request = message.json ?? .null
        let isRefused = connection.number == 0
        await connection.send(
          isRefused ? Service.error(-32603, "no", to: request) : Service.echo(request))
      }
    }
    let client = try Service.client(server) { options in
      options.isRepeatable = { _ in true }
      options.webSocket.restore = { try await $0.call("acquire") }
    }
    #expect(try await client.call("a", .array([])) == .array([]))
    await server.log.first { $0 == .ended(connection: 0) }
  }

  @Test func `where a connection cannot be restored the next one is tried, whatever the reason`()
    async throws
  {
    let server = try await Service.answering(Service.echo)
    let client = try Service.client(server) { options in
      options.webSocket.restore = { session in
        if session.number < 3 { throw AppError.http(status: 403) }
      }
    }
    #expect(try await client.call("a", .array([])) == .array([]))
    await server.log.first { $0 == .ended(connection: 1) }
    #expect(client.status == .connected)
  }

  @Test func `wss is spoken with whom the roots vouch for, and nobody else`() async throws {
    let authority = try await CertificateAuthority()
    let server = try await WebSocketServer(tls: authority.identity()) { connection in
      for await message in connection.messages {
        await connection.send(Service.echo(message.json ?? .null))
      }
    }
    let pem = try String(contentsOf: authority.file, encoding: .utf8)
    let client = try Service.client(server) { $0.webSocket.trust = .roots(pem: pem) }
    #expect(try await client.call("a") == .null)
    let stranger = try Service.client(server)
    let outcome = await stranger.outcome("a")
    #expect(outcome.error?.code == "network.insecure")
    #expect(outcome.error?.disposition == .permanent)
    #expect(outcome.error?.mayHaveBeenSent == false)
  }

  @Test func `settings that are not legal are all named`() throws {
    let url = try Service.address("http://example.com")
    var options = JSONRPCClient.Options()
    options.timeout = .zero
    options.maximumInFlight = 0
    options.maximumDepth = 1_000
    options.headers = ["a b": "c"]
    options.webSocket.pongTimeout = .seconds(-1)
    let error = try #require(throws: ConfigurationError.self) {
      _ = try JSONRPCClient(webSocket: url, options: options)
    }
    #expect(
      error.violations.map(\.option) == [
        "url", "timeout", "maximumInFlight", "maximumDepth", "headers", "webSocket.pongTimeout",
      ])
    var trust = JSONRPCClient.Options()
    trust.webSocket.trust = .roots(pem: "no certificate")
    let secure = try Service.address("wss://example.com")
    #expect(throws: ConfigurationError.self) {
      _ = try JSONRPCClient(webSocket: secure, options: trust)
    }
  }
}
