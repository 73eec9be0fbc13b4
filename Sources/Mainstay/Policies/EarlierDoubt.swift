// SPDX-License-Identifier: Apache-2.0

/// What the failures of one call say about its effect: those of its attempts, or of its copies.
///
/// What refused or failed one attempt says nothing about another one that may have had its effect.
/// An answer that will not change is what the caller goes by; a queue that runs the call is told
/// that an earlier attempt may have had its effect all the same.
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
  /// type has no place for that, so the earlier one is told. That one does not know how long the
  /// service asked to wait: where it did, the ``AppError`` of the later one is told.
  func told(_ failure: any Error) -> any Error {
    let disposition = Classification.disposition(of: failure)
    switch disposition {
    case .unknownOutcome: return failure
    case .permanent, .needsUser: return answered(failure)
    // What nobody has classified is no answer that is known to be one.
    case .unclassified: return unknown ?? failure
    // Only a caller that gives up does not want to know.
    case .cancelled: return ActiveLimit.hasEndedCurrentTask ? unknown ?? failure : failure
    case .rejected, .transient, .throttled: break
    }
    if let unknown { return unknown }
    guard let maybeSent, !Self.leavesDoubt(failure) else { return failure }
    if let failure = failure as? AppError { return failure.adding(metadata: Self.mark) }
    let isAskedToWait = disposition.retryAfter != nil && !(failure is Rejection)
    return isAskedToWait
      ? ErrorMapping.current.map(failure).adding(metadata: Self.mark) : maybeSent
  }

  /// An answer that will not change, after an attempt that may have had its effect.
  ///
  /// One of a service over HTTP says so itself. Any other may be the app's own, of which a mark of
  /// HTTP would say something else: there only the work knows that the call is part of.
  private func answered(_ failure: any Error) -> any Error {
    guard unknown != nil || maybeSent != nil else { return failure }
    if let answer = failure as? AppError, answer.httpStatus != nil {
      return answer.adding(metadata: Self.mark)
    }
    NetworkUse.leftInDoubt()
    return failure
  }

  private static let mark = ["http.sent": "maybe"]

  private static func leavesDoubt(_ failure: any Error) -> Bool {
    switch failure {
    case is Rejection: false
    case let failure as AppError: failure.leavesDoubt
    default: ErrorMapping.current.map(failure).leavesDoubt
    }
  }
}
