// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayJSONRPC
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosFailoverTests {
  @Test(.requirement("D2", "D3"))
  func `the next endpoint is asked where the connection fails, and the first one again later`()
    async throws
  {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let watched = try Watched([first.socketAddress, second.socketAddress]) {
      $0.rest = .milliseconds(1)
    }
    let client = watched.client
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(client.status.endpointInUse == first.socketAddress)
    first.inject(.reset, into: "queryLedgerState/epoch")
    first.inject(.reset, into: "queryLedgerState/epoch")
    second.change { $0.epoch = 600 }
    #expect(try await client.ledgerStateQuery.epoch.execute() == 600)
    #expect(client.status.endpointInUse == second.socketAddress)
    #expect(client.status.endpoints.map(\.connection) == [.failed, .connected])
    #expect(client.status.endpoints[0].lastError?.isOfConnection == true)
    while client.status.endpointInUse != first.socketAddress, !Task.isCancelled {
      _ = try await client.ledgerStateQuery.epoch.execute()
    }
    #expect(watched.log.lines.filter { $0 == "switched" }.count == 2)
    #expect(client.status.endpoints.map(\.connection) == [.connected, .connected])
  }

  @Test(.requirement("D2", "D3"))
  func `nobody waits for the end of a pause between two attempts to connect`() async throws {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([first.socketAddress, second.socketAddress]) {
      $0.timeout = .patience
      $0.rest = .nanoseconds(1)
      $0.webSocket.backoff = .constant(.seconds(86_400), jitter: .none)
    }.client
    first.inject(.hangUp, into: "nextBlock")
    #expect(try await client.chainSync.nextBlock().told == "back to the beginning")
    #expect(client.status.endpointInUse == second.socketAddress)
    // The first one is well again, and so is who asks it.
    #expect(try await client.networkQuery.tip.execute() == MethodTable.tip)
    #expect(client.status.endpointInUse == first.socketAddress)
    first.shutDown()
    for _ in 0..<3 {
      #expect(try await client.networkQuery.tip.execute() == MethodTable.tip)
      #expect(client.status.endpointInUse == second.socketAddress)
    }
  }

  @Test(
    .requirement("D3"),
    arguments: ["queryNetwork/tip", "submitTransaction", "nextBlock", "acquireMempool"])
  func `what could not be sent in time goes to the next endpoint, be it a transaction`(
    method: String
  ) async throws {
    let clock = ManualClock()
    // It takes connections and never opens a WebSocket.
    let deaf = try await WebSocketServer(receive: { _ in .silence }) { _ in }
    let second = try await OgmiosServer()
    let watched = try Watched([deaf.origin, second.socketAddress], clock: clock) {
      $0.timeout = .seconds(30)
      $0.webSocket.openTimeout = .patience
      $0.webSocket.pingInterval = nil
    }
    let client = watched.client
    let asking = Task {
      switch method {
      case "submitTransaction": _ = try await client.transactions.submit(cbor: "00ff")
      case "nextBlock": _ = try await client.chainSync.nextBlock(timeout: .seconds(30))
      case "acquireMempool": _ = try await client.mempoolMonitor.acquire(timeout: .seconds(30))
      default: _ = try await client.networkQuery.tip.execute()
      }
    }
    await deaf.log.first { $0 == .refused(connection: 0) }
    await clock.waiters(atLeast: 1, within: .seconds(30))
    clock.advance(by: .seconds(30))
    try await asking.value
    #expect(second.calls == [method])
    #expect(watched.log.lines == ["failed timeout"])
    #expect(client.status.endpoints.map(\.connection) == [.failed, .connected])
    #expect(client.status.endpoints[0].isResting)
  }

  @Test(.requirement("D3")) func `what was sent in time goes nowhere else`() async throws {
    let clock = ManualClock()
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([first.socketAddress, second.socketAddress], clock: clock) {
      $0.timeout = .seconds(30)
      $0.webSocket.pingInterval = nil
    }.client
    first.inject(.silence, into: "submitTransaction")
    let asking = Task { await failure { try await client.transactions.submit(cbor: "00ff") } }
    await first.calls(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    let error = await asking.value
    #expect(error?.kind == .timeout)
    #expect(error?.appError.disposition == .unknownOutcome)
    #expect(second.calls.isEmpty)
  }

  @Test func `without time left nobody else is asked`() async throws {
    let deaf = try await WebSocketServer(receive: { _ in .silence }) { _ in }
    let second = try await OgmiosServer()
    let clock = ManualClock()
    let watched = try Watched([deaf.origin, second.socketAddress], clock: clock) {
      $0.webSocket.openTimeout = .patience
    }
    let client = watched.client
    let asking = Task {
      try await Deadline(.seconds(5), clock: clock).run {
        try await client.networkQuery.tip.execute()
      }
    }
    await deaf.log.first { $0 == .refused(connection: 0) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await #expect(throws: (any Error).self) { try await asking.value }
    #expect(second.calls.isEmpty)
    #expect(client.status.endpoints.map(\.isResting) == [false, false])
  }

  @Test(.requirement("D4", "D10"), arguments: [2002, 3122, -32600, 9999])
  func `an error that a server answers is the answer`(code: Int) async throws {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let watched = try Watched(
      [first.socketAddress, second.socketAddress], retry: OgmiosPresets.fixedRetry())
    first.inject(.failure(.init(code)), into: "queryLedgerState/epoch", times: 9)
    let error = await failure { try await watched.client.ledgerStateQuery.epoch.execute() }
    #expect(error?.code == Int64(code))
    #expect(first.calls.count == 1)
    #expect(second.calls.isEmpty)
    #expect(watched.client.status.connection == .connected)
    #expect(watched.log.lines.isEmpty)
  }

  @Test(.requirement("D3")) func `without WebSockets stateless methods go over HTTP`() async throws
  {
    let server = try await OgmiosServer()
    let watched = try Watched([server.socketAddress])
    server.inject(.hangUp, into: "queryNetwork/tip")
    _ = try await watched.client.networkQuery.tip.execute()
    #expect(watched.log.lines == ["fell back"])
    #expect(watched.client.status.connection == .connected)
    server.inject(.hangUp, into: "nextBlock")
    let error = await failure { try await watched.client.chainSync.nextBlock() }
    #expect(error?.kind == .websocket)
  }

  @Test(.requirement("D11", "D31", "T7"))
  func `two failures and a success are three attempts, a second apart`() async throws {
    let server = try await OgmiosServer()
    let clock = ManualClock()
    let client = try Watched([server.httpAddress], retry: OgmiosPresets.fixedRetry(clock: clock))
      .client
    server.inject(.reset, into: "queryLedgerState/epoch", times: 2)
    async let epoch = client.ledgerStateQuery.epoch.execute()
    for _ in 0..<2 {
      await clock.sleepers(atLeast: 1)
      #expect(clock.nextWakeUp == .seconds(1))
      clock.advance(by: .seconds(1))
    }
    #expect(try await epoch == 512)
    #expect(server.calls.count == 3)
  }

  @Test(.requirement("D12")) func `waits grow, up to a minute`() async throws {
    let server = try await OgmiosServer()
    let clock = ManualClock()
    let client = try Watched(
      [server.httpAddress], retry: OgmiosPresets.exponentialRetry(clock: clock)
    ) { $0.breaker = { CircuitBreaker($0, .consecutiveFailures(100)) } }.client
    server.inject(.reset, into: "queryLedgerState/epoch", times: 5)
    async let epoch = client.ledgerStateQuery.epoch.execute()
    for _ in 0..<5 {
      await clock.sleepers(atLeast: 1)
      #expect(clock.nextWakeUp.map { $0 <= .seconds(60) } == true)
      clock.advance(by: .seconds(60))
    }
    #expect(try await epoch == 512)
    #expect(server.calls.count == 6)
  }

  @Test(.requirement("D13", "D31", "D36", "T16"))
  func `after five failures nobody is asked for thirty seconds`() async throws {
    let server = try await OgmiosServer()
    let clock = ManualClock()
    let client = try Watched([server.httpAddress]) {
      $0.breaker = { OgmiosPresets.breaker($0, clock: clock) }
    }.client
    server.inject(.reset, into: "queryLedgerState/epoch", times: 5)
    for call in 1...5 {
      #expect(await failure { try await client.ledgerStateQuery.epoch.execute() }?.kind == .http)
      #expect(server.calls.count == call)
    }
    await #expect(throws: Rejection.self) { try await client.ledgerStateQuery.epoch.execute() }
    #expect(server.calls.count == 5)
    #expect(client.status.endpoints[0].breaker != .closed)
    #expect(client.status.connection == .failed)
    clock.advance(by: .seconds(60))
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    #expect(server.calls.count == 6)
    #expect(client.status.endpoints[0].breaker == .closed)
    #expect(client.status.connection == .connected)
  }

  @Test func `who waits for a block after a break keeps nobody else out`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let clock = ManualClock()
    let client = try Watched([server.socketAddress]) {
      $0.breaker = { OgmiosPresets.breaker($0, clock: clock) }
    }.client
    for _ in 0..<2 { _ = try await client.chainSync.nextBlock() }
    server.inject(.reset, into: "nextBlock", times: 5)
    for _ in 0..<5 {
      #expect(await failure { try await client.chainSync.nextBlock() }?.kind == .websocket)
    }
    await #expect(throws: Rejection.self) { try await client.chainSync.nextBlock() }
    clock.advance(by: .seconds(60))
    let next = Task { try await client.chainSync.nextBlock() }
    // One confirms the place, and one waits.
    var calls = server.calls
    while calls.count(where: { $0 == "nextBlock" }) < 9 {
      await server.calls(atLeast: calls.count + 1)
      calls = server.calls
    }
    _ = try await client.networkQuery.tip.execute()
    #expect(client.status.connection == .connected)
    clock.advance(by: .seconds(40))
    _ = try await client.networkQuery.tip.execute()
    #expect(client.status.endpoints[0].breaker == .closed)
    server.change { $0.forge() }
    #expect(try await next.value.told == "block 40")
  }

  @Test func `answers of a server, errors too, keep the breaker closed`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    server.inject(.failure(.init(2003)), into: "queryLedgerState/epoch", times: 9)
    for _ in 0..<9 {
      #expect(await failure { try await client.ledgerStateQuery.epoch.execute() }?.code == 2003)
    }
    #expect(client.status.endpoints[0].breaker == .closed)
  }

  @Test func `views and places go along to the next endpoint`() async throws {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let watched = try Watched([first.socketAddress, second.socketAddress])
    let client = watched.client
    let block = first.ledger.blocks[4]
    let point = OgmiosPoint.block(slot: UInt64(block.slot), id: block.id)
    try await client.ledgerState.acquire(at: point)
    for _ in 0..<3 { _ = try await client.chainSync.nextBlock() }
    first.shutDown()
    #expect(try await client.ledgerStateQuery.tip.execute() == point)
    #expect(try await client.chainSync.nextBlock().told == "block 60")
    #expect(client.status.endpointInUse == second.socketAddress)
  }

  @Test(.requirement("D6", "D18")) func `silence is a timeout, and leaves open how it stands`()
    async throws
  {
    let (server, clock) = (try await OgmiosServer(), ManualClock())
    let client = try Watched([server.socketAddress], clock: clock).client
    server.inject(.silence, into: "queryLedgerState/epoch")
    let asking = Task {
      await failure { try await client.ledgerStateQuery.epoch.execute(timeout: .seconds(5)) }
    }
    // A call that could not be sent in time is another matter.
    await server.calls(atLeast: 1)
    await clock.waiters(atLeast: 1, within: .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(await asking.value?.kind == .timeout)
    #expect(client.status.connection == .reconnecting)
    #expect(try await client.networkQuery.tip.execute() == MethodTable.tip)
    #expect(client.status.connection == .connected)
  }

  @Test(.requirement("D5", "D18", "T15"), arguments: ["{}", "nonsense", #"{"jsonrpc":"2.0"}"#])
  func `what cannot be read changes nothing about the status`(text: String) async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.httpAddress]).client
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    server.inject(.text(text), into: "queryLedgerState/epoch")
    let error = await failure { try await client.ledgerStateQuery.epoch.execute() }
    // A text that is no object comes with status 500, so it is the exchange that failed.
    #expect(error?.kind == (text == "nonsense" ? .http : .invalidResponse))
    if text != "nonsense" { #expect(client.status.connection == .connected) }
  }

  @Test func `addresses that are none are named`() {
    for endpoints in [[], ["nonsense"], ["ftp://example.com"], ["ws://"], [""]] {
      #expect(throws: ConfigurationError.self) { try OgmiosClient(endpoints: endpoints) }
    }
    var options = OgmiosClient.Options()
    options.timeout = .zero
    options.rest = .seconds(-1)
    let error = #expect(throws: ConfigurationError.self) {
      try OgmiosClient(endpoints: ["ws://localhost:1"], options: options)
    }
    #expect(error?.violations.map(\.option) == ["timeout", "rest"])
  }

  @Test func `the name of a host is left alone`() async throws {
    let client = try OgmiosClient(endpoints: ["ws://ws-node.example:1337/ws?key=secret"])
    #expect(client.status.endpoints.map(\.name) == ["ws://ws-node.example:1337"])
  }

  @Test func `after the end all calls fail at once`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let waiting = Task {
      for _ in 0..<2 { try await client.mempoolMonitor.acquire() }
    }
    await server.calls(atLeast: 2)
    client.close()
    await #expect(throws: (any Error).self) { try await waiting.value }
    await #expect(throws: (any Error).self) { try await client.networkQuery.tip.execute() }
    await #expect(throws: CancellationError.self) { try await client.health() }
  }

  @Test func `the end of a client ends its question how the server is`() async throws {
    let deaf = try await WebSocketServer(receive: { _ in .silence }) { _ in }
    let client = try Watched([deaf.origin]).client
    let asking = Task { try await client.health() }
    await deaf.log.first { $0 == .refused(connection: 0) }
    client.close()
    await #expect(throws: CancellationError.self) { try await asking.value }
  }
}

extension OgmiosError {
  fileprivate var isOfConnection: Bool { kind == .websocket || kind == .http }
}
