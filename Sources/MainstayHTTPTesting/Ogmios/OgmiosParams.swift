// SPDX-License-Identifier: Apache-2.0

internal import MainstayHTTP

/// What each method is given; a request with anything else is refused with -32600.
///
/// Source: the schema of Ogmios 7.0, and its server, which reads params into records. Members that
/// it does not know it passes over.
enum OgmiosParams {
  /// What a member may be.
  enum Form: Sendable, Hashable {
    case text, flag, texts
    /// A point, or `origin`.
    case point, points
    /// Names of outputs or proposals: a transaction and a place in it.
    case references
    /// A transaction with its bytes.
    case transaction
    /// Objects of a form that nobody looks at here.
    case objects
    /// One of these words.
    case word([String])
  }

  /// One method; the params themselves must be there where any member must be.
  struct Rule: Sendable {
    var required: [String: Form] = [:]
    var optional: [String: Form] = [:]
    /// Whether params must be there, be they empty.
    var isRequired = false
    /// Members of which only one may be there.
    var exclusive: Set<String> = []
  }

  /// All methods.
  static let rules: [String: Rule] = [
    "findIntersection": Rule(required: ["points": .points]),
    "nextBlock": Rule(),
    "submitTransaction": Rule(required: ["transaction": .transaction]),
    "evaluateTransaction": Rule(
      required: ["transaction": .transaction], optional: ["additionalUtxo": .objects]),
    "acquireLedgerState": Rule(required: ["point": .point]),
    "releaseLedgerState": Rule(),
    "acquireMempool": Rule(),
    "nextTransaction": Rule(optional: ["fields": .word(["all"])]),
    "hasTransaction": Rule(required: ["id": .text]),
    "sizeOfMempool": Rule(),
    "releaseMempool": Rule(),
    "queryNetwork/blockHeight": Rule(),
    "queryNetwork/genesisConfiguration": Rule(
      required: ["era": .word(["byron", "shelley", "alonzo", "conway", "dijkstra"])]),
    "queryNetwork/startTime": Rule(),
    "queryNetwork/tip": Rule(),
    "queryLedgerState/constitution": Rule(),
    "queryLedgerState/constitutionalCommittee": Rule(),
    "queryLedgerState/delegateRepresentatives": Rule(
      optional: ["scripts": .texts, "keys": .texts]),
    "queryLedgerState/dump": Rule(required: ["to": .text]),
    "queryLedgerState/epoch": Rule(),
    "queryLedgerState/eraStart": Rule(),
    "queryLedgerState/eraSummaries": Rule(),
    "queryLedgerState/governanceProposals": Rule(optional: ["proposals": .references]),
    "queryLedgerState/liveStakeDistribution": Rule(),
    "queryLedgerState/nonces": Rule(),
    "queryLedgerState/operationalCertificates": Rule(),
    "queryLedgerState/projectedRewards": Rule(
      optional: ["stake": .objects, "scripts": .texts, "keys": .texts], isRequired: true),
    "queryLedgerState/protocolParameters": Rule(),
    "queryLedgerState/rewardAccountSummaries": Rule(
      optional: ["scripts": .texts, "keys": .texts], isRequired: true),
    "queryLedgerState/rewardsProvenance": Rule(),
    "queryLedgerState/stakePoolsPerformances": Rule(),
    "queryLedgerState/stakePools": Rule(
      optional: ["includeStake": .flag, "stakePools": .objects]),
    "queryLedgerState/tip": Rule(),
    "queryLedgerState/treasuryAndReserves": Rule(),
    "queryLedgerState/utxo": Rule(
      optional: ["outputReferences": .references, "addresses": .texts],
      exclusive: ["outputReferences", "addresses"]),
  ]

  /// Whether a method takes what it is given; false for a method that there is not.
  static func areLegal(_ params: JSONValue?, of method: String) -> Bool {
    guard let rule = rules[method] else { return false }
    guard let members = params?.object else {
      return params == nil && rule.required.isEmpty && !rule.isRequired
    }
    let isComplete = rule.required.allSatisfy { name, form in
      members[name].map(form.fits) ?? false
    }
    let isSound = rule.optional.allSatisfy { name, form in members[name].map(form.fits) ?? true }
    let chosen = rule.exclusive.filter { members[$0] != nil }
    return isComplete && isSound && chosen.count <= 1
  }
}

extension OgmiosParams.Form {
  fileprivate func fits(_ value: JSONValue) -> Bool {
    switch self {
    case .text: value.string != nil
    case .flag: value.bool != nil
    case .texts: value.array.map { $0.allSatisfy { $0.string != nil } } ?? false
    case .point: Self.isPoint(value)
    case .points: value.array.map { $0.allSatisfy(Self.isPoint) } ?? false
    case .references: value.array.map { $0.allSatisfy(Self.isReference) } ?? false
    case .transaction: value["cbor"]?.string != nil
    case .objects: value.array.map { $0.allSatisfy { $0.object != nil } } ?? false
    case .word(let words): value.string.map(words.contains) ?? false
    }
  }

  private static func isPoint(_ value: JSONValue) -> Bool {
    value.string == "origin"
      || value["slot"]?.wholeDigits != nil && value["id"]?.string != nil
  }

  private static func isReference(_ value: JSONValue) -> Bool {
    value["transaction"]?["id"]?.string != nil && value["index"]?.wholeDigits != nil
  }
}
