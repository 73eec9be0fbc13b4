// SPDX-License-Identifier: Apache-2.0

public import MainstayHTTP

/// A moment of the chain, such as the beginning of an era.
public struct OgmiosBound: Sendable, Hashable {
  /// The seconds since the chain began.
  public let seconds: UInt64
  /// The slot.
  public let slot: UInt64
  /// The epoch.
  public let epoch: UInt64

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    // Before 6.0 was done, the time was a bare number.
    let time = reader["time"]
    seconds = try (time["seconds"].isNull ? time : time["seconds"]).natural()
    slot = try reader["slot"].natural()
    epoch = try reader["epoch"].natural()
  }
}

/// An era, and how time passes in it.
public struct OgmiosEraSummary: Sendable, Hashable {
  /// When it began.
  public let start: OgmiosBound
  /// When it ended; nil for the last one that is known.
  public let end: OgmiosBound?
  /// How many slots an epoch has.
  public let epochLength: UInt64
  /// How long a slot lasts.
  public let slotLength: Duration
  /// For how many slots after the end of the ledger all this certainly holds; nil for all of them.
  public let safeZone: UInt64?
  /// The summary as a whole.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    start = try OgmiosBound(reader["start"])
    end = try reader["end"].optional { end throws(OgmiosError) in try OgmiosBound(end) }
    let parameters = reader["parameters"]
    epochLength = try parameters["epochLength"].natural()
    slotLength = try parameters["slotLength"].length()
    safeZone = try parameters["safeZone"].optional { zone throws(OgmiosError) in
      try zone.natural()
    }
    json = reader.value
  }
}

/// The constitution of the network.
public struct OgmiosConstitution: Sendable, Hashable {
  /// Where its text is found.
  public let url: String
  /// The fingerprint of the text.
  public let hash: String
  /// The fingerprint of the script that guards it; nil where there is none.
  public let guardrails: String?

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    url = try reader["metadata"]["url"].text()
    hash = try reader["metadata"]["hash"].text()
    let guardrails = reader["guardrails"]
    let text = guardrails["hash"].isNull ? guardrails : guardrails["hash"]
    self.guardrails = try text.optional { value throws(OgmiosError) in try value.text() }
  }
}

/// The committee that guards the constitution.
public struct OgmiosCommittee: Sendable, Hashable {
  /// A member of the committee.
  public struct Member: Sendable, Hashable {
    /// The name of the member's credential.
    public let id: String
    /// Whether it is a `script` or a `verificationKey`; nil where the server does not say.
    public let from: String?
    /// How the member stands, such as `active`; nil where the server does not say.
    public let status: String?
    /// The member as a whole, with its mandate and its delegate.
    public let json: JSONValue
  }

  /// The members.
  public let members: [Member]
  /// How many have to agree, such as `2/3`; nil where nobody has said.
  public let quorum: String?

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    members = try reader["members"].list { member throws(OgmiosError) in
      Member(
        id: try member["id"].text(),
        from: try member["from"].optional { from throws(OgmiosError) in try from.text() },
        status: try member["status"].optional { status throws(OgmiosError) in try status.text() },
        json: member.value)
    }
    quorum = try reader["quorum"].optional { quorum throws(OgmiosError) in try quorum.text() }
  }
}

/// Somebody who votes for others, or one of the two fixed votes.
public struct OgmiosRepresentative: Sendable, Hashable {
  /// `registered`, `abstain` or `noConfidence`.
  public let type: String
  /// The name of the credential; nil for the fixed votes.
  public let id: String?
  /// Whether that is a `script` or a `verificationKey`, which may have one name; nil for the fixed
  /// votes.
  public let from: String?
  /// The votes, in lovelace.
  public let stake: Int128
  /// All that is said of them, with mandate, deposit, metadata and who delegates.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    type = try reader["type"].text()
    id = try reader["id"].optional { id throws(OgmiosError) in try id.text() }
    from = try reader["from"].optional { from throws(OgmiosError) in try from.text() }
    stake = try reader["stake"].lovelace()
    json = reader.value
  }
}

/// Something that is voted on.
public struct OgmiosProposal: Sendable, Hashable {
  /// The transaction that proposed it.
  public let transaction: String
  /// Its place in that transaction.
  public let index: UInt64
  /// What it is about, such as `treasuryWithdrawals`.
  public let action: String
  /// The proposal as a whole, with its votes.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    transaction = try reader["proposal"]["transaction"]["id"].text()
    index = try reader["proposal"]["index"].natural()
    action = try reader["action"]["type"].text()
    json = reader.value
  }
}

/// The share of a stake pool.
public struct OgmiosStakeShare: Sendable, Hashable {
  /// The share, as a fraction such as `1/3`.
  public let stake: String
  /// The fingerprint of the pool's key for lots.
  public let vrf: String

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    stake = try reader["stake"].text()
    vrf = try reader["vrf"].text()
  }
}

/// Rewards of one credential.
public struct OgmiosRewardAccount: Sendable, Hashable {
  /// The name of the credential.
  public let credential: String
  /// Whether it is a `script` or a `verificationKey`; nil before 6.13, where nobody says.
  public let from: String?
  /// The pool that it delegates to; nil for none.
  public let pool: String?
  /// The rewards, in lovelace.
  public let rewards: Int128
  /// The deposit, in lovelace.
  public let deposit: Int128
  /// The account as a whole, with the representative that it delegates to.
  public let json: JSONValue

  /// From 6.13 on a list, before that members by the names of the credentials.
  static func all(_ reader: OgmiosReader) throws(OgmiosError) -> [OgmiosRewardAccount] {
    if reader.value.array != nil {
      return try reader.list { item throws(OgmiosError) in
        let name = item["credential"].isNull ? item["id"] : item["credential"]
        return try OgmiosRewardAccount(item, credential: try name.text())
      }
    }
    let members = try reader.members { item throws(OgmiosError) in item }
    var accounts: [OgmiosRewardAccount] = []
    for (credential, item) in members.sorted(by: { $0.key < $1.key }) {
      accounts.append(try OgmiosRewardAccount(item, credential: credential))
    }
    return accounts
  }

  private init(_ reader: OgmiosReader, credential: String) throws(OgmiosError) {
    self.credential = credential
    from = try reader["from"].optional { from throws(OgmiosError) in try from.text() }
    let pool = reader["stakePool"].isNull ? reader["delegate"] : reader["stakePool"]
    self.pool = try pool["id"].optional { id throws(OgmiosError) in try id.text() }
    rewards = try reader["rewards"].lovelace()
    deposit = try reader["deposit"].lovelace()
    json = reader.value
  }
}

/// What the network holds back.
public struct OgmiosTreasury: Sendable, Hashable {
  /// The treasury, in lovelace.
  public let treasury: Int128
  /// The reserves, in lovelace.
  public let reserves: Int128

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    treasury = try reader["treasury"].lovelace()
    reserves = try reader["reserves"].lovelace()
  }
}

/// The rules of the network that can be changed by a vote.
public struct OgmiosProtocolParameters: Sendable, Hashable {
  /// The fee of each byte of a transaction, in lovelace.
  public let minimumFeeCoefficient: UInt64
  /// The fee of every transaction, in lovelace.
  public let minimumFeeConstant: Int128
  /// How many bytes a transaction may have.
  public let maximumTransactionSize: UInt64
  /// The major version of the protocol.
  public let majorVersion: UInt64
  /// All parameters.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    minimumFeeCoefficient = try reader["minFeeCoefficient"].natural()
    minimumFeeConstant = try reader["minFeeConstant"].lovelace()
    let size = reader["maxTransactionSize"]
    maximumTransactionSize = try (size["bytes"].isNull ? size : size["bytes"]).natural()
    majorVersion = try reader["version"]["major"].natural()
    json = reader.value
  }
}

/// Something that can be spent.
public struct OgmiosOutput: Sendable, Hashable {
  /// The transaction that made it.
  public let transaction: String
  /// Its place in that transaction.
  public let index: UInt64
  /// Whom it belongs to.
  public let address: String
  /// How much it holds, in lovelace.
  public let lovelace: Int128
  /// The output as a whole, with other assets, data and scripts.
  public let json: JSONValue

  init(_ reader: OgmiosReader) throws(OgmiosError) {
    transaction = try reader["transaction"]["id"].text()
    index = try reader["index"].natural()
    address = try reader["address"].text()
    lovelace = try reader["value"].lovelace()
    json = reader.value
  }
}

/// An output by the transaction that made it.
public struct OgmiosOutputReference: Sendable, Hashable {
  /// The transaction.
  public let transaction: String
  /// The place in the transaction, counted from zero.
  public let index: UInt64

  /// Names an output.
  public init(transaction: String, index: UInt64) {
    self.transaction = transaction
    self.index = index
  }

  var json: JSONValue {
    .object([
      "transaction": .object(["id": .string(transaction)]), "index": .natural(index),
    ])
  }
}
