// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// The failure that made a breaker open, for those whom it refuses.
  ///
  /// A refusal holds this in place of the error: so a refusal costs no lock, and it is one error
  /// that is kept, however many are refused.
  final class TripCause: Sendable {
    private let kept = Locked<AppError?>(nil)

    /// The failure by which the breaker opened last; nil where it was none.
    var failure: AppError? { kept.withLock { $0 } }

    func keep(_ failure: AppError?) {
      // What was there is released outside of the lock.
      _ = kept.withLock { kept in
        defer { kept = failure }
        return kept
      }
    }

    /// A failure without what caused it: so nothing is kept that belongs to others, nor a refusal
    /// that leads back to here.
    static func of(_ error: (any Error)?) -> AppError? {
      // A cancellation that counts as a failure is one by a time limit.
      let isCancelled = error?.isCancellation ?? true
      guard let error = isCancelled ? TimedOut.ofCurrentTask : error else { return nil }
      var failure = ErrorMapping.current.map(error)
      if !failure.underlying.isEmpty { failure.fields.underlying = [] }
      return failure
    }
  }
}

extension Outcome {
  /// What the call ended with; nil for a success, and where nothing but a cancellation is known.
  var error: (any Error)? {
    switch self {
    case .success, .cancelled: nil
    case .failure(let error): error
    case .rejected(let rejection): rejection.original
    case .timedOut(let timedOut): timedOut
    }
  }
}
