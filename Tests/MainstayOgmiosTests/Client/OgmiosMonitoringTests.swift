// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

/// A transport that answers each question with 512.
private struct Post: HTTPTransport {
  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    guard case .bytes(let bytes) = transmission.body, let request = JSONValue(json: bytes) else {
      throw URLError(.badURL)
    }
    let answer: JSONValue = .object([
      "jsonrpc": .string("2.0"), "result": .integer(512), "id": request["id"] ?? .null,
    ])
    return HTTPReply(
      status: 200, headers: ["Content-Type": "application/json"],
      body: HTTPByteStream(answer.encoded))
  }
}

/// What a monitor knows of a client without a hand's work.
@Suite(.ends(withinMinutes: 3)) struct OgmiosMonitoringTests {
  @Test(.requirement("D14", "D15", "D16", "D18", "D21", "D23"))
  func `calls that fail and succeed show up by themselves`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    let sink = MemorySink()
    let team = ErrorMonitor(sinks: [sink])
    let monitor = client.monitored(reportingTo: team)
    #expect(monitor.status == .disconnected)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(monitor.status == .connected)
    server.inject(.reset, into: "queryLedgerState/epoch")
    _ = await failure { try await client.ledgerStateQuery.epoch.execute() }
    #expect(monitor.status == .failed)
    #expect(monitor.lastError?.kind == .network)
    #expect(monitor.history.map(\.operation) == ["queryLedgerState/epoch"])
    _ = try await client.networkQuery.tip.execute()
    #expect(monitor.status == .connected)
    #expect(monitor.lastError == nil)
    #expect(monitor.history.count == 1)
    await team.flush(within: .patience)
    #expect(team.history.map(\.operation) == ["queryLedgerState/epoch"])
  }

  @Test func `a monitor that nobody holds is told of nothing after the next call`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    _ = try await client.networkQuery.tip.execute()
    for _ in 0..<10 { _ = client.monitored() }
    _ = try await client.networkQuery.tip.execute()
    // The listeners look after the call.
    while client.listeners > 0, !Task.isCancelled { await Task.yield() }
    #expect(client.listeners == 0)
    #expect(client.status.connection == .connected)
  }

  @Test(.requirement("D18", "D20")) func `each number says what may be done`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let monitor = client.monitored()
    for code in [2001, 3122] {
      server.inject(.failure(.init(code)), into: "queryLedgerState/epoch")
      _ = await failure { try await client.ledgerStateQuery.epoch.execute() }
      let last = try #require(monitor.lastError)
      let entry = try #require(OgmiosErrorCatalog.entry(for: Int64(code)))
      #expect(last.metadata["ogmios.code"] == String(code))
      #expect(monitor.suggestion(for: last).description == entry.suggestion)
      // The server is well: it answered.
      #expect(monitor.status == .connected)
    }
  }

  @Test(.requirement("D11", "D23")) func `what another attempt mends is no failure`() async throws {
    let server = try await OgmiosServer()
    let retry = Retry(maximumAttempts: 3, backoff: .none)
    let client = try Watched([server.httpAddress], retry: retry).client
    let monitor = client.monitored()
    server.inject(.reset, into: "queryLedgerState/epoch", times: 2)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(monitor.history.isEmpty)
    #expect(monitor.status == .connected)
    server.inject(.reset, into: "queryLedgerState/epoch", times: 3)
    _ = await failure { try await client.ledgerStateQuery.epoch.execute() }
    #expect(monitor.history.count == 1)
  }

  @Test(.requirement("D23")) func `a call within a run of the monitor is recorded once`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    let monitor = ServiceMonitor("node", of: client)
    client.report(to: monitor)
    server.inject(.reset, into: "queryNetwork/tip")
    await #expect(throws: AppError.self) {
      try await monitor.run("Read the tip") { try await $0.networkQuery.tip.execute() }
    }
    #expect(monitor.history.map(\.operation) == ["Read the tip"])
    #expect(monitor.status == .failed)
    server.inject(.failure(.init(2001)), into: "queryLedgerState/epoch")
    await #expect(throws: AppError.self) {
      try await monitor.run("Read the epoch") { try await $0.ledgerStateQuery.epoch.execute() }
    }
    #expect(monitor.history.map(\.operation) == ["Read the epoch", "Read the tip"])
    #expect(monitor.status == .connected)
  }

  @Test func `cancellations and questions that nothing answered yet are no failures`()
    async throws
  {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]).client
    let monitor = client.monitored()
    for _ in 0..<2 { _ = try await client.chainSync.nextBlock() }
    let error = await failure { try await client.chainSync.nextBlock(timeout: .milliseconds(1)) }
    #expect(error?.kind == .timeout)
    let waiting = Task { try await client.chainSync.nextBlock() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(monitor.history.isEmpty)
    #expect(monitor.status == .connected)
  }

  @Test(.requirement("D14", "D24")) func `a connection that was lost shows until it is back`()
    async throws
  {
    let clock = ManualClock()
    let server = try await OgmiosServer(clock: clock)
    let client = try Watched([server.socketAddress]) {
      $0.webSocket.backoff = .constant(.seconds(86_400), jitter: .none)
    }.client
    let monitor = client.monitored()
    var statuses = monitor.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .disconnected)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(await statuses.next() == .connected)
    // The server closes what is idle.
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(90))
    #expect(await statuses.next() == .reconnecting)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(await statuses.next() == .connected)
    #expect(monitor.history.isEmpty)
  }

  @Test(.requirement("D14", "D24")) func `a connection that does not come back has failed`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]) {
      $0.webSocket.backoff = .constant(.milliseconds(10), jitter: .none)
    }.client
    let monitor = client.monitored()
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(monitor.status == .connected)
    server.shutDown()
    var statuses = monitor.statuses.makeAsyncIterator()
    var last: ConnectionStatus?
    // It may be reconnecting for too short a time to be seen.
    repeat { last = await statuses.next() } while last == .connected || last == .reconnecting
    #expect(last == .failed)
    #expect(monitor.history.isEmpty)
  }

  @Test(.requirement("D14")) func `whom HTTP answers is connected, whatever the WebSocket does`()
    async throws
  {
    let opened = Flag()
    let attempts = Countdown(20)
    let server = try await WebSocketServer { _ in
      attempts.count()
      guard opened.isRaised else {
        opened.raise()
        return .accept()
      }
      return .hangUp
    } _: { connection in
      for await _ in connection.messages { return await connection.hangUp() }
    }
    let client = try Watched([server.origin]) {
      $0.webSocket.backoff = .constant(.milliseconds(10), jitter: .none)
      $0.transport = Post()
    }.client
    let monitor = client.monitored()
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    await attempts.reached()
    #expect(monitor.status == .connected)
  }

  @Test(.requirement("T16")) func `two endpoints of one host are told apart`() async throws {
    let visits = Locked<[WebSocketServer.Connection]>([])
    let gateway = try await WebSocketServer { request in
      request["Upgrade"] == nil ? .refuse(status: 404) : .accept()
    } _: { connection in
      let isFirst = visits.withLock { visits in
        visits.append(connection)
        return visits.count == 1
      }
      for await case .text(let text) in connection.messages {
        if isFirst { return await connection.hangUp() }
        let id = JSONValue(json: Data(text.utf8))?["id"]?.integer ?? 0
        await connection.send(#"{"jsonrpc":"2.0","result":512,"id":\#(id)}"#)
      }
    }
    let client = try Watched([gateway.origin + "/a", gateway.origin + "/b"]) {
      $0.webSocket.backoff = .constant(.seconds(86_400), jitter: .none)
      $0.rest = .nanoseconds(1)
    }.client
    let names = [gateway.origin, gateway.origin + "#2"]
    #expect(client.status.endpoints.map(\.name) == names)
    for name in names.reversed() {
      #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
      #expect(client.status.endpointInUse == name)
    }
    let monitor = client.monitored()
    let second = visits.withLock { $0[1] }
    await second.hangUp()
    await gateway.log.first { $0 == .ended(connection: second.number) }
    for _ in 0..<1_000 {
      await Task.yield()
      guard monitor.status == .connected else { break }
    }
    #expect(monitor.status == .connected)
  }

  @Test(.requirement("T16")) func `a gateway without a page for its health stands as it did`()
    async throws
  {
    let gateway = try await WebSocketServer { request in
      request["Upgrade"] == nil ? .refuse(status: 404, headers: [], body: "no") : .accept()
    } _: { connection in
      for await case .text(let text) in connection.messages {
        let id = JSONValue(json: Data(text.utf8))?["id"]?.integer ?? 0
        await connection.send(#"{"jsonrpc":"2.0","result":512,"id":\#(id)}"#)
      }
    }
    let client = try Watched([gateway.origin]).client
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    for _ in 0..<9 { #expect(await failure { try await client.health() }?.kind == .http) }
    let status = client.status.endpoints[0]
    #expect(status.connection == .connected)
    #expect(!status.isResting)
    #expect(status.breaker == .closed)
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
  }

  @Test(.requirement("T16")) func `a page that says that the node is gone repairs no status`()
    async throws
  {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]) { $0.rest = .seconds(86_400) }.client
    #expect(try await client.networkQuery.tip.execute() == MethodTable.tip)
    server.change { $0.isConnected = false }
    for _ in 0..<5 { #expect(try await client.health().state == .disconnected) }
    let status = client.status.endpoints[0]
    #expect(status.connection == .failed)
    #expect(status.isResting)
    #expect(status.breaker != .closed)
    // The breaker keeps nobody from the page, and so from how the node is.
    for _ in 0..<7 { #expect(try await client.health().state == .disconnected) }
    server.change { $0.isConnected = true }
    #expect(try await client.health().state == .synchronized)
  }

  @Test func `a monitor that nobody holds is told of nothing, and keeps no client`() async throws {
    let server = try await OgmiosServer()
    var client: OgmiosClient? = try Watched([server.httpAddress]).client
    weak let gone = client
    weak let monitor = client?.monitored()
    #expect(monitor == nil)
    _ = try await client?.networkQuery.tip.execute()
    client = nil
    #expect(gone == nil)
  }
}
