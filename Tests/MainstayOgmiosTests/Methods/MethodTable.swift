// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayOgmios
import Testing

/// The methods of Ogmios with a question, its params, and an answer that is ours.
enum MethodTable {
  struct Row: Sendable, CustomTestStringConvertible {
    let method: String
    /// The params, as JSON; nil for none.
    let params: String?
    /// What a client is to understand of the answer of an `OgmiosServer`.
    let answer: String
    /// Asks the client and tells what it understood.
    let ask: @Sendable (OgmiosClient) async throws -> String

    var testDescription: String { method }
  }

  /// The end of the chain that a server has at first.
  static let tip = OgmiosPoint.block(slot: 200, id: OgmiosLedger().tip.id)

  static let queries: [Row] = [
    Row(
      method: "queryLedgerState/constitution", params: nil,
      answer: "https://example.com/c cd -"
    ) {
      let answer = try await $0.ledgerStateQuery.constitution.execute()
      return "\(answer.url) \(answer.hash.prefix(2)) \(answer.guardrails ?? "-")"
    },
    Row(
      method: "queryLedgerState/constitutionalCommittee", params: nil,
      answer: "2/3 active ab"
    ) {
      let answer = try await $0.ledgerStateQuery.constitutionalCommittee.execute()
      let member = answer?.members.first
      return "\(answer?.quorum ?? "") \(member?.status ?? "") \(member?.id.prefix(2) ?? "")"
    },
    Row(
      method: "queryLedgerState/delegateRepresentatives", params: #"{"keys":["ab"]}"#,
      answer: "registered ab 18446744073709551615, abstain - 18446744073709551615"
    ) {
      let answer = try await $0.ledgerStateQuery.delegateRepresentatives(keys: ["ab"]).execute()
      return answer.map { "\($0.type) \($0.id?.prefix(2) ?? "-") \($0.stake)" }
        .joined(separator: ", ")
    },
    Row(
      method: "queryLedgerState/dump", params: #"{"to":"/tmp/x"}"#,
      answer: "true"
    ) {
      "\(try await $0.ledgerStateQuery.dump(to: "/tmp/x").execute() == .null)"
    },
    Row(
      method: "queryLedgerState/epoch", params: nil,
      answer: "512"
    ) {
      "\(try await $0.ledgerStateQuery.epoch.execute())"
    },
    Row(
      method: "queryLedgerState/eraStart", params: nil,
      answer: "0 0 0"
    ) {
      let answer = try await $0.ledgerStateQuery.eraStart.execute()
      return "\(answer.seconds) \(answer.slot) \(answer.epoch)"
    },
    Row(
      method: "queryLedgerState/eraSummaries", params: nil,
      answer: "0 true 86400"
    ) {
      let answer = try await $0.ledgerStateQuery.eraSummaries.execute()
      return answer.map { "\($0.start.slot) \($0.end == nil) \($0.epochLength)" }.joined()
    },
    Row(
      method: "queryLedgerState/governanceProposals",
      params: #"{"proposals":[{"index":0,"transaction":{"id":"cd"}}]}"#,
      answer: "cd 0 information"
    ) {
      let answer = try await $0.ledgerStateQuery.governanceProposals([
        OgmiosOutputReference(transaction: "cd", index: 0)
      ]).execute()
      return answer.map { "\($0.transaction.prefix(2)) \($0.index) \($0.action)" }.joined()
    },
    Row(
      method: "queryLedgerState/liveStakeDistribution", params: nil,
      answer: "pool1 1/3 cd"
    ) {
      let answer = try await $0.ledgerStateQuery.liveStakeDistribution.execute()
      return answer.map { "\($0.key) \($0.value.stake) \($0.value.vrf.prefix(2))" }.joined()
    },
    Row(
      method: "queryLedgerState/nonces", params: nil,
      answer: "cd"
    ) {
      let answer = try await $0.ledgerStateQuery.nonces.execute()
      return "\(answer["epochNonce"]?.string?.prefix(2) ?? "")"
    },
    Row(
      method: "queryLedgerState/operationalCertificates", params: nil,
      answer: "[\"pool1\": 7]"
    ) {
      "\(try await $0.ledgerStateQuery.operationalCertificates.execute())"
    },
    Row(
      method: "queryLedgerState/projectedRewards",
      params: #"{"keys":["ab"],"stake":[{"ada":{"lovelace":18446744073709551616}}]}"#,
      answer: "[\"ab\"]"
    ) {
      let answer = try await $0.ledgerStateQuery.projectedRewards(
        stake: [18_446_744_073_709_551_616], keys: ["ab"]
      ).execute()
      return "\(answer.keys.map { $0.prefix(2) })"
    },
    Row(
      method: "queryLedgerState/protocolParameters", params: nil,
      answer: "44 155381 16384 10"
    ) {
      let answer = try await $0.ledgerStateQuery.protocolParameters.execute()
      return "\(answer.minimumFeeCoefficient) \(answer.minimumFeeConstant) "
        + "\(answer.maximumTransactionSize) \(answer.majorVersion)"
    },
    Row(
      method: "queryLedgerState/rewardAccountSummaries", params: #"{"scripts":["ab"]}"#,
      answer: "ab 389 2000000"
    ) {
      let answer = try await $0.ledgerStateQuery.rewardAccountSummaries(scripts: ["ab"]).execute()
      return answer.map { "\($0.credential.prefix(2)) \($0.rewards) \($0.deposit)" }.joined()
    },
    Row(
      method: "queryLedgerState/rewardsProvenance", params: nil,
      answer: "true"
    ) {
      let answer = try await $0.ledgerStateQuery.rewardsProvenance.execute()
      return "\(answer["stakePools"] != nil)"
    },
    Row(
      method: "queryLedgerState/stakePoolsPerformances", params: nil,
      answer: "500"
    ) {
      let answer = try await $0.ledgerStateQuery.stakePoolsPerformances.execute()
      return "\(answer["desiredNumberOfStakePools"]?.integer ?? 0)"
    },
    Row(
      method: "queryLedgerState/stakePools",
      params: #"{"includeStake":true,"stakePools":[{"id":"pool1"}]}"#,
      answer: "[\"pool1\"]"
    ) {
      let answer = try await $0.ledgerStateQuery.stakePools(["pool1"], includesStake: true)
        .execute()
      return "\(answer.keys.sorted())"
    },
    Row(
      method: "queryLedgerState/tip", params: nil,
      answer: "true"
    ) {
      "\(try await $0.ledgerStateQuery.tip.execute() == MethodTable.tip)"
    },
    Row(
      method: "queryLedgerState/treasuryAndReserves", params: nil,
      answer: "18446744073709551615 18446744073709551615"
    ) {
      let answer = try await $0.ledgerStateQuery.treasuryAndReserves.execute()
      return "\(answer.treasury) \(answer.reserves)"
    },
    Row(
      method: "queryLedgerState/utxo", params: #"{"addresses":["addr_test1"]}"#,
      answer: "0"
    ) {
      "\(try await $0.ledgerStateQuery.utxo(addresses: ["addr_test1"]).execute().count)"
    },
    Row(
      method: "queryNetwork/blockHeight", params: nil,
      answer: "9"
    ) {
      "\(try await $0.networkQuery.blockHeight.execute() ?? 0)"
    },
    Row(
      method: "queryNetwork/genesisConfiguration", params: #"{"era":"shelley"}"#,
      answer: "45000000000000000"
    ) {
      let answer = try await $0.networkQuery.genesisConfiguration(era: "shelley").execute()
      return "\(answer["maxLovelaceSupply"]?.integer ?? 0)"
    },
    Row(
      method: "queryNetwork/startTime", params: nil,
      answer: "1666656000.0"
    ) {
      "\(try await $0.networkQuery.startTime.execute().timeIntervalSince1970)"
    },
    Row(
      method: "queryNetwork/tip", params: nil,
      answer: "true"
    ) {
      "\(try await $0.networkQuery.tip.execute() == MethodTable.tip)"
    },
    Row(
      method: "evaluateTransaction", params: #"{"transaction":{"cbor":"00"}}"#,
      answer: "spend:0 1700 476468"
    ) {
      let answer = try await $0.transactions.evaluate(cbor: "00")
      return answer.map { "\($0.purpose):\($0.index) \($0.memory) \($0.cpu)" }.joined()
    },
  ]
}
