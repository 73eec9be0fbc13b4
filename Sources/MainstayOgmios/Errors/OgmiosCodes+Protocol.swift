// SPDX-License-Identifier: Apache-2.0

extension OgmiosCode {
  /// Codes that are not about one method, by JSON-RPC 2.0 and as Ogmios uses them.
  static let envelope: [OgmiosCode] = [
    .of(
      -32700, "ParseError", .repair, .program, "The service could not read what the app sent."),
    .of(
      -32600, "InvalidRequest", .repair, .program,
      "The service does not know what the app asked for, or how."),
    .of(
      -32601, "MethodNotFound", .repair, .program, "The service does not know what the app asked."),
    .of(
      -32603, "InternalError", .retry, .server, "Something unexpected happened in the service."),
    .of(
      -32000, "ConnectionLost", .retry, .node,
      "The service has no connection to its node right now."),
    .of(
      -32001, "NodeTooOld", .askOperator, .operators,
      "The node behind the service is too old for this question."),
  ]

  /// Codes of the chain, of queries and of the mempool.
  static let queries: [OgmiosCode] = [
    .of(
      1000, "IntersectionNotFound", .fix, .history,
      "None of the points that were asked for is on the chain.", "tip"),
    .of(
      1001, "IntersectionInterleaved", .repair, .program,
      "The app asked for the next block and for a new start at the same time."),
    .of(
      2000, "AcquireLedgerStateFailure", .acquire, .snapshot,
      "The service no longer has the ledger as it was at that point."),
    .of(
      2001, "QueryLedgerStateEraMismatch", .wait, .syncing,
      "The service is in another era than the question is about.", "queryEra", "ledgerEra"),
    .of(
      2002, "QueryLedgerStateUnavailableInCurrentEra", .fix, .era,
      "The current era has no answer to this question."),
    .of(
      2003, "QueryLedgerStateAcquiredExpired", .acquire, .snapshot,
      "The view of the ledger that the app looked at has run out."),
    .of(
      2004, "QueryNetworkInvalidGenesis", .askOperator, .operators,
      "The service can’t read how the network began."),
    .of(
      4000, "MustAcquireMempoolFirst", .acquire, .snapshot,
      "The app has to take a look at the waiting transactions before it asks about them."),
  ]

  /// Codes of the evaluation of transactions, and of transactions that can’t be read.
  static let evaluation: [OgmiosCode] = [
    .fix(
      -32602, "DeserialisationFailure", .mismatch,
      "The transaction is written in a way that no era understands.",
      "byron", "shelley", "allegra", "mary", "alonzo", "babbage", "conway", "dijkstra"),
    .fix(
      3000, "IncompatibleEra", .era, "The transaction is from an era without scripts to try out.",
      "incompatibleEra"),
    .fix(
      3001, "UnsupportedEra", .era, "The transaction is from an era that is no longer tried out.",
      "unsupportedEra", "hints"),
    .fix(
      3002, "OverlappingAdditionalUtxo", .mismatch,
      "Outputs that came with the request are on the chain as well.",
      "overlappingOutputReferences"),
    .of(
      3003, "NodeTipTooOld", .wait, .syncing,
      "The service has not come far enough to try out the transaction.",
      "minimumRequiredEra", "currentNodeEra"),
    .fix(
      3004, "CannotCreateEvaluationContext", .mismatch,
      "The transaction is incomplete, so its scripts can’t be tried out.", "reason"),
    .fix(
      3005, "EraMismatch", .era, "The transaction is from another era than the ledger.",
      "queryEra", "ledgerEra"),
    .fix(3010, "ScriptExecutionFailure", .script, "At least one script ended without success."),
    .fix(
      3011, "InvalidRedeemerPointers", .script, "The transaction points at scripts that it lacks.",
      "missingScripts"),
    .fix(
      3012, "ValidationFailure", .script, "A script looked at the transaction and said no.",
      "validationError", "traces"),
    .fix(
      3013, "UnsuitableOutputReference", .script,
      "The transaction names a script for an input that has none.", "unsuitableOutputReference"),
  ]
}
