// SPDX-License-Identifier: Apache-2.0

/// Whether one request may be sent (again): what must not be repeated never goes out once it may
/// have arrived, whatever policies ask for.
///
/// | State | Another attempt |
/// |---|---|
/// | nothing was sent, or the service has answered that it did not do it | goes out |
/// | the same, and the body that can be read once was read | is refused |
/// | one has succeeded | goes out where repeating does no harm, else is refused |
/// | one is under way | the same |
/// | one may have arrived, and nobody knows what became of it | the same |
/// | the service has failed at one, and may have done it before | the same |
struct SendStateMachine: Sendable, Equatable {
  /// How an attempt ended.
  enum Ending: Sendable, Equatable {
    /// It is certain that the service has not got the request.
    case notSent
    /// The service has done what was asked for.
    case succeeded
    /// The service, or a portal before it, has answered that it did not do it.
    case refused
    /// The service has answered that it failed, and may have done it before.
    case failed
    /// The service may have got the request.
    case mayHaveArrived
  }

  /// What is said to an attempt.
  enum Admission: Sendable, Equatable {
    case granted
    /// Another one is under way, or has succeeded.
    case refusedAsCopy
    /// Another one may have arrived.
    case refusedAsRepetition
    /// Nothing is left of the body.
    case refusedAsSpent
  }

  let isRepeatable: Bool
  private(set) var underWay = 0
  private(set) var attempts = 0
  private(set) var mayHaveArrived = false
  private(set) var hasSucceeded = false
  /// Whether the service has failed at an attempt that it may have done before.
  ///
  /// Its answer says so itself; after another one nobody else does.
  private(set) var hasFailed = false
  /// Whether an attempt has arrived, or may have, whatever became of it there.
  private(set) var hasArrived = false

  /// Whether what was asked for may have happened, or be happening.
  var mayHaveEffect: Bool { mayHaveArrived || hasSucceeded || underWay > 0 }

  init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

  /// An attempt wants to begin.
  ///
  /// - Parameter isSpent: Whether the body can be read once, and somebody has begun to.
  /// - Returns: Whether it goes out.
  mutating func begin(isSpent: Bool = false) -> Admission {
    if !isRepeatable {
      if mayHaveArrived { return .refusedAsRepetition }
      if underWay > 0 || hasSucceeded { return .refusedAsCopy }
      if isSpent { return .refusedAsSpent }
    }
    underWay += 1
    attempts += 1
    return .granted
  }

  /// An attempt that was granted has ended.
  mutating func end(_ ending: Ending) {
    underWay = max(underWay - 1, 0)
    if ending != .notSent { hasArrived = true }
    switch ending {
    case .notSent, .refused: break
    case .succeeded: hasSucceeded = true
    // What must not be repeated is not sent again for an answer that settles nothing.
    case .failed where isRepeatable: hasFailed = true
    case .failed, .mayHaveArrived: mayHaveArrived = true
    }
  }
}
