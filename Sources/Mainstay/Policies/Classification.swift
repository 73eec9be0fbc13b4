// SPDX-License-Identifier: Apache-2.0

/// What policies read from an error.
enum Classification {
  /// What may be done about an error, by the current ``ErrorMapping``.
  static func disposition(of error: any Error) -> Disposition {
    switch error {
    case let error as AppError: error.disposition
    // The two errors that policies throw in numbers need no `AppError` to be made.
    case let error as Rejection: error.disposition
    case let error as TimedOut: error.disposition
    case is CancellationError: .cancelled
    default: ErrorMapping.current.map(error).disposition
    }
  }

  /// What may be done about how a call ended; nil for a success.
  static func disposition<T, Failure>(of outcome: Outcome<T, Failure>) -> Disposition? {
    switch outcome {
    case .success: nil
    case .failure(let error): disposition(of: error)
    case .rejected(let rejection): rejection.disposition
    case .timedOut(let timedOut): timedOut.disposition
    case .cancelled: .cancelled
    }
  }

  /// Whether what failed is somebody else than whom the policies around the call guard.
  static func isElsewhere(_ error: any Error) -> Bool {
    (error as? AppError)?.fields.isElsewhere == true
  }

  /// What an error says about the dependency.
  ///
  /// - Parameters:
  ///   - error: What a call ended with.
  ///   - count: How many limits had passed when it began; see ``ActiveLimit/expiryCount``.
  /// - Returns: The verdict.
  static func verdict(
    on error: any Error, since count: UInt64
  ) -> Disposition.BreakerVerdict {
    isElsewhere(error) ? .neutral : verdict(on: disposition(of: error), since: count)
  }

  /// What a call says about the dependency.
  static func verdict<T, Failure>(
    on outcome: Outcome<T, Failure>, since count: UInt64
  ) -> Disposition.BreakerVerdict {
    if case .failure(let error) = outcome, isElsewhere(error) { return .neutral }
    return disposition(of: outcome).map { verdict(on: $0, since: count) } ?? .success
  }

  /// A cancellation says nothing, unless it was one of our own time limits that cancelled (P26).
  ///
  /// Then the dependency was too slow, but for a call that began after that: it had no time at all.
  private static func verdict(
    on disposition: Disposition, since count: UInt64
  ) -> Disposition.BreakerVerdict {
    if disposition == .cancelled, ActiveLimit.current?.hasFirstExpired(after: count) == true {
      return .failure
    }
    return disposition.breaker
  }
}

/// Which errors a policy has already reported as unclassified.
final class UnclassifiedReports: Sendable {
  private let told = ClassificationGap.Told()
  /// Of what the log has a hint, since nobody listened: once in a process, since policies may be
  /// made for each call.
  private static let hinted = ClassificationGap.Told()

  /// The event for an error that nobody has classified; nil from the second time on.
  ///
  /// Where nobody listens it counts as told to nobody, and the log gets it: whoever knows libraries
  /// that treat any error alike has to see why this one does not.
  ///
  /// - Parameters:
  ///   - error: What a call ended with.
  ///   - policy: Who tells it.
  ///   - audience: Whom it is told to.
  ///   - consequence: What the policy does until somebody has classified it.
  /// - Returns: What to tell.
  func report(
    _ error: any Error, of policy: String, to audience: PolicyAudience, until consequence: String
  ) -> PolicyEvent.What? {
    let gap = ClassificationGap(error)
    guard !audience.isEmpty else {
      if Self.hinted.isNew(gap) {
        PolicyLogger().observe(
          PolicyEvent(policy: policy, what: Self.event(gap, consequence), reading: .zero))
      }
      return nil
    }
    return told.isNew(gap) ? Self.event(gap, consequence) : nil
  }

  private static func event(
    _ gap: ClassificationGap, _ consequence: String
  ) -> PolicyEvent.What {
    .unclassified(type: gap.type, cure: gap.cure + "; until then \(consequence).")
  }
}
