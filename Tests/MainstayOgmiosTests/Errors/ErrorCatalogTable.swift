// SPDX-License-Identifier: Apache-2.0

/// The table of errors of Ogmios 7.0 as its reference tells it.
///
/// Number, name, act, and the members of the data. An act is R retry, A acquire, W wait, F fix, C a
/// mistake of the client, S the operator's, and ? an unknown outcome.
enum ErrorCatalogTable {
  struct Row: Sendable {
    let code: Int64
    let name: String
    let act: String
    let fields: [String]
  }

  static let rows: [Row] = text.split(separator: "\n").map { line in
    let words = line.split(separator: " ").map { $0.filter { $0 != "," } }
    return Row(
      code: Int64(words[0]) ?? 0, name: words[1], act: words[2], fields: Array(words.dropFirst(3)))
  }

  private static let text = """
    -32602 DeserialisationFailure F
    1000 IntersectionNotFound F tip
    1001 IntersectionInterleaved C
    2000 AcquireLedgerStateFailure A
    2001 QueryLedgerStateEraMismatch W queryEra, ledgerEra
    2002 QueryLedgerStateUnavailableInCurrentEra F
    2003 QueryLedgerStateAcquiredExpired A
    2004 QueryNetworkInvalidGenesis S
    3000 IncompatibleEra F incompatibleEra
    3001 UnsupportedEra F unsupportedEra, hints
    3002 OverlappingAdditionalUtxo F overlappingOutputReferences
    3003 NodeTipTooOld W minimumRequiredEra, currentNodeEra
    3004 CannotCreateEvaluationContext F reason
    3005 EraMismatch F queryEra, ledgerEra
    3010 ScriptExecutionFailure F
    3011 InvalidRedeemerPointers F missingScripts
    3012 ValidationFailure F validationError, traces
    3013 UnsuitableOutputReference F unsuitableOutputReference
    3100 InvalidSignatories F invalidSignatories
    3101 MissingSignatories F missingSignatories
    3102 MissingScripts F missingScripts
    3103 FailingNativeScript F failingNativeScripts
    3104 ExtraneousScripts F extraneousScripts
    3105 MissingMetadataHash F metadata
    3106 MissingMetadata F metadata
    3107 MetadataHashMismatch F provided, computed
    3108 InvalidMetadata F
    3109 MissingRedeemers F missingRedeemers
    3110 ExtraneousRedeemers F extraneousRedeemers
    3111 MissingDatums F missingDatums
    3112 ExtraneousDatums F extraneousDatums
    3113 ScriptIntegrityHashMismatch F providedScriptIntegrity, computedScriptIntegrity
    3114 OrphanScriptInputs F orphanScriptInputs
    3115 MissingCostModels F missingCostModels
    3116 MalformedScripts F malformedScripts
    3117 UnknownOutputReferences ? unknownOutputReferences
    3118 OutsideOfValidityInterval W/F validityInterval, currentSlot
    3119 TransactionTooLarge F measuredTransactionSize, maximumTransactionSize
    3120 ValueTooLarge F excessivelyLargeOutputs
    3121 EmptyInputSet F
    3122 TransactionFeeTooSmall F minimumRequiredFee, providedFee
    3123 ValueNotConserved F valueConsumed, valueProduced
    3124 NetworkMismatch F discriminatedType, expectedNetwork, invalidEntities
    3125 InsufficientlyFundedOutputs F insufficientlyFundedOutputs
    3126 BootstrapAttributesTooLarge F bootstrapOutputs
    3127 MintingOrBurningAda F
    3128 InsufficientCollateral F providedCollateral, minimumRequiredCollateral
    3129 CollateralLockedByScript F unsuitableCollateralInputs
    3130 UnforeseeableSlot W/F unforeseeableSlot
    3131 TooManyCollateralInputs F maximumCollateralInputs, countedCollateralInputs
    3132 MissingCollateralInputs F
    3133 NonAdaCollateral F unsuitableCollateralValue
    3134 ExecutionUnitsTooLarge F providedExecutionUnits, maximumExecutionUnits
    3135 TotalCollateralMismatch F declaredTotalCollateral, computedTotalCollateral
    3136 SpendsMismatch F declaredSpending, mismatchReason
    3137 UnauthorizedVotes F unauthorizedVotes
    3138 UnknownGovernanceProposals F unknownProposals
    3139 InvalidProtocolParametersUpdate F
    3140 UnknownStakePool F unknownStakePool
    3141 IncompleteWithdrawals F incompleteWithdrawals
    3142 RetirementTooLate F currentEpoch, declaredEpoch, firstInvalidEpoch
    3143 StakePoolCostTooLow F minimumStakePoolCost, declaredStakePoolCost
    3144 MetadataHashTooLarge F infringingStakePool, computedMetadataHashSize
    3145 CredentialAlreadyRegistered F knownCredential, from
    3146 UnknownCredential F unknownCredential, from
    3147 NonEmptyRewardAccount F nonEmptyRewardAccountBalance
    3148 InvalidGenesisDelegation F
    3149 InvalidMIRTransfer F
    3150 ForbiddenWithdrawal F marginalizedCredentials
    3151 CredentialDepositMismatch F providedDeposit, expectedDeposit
    3152 DRepAlreadyRegistered F knownDelegateRepresentative
    3153 DRepNotRegistered F unknownDelegateRepresentative
    3154 UnknownConstitutionalCommitteeMember F unknownConstitutionalCommitteeMember
    3155 GovernanceProposalDepositMismatch F providedDeposit, expectedDeposit
    3156 ConflictingCommitteeUpdate F conflictingMembers
    3157 InvalidCommitteeUpdate F alreadyRetiredMembers
    3158 TreasuryWithdrawalMismatch F providedWithdrawal, computedWithdrawal
    3159 InvalidOrMissingPreviousProposals F invalidOrMissingPreviousProposals
    3160 VotingOnExpiredActions F invalidVotes
    3161 ExecutionBudgetOutOfBounds F budgetUsed
    3162 InvalidHardForkVersionBump F proposedVersion, currentVersion
    3163 ConstitutionGuardrailsHashMismatch F providedHash, expectedHash
    3164 ConflictingInputsAndReferences F conflictingReferences
    3165 UnauthorizedGovernanceAction F
    3166 ReferenceScriptsTooLarge F measuredReferenceScriptsSize, maximumReferenceScriptsSize
    3167 UnknownVoters F unknownVoters
    3168 EmptyTreasuryWithdrawal F
    3169 PointerAddressInCollateralReturn F output
    3170 StakePoolVRFKeyAlreadyRegistered F poolId, alreadyRegisteredVrfKey
    3997 UnexpectedMempoolError ? error
    3998 UnrecognizedCertificateType S
    4000 MustAcquireMempoolFirst A
    """
}
