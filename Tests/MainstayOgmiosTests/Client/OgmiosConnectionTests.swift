// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayJSONRPC
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 4)) struct OgmiosConnectionTests {
  @Test func `a secure connection is trusted by its authority, and by no other`() async throws {
    let authority = try await CertificateAuthority()
    var settings = OgmiosServer.Settings()
    settings.tls = try await authority.identity()
    let server = try await OgmiosServer(settings: settings)
    let pem = try String(contentsOf: authority.file, encoding: .utf8)
    let trusting = try Watched([server.socketAddress]) { $0.webSocket.trust = .roots(pem: pem) }
    #expect(try await trusting.client.ledgerStateQuery.epoch.execute() == 512)
    #expect(try await trusting.client.chainSync.nextBlock().told == "back to the beginning")
    let doubting = try Watched([server.socketAddress])
    let error = await failure { try await doubting.client.chainSync.nextBlock() }
    #expect(error?.kind == .websocket)
    #expect(error?.appError.kind == .insecure)
  }

  @Test(.requirement("D3")) func `whom the WebSocket trusts, calls over HTTP trust too`()
    async throws
  {
    let authority = try await CertificateAuthority()
    var settings = OgmiosServer.Settings()
    settings.tls = try await authority.identity()
    let server = try await OgmiosServer(settings: settings)
    let pem = try String(contentsOf: authority.file, encoding: .utf8)
    let watched = try Watched([server.socketAddress]) { $0.webSocket.trust = .roots(pem: pem) }
    server.inject(.hangUp, into: "queryNetwork/tip")
    #expect(try await watched.client.networkQuery.tip.execute() == MethodTable.tip)
    #expect(watched.log.lines == ["fell back"])
    #expect(try await watched.client.health().state == .synchronized)
    let overHTTP = try Watched([server.httpAddress]) { $0.webSocket.trust = .roots(pem: pem) }
    #expect(try await overHTTP.client.ledgerStateQuery.epoch.execute() == 512)
    let doubting = try Watched([server.httpAddress])
    let error = await failure { try await doubting.client.ledgerStateQuery.epoch.execute() }
    #expect(error?.appError.kind == .insecure)
  }

  @Test(arguments: ["wss://ogmios.example", "https://ogmios.example"])
  func `trust in what is no certificate is named`(endpoint: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try Watched([endpoint]) { $0.webSocket.trust = .roots(pem: "no certificate") }
    }
    #expect(error?.violations.map(\.option) == ["webSocket.trust"])
  }

  @Test(.requirement("D4")) func `what a server says as it closes is read`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    server.inject(.nodeLost, into: "nextBlock")
    let lost = await failure { try await client.chainSync.nextBlock() }
    #expect(lost?.code == -32000)
    #expect(lost?.appError.disposition == .transient())
    #expect(client.status.connection == .failed)
    server.inject(.nodeTooOld, into: "nextBlock")
    let old = await failure { try await client.chainSync.nextBlock() }
    // The reason is longer than a frame may be, so nothing of it is read.
    #expect(old?.kind == .websocket)
    #expect(old?.code == nil)
    server.inject(
      .close(code: 1000, reason: #"{"id":null,"code":-32001,"message":"Too old."}"#),
      into: "nextBlock")
    let told = await failure { try await client.chainSync.nextBlock() }
    #expect(told?.code == -32001)
    #expect(told?.appError.disposition == .permanent)
  }

  @Test(arguments: [
    OgmiosServer.Fault.close(code: 1000, reason: #"{"code":-32001,"message":"Too old."}"#),
    .text(String(repeating: "x", count: 200_000)),
  ])
  func `what ends a connection over one question is no answer to the others`(
    fault: OgmiosServer.Fault
  ) async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let retry = Retry(maximumAttempts: 3, backoff: .none)
    let client = try Watched([server.socketAddress], retry: retry) {
      $0.maximumMessageSize = 100_000
    }.client
    for _ in 0..<2 { _ = try await client.chainSync.nextBlock() }
    async let next = client.chainSync.nextBlock()
    await server.calls(atLeast: 3)
    server.inject(fault, into: "queryLedgerState/epoch")
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    server.change { $0.forge() }
    #expect(try await next.told == "block 40")
  }

  @Test func `a node that goes away ends all calls, and they go on when it is back`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let client = try Watched([server.socketAddress]).client
    for _ in 0..<2 { _ = try await client.chainSync.nextBlock() }
    async let waiting = failure { try await client.chainSync.nextBlock() }
    await server.calls(atLeast: 3)
    server.change { $0.isConnected = false }
    #expect(await waiting?.code == -32000)
    #expect(try await client.health().state == .disconnected)
    server.change { ledger in
      ledger.isConnected = true
      ledger.forge()
    }
    // A connection that was being made meanwhile still hears of the loss.
    var told: String?
    for _ in 0..<100 where told == nil {
      do {
        told = try await client.chainSync.nextBlock().told
      } catch let error as OgmiosError where error.code == -32000 {}
    }
    #expect(told == "block 40")
  }

  @Test func `an idle connection that was closed is opened again`() async throws {
    let clock = ManualClock()
    let server = try await OgmiosServer(clock: clock)
    let client = try Watched([server.socketAddress]).client
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(60))
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
    // What came meanwhile gives it as much again from then on, and no more.
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(89))
    await clock.sleepers(atLeast: 1)
    #expect(clock.nextWakeUp == .seconds(1))
    clock.advance(by: .seconds(1))
    await server.log.first { if case .closed = $0 { true } else { false } }
    #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
  }

  @Test(.requirement("D29")) func `health is that of the first endpoint that can be asked`()
    async throws
  {
    let server = try await OgmiosServer()
    // Nobody listens on the first of the reserved ports.
    let client = try Watched(["ws://127.0.0.1:1", server.socketAddress]).client
    let health = try await client.health()
    #expect(health.endpoint == server.socketAddress)
    #expect(health.state == .synchronized)
    #expect(health.tip?.height == 9)
    #expect(health.version == "v7.0.0")
    #expect(health.network == "preview")
    #expect(health.era == "conway")
    #expect(health.epoch == 512)
    #expect(health.synchronization == 1)
    let update = try #require(health.lastTipUpdate?.timeIntervalSince1970)
    #expect(abs(update - 1_782_043_200.853_115) < 0.000_01)
    #expect(client.status.endpointInUse == server.socketAddress)
  }

  @Test(arguments: ["1e300", "-1e300", "1.01", "-0.01"])
  func `a share of the chain that is none is not known`(share: String) throws {
    let body = #"{"connectionStatus":"connected","networkSynchronization":\#(share)}"#
    let health = try OgmiosHealth(status: 200, body: Data(body.utf8), endpoint: "ws://node")
    #expect(health.synchronization == nil)
    #expect(health.state == .synchronized)
  }

  @Test(arguments: ["ws", "http"])
  func `whatever breaks, every call ends and is classified`(scheme: String) async throws {
    let faults: [OgmiosServer.Fault] = [
      .failure(.init(2001)), .text("nonsense"), .text("{}"), .text(#"{"jsonrpc":"2.0","id":7}"#),
      .close(code: 1011, reason: ""), .close(code: 4999, reason: "bye"), .nodeLost, .nodeTooOld,
      .hangUp, .reset, .portal,
    ]
    let server = try await OgmiosServer()
    let address = scheme == "ws" ? server.socketAddress : server.httpAddress
    for seed in 0..<UInt64(RandomDose.isTorture ? 200 : 10) {
      var random = SeededGenerator(seed: seed)
      let client = try Watched([address]) { $0.timeout = .milliseconds(500) }.client
      for _ in 0..<6 {
        let fault = faults.randomElement(using: &random) ?? .hangUp
        let isDone = Bool.random(using: &random)
        for _ in 0..<2 {
          server.inject(fault, into: "queryLedgerState/epoch", takesEffect: isDone)
        }
        do {
          #expect(
            try await client.ledgerStateQuery.epoch.execute(timeout: .milliseconds(500)) == 512)
        } catch {
          let known = AppError.from(error)
          #expect(
            ![.cancelled, .unclassified].contains(known.disposition), "\(seed) \(fault) \(known)")
        }
      }
      client.close()
    }
  }
}
