// SPDX-License-Identifier: Apache-2.0

extension OgmiosCode {
  /// Refusals of the ledger, 3100 to 3136: signatures, scripts, inputs, amounts and limits.
  static let ledger: [OgmiosCode] = [
    .fix(
      3100, "InvalidSignatories", .signatures, "Some signatures do not fit the transaction.",
      "invalidSignatories"),
    .fix(
      3101, "MissingSignatories", .signatures, "Some signatures that are needed are not there.",
      "missingSignatories"),
    .fix(
      3102, "MissingScripts", .missing, "Scripts that the transaction needs are not there.",
      "missingScripts"),
    .fix(
      3103, "FailingNativeScript", .script,
      "A rule about who has to sign, or when, is not kept.", "failingNativeScripts"),
    .fix(
      3104, "ExtraneousScripts", .surplus, "There are scripts that the transaction does not use.",
      "extraneousScripts"),
    .fix(
      3105, "MissingMetadataHash", .missing, "The notes are there, and their fingerprint is not.",
      "metadata"),
    .fix(
      3106, "MissingMetadata", .missing, "The fingerprint of the notes is there, and they are not.",
      "metadata"),
    .fix(
      3107, "MetadataHashMismatch", .mismatch, "The notes do not fit their fingerprint.",
      "provided", "computed"),
    .fix(
      3108, "InvalidMetadata", .mismatch, "A text in the notes is longer than the ledger allows."),
    .fix(
      3109, "MissingRedeemers", .missing, "What scripts are to be given is not there.",
      "missingRedeemers"),
    .fix(
      3110, "ExtraneousRedeemers", .surplus, "There is something for scripts that are not run.",
      "extraneousRedeemers"),
    .fix(
      3111, "MissingDatums", .missing, "Data that scripts need is not there.", "missingDatums"),
    .fix(
      3112, "ExtraneousDatums", .surplus, "There is data that no script uses.",
      "extraneousDatums"),
    .fix(
      3113, "ScriptIntegrityHashMismatch", .mismatch,
      "The fingerprint of the scripts and their data is not the one that the ledger finds.",
      "providedScriptIntegrity", "computedScriptIntegrity"),
    .fix(
      3114, "OrphanScriptInputs", .inputs,
      "Inputs are locked by scripts and have no data, so nobody can ever spend them.",
      "orphanScriptInputs"),
    .fix(
      3115, "MissingCostModels", .mismatch,
      "The ledger knows no prices for the language of a script.", "missingCostModels"),
    .fix(
      3116, "MalformedScripts", .script, "A script is written in a way that can’t be read.",
      "malformedScripts"),
    .of(
      3117, "UnknownOutputReferences", .checkOutcome, .outcome,
      "The inputs are unknown or already spent, perhaps by this very transaction.",
      "unknownOutputReferences"),
    .of(
      3118, "OutsideOfValidityInterval", .waitOrFix, .time,
      "The transaction is sent too early or too late.", "validityInterval", "currentSlot"),
    .fix(
      3119, "TransactionTooLarge", .size, "The transaction is larger than the ledger allows.",
      "measuredTransactionSize", "maximumTransactionSize"),
    .fix(
      3120, "ValueTooLarge", .size, "An output holds more different assets than is allowed.",
      "excessivelyLargeOutputs"),
    .fix(3121, "EmptyInputSet", .missing, "The transaction spends nothing."),
    .fix(
      3122, "TransactionFeeTooSmall", .amounts, "The fee is lower than the ledger asks for.",
      "minimumRequiredFee", "providedFee"),
    .fix(
      3123, "ValueNotConserved", .amounts, "What goes in is not what comes out.",
      "valueConsumed", "valueProduced"),
    .fix(
      3124, "NetworkMismatch", .network, "Something in the transaction is meant for elsewhere.",
      "discriminatedType", "expectedNetwork", "invalidEntities"),
    .fix(
      3125, "InsufficientlyFundedOutputs", .amounts, "An output holds less ada than it has to.",
      "insufficientlyFundedOutputs"),
    .fix(
      3126, "BootstrapAttributesTooLarge", .size, "An old address carries too much with it.",
      "bootstrapOutputs"),
    .fix(3127, "MintingOrBurningAda", .amounts, "Nobody can make or destroy ada."),
    .fix(
      3128, "InsufficientCollateral", .collateral, "The collateral is worth too little.",
      "providedCollateral", "minimumRequiredCollateral"),
    .fix(
      3129, "CollateralLockedByScript", .collateral, "The collateral is locked by a script.",
      "unsuitableCollateralInputs"),
    .of(
      3130, "UnforeseeableSlot", .waitOrFix, .time,
      "The transaction names a time that is too far away to be known yet.", "unforeseeableSlot"),
    .fix(
      3131, "TooManyCollateralInputs", .collateral, "The collateral has too many parts.",
      "maximumCollateralInputs", "countedCollateralInputs"),
    .fix(3132, "MissingCollateralInputs", .collateral, "Scripts are run without any collateral."),
    .fix(
      3133, "NonAdaCollateral", .collateral, "The collateral holds more than ada.",
      "unsuitableCollateralValue"),
    .fix(
      3134, "ExecutionUnitsTooLarge", .size, "The scripts may use more than the ledger allows.",
      "providedExecutionUnits", "maximumExecutionUnits"),
    .fix(
      3135, "TotalCollateralMismatch", .collateral,
      "The sum of the collateral is not the one that is named.",
      "declaredTotalCollateral", "computedTotalCollateral"),
    .fix(
      3136, "SpendsMismatch", .mismatch,
      "The transaction says that its scripts succeed, or that they do not, and it is not so.",
      "declaredSpending", "mismatchReason"),
  ]
}
