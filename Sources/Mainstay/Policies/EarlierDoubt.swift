// SPDX-License-Identifier: Apache-2.0

/// What the failures of one call say about its effect: those of its attempts, or of its copies.
///
/// What refused or failed one attempt says nothing about another one that may have had its effect;
/// an answer that will not change does.
struct EarlierDoubt {
  /// The first failure after which nobody knows whether the call had its effect.
  private var unknown: (any Error)?
  /// The first one that may pass, after which the call may have been sent.
  private var maybeSent: (any Error)?

  /// Another attempt failed.
  mutating func note(_ failure: any Error, _ disposition: Disposition) {
    switch disposition {
    case .unknownOutcome: unknown = unknown ?? failure
    case .transient where maybeSent == nil && Self.leavesDoubt(failure): maybeSent = failure
    default: break
    }
  }

  /// What the caller is told in place of the failure that the call ends with.
  ///
  /// An ``AppError`` stays and says that an earlier attempt may have been sent. An error of another
  /// type has no place for that, so the earlier one is told.
  func told(_ failure: any Error) -> any Error {
    switch Classification.disposition(of: failure) {
    case .rejected, .transient, .throttled: break
    case .permanent, .needsUser, .unknownOutcome, .cancelled, .unclassified: return failure
    }
    if let unknown { return unknown }
    guard let maybeSent, !Self.leavesDoubt(failure) else { return failure }
    return (failure as? AppError)?.adding(metadata: ["http.sent": "maybe"]) ?? maybeSent
  }

  private static func leavesDoubt(_ failure: any Error) -> Bool {
    switch failure {
    case is Rejection: false
    case let failure as AppError: failure.leavesDoubt
    default: ErrorMapping.current.map(failure).leavesDoubt
    }
  }
}
