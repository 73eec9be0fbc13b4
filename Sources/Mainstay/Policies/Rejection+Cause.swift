// SPDX-License-Identifier: Apache-2.0

extension Rejection {
  /// The error behind a refusal: the one that it was made with, or the failure that made a breaker
  /// open.
  ///
  /// The refusals of a breaker hold this in place of the error: so a refusal costs no lock, and it
  /// is one error that is kept, however many are refused. It is one class for both, since a refusal
  /// is copied on its way to the caller, and each reference in it is counted at each copy.
  final class Cause: Sendable {
    private let kept: Locked<(any Error)?>

    init(_ error: (any Error)? = nil) { kept = Locked(error) }

    /// The error; for a breaker the failure by which it opened last, nil where it was none.
    var error: (any Error)? { kept.withLock { $0 } }

    /// A breaker opened by a failure, or by none.
    func keep(_ failure: AppError?) {
      // What was there is released outside of the lock.
      _ = kept.withLock { kept in
        defer { kept = failure }
        return kept
      }
    }
  }
}

extension CircuitBreaker {
  /// A failure that opens a breaker, without what caused it: so nothing is kept that belongs to
  /// others, nor a refusal that leads back to the breaker.
  static func tripFailure(_ error: (any Error)?) -> AppError? {
    // A cancellation that counts as a failure is one by a time limit.
    let isCancelled = error?.isCancellation ?? true
    guard let error = isCancelled ? TimedOut.ofCurrentTask : error else { return nil }
    var failure = ErrorMapping.current.map(error)
    if !failure.underlying.isEmpty { failure.fields.underlying = [] }
    return failure
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
