// SPDX-License-Identifier: Apache-2.0

// Places that are held without a closure, by who answers calls in place of making them.
extension AdaptiveLimit {
  /// The right to run one call; it goes back when it is released or dropped.
  ///
  /// What the call says about the limit is told apart from that: a place may be held for longer
  /// than the work took.
  package struct Permit: ~Copyable, Sendable {
    private let limit: AdaptiveLimit
    private let admission: Admission

    fileprivate init(of limit: AdaptiveLimit, _ admission: Admission) {
      (self.limit, self.admission) = (limit, admission)
    }

    /// The work has ended: how long it took says how much there is room for.
    package func succeed() { limit.learn(from: admission) }

    /// The work has ended with an error, which says something where its time was over.
    ///
    /// Other errors than that say nothing: those of callers, and those of services behind.
    package func fail(with error: any Error) {
      if AdaptiveLimit.drop(error, since: admission.expiries) == .cut {
        limit.learn(from: admission, .cut)
      }
    }

    /// Gives the permit back.
    package consuming func release() {}

    deinit { limit.permits.giveBack() }
  }

  /// Takes a permit if one is free, without waiting.
  ///
  /// - Returns: The permit; nil where none is free.
  package func tryAcquire() -> Permit? {
    guard let admission = tryAdmit() else { return nil }
    return Permit(of: self, admission)
  }

  /// Takes a permit as soon as one is free, on the caller's actor.
  ///
  /// - Returns: The permit.
  /// - Throws: ``Rejection`` or `CancellationError`, as ``run(_:)`` does.
  package func acquire() async throws -> Permit {
    if let admission = tryAdmit() { return Permit(of: self, admission) }
    return Permit(of: self, try await admitInTurn())
  }
}
