// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 1xx: how errors are declared, converted and thrown.
  static let declaring: [Rule] = [
    genericErrorThrown, errorNotPresentable, missingRecoverySuggestion, missingConversion,
    localizedDescriptionShadowed, wrongLocalizedWitness, technicalErrorLeavesUI,
    vagueErrorCase, unknownMislabelled, codeFromMessage,
    stringifiedCause, conversionDrift, deadErrorCase,
  ]
}
