// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import Testing

@testable import MainstayHTTPTesting

@Suite struct OgmiosSessionStateMachineTests {
  private struct Talk {
    var session = OgmiosSessionStateMachine()
    var ledger = OgmiosLedger(blocks: 3)

    /// The answers to a request, each as its result or the number of its error.
    mutating func ask(
      _ method: String, _ params: String = "", fault: OgmiosServer.Fault? = nil
    ) -> [String] {
      let params = params.isEmpty ? "" : #","params":\#(params)"#
      let text = #"{"jsonrpc":"2.0","method":"\#(method)"\#(params),"id":"x"}"#
      return session.receive(Data(text.utf8), &ledger, fault: fault).map(Self.told)
    }

    mutating func raw(_ text: String) -> [String] {
      session.receive(Data(text.utf8), &ledger).map(\.text)
    }

    static func told(_ reply: OgmiosReply) -> String {
      if let fault = reply.fault { return "\(fault)" }
      let value = JSONValue(json: Data(reply.text.utf8))
      if let code = value?["error"]?["code"]?.integer { return "\(code)" }
      let result = value?["result"]
      if let point = result?["point"] { return "back \(point["slot"]?.integer ?? 0)" }
      if let block = result?["block"] { return "block \(block["slot"]?.integer ?? 0)" }
      return result.map { String(decoding: $0.encoded, as: UTF8.self) } ?? "nothing"
    }
  }

  private func point(_ block: OgmiosLedger.Block) -> String {
    #"{"slot":\#(block.slot),"id":"\#(block.id)"}"#
  }

  @Test func `the chain begins with going back to its beginning`() {
    var talk = Talk()
    #expect(talk.ask("nextBlock") == ["back 0"])
    #expect(
      (0..<3).map { _ in talk.ask("nextBlock") } == [["block 20"], ["block 40"], ["block 60"]])
    #expect(talk.ask("nextBlock").isEmpty)
    talk.ledger.forge()
    #expect(talk.session.ledgerChanged(&talk.ledger).map(Talk.told) == ["block 80"])
  }

  @Test func `what has to wait goes wrong once it would be answered`() {
    var talk = Talk()
    for _ in 0..<4 { _ = talk.ask("nextBlock") }
    #expect(talk.ask("nextBlock", fault: .silence).isEmpty)
    #expect(talk.ask("nextBlock").isEmpty)
    _ = talk.ask("acquireMempool")
    #expect(talk.ask("acquireMempool", fault: .failure(.init(-32600))).isEmpty)
    for _ in 0..<2 { talk.ledger.forge() }
    talk.ledger.submit("00")
    // The server has gone on by the block whose answer is lost.
    #expect(
      talk.session.ledgerChanged(&talk.ledger).map(Talk.told) == ["silence", "block 100", "-32600"])
  }

  @Test func `an intersection is the first point that there is`() {
    var talk = Talk()
    let known = point(talk.ledger.blocks[1])
    let points = #"{"points":[{"slot":1,"id":"aa"},\#(known),"origin"]}"#
    _ = talk.ask("findIntersection", points)
    #expect(talk.ask("nextBlock") == ["back 40"])
    #expect(talk.ask("nextBlock") == ["block 60"])
    #expect(talk.ask("findIntersection", #"{"points":[{"slot":1,"id":"aa"}]}"#) == ["1000"])
  }

  @Test func `a chain that forks goes back to where it forked`() {
    var talk = Talk()
    for _ in 0..<4 { _ = talk.ask("nextBlock") }
    #expect(talk.ask("nextBlock").isEmpty)
    talk.ledger.rollBack(by: 2)
    talk.ledger.forge()
    #expect(talk.session.ledgerChanged(&talk.ledger).map(Talk.told) == ["back 20"])
    #expect(talk.ask("nextBlock") == ["block 40"])
  }

  @Test func `questions for blocks are answered in their order`() {
    var talk = Talk()
    for _ in 0..<4 { _ = talk.ask("nextBlock") }
    _ = talk.raw(#"{"jsonrpc":"2.0","method":"nextBlock","id":1}"#)
    _ = talk.raw(#"{"jsonrpc":"2.0","method":"nextBlock","id":2}"#)
    #expect(talk.session.mostInFlight == 2)
    talk.ledger.forge()
    talk.ledger.forge()
    let replies = talk.session.ledgerChanged(&talk.ledger)
    #expect(replies.compactMap { JSONValue(json: Data($0.text.utf8))?["id"]?.integer } == [1, 2])
  }

  @Test func `questions beyond the limit are held back, and lose neither answer nor place`() {
    var talk = Talk()
    talk.session = OgmiosSessionStateMachine(settings: .init(maximumInFlight: 2))
    for _ in 0..<4 { _ = talk.ask("nextBlock") }
    for id in 1...5 {
      #expect(talk.raw(#"{"jsonrpc":"2.0","method":"nextBlock","id":\#(id)}"#).isEmpty)
    }
    let intersection =
      #"{"jsonrpc":"2.0","method":"findIntersection","params":{"points":["origin"]},"id":6}"#
    #expect(talk.raw(intersection).isEmpty)
    #expect(talk.session.mostInFlight == 2)
    // Other questions do not wait for those.
    #expect(talk.ask("queryLedgerState/epoch") == ["512"])
    var ids: [Int] = []
    for _ in 0..<5 {
      talk.ledger.forge()
      ids += talk.session.ledgerChanged(&talk.ledger).compactMap {
        JSONValue(json: Data($0.text.utf8))?["id"]?.integer
      }
    }
    #expect(ids == [1, 2, 3, 4, 5, 6])
    #expect(talk.session.mostInFlight == 2)
    #expect(talk.ask("nextBlock") == ["back 0"])
  }

  @Test func `a view of the ledger runs out`() {
    var talk = Talk()
    let place = #"{"point":\#(point(talk.ledger.blocks[0]))}"#
    #expect(talk.ask("acquireLedgerState", place) == ["back 20"])
    #expect(talk.ask("queryLedgerState/tip")[0].contains("20"))
    talk.ledger.expireSnapshots()
    #expect(talk.ask("queryLedgerState/epoch") == ["2003"])
    #expect(talk.ask("queryLedgerState/epoch") == ["512"])
    #expect(talk.ask("acquireLedgerState", #"{"point":{"slot":1,"id":"aa"}}"#) == ["2000"])
    talk.ledger.queryEra = "babbage"
    #expect(talk.ask("queryLedgerState/epoch") == ["2001"])
  }

  @Test func `the mempool is gone through by views`() {
    var talk = Talk()
    #expect(talk.ask("nextTransaction") == ["4000"])
    #expect(talk.ask("releaseMempool") == ["4000"])
    let first = talk.ledger.submit("00") ?? ""
    #expect(talk.ask("acquireMempool").count == 1)
    #expect(talk.ask("nextTransaction") == [#"{"transaction":{"id":"\#(first)"}}"#])
    #expect(talk.ask("nextTransaction") == [#"{"transaction":null}"#])
    #expect(talk.ask("hasTransaction", #"{"id":"\#(first)"}"#) == ["true"])
    #expect(talk.ask("acquireMempool").isEmpty)
    talk.ledger.clearMempool()
    #expect(talk.session.ledgerChanged(&talk.ledger).count == 1)
    #expect(talk.ask("nextTransaction") == [#"{"transaction":null}"#])
  }

  @Test func `a transaction is taken once`() {
    var talk = Talk()
    let transaction = #"{"transaction":{"cbor":"84a0"}}"#
    let id = OgmiosLedger.transactionID(of: "84a0")
    #expect(talk.ask("submitTransaction", transaction) == [#"{"transaction":{"id":"\#(id)"}}"#])
    #expect(talk.ask("submitTransaction", transaction) == ["3117"])
    talk.ledger.forge()
    #expect(talk.ledger.isConfirmed(id))
    #expect(talk.ask("submitTransaction", transaction) == ["3117"])
    for bad in ["XY", "84A0", "840", ""] {
      #expect(talk.ask("submitTransaction", #"{"transaction":{"cbor":"\#(bad)"}}"#) == ["-32602"])
    }
  }

  @Test(arguments: [
    "", "nonsense", "[]", "[1]", #"[{"jsonrpc":"2.0","method":"nextBlock"}]"#, "17",
    #"{"method":"nextBlock"}"#, #"{"jsonrpc":"2.0"}"#,
    #"{"jsonrpc":"2.0","method":"no/such/method"}"#,
    #"{"jsonrpc":"2.0","method":"queryLedgerState/proposedProtocolParameters"}"#,
    #"{"jsonrpc":"2.0","method":"nextBlock","params":[1]}"#,
    #"{"jsonrpc":"2.0","method":"acquireLedgerState"}"#,
    #"{"jsonrpc":"2.0","method":"queryLedgerState/projectedRewards"}"#,
    #"{"jsonrpc":"2.0","method":"queryLedgerState/rewardAccountSummaries"}"#,
    #"{"jsonrpc":"2.0","method":"findIntersection"}"#,
    #"{"jsonrpc":"2.0","method":"findIntersection","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"findIntersection","params":{"points":[{"slot":1}]}}"#,
    #"{"jsonrpc":"2.0","method":"submitTransaction","params":{"transaction":"84a0"}}"#,
    #"{"jsonrpc":"2.0","method":"hasTransaction","params":{"id":7}}"#,
    #"{"jsonrpc":"2.0","method":"nextTransaction","params":{"fields":"some"}}"#,
    #"{"jsonrpc":"2.0","method":"queryNetwork/genesisConfiguration"}"#,
    #"{"jsonrpc":"2.0","method":"queryLedgerState/dump","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"queryLedgerState/utxo","#
      + #""params":{"outputReferences":[],"addresses":[]}}"#,
  ])
  func `everything that is no request is refused alike`(text: String) throws {
    var talk = Talk()
    let replies = talk.raw(text)
    let reply = try #require(replies.first)
    #expect(replies.count == 1)
    #expect(Talk.told(OgmiosReply(text: reply, isError: true)) == "-32600")
  }

  @Test func `each method takes params, and none that must be there may be missing`() {
    #expect(OgmiosParams.rules.count == 35)
    for (method, rule) in OgmiosParams.rules {
      let isBare = rule.required.isEmpty && !rule.isRequired
      #expect(OgmiosParams.areLegal(nil, of: method) == isBare, "\(method)")
      #expect(OgmiosParams.areLegal(.object([:]), of: method) == rule.required.isEmpty)
      // Members that nobody knows are passed over.
      #expect(!OgmiosParams.areLegal(.array([]), of: method))
      #expect(
        OgmiosParams.areLegal(.object(["x": .null]), of: method) == rule.required.isEmpty)
      for name in rule.optional.keys {
        #expect(!OgmiosParams.areLegal(.object([name: .integer(7)]), of: method), "\(method)")
      }
    }
  }

  @Test func `ids come back as they were`() {
    for id in ["null", "1.0", #""x""#, #"{"a":[1]}"#, "18446744073709551616"] {
      var talk = Talk()
      let text = #"{"jsonrpc":"2.0","method":"queryNetwork/blockHeight","id":\#(id)}"#
      let answer = talk.raw(text).first ?? ""
      #expect(answer.hasSuffix(#","id":\#(id)}"#))
      #expect(answer.contains(#""method":"queryNetwork/blockHeight""#))
    }
  }

  @Test func `two ledgers of one length are the same`() {
    #expect(OgmiosLedger(blocks: 5) == OgmiosLedger(blocks: 5))
    var forked = OgmiosLedger(blocks: 5)
    forked.rollBack(by: 1)
    forked.forge()
    #expect(forked.tip.height == 4)
    #expect(forked.tip.id != OgmiosLedger(blocks: 5).tip.id)
    forked.rollBack(by: 100)
    #expect(forked.blocks.count == 1)
  }
}
