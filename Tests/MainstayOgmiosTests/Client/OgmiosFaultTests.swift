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

/// A client, a server, and a proxy between them that does harm, at each step of a call.
@Suite(.requirement("D38", "T20"), .ends(withinMinutes: 5)) struct OgmiosFaultTests {
  /// What is called: a question, and something that must not be sent twice.
  enum Call: Sendable, CaseIterable {
    case epoch, transaction

    func make(_ client: OgmiosClient) async throws {
      switch self {
      case .epoch: #expect(try await client.ledgerStateQuery.epoch.execute() == 512)
      case .transaction: try await client.transactions.submit(cbor: "84a0")
      }
    }
  }

  /// What a call ended in is of the right kind, and says what may be done.
  private func check(_ error: OgmiosError, _ call: Call, _ fault: Fault) {
    let known = error.appError
    #expect([.network, .decoding, .timeout, .server].contains(known.kind), "\(fault) \(known)")
    let isOpen = call == .transaction && known.mayHaveBeenSent
    switch known.disposition {
    case .unknownOutcome: #expect(isOpen, "\(fault) \(known)")
    case .transient: #expect(!isOpen, "\(fault) \(known)")
    // What makes no sense once makes no sense twice.
    case .permanent: #expect(!isOpen && known.kind == .decoding, "\(fault) \(known)")
    default: Issue.record("\(fault) \(known)")
    }
  }

  /// Faults that end by themselves: while a connection opens, while a WebSocket does, within the
  /// request, and within the answer.
  private static let faults: [Fault] =
    [
      .ended(.reset), .ended(.finish), .garbage(Array("no HTTP at all\r\n\r\n".utf8)),
      .swallowedAnswer(then: .reset), .swallowedAnswer(then: .finish),
      .corruption(.response, at: 0), .corruption(.response, at: 40),
    ]
    + stride(from: 0, through: 400, by: 40).flatMap { count -> [Fault] in
      [
        .cut(.request, after: count, by: .reset), .cut(.request, after: count, by: .finish),
        .cut(.response, after: count, by: .reset), .cut(.response, after: count, by: .finish),
      ]
    }

  @Test(arguments: ["ws", "http"], Call.allCases)
  func `a connection that breaks at any step ends each call in its kind`(
    scheme: String, call: Call
  ) async throws {
    var broken = 0
    for fault in Self.faults {
      let server = try await OgmiosServer()
      let proxy = try await FaultProxy(to: server.port, seed: 7) { _ in fault }
      let client = try Watched(["\(scheme)://127.0.0.1:\(proxy.port)"]) {
        $0.timeout = .patience
        $0.webSocket.openTimeout = .patience
        $0.webSocket.pingInterval = nil
      }.client
      if let error = await failure({ try await call.make(client) }) {
        check(error, call, fault)
        broken += 1
      }
      client.close()
      let sent = server.calls.count { $0 == "submitTransaction" }
      #expect(sent <= 1, "\(fault): sent \(sent) times")
      await proxy.log.first { _ in proxy.openConnections == 0 }
    }
    // What a late cut meets is over by then.
    #expect(broken >= 10, "\(broken) of \(Self.faults.count)")
  }

  @Test(
    arguments: ["ws", "http"],
    [
      .drip(bytes: 1, every: .seconds(1)), .stall(.request, after: 20), .stall(.response, after: 9),
      .stall(.response, after: 180), .blackHole, .swallowedAnswer(then: nil),
    ] as [Fault])
  func `a connection that drips, or is half open, ends each call at its limit`(
    scheme: String, fault: Fault
  ) async throws {
    for call in Call.allCases {
      let server = try await OgmiosServer()
      let proxy = try await FaultProxy(to: server.port, seed: 7) { _ in fault }
      let clock = ManualClock()
      let client = try Watched(["\(scheme)://127.0.0.1:\(proxy.port)"], clock: clock) {
        $0.timeout = .seconds(30)
        $0.webSocket.openTimeout = .patience
        $0.webSocket.pingInterval = nil
      }.client
      let asking = Task { await failure { try await call.make(client) } }
      await proxy.log.first { $0 == .asked(0) }
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(30))
      let error = try #require(await asking.value)
      #expect(error.kind == .timeout, "\(error)")
      check(error, call, fault)
      client.close()
      await proxy.log.first { $0 == .left(0) || proxy.openConnections == 0 }
    }
  }

  @Test(
    arguments: [
      .ended(.reset), .ended(.finish), .cut(.request, after: 40, by: .finish),
      .cut(.response, after: 180, by: .reset), .garbage([33]), .corruption(.response, at: 40),
    ] as [Fault])
  func `with a server that is well beside it, each question is answered`(
    fault: Fault
  ) async throws {
    let (first, second) = (try await OgmiosServer(), try await OgmiosServer())
    let proxy = try await FaultProxy(to: first.port, seed: 7) { _ in fault }
    let endpoints = ["ws://127.0.0.1:\(proxy.port)", second.socketAddress]
    let client = try Watched(endpoints) { $0.timeout = .patience }.client
    for _ in 0..<3 { try await Call.epoch.make(client) }
    #expect(client.status.endpointInUse == second.socketAddress)
    #expect(client.status.endpoints.map(\.connection) == [.failed, .connected])
  }
}
