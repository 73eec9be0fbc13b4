// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 3)) struct OgmiosMethodTests {
  private func params(_ text: String?) -> JSONValue? {
    text.flatMap { JSONValue(json: Data($0.utf8)) }
  }

  @Test(.requirement("D4"), arguments: MethodTable.queries)
  func `a question and its answer`(row: MethodTable.Row) async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    #expect(try await row.ask(client) == row.answer)
    #expect(server.calls == [row.method])
  }

  @Test(arguments: OgmiosServer.Version.allCases)
  func `every version is understood, also with bytes and without method`(
    version: OgmiosServer.Version
  ) async throws {
    var settings = OgmiosServer.Settings()
    settings.version = version
    settings.isStrict = true
    settings.includesCBOR = true
    let server = try await OgmiosServer(settings: settings)
    let client = try Watched([server.socketAddress]).client
    let accounts = try await client.ledgerStateQuery.rewardAccountSummaries(keys: ["ab"]).execute()
    #expect(accounts.map(\.rewards) == [389])
    #expect((accounts.first?.from == nil) == (version < .v613))
    _ = try await client.chainSync.nextBlock()
    guard case .forward(let block, _) = try await client.chainSync.nextBlock() else {
      Issue.record("no block")
      return
    }
    #expect(block.json["cbor"] != nil)
    if version < .v612 {
      let refused = await #expect(throws: OgmiosError.self) {
        try await client.ledgerStateQuery.nonces.execute()
      }
      #expect(refused?.code == -32600)
    } else {
      #expect(try await client.ledgerStateQuery.nonces.execute()["epochNonce"] != nil)
    }
  }

  @Test func `questions have the params that Ogmios takes`() async throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let query = client.ledgerStateQuery
    #expect(query.utxo([]).request.params == params(#"{"outputReferences":[]}"#))
    #expect(query.wholeUtxo.request.params == nil)
    #expect(
      query.projectedRewards(stake: [18_446_744_073_709_551_616], keys: ["ab"]).request.params
        == params(#"{"keys":["ab"],"stake":[{"ada":{"lovelace":18446744073709551616}}]}"#))
    #expect(query.rewardAccountSummaries().request.params == params("{}"))
    #expect(query.delegateRepresentatives().request.params == nil)
    #expect(
      query.governanceProposals([OgmiosOutputReference(transaction: "cd", index: 1)]).request.params
        == params(#"{"proposals":[{"index":1,"transaction":{"id":"cd"}}]}"#))
    #expect(
      query.stakePools(["pool1"], includesStake: true).request.params
        == params(#"{"includeStake":true,"stakePools":[{"id":"pool1"}]}"#))
    #expect(query.dump(to: "/tmp/x").request.params == params(#"{"to":"/tmp/x"}"#))
    #expect(
      client.networkQuery.genesisConfiguration(era: "conway").request.params
        == params(#"{"era":"conway"}"#))
  }

  @Test func `whatever a question is given, a server takes it`() async throws {
    let server = try await OgmiosServer()
    let client = try Watched([server.socketAddress]).client
    let query = client.ledgerStateQuery
    let output = OgmiosOutputReference(transaction: "cd", index: 1)
    _ = try await query.utxo([]).execute()
    _ = try await query.utxo([output]).execute()
    _ = try await query.wholeUtxo.execute()
    _ = try await query.delegateRepresentatives().execute()
    _ = try await query.delegateRepresentatives(scripts: ["ab"]).execute()
    _ = try await query.governanceProposals().execute()
    _ = try await query.projectedRewards().execute()
    _ = try await query.projectedRewards(stake: [1], scripts: ["ab"], keys: ["cd"]).execute()
    _ = try await query.rewardAccountSummaries().execute()
    _ = try await query.stakePools().execute()
    _ = try await query.stakePools(includesStake: true).execute()
    for era in ["byron", "shelley", "alonzo", "conway"] {
      _ = try await client.networkQuery.genesisConfiguration(era: era).execute()
    }
    let extra: JSONValue = .object(["transaction": .object(["id": .string("cd")])])
    _ = try await client.transactions.evaluate(cbor: "00", additionalUtxo: [extra])
    let monitor = client.mempoolMonitor
    try await monitor.acquire()
    _ = try await monitor.nextTransaction()
    _ = try await monitor.nextTransaction(isWhole: true)
    _ = try await monitor.hasTransaction("cd")
    try await monitor.release()
    try await client.ledgerState.acquire()
    try await client.ledgerState.release()
  }

  @Test(arguments: [
    (#""12""#, "the result has a text at \"\" instead of a whole number from zero on: \"12\""),
    ("-1", "the result has a number at \"\" instead of a whole number from zero on"),
    ("18446744073709551616", "the result has a number at \"\" instead of"),
    ("1.5", "the result has a number at \"\" instead of"),
    ("null", "the result has nothing at \"\" instead of"),
    ("[1]", "the result has a list at \"\" instead of"),
  ])
  func `an answer of another form says where and what`(json: String, text: String) async throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let value = try #require(JSONValue(json: Data(json.utf8)))
    let error = #expect(throws: OgmiosError.self) {
      try client.ledgerStateQuery.epoch.request.read(value)
    }
    #expect(error?.kind == .invalidResponse)
    #expect(error?.description.contains(text) == true)
    #expect(error?.appError.disposition == .permanent)
  }

  @Test func `amounts keep all their digits, in each form that they had`() async throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let request = client.ledgerStateQuery.treasuryAndReserves.request
    let json = #"{"treasury":{"ada":{"lovelace":18446744073709551616}},"reserves":{"lovelace":-7}}"#
    let answer = try request.read(try #require(JSONValue(json: Data(json.utf8))))
    #expect(answer.treasury == 18_446_744_073_709_551_616)
    #expect(answer.reserves == -7)
  }

  @Test(arguments: [
    ("2022-10-25T00:00:00Z", 1_666_656_000), ("2022-10-25T00:00:00.5Z", 1_666_656_000.5),
    ("2021-03-15T16:28:36.853115034Z", 1_615_825_716.853_115),
    // A network of somebody's own begins whenever they made it.
    ("1864-05-08T10:55:43.405303665247Z", -3_333_963_856.594_696),
  ])
  func `times are read with all their digits`(text: String, seconds: Double) throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let time = try client.networkQuery.startTime.request.read(.string(text))
    #expect(abs(time.timeIntervalSince1970 - seconds) < 0.000_01)
    let body = #"{"connectionStatus":"connected","lastTipUpdate":"\#(text)"}"#
    let health = try OgmiosHealth(status: 200, body: Data(body.utf8), endpoint: "ws://node")
    #expect(health.lastTipUpdate == time)
  }

  @Test(arguments: ["", "yesterday", "2022-10-25T00:00:00.Z", "2022-10-25T00:00:00.x"])
  func `what is no time is told`(text: String) throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let error = #expect(throws: OgmiosError.self) {
      try client.networkQuery.startTime.request.read(.string(text))
    }
    #expect(error?.kind == .invalidResponse)
  }

  @Test func `a method may be called by its name`() async throws {
    let (server, other) = (try await OgmiosServer(), try await OgmiosServer())
    let client = try Watched([server.socketAddress, other.socketAddress]).client
    #expect(try await client.call("queryLedgerState/epoch") == .integer(512))
    let era: JSONValue = .object(["era": .string("shelley")])
    let genesis = try await client.call("queryNetwork/genesisConfiguration", era)
    #expect(genesis["networkMagic"]?.integer == 2)
    #expect(await failure { try await client.call("queryLedgerState/x") }?.code == -32600)
    let places = [
      "nextBlock", "findIntersection", "acquireLedgerState", "releaseLedgerState",
      "acquireMempool", "hasTransaction",
    ]
    for place in places {
      #expect(await failure { try await client.call(place) }?.kind == .invalidFormat)
    }
    let list = await failure {
      try await client.call("queryNetwork/tip", .array([]))
    }
    #expect(list?.kind == .invalidFormat)
    // Of a method that nobody knows nobody can say whether it may be sent twice.
    server.inject(.hangUp, into: "buildBlock")
    let lost = await failure { try await client.call("buildBlock") }
    #expect(lost?.appError.disposition == .unknownOutcome)
    #expect(other.calls.isEmpty)
  }

  @Test func `answers have all that slots are counted by, and the rest as it came`() async throws {
    let server = try await OgmiosServer()
    let query = try Watched([server.socketAddress]).client.ledgerStateQuery
    let era = try #require(try await query.eraSummaries.execute().first)
    #expect(era.slotLength == .seconds(1))
    #expect(era.safeZone == nil)
    #expect(era.json["parameters"]?["epochLength"]?.integer == 86_400)
    let representatives = try await query.delegateRepresentatives().execute()
    #expect(representatives.map(\.from) == ["verificationKey", nil])
    #expect(representatives.first?.json["mandate"]?["epoch"]?.integer == 600)
    let member = try await query.constitutionalCommittee.execute()?.members.first
    #expect(member?.json["mandate"]?["epoch"]?.integer == 600)
    let account = try await query.rewardAccountSummaries(keys: ["ab"]).execute().first
    #expect(account?.json["delegate"]?["id"]?.string == "pool1")
  }

  @Test(arguments: [
    (#"{"milliseconds":200}"#, Duration.milliseconds(200)), (#"{"seconds":0.2}"#, .seconds(0.2)),
    ("20", .seconds(20)),
  ])
  func `a slot has the length of each version`(json: String, length: Duration) throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    let bound = #"{"time":{"seconds":0},"slot":0,"epoch":0}"#
    let text =
      #"[{"start":\#(bound),"end":null,"parameters":{"epochLength":1,"safeZone":7,"#
      + #""slotLength":\#(json)}}]"#
    let era = try client.ledgerStateQuery.eraSummaries.request.read(try #require(params(text)))
    #expect(era.map(\.slotLength) == [length])
    #expect(era.map(\.safeZone) == [7])
  }

  @Test func `a chain without blocks has no height`() async throws {
    let client = try OgmiosClient(endpoints: ["http://127.0.0.1:9"])
    #expect(try client.networkQuery.blockHeight.request.read(.string("origin")) == nil)
    #expect(try client.networkQuery.tip.request.read(.string("origin")) == .origin)
    #expect(try client.ledgerStateQuery.constitutionalCommittee.request.read(.null) == nil)
  }
}
