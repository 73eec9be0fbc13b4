// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The forms in which code bases have one defect, and code like it that is right.
///
/// They are written without a look at how a rule finds it; forms that a rule misses stay here.
struct Forms: Sendable {
  /// The id of the rule whose defect it is.
  let rule: String
  /// Where the code is taken to lie.
  let path: String
  let bad: [String]
  let good: [String]

  /// Forms with a line of three dashes between each two.
  init(_ rule: String, path: String = "Sources/App/Code.swift", bad: String, good: String) {
    self.rule = rule
    self.path = path
    self.bad = bad.components(separatedBy: "\n---\n")
    self.good = good.components(separatedBy: "\n---\n")
  }

  /// The forms of all rules that are on by default.
  static let all: [Forms] = [
    genericErrorThrown, localizedDescriptionShadowed, wrongLocalizedWitness, codeFromMessage,
    emptyCatch, errorDiscarded, tryOptionalDropped, causeDropped, taskErrorVanishes,
    resultFailureIgnored, callbackErrorIgnored, unfinishedHandler, errorStateAfterCancel,
    sleepSwallowsCancel, cancellationRetried, cancellationAsFailure, technicalTextShown,
    staleError, busyFlagStuck, fixedRetryDelay, unboundedRetry, breakHitsSwitch, uncappedBackoff,
    nestedRetry, unboundedErrorStore, queueMutatedWhileDrained, breakerPerCall, forceTry,
    trapInHandler, forcedFailureUnwrap, printInHandler, errorTestCannotFail, keyNotKept,
    storeOverwritten,
  ]
}
