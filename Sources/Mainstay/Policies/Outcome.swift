// SPDX-License-Identifier: Apache-2.0

/// How a run of a ``Pipeline`` ended, without a throw.
public enum Outcome<Success, Failure: Error> {
  /// The operation returned.
  case success(Success)
  /// The operation threw its own error.
  case failure(Failure)
  /// A policy refused the call before it was made.
  case rejected(Rejection)
  /// A time limit passed.
  case timedOut(TimedOut)
  /// The caller stopped it.
  case cancelled

  @inlinable
  init(ending error: any Error) {
    switch error {
    case let rejection as Rejection: self = .rejected(rejection)
    case let timedOut as TimedOut: self = .timedOut(timedOut)
    case let error where error.isCancellation: self = .cancelled
    case let failure as Failure: self = .failure(failure)
    // A stage that makes errors of its own loses the type: what it made can only be told as a
    // refusal, which stands for it; see `Rejection.original`.
    default: self = .rejected(Rejection(policy: "pipeline", reason: .foreignError, cause: error))
    }
  }
}

extension Outcome: Sendable where Success: Sendable {}

extension Outcome {
  /// The value.
  ///
  /// - Returns: What the operation returned.
  /// - Throws: The operation's own error, the ``Rejection``, the ``TimedOut``, or
  ///   `CancellationError`.
  @inlinable
  public func get() throws -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    case .rejected(let rejection): throw rejection
    case .timedOut(let timedOut): throw timedOut
    case .cancelled: throw CancellationError()
    }
  }

  /// What ``get()`` does, but with the error that a stage made in place of the operation's, as
  /// those outside of it would see it if nothing returned outcomes.
  @inlinable
  func original() throws -> Success {
    guard case .rejected(let rejection) = self else { return try get() }
    throw rejection.original
  }
}
