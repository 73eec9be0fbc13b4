// SPDX-License-Identifier: Apache-2.0

internal import MainstayHTTP

extension OgmiosRequest {
  private static func ledger(
    _ query: String, _ params: JSONValue? = nil,
    _ reading: @escaping @Sendable (OgmiosReader) throws(OgmiosError) -> Output
  ) -> OgmiosRequest {
    OgmiosRequest("queryLedgerState/" + query, params, reading)
  }
}

extension OgmiosRequest<OgmiosPoint> {
  static func acquireLedgerState(_ point: OgmiosPoint) -> Self {
    Self("acquireLedgerState", .object(["point": point.json])) { r throws(OgmiosError) in
      try OgmiosPoint(r["point"])
    }
  }

  static var ledgerTip: Self {
    ledger("tip") { r throws(OgmiosError) in try OgmiosPoint(r) }
  }
}

extension OgmiosRequest<Void> {
  static var releaseLedgerState: Self {
    Self("releaseLedgerState") { _ throws(OgmiosError) in }
  }
}

extension OgmiosRequest<OgmiosConstitution> {
  static var constitution: Self {
    ledger("constitution") { r throws(OgmiosError) in
      try OgmiosConstitution(r)
    }
  }
}

extension OgmiosRequest<OgmiosCommittee?> {
  static var constitutionalCommittee: Self {
    ledger("constitutionalCommittee") { r throws(OgmiosError) in
      try r.optional { r throws(OgmiosError) in try OgmiosCommittee(r) }
    }
  }
}

extension OgmiosRequest<[OgmiosRepresentative]> {
  static func delegateRepresentatives(scripts: [String], keys: [String]) -> Self {
    ledger("delegateRepresentatives", credentials(scripts, keys)) { r throws(OgmiosError) in
      try r.list { r throws(OgmiosError) in try OgmiosRepresentative(r) }
    }
  }
}

/// Credentials as params; nil where there are none.
private func credentials(_ scripts: [String], _ keys: [String]) -> JSONValue? {
  var params: [String: JSONValue] = [:]
  if !scripts.isEmpty { params["scripts"] = .strings(scripts) }
  if !keys.isEmpty { params["keys"] = .strings(keys) }
  return params.isEmpty ? nil : .object(params)
}

extension OgmiosRequest<JSONValue> {
  static func dump(to path: String) -> Self {
    ledger("dump", .object(["to": .string(path)])) { r throws(OgmiosError) in r.value }
  }

  static var nonces: Self {
    ledger("nonces") { r throws(OgmiosError) in r.value }
  }
  static var rewardsProvenance: Self {
    ledger("rewardsProvenance") { r throws(OgmiosError) in r.value }
  }
  static var stakePoolsPerformances: Self {
    ledger("stakePoolsPerformances") { r throws(OgmiosError) in
      r.value
    }
  }

  static func genesisConfiguration(era: String) -> Self {
    Self(
      "queryNetwork/genesisConfiguration", .object(["era": .string(era)])
    ) { r throws(OgmiosError) in
      r.value
    }
  }
}

extension OgmiosRequest<UInt64> {
  static var epoch: Self {
    ledger("epoch") { r throws(OgmiosError) in try r.natural() }
  }
}

extension OgmiosRequest<OgmiosBound> {
  static var eraStart: Self {
    ledger("eraStart") { r throws(OgmiosError) in try OgmiosBound(r) }
  }
}

extension OgmiosRequest<[OgmiosEraSummary]> {
  static var eraSummaries: Self {
    ledger("eraSummaries") { r throws(OgmiosError) in
      try r.list { r throws(OgmiosError) in try OgmiosEraSummary(r) }
    }
  }
}

extension OgmiosRequest<[OgmiosProposal]> {
  static func governanceProposals(_ proposals: [OgmiosOutputReference]) -> Self {
    let params: JSONValue? =
      proposals.isEmpty ? nil : .object(["proposals": .array(proposals.map(\.json))])
    return ledger("governanceProposals", params) { r throws(OgmiosError) in
      try r.list { r throws(OgmiosError) in try OgmiosProposal(r) }
    }
  }
}

extension OgmiosRequest<[String: OgmiosStakeShare]> {
  static var liveStakeDistribution: Self {
    ledger("liveStakeDistribution") { r throws(OgmiosError) in
      try r.members { r throws(OgmiosError) in try OgmiosStakeShare(r) }
    }
  }
}

extension OgmiosRequest<[String: UInt64]> {
  static var operationalCertificates: Self {
    ledger("operationalCertificates") {
      r throws(OgmiosError) in
      try r.members { r throws(OgmiosError) in try r.natural() }
    }
  }
}

extension OgmiosRequest<[String: JSONValue]> {
  static func projectedRewards(stake: [Int128], scripts: [String], keys: [String]) -> Self {
    var params: [String: JSONValue] = [:]
    if case .object(let members)? = credentials(scripts, keys) { params = members }
    if !stake.isEmpty {
      params["stake"] = .array(
        stake.map { amount in
          let number = JSONValue.Number(String(amount)).map(JSONValue.number) ?? .null
          return .object(["ada": .object(["lovelace": number])])
        })
    }
    return ledger("projectedRewards", .object(params)) { r throws(OgmiosError) in
      try r.members { r throws(OgmiosError) in r.value }
    }
  }

  static func stakePools(_ ids: [String], includesStake: Bool) -> Self {
    var params: [String: JSONValue] = [:]
    if includesStake { params["includeStake"] = .bool(true) }
    if !ids.isEmpty {
      params["stakePools"] = .array(ids.map { .object(["id": .string($0)]) })
    }
    return ledger("stakePools", params.isEmpty ? nil : .object(params)) { r throws(OgmiosError) in
      try r.members { r throws(OgmiosError) in r.value }
    }
  }
}

extension OgmiosRequest<OgmiosProtocolParameters> {
  static var protocolParameters: Self {
    ledger("protocolParameters") { r throws(OgmiosError) in
      try OgmiosProtocolParameters(r)
    }
  }
}

extension OgmiosRequest<[OgmiosRewardAccount]> {
  static func rewardAccountSummaries(scripts: [String], keys: [String]) -> Self {
    ledger(
      "rewardAccountSummaries", credentials(scripts, keys) ?? .object([:])
    ) { r throws(OgmiosError) in
      try OgmiosRewardAccount.all(r)
    }
  }
}

extension OgmiosRequest<OgmiosTreasury> {
  static var treasuryAndReserves: Self {
    ledger("treasuryAndReserves") { r throws(OgmiosError) in
      try OgmiosTreasury(r)
    }
  }
}

extension OgmiosRequest<[OgmiosOutput]> {
  static func utxo(_ params: JSONValue?) -> Self {
    ledger("utxo", params) { r throws(OgmiosError) in
      try r.list { r throws(OgmiosError) in try OgmiosOutput(r) }
    }
  }
}
