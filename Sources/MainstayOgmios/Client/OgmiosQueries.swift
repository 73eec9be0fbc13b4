// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import MainstayHTTP

extension OgmiosClient {
  /// Questions about the ledger, at its end or at the view that was acquired.
  public var ledgerStateQuery: LedgerStateQuery { LedgerStateQuery(client: self) }

  /// Questions about the network.
  public var networkQuery: NetworkQuery { NetworkQuery(client: self) }

  /// Questions about the network; they need no view of the ledger.
  public struct NetworkQuery: Sendable {
    let client: OgmiosClient

    /// How many blocks the chain has below its end; nil where there is none.
    public var blockHeight: OgmiosCall<UInt64?> { client.call(.blockHeight) }
    /// When the chain began.
    public var startTime: OgmiosCall<Date> { client.call(.startTime) }
    /// The end of the chain.
    public var tip: OgmiosCall<OgmiosPoint> { client.call(.networkTip) }

    /// How an era was set up.
    ///
    /// - Parameter era: `byron`, `shelley`, `alonzo` or `conway`.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func genesisConfiguration(era: String) -> OgmiosCall<JSONValue> {
      client.call(.genesisConfiguration(era: era))
    }
  }
}

extension OgmiosClient {
  /// Questions about the ledger: at its end, or at the view that was acquired by
  /// ``OgmiosClient/LedgerState/acquire(at:)``.
  public struct LedgerStateQuery: Sendable {
    let client: OgmiosClient

    /// The constitution; from Conway on.
    public var constitution: OgmiosCall<OgmiosConstitution> { client.call(.constitution) }
    /// The committee that guards it, from Conway on; nil where there is none.
    public var constitutionalCommittee: OgmiosCall<OgmiosCommittee?> {
      client.call(.constitutionalCommittee)
    }
    /// The epoch.
    public var epoch: OgmiosCall<UInt64> { client.call(.epoch) }
    /// When the era began.
    public var eraStart: OgmiosCall<OgmiosBound> { client.call(.eraStart) }
    /// All eras, and how time passes in them.
    public var eraSummaries: OgmiosCall<[OgmiosEraSummary]> { client.call(.eraSummaries) }
    /// The shares of the stake pools right now, by their names.
    public var liveStakeDistribution: OgmiosCall<[String: OgmiosStakeShare]> {
      client.call(.liveStakeDistribution)
    }
    /// The numbers that lots are drawn with; since 6.12.
    public var nonces: OgmiosCall<JSONValue> { client.call(.nonces) }
    /// How often each pool has changed its key; since 6.12.
    public var operationalCertificates: OgmiosCall<[String: UInt64]> {
      client.call(.operationalCertificates)
    }
    /// The rules that can be changed by a vote.
    public var protocolParameters: OgmiosCall<OgmiosProtocolParameters> {
      client.call(.protocolParameters)
    }
    /// What rewards are computed from; since 6.13 another document than before.
    public var rewardsProvenance: OgmiosCall<JSONValue> { client.call(.rewardsProvenance) }
    /// How well pools do; since 6.13, before that it was ``rewardsProvenance``.
    public var stakePoolsPerformances: OgmiosCall<JSONValue> {
      client.call(.stakePoolsPerformances)
    }
    /// The point that is looked at.
    public var tip: OgmiosCall<OgmiosPoint> { client.call(.ledgerTip) }
    /// What the network holds back.
    public var treasuryAndReserves: OgmiosCall<OgmiosTreasury> {
      client.call(.treasuryAndReserves)
    }

    /// Those who vote for others.
    ///
    /// - Parameters:
    ///   - scripts: The names of scripts to ask for; with none of both, all are answered.
    ///   - keys: The names of keys to ask for.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func delegateRepresentatives(
      scripts: [String] = [], keys: [String] = []
    ) -> OgmiosCall<[OgmiosRepresentative]> {
      client.call(.delegateRepresentatives(scripts: scripts, keys: keys))
    }

    /// Lets the server write its ledger to a file on its own disk; since 6.13.
    ///
    /// Never let others choose the path: the server overwrites what lies there.
    ///
    /// - Parameter path: The path on the server.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func dump(to path: String) -> OgmiosCall<JSONValue> { client.call(.dump(to: path)) }

    /// What is voted on.
    ///
    /// - Parameter proposals: The proposals to ask for; with none, all are answered.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func governanceProposals(
      _ proposals: [OgmiosOutputReference] = []
    ) -> OgmiosCall<[OgmiosProposal]> {
      client.call(.governanceProposals(proposals))
    }

    /// The rewards that stake would have earned.
    ///
    /// - Parameters:
    ///   - stake: Amounts of lovelace to ask for.
    ///   - scripts: The names of scripts to ask for.
    ///   - keys: The names of keys to ask for.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func projectedRewards(
      stake: [Int128] = [], scripts: [String] = [], keys: [String] = []
    ) -> OgmiosCall<[String: JSONValue]> {
      client.call(.projectedRewards(stake: stake, scripts: scripts, keys: keys))
    }

    /// Rewards and deposits of credentials.
    ///
    /// - Parameters:
    ///   - scripts: The names of scripts to ask for.
    ///   - keys: The names of keys to ask for.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func rewardAccountSummaries(
      scripts: [String] = [], keys: [String] = []
    ) -> OgmiosCall<[OgmiosRewardAccount]> {
      client.call(.rewardAccountSummaries(scripts: scripts, keys: keys))
    }

    /// The stake pools, by their names.
    ///
    /// - Parameters:
    ///   - ids: The pools to ask for; with none, all are answered.
    ///   - includesStake: Whether their stake is answered too; the default is false.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func stakePools(
      _ ids: [String] = [], includesStake: Bool = false
    ) -> OgmiosCall<[String: JSONValue]> {
      client.call(.stakePools(ids, includesStake: includesStake))
    }

    /// What can be spent, by the transactions that made it.
    ///
    /// - Parameter references: The outputs to ask for.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func utxo(_ references: [OgmiosOutputReference]) -> OgmiosCall<[OgmiosOutput]> {
      client.call(.utxo(.object(["outputReferences": .array(references.map(\.json))])))
    }

    /// What can be spent, by whom it belongs to.
    ///
    /// - Parameter addresses: The addresses to ask for.
    /// - Returns: The question; ``OgmiosCall/execute(timeout:)`` asks it.
    public func utxo(addresses: [String]) -> OgmiosCall<[OgmiosOutput]> {
      client.call(.utxo(.object(["addresses": .strings(addresses)])))
    }

    /// Everything that can be spent: an answer of gigabytes on a public network.
    public var wholeUtxo: OgmiosCall<[OgmiosOutput]> { client.call(.utxo(nil)) }
  }
}
