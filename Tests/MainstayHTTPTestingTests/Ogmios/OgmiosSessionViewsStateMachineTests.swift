// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import Testing

@testable import MainstayHTTPTesting

/// What a session shows of the ledger and of the mempool, and what it lets go.
@Suite struct OgmiosSessionViewsStateMachineTests {
  private struct Talk {
    var session = OgmiosSessionStateMachine()
    var ledger = OgmiosLedger(blocks: 3)

    /// The only answer to a request.
    mutating func ask(_ method: String, _ params: String = "") throws -> JSONValue {
      let params = params.isEmpty ? "" : #","params":\#(params)"#
      let text = #"{"jsonrpc":"2.0","method":"\#(method)"\#(params),"id":"x"}"#
      let replies = session.receive(Data(text.utf8), &ledger)
      try #require(replies.count == 1, "\(method)")
      return try #require(JSONValue(json: Data(replies[0].text.utf8)))
    }

    mutating func result(_ method: String, _ params: String = "") throws -> JSONValue {
      let answer = try ask(method, params)
      return try #require(answer["result"], "\(method)")
    }

    mutating func error(_ method: String, _ params: String = "") throws -> Int? {
      try ask(method, params)["error"]?["code"]?.integer
    }
  }

  @Test func `a session is set up as its server is`() {
    let (session, server) = (OgmiosSessionStateMachine.Settings(), OgmiosServer.Settings())
    #expect(session.includesCBOR == server.includesCBOR)
    #expect(session.maximumInFlight == server.maximumInFlight)
    #expect(OgmiosSessionStateMachine().mostInFlight == 0)
  }

  @Test(arguments: [false, true]) func `blocks come with their bytes where that is asked for`(
    _ includesCBOR: Bool
  ) throws {
    var talk = Talk()
    talk.session = OgmiosSessionStateMachine(settings: .init(includesCBOR: includesCBOR))
    _ = try talk.result("nextBlock")
    let block = try talk.result("nextBlock")["block"]
    #expect(block?["slot"]?.integer == 20)
    #expect((block?["cbor"] != nil) == includesCBOR)
  }

  @Test func `each answer makes room for a question that was held back`() {
    var talk = Talk()
    talk.session = OgmiosSessionStateMachine(settings: .init(maximumInFlight: 2))
    for id in 0..<9 {
      let text = #"{"jsonrpc":"2.0","method":"nextBlock","id":\#(id)}"#
      _ = talk.session.receive(Data(text.utf8), &talk.ledger)
    }
    // Four were answered at once; five blocks answer what is on its way, and what is behind that.
    for _ in 0..<5 { talk.ledger.forge() }
    let ids = talk.session.ledgerChanged(&talk.ledger).compactMap {
      JSONValue(json: Data($0.text.utf8))?["id"]?.integer
    }
    #expect(ids == [4, 5, 6, 7, 8])
  }

  @Test func `a view of the ledger is let go`() throws {
    var talk = Talk()
    let block = talk.ledger.blocks[0]
    _ = try talk.result(
      "acquireLedgerState", #"{"point":{"slot":\#(block.slot),"id":"\#(block.id)"}}"#)
    #expect(try talk.result("queryLedgerState/tip")["slot"]?.integer == 20)
    #expect(try talk.result("releaseLedgerState")["released"]?.string == "ledgerState")
    #expect(try talk.result("queryLedgerState/tip")["slot"]?.integer == 60)
    // Without a view nothing can run out.
    talk.ledger.expireSnapshots()
    #expect(try talk.result("queryLedgerState/tip")["slot"]?.integer == 60)
  }

  @Test func `a transaction is evaluated where it can be read`() throws {
    var talk = Talk()
    let budgets = try talk.result("evaluateTransaction", #"{"transaction":{"cbor":"9f"}}"#).array
    #expect(budgets?.count == 1)
    #expect(budgets?.first?["budget"]?["memory"]?.integer == 1700)
    for bad in ["9g", "9", ""] {
      let transaction = #"{"transaction":{"cbor":"\#(bad)"}}"#
      #expect(try talk.error("evaluateTransaction", transaction) == -32602)
      #expect(try talk.error("submitTransaction", transaction) == -32602)
    }
    // It is not in the mempool for that.
    #expect(talk.ledger.mempool.isEmpty)
  }

  @Test func `a view of the mempool is gone through, counted and let go`() throws {
    var talk = Talk()
    let hasIt = #"{"id":"aa"}"#
    #expect(try talk.error("hasTransaction", hasIt) == 4000)
    #expect(try talk.error("sizeOfMempool") == 4000)
    let ids = ["00", "0102ff"].compactMap { talk.ledger.submit($0) }
    #expect(ids.count == 2)
    _ = try talk.result("acquireMempool")
    for id in ids {
      #expect(try talk.result("nextTransaction")["transaction"]?["id"]?.string == id)
    }
    #expect(try talk.result("nextTransaction")["transaction"] == .null)
    #expect(try talk.result("hasTransaction", hasIt) == .bool(false))
    let size = try talk.result("sizeOfMempool")
    #expect(size["currentSize"]?["bytes"]?.integer == 4)
    #expect(size["transactions"]?["count"]?.integer == 2)
    #expect(try talk.result("releaseMempool")["released"]?.string == "mempool")
    #expect(try talk.error("nextTransaction") == 4000)
    #expect(try talk.error("releaseMempool") == 4000)
  }
}
