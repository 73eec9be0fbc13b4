// SPDX-License-Identifier: Apache-2.0

internal import MainstayHTTP

/// What a node answers to questions that change nothing.
enum OgmiosQueries {
  typealias Answer = OgmiosSessionStateMachine.Answer
  typealias Failure = OgmiosServer.Failure

  static func point(_ block: OgmiosLedger.Block) -> String {
    #"{"slot":\#(block.slot),"id":"\#(block.id)"}"#
  }

  static func tip(_ ledger: OgmiosLedger) -> String {
    let tip = ledger.tip
    return #"{"slot":\#(tip.slot),"id":"\#(tip.id)","height":\#(tip.height)}"#
  }

  static func block(_ ledger: OgmiosLedger, at index: Int, cbor: Bool) -> String {
    let block = ledger.blocks[index]
    let ancestor = index > 0 ? "\"\(ledger.blocks[index - 1].id)\"" : "\"genesis\""
    let transactions = block.transactions.map { #"{"id":"\#($0)","spends":"inputs"}"# }
    let bytes = cbor ? #","cbor":"820082""# : ""
    return #"{"type":"praos","era":"\#(ledger.era)","id":"\#(block.id)","ancestor":\#(ancestor),"#
      + #""height":\#(block.height),"slot":\#(block.slot),"size":{"bytes":1024},"#
      + #""transactions":[\#(transactions.joined(separator: ","))]\#(bytes)}"#
  }

  static func transaction(_ transaction: OgmiosLedger.Transaction, isWhole: Bool) -> String {
    isWhole
      ? #"{"id":"\#(transaction.id)","spends":"inputs","inputs":[],"outputs":[],"#
        + #""fee":{"ada":{"lovelace":174301}},"cbor":"\#(transaction.cbor)"}"#
      : #"{"id":"\#(transaction.id)"}"#
  }

  static func network(
    _ query: Substring, _ params: JSONValue?, _ ledger: OgmiosLedger
  ) -> Answer {
    switch query {
    case "blockHeight": .result("\(ledger.tip.height)")
    case "tip": .result(point(ledger.tip))
    case "startTime": .result(#""2022-10-25T00:00:00Z""#)
    case "genesisConfiguration": genesis(params?["era"]?.string)
    default: .unknownMethod
    }
  }

  private static func genesis(_ era: String?) -> Answer {
    switch era {
    case "byron", "shelley", "alonzo", "conway":
      .result(
        #"{"era":"\#(era ?? "")","networkMagic":2,"epochLength":86400,"#
          + #""maxLovelaceSupply":45000000000000000}"#)
    case "dijkstra": .failure(Failure(2004, "Invalid genesis.", data: "\"no such file\""))
    default: .unknownMethod
    }
  }

  static func ledgerState(
    _ query: Substring, _ params: JSONValue?, _ ledger: OgmiosLedger,
    at place: OgmiosLedger.Block, _ version: OgmiosServer.Version
  ) -> Answer {
    switch query {
    case "epoch": return .result("\(ledger.epoch)")
    case "tip": return .result(point(place))
    case "utxo": return utxo(params, ledger, at: place)
    case "rewardAccountSummaries":
      guard params != nil else { return .unknownMethod }
      let summary =
        #""delegate":{"id":"pool1"},"rewards":{"ada":{"lovelace":389}},"#
        + #""deposit":{"ada":{"lovelace":2000000}}"#
      return .result(
        version < .v613
          ? #"{"\#(key)":{\#(summary)}}"#
          : #"[{"from":"verificationKey","credential":"\#(key)",\#(summary)}]"#)
    case "projectedRewards" where params == nil: return .unknownMethod
    case "nonces" where version < .v612: return .unknownMethod
    case "operationalCertificates" where version < .v612: return .unknownMethod
    case "dump" where params?["to"]?.string == nil: return .unknownMethod
    case "stakePoolsPerformances" where version < .v613: return .unknownMethod
    default: return documents[String(query)].map(Answer.result) ?? .unknownMethod
    }
  }

  private static let key = String(repeating: "ab", count: 28)
  private static let hash = String(repeating: "cd", count: 32)

  /// The output that a question names, for transactions that lie in a block up to a place.
  private static func utxo(
    _ params: JSONValue?, _ ledger: OgmiosLedger, at place: OgmiosLedger.Block
  ) -> Answer {
    let references = params?["outputReferences"]?.array
    guard references == nil || params?["addresses"] == nil else { return .unknownMethod }
    let asked = references?.compactMap { $0["transaction"]?["id"]?.string }
    let there = ledger.blocks.prefix { $0.slot <= place.slot }.flatMap(\.transactions)
    let known = (asked ?? there).filter(Set(there).contains)
    let outputs = known.map { id in
      #"{"transaction":{"id":"\#(id)"},"index":0,"address":"addr_test1","#
        + #""value":{"ada":{"lovelace":18446744073709551615}}}"#
    }
    return .result("[\(outputs.joined(separator: ","))]")
  }

  private static let bound = #"{"time":{"seconds":0},"slot":0,"epoch":0}"#
  private static let ada = #"{"ada":{"lovelace":18446744073709551615}}"#

  /// Answers that are the same whatever happens on the chain.
  private static let documents: [String: String] = [
    "constitution":
      #"{"metadata":{"url":"https://example.com/c","hash":"\#(hash)"},"guardrails":null}"#,
    "constitutionalCommittee":
      #"{"members":[{"id":"\#(key)","status":"active","mandate":{"epoch":600}}],"#
      + #""quorum":"2/3"}"#,
    "delegateRepresentatives":
      #"[{"type":"registered","from":"verificationKey","id":"\#(key)","mandate":{"epoch":600},"#
      + #""deposit":{"ada":{"lovelace":500000000}},"stake":\#(ada)},"#
      + #"{"type":"abstain","stake":\#(ada)}]"#,
    "dump": "null",
    "eraStart": bound,
    "eraSummaries":
      #"[{"start":\#(bound),"end":null,"parameters":{"epochLength":86400,"#
      + #""slotLength":{"milliseconds":1000},"safeZone":null}}]"#,
    "governanceProposals":
      #"[{"proposal":{"transaction":{"id":"\#(hash)"},"index":0},"action":{"type":"information"},"#
      + #""since":{"epoch":500},"until":{"epoch":506},"votes":[]}]"#,
    "liveStakeDistribution":
      #"{"pool1":{"stake":"1/3","vrf":"\#(hash)"}}"#,
    "nonces":
      #"{"epochNonce":"\#(hash)","candidateNonce":"\#(hash)","evolvingNonce":"\#(hash)","#
      + #""lastEpochLastAncestor":"\#(hash)"}"#,
    "operationalCertificates": #"{"pool1":7}"#,
    "projectedRewards": #"{"\#(key)":{"pool1":{"ada":{"lovelace":12}}}}"#,
    "protocolParameters":
      #"{"minFeeCoefficient":44,"minFeeConstant":{"ada":{"lovelace":155381}},"#
      + #""maxTransactionSize":{"bytes":16384},"version":{"major":10,"minor":0}}"#,
    "rewardsProvenance": #"{"totalStake":\#(ada),"activeStake":\#(ada),"stakePools":{}}"#,
    "stakePoolsPerformances": #"{"desiredNumberOfStakePools":500,"stakePools":{}}"#,
    "stakePools": #"{"pool1":{"id":"pool1","cost":{"ada":{"lovelace":340000000}}}}"#,
    "treasuryAndReserves": #"{"treasury":\#(ada),"reserves":\#(ada)}"#,
  ]
}
