// SPDX-License-Identifier: Apache-2.0

extension OgmiosCode {
  /// Refusals of the ledger, 3137 to 3170 and 3997 to 3998: registrations, pools and governance.
  static let governance: [OgmiosCode] = [
    .fix(
      3137, "UnauthorizedVotes", .governance, "Somebody votes who has no say in this.",
      "unauthorizedVotes"),
    .fix(
      3138, "UnknownGovernanceProposals", .governance, "The proposal is not known.",
      "unknownProposals"),
    .fix(
      3139, "InvalidProtocolParametersUpdate", .governance,
      "The rules of the network can’t be changed by this transaction."),
    .fix(3140, "UnknownStakePool", .pool, "The stake pool is not known.", "unknownStakePool"),
    .fix(
      3141, "IncompleteWithdrawals", .rewards,
      "Rewards are withdrawn as a whole, and only from accounts that are registered.",
      "incompleteWithdrawals"),
    .fix(
      3142, "RetirementTooLate", .pool, "The pool is to retire too late.",
      "currentEpoch", "declaredEpoch", "firstInvalidEpoch"),
    .fix(
      3143, "StakePoolCostTooLow", .pool, "The cost of the pool is lower than it may be.",
      "minimumStakePoolCost", "declaredStakePoolCost"),
    .fix(
      3144, "MetadataHashTooLarge", .pool, "The fingerprint of the pool’s description is too long.",
      "infringingStakePool", "computedMetadataHashSize"),
    .fix(
      3145, "CredentialAlreadyRegistered", .registration, "This is registered already.",
      "knownCredential", "from"),
    .fix(
      3146, "UnknownCredential", .registration, "This has not been registered yet.",
      "unknownCredential", "from"),
    .fix(
      3147, "NonEmptyRewardAccount", .rewards,
      "The account still holds rewards, so it can’t be closed.", "nonEmptyRewardAccountBalance"),
    .fix(
      3148, "InvalidGenesisDelegation", .registration, "The first keys can’t be passed on so."),
    .fix(3149, "InvalidMIRTransfer", .rewards, "The reserves can’t be moved like this."),
    .fix(
      3150, "ForbiddenWithdrawal", .rewards,
      "Rewards can be withdrawn only once a representative has been chosen.",
      "marginalizedCredentials"),
    .fix(
      3151, "CredentialDepositMismatch", .registration, "The deposit is not the one asked for.",
      "providedDeposit", "expectedDeposit"),
    .fix(
      3152, "DRepAlreadyRegistered", .registration, "The representative is registered already.",
      "knownDelegateRepresentative"),
    .fix(
      3153, "DRepNotRegistered", .registration, "The representative is not registered.",
      "unknownDelegateRepresentative"),
    .fix(
      3154, "UnknownConstitutionalCommitteeMember", .governance,
      "The member of the committee is not known, or has left it.",
      "unknownConstitutionalCommitteeMember"),
    .fix(
      3155, "GovernanceProposalDepositMismatch", .governance,
      "The deposit of the proposal is not the one asked for.",
      "providedDeposit", "expectedDeposit"),
    .fix(
      3156, "ConflictingCommitteeUpdate", .governance,
      "The same member is to join the committee and to leave it.", "conflictingMembers"),
    .fix(
      3157, "InvalidCommitteeUpdate", .governance,
      "A member is to join the committee whose time would be over.", "alreadyRetiredMembers"),
    .fix(
      3158, "TreasuryWithdrawalMismatch", .governance,
      "What is taken from the treasury is not what the proposal says.",
      "providedWithdrawal", "computedWithdrawal"),
    .fix(
      3159, "InvalidOrMissingPreviousProposals", .governance,
      "The proposal before this one is missing or is another.",
      "invalidOrMissingPreviousProposals"),
    .fix(
      3160, "VotingOnExpiredActions", .governance, "The time to vote on this is over.",
      "invalidVotes"),
    .fix(
      3161, "ExecutionBudgetOutOfBounds", .script,
      "A script used up what it was given, or was given more than is allowed.", "budgetUsed"),
    .fix(
      3162, "InvalidHardForkVersionBump", .governance,
      "The network can’t go on to the version that is proposed.",
      "proposedVersion", "currentVersion"),
    .fix(
      3163, "ConstitutionGuardrailsHashMismatch", .governance,
      "The proposal names other guard rails than the constitution.",
      "providedHash", "expectedHash"),
    .fix(
      3164, "ConflictingInputsAndReferences", .inputs,
      "The same output is to be spent and only looked at.", "conflictingReferences"),
    .fix(
      3165, "UnauthorizedGovernanceAction", .governance,
      "Proposals of this type are not open to anybody yet."),
    .fix(
      3166, "ReferenceScriptsTooLarge", .size, "The scripts that are referred to are too large.",
      "measuredReferenceScriptsSize", "maximumReferenceScriptsSize"),
    .fix(
      3167, "UnknownVoters", .governance, "Somebody votes who is not known.", "unknownVoters"),
    .fix(
      3168, "EmptyTreasuryWithdrawal", .governance, "Nothing is taken from the treasury."),
    .fix(
      3169, "PointerAddressInCollateralReturn", .collateral,
      "What is left of the collateral goes to an address of an old form.", "output"),
    .fix(
      3170, "StakePoolVRFKeyAlreadyRegistered", .pool, "Another pool uses the same key.",
      "poolId", "alreadyRegisteredVrfKey"),
    .of(
      3997, "UnexpectedMempoolError", .checkOutcome, .outcome,
      "The node did not take the transaction, perhaps because it has it already.", "error"),
    .of(
      3998, "UnrecognizedCertificateType", .askOperator, .operators,
      "The service does not know a part of the transaction."),
  ]
}
