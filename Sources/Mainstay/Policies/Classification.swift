// SPDX-License-Identifier: Apache-2.0

/// What policies read from an error.
enum Classification {
  /// What may be done about an error, by the current ``ErrorMapping``.
  static func disposition(of error: any Error) -> Disposition {
    switch error {
    case let error as AppError: error.disposition
    // The two errors that policies throw in numbers need no `AppError` to be made.
    case let error as Rejection: .rejected(retryAfter: error.retryAfter)
    case let error as TimedOut: error.disposition
    case is CancellationError: .cancelled
    default: ErrorMapping.current.map(error).disposition
    }
  }

  /// What a call says about the dependency.
  static func verdict<T, Failure>(on outcome: Outcome<T, Failure>) -> Disposition.BreakerVerdict {
    switch outcome {
    case .success: .success
    case .failure(let error): verdict(on: error)
    case .rejected(let rejection): verdict(on: rejection)
    case .timedOut(let timedOut): verdict(on: timedOut)
    case .cancelled: verdict(on: CancellationError())
    }
  }

  /// What an error says about the dependency.
  ///
  /// A cancellation says nothing, unless it was one of our own time limits that cancelled: then the
  /// dependency was too slow (P26).
  static func verdict(on error: any Error) -> Disposition.BreakerVerdict {
    let disposition = disposition(of: error)
    if disposition == .cancelled, ActiveLimit.current?.hasExpired == true { return .failure }
    return disposition.breaker
  }
}

/// Which error types a policy has already reported as unclassified.
final class UnclassifiedReports: Sendable {
  private let seen = Locked<Set<ObjectIdentifier>>([])

  /// The event for an error that nobody has classified; nil from the second time on.
  func report(_ error: any Error) -> PolicyEvent.What? {
    let type = type(of: error)
    guard seen.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return nil }
    let name = QualifiedTypeName.of(type)
    return .unclassified(
      type: name,
      cure: """
        Let \(name) conform to AppErrorConvertible, or add it to the ErrorMapping set by \
        ErrorMapping.bootstrap; until then it is not retried.
        """)
  }
}
