// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosServerTests {
  private func send(
    _ verb: HTTPVerb, _ path: String, _ body: String? = nil, to server: OgmiosServer
  ) async throws -> (status: Int, body: JSONValue?) {
    let url = try #require(URL(string: server.httpAddress + path))
    let reply = try await AsyncHTTPClientTransport().send(
      HTTPTransmission(verb, url, body: body.map { .bytes(Data($0.utf8)) } ?? .none))
    return (reply.status, JSONValue(json: try await reply.body.collect(upTo: 1_000_000).bytes))
  }

  @Test func `an error over HTTP has status 400, whatever its number`() async throws {
    let server = try await OgmiosServer()
    let good = try await send(
      .post, "/", #"{"jsonrpc":"2.0","method":"queryNetwork/tip","id":1}"#, to: server)
    #expect(good.status == 200)
    #expect(good.body?["result"]?["slot"]?.integer == 200)
    for code in [-32603, 2003, 3122] {
      server.inject(.failure(.init(code, data: #"{"n":18446744073709551616}"#)))
      let bad = try await send(
        .post, "/", #"{"jsonrpc":"2.0","method":"queryNetwork/tip","id":1}"#, to: server)
      #expect(bad.status == 400)
      #expect(bad.body?["error"]?["code"]?.integer == code)
      #expect(bad.body?["error"]?["data"]?["n"] != nil)
    }
    let batch = try await send(.post, "/", "[]", to: server)
    #expect(batch.status == 400)
    #expect(batch.body?["error"]?["code"]?.integer == -32600)
    #expect(batch.body?["id"] == .null)
    let mempool = try await send(
      .post, "/", #"{"jsonrpc":"2.0","method":"sizeOfMempool"}"#, to: server)
    #expect(mempool.body?["error"]?["code"]?.integer == 4000)
    server.inject(.text("nonsense"))
    #expect(try await send(.post, "/", "{}", to: server).status == 500)
  }

  @Test func `other addresses and verbs are answered as Ogmios does`() async throws {
    let server = try await OgmiosServer()
    #expect(try await send(.get, "/", to: server).status == 200)
    #expect(try await send(.get, "/metrics", to: server).status == 200)
    #expect(try await send(.get, "/nowhere", to: server).status == 404)
    #expect(try await send(.put, "/", "{}", to: server).status == 406)
    #expect(try await send(.options, "/", to: server).status == 200)
  }

  @Test func `health is one document with three statuses`() async throws {
    let server = try await OgmiosServer()
    func health() async throws -> String {
      let (status, body) = try await send(.get, "/health", to: server)
      return "\(status) \(body?["connectionStatus"]?.string ?? "") "
        + "\(body?["currentEpoch"]?.integer ?? 0)"
    }
    #expect(try await health() == "200 connected 512")
    server.change { $0.synchronization = 0.25 }
    #expect(try await health() == "202 connected 512")
    server.change { $0.isConnected = false }
    #expect(try await health() == "500 disconnected 0")
    let call = try await send(
      .post, "/", #"{"jsonrpc":"2.0","method":"queryNetwork/tip"}"#, to: server)
    #expect(call.status == 500)
  }

  @Test func `a change loses nothing that happened while it was made`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let tries = Log()
    server.change { ledger in
      tries.add("try")
      // As if a client sent this meanwhile.
      if tries.lines.count == 1 { server.change { $0.submit("00") } }
      ledger.epoch += 1
    }
    #expect(tries.lines.count == 2)
    #expect(server.ledger.epoch == 513)
    #expect(server.ledger.mempool.map(\.cbor) == ["00"])
  }

  @Test func `whatever comes together, all of it has happened in the end`() async throws {
    let server = try await OgmiosServer(ledger: OgmiosLedger(blocks: 1))
    let transactions = (0..<20).map { String(format: "%04x", $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for cbor in transactions {
        group.addTask {
          let params = #"{"transaction":{"cbor":"\#(cbor)"}}"#
          let call = #"{"jsonrpc":"2.0","method":"submitTransaction","params":\#(params),"id":1}"#
          let status = try await self.send(.post, "/", call, to: server).status
          #expect(status == 200)
        }
        group.addTask {
          server.change {
            $0.forge()
            $0.epoch += 1
          }
        }
      }
      try await group.waitForAll()
    }
    let ledger = server.ledger
    #expect(ledger.epoch == 532)
    #expect(ledger.blocks.count == 21)
    #expect(transactions.allSatisfy { ledger.knows(OgmiosLedger.transactionID(of: $0)) })
  }

  @Test func `the limits are settings`() {
    #expect(OgmiosServer.Settings().idleTimeout == .seconds(90))
    #expect(OgmiosServer.Settings().maximumInFlight == 1_000)
  }
}
