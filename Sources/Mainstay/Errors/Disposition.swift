// SPDX-License-Identifier: Apache-2.0

/// What may be done about an error.
///
/// Every automatic part of Mainstay reads this one value: ``retry``, ``breaker``, ``budget``,
/// ``outbox`` and ``span`` are the columns of the table on the page <doc:ErrorLifecycle>.
public enum Disposition: Sendable, Hashable {
  /// The same call may succeed later; `retryAfter` is a hint, when somebody gave one.
  case transient(retryAfter: Duration? = nil)
  /// The other side is well but asks to slow down.
  case throttled(retryAfter: Duration? = nil)
  /// The other side answered, and the same call will be answered in the same way.
  case permanent
  /// A person has to do something first: sign in, give a permission, free some space, decide.
  case needsUser
  /// The call may or may not have had its effect.
  case unknownOutcome
  /// Somebody stopped the work on purpose.
  case cancelled
  /// A policy of our own refused the call before it was made.
  case rejected(retryAfter: Duration? = nil)
  /// Nobody has said what may be done.
  case unclassified
}

extension Disposition {
  /// What `Retry` does by default.
  public enum RetryRule: Sendable, Hashable {
    /// Gives up at once.
    case never
    /// Tries again after the longer of the hint and its own backoff.
    case afterBackoff(hint: Duration?)
    /// Tries again after the hint, or after its own backoff where there is none.
    case afterHint(Duration?)
    /// Tries again only where repeating is safe: under an idempotency key.
    case onlyWithIdempotencyKey
    /// Tries again only where the known waiting time fits the deadline; after a refusal by
    /// ``Rejection/Reason/circuitProbing``, which knows none, where the own backoff does.
    case onlyIfFitsDeadline(Duration?)
  }

  /// What a circuit breaker counts.
  public enum BreakerVerdict: Sendable, Hashable {
    /// The dependency failed.
    case failure
    /// The dependency answered.
    case success
    /// Says nothing about the dependency; the slot is given back.
    case neutral
    /// Not a failure; the dependency's cooldown is set instead.
    case cooldown(Duration?)
  }

  /// What a retry budget pays for another attempt.
  public enum BudgetCharge: Sendable, Hashable {
    /// Another attempt is paid for.
    case spends
    /// There is no further attempt to pay for.
    case nothing
  }

  /// What the outbox does with an operation that ended so.
  public enum OutboxRule: Sendable, Hashable {
    /// Runs again after a backoff; counts an attempt.
    case backoff(hint: Duration?)
    /// The lane waits; no attempt is counted.
    case laneWaits(Duration?)
    /// Given up, with the reason in words.
    case deadLetter
    /// The lane waits for a person; no attempt is counted.
    case lanePaused
    /// Asks whether the effect happened before anything is sent again.
    case reconcile
    /// Given back as if it had never been claimed, where the run was cancelled, too; else it failed
    /// with an unknown outcome.
    case released
    /// Waits until the policy lets it through; no attempt is counted.
    case waits(Duration?)
    /// Runs again, at most this often in all, then it is given up.
    case limitedAttempts(Int)
  }

  /// The status that a tracing span gets.
  public enum SpanStatus: Sendable, Hashable {
    /// Not an error of the traced work.
    case ok
    /// An error of the traced work.
    case error
  }

  /// What `Retry` does by default.
  public var retry: RetryRule {
    switch self {
    case .transient: .afterBackoff(hint: retryAfter)
    case .throttled: .afterHint(retryAfter)
    case .unknownOutcome: .onlyWithIdempotencyKey
    case .rejected: .onlyIfFitsDeadline(retryAfter)
    case .permanent, .needsUser, .cancelled, .unclassified: .never
    }
  }

  /// What a circuit breaker counts.
  public var breaker: BreakerVerdict {
    switch self {
    case .transient, .unknownOutcome, .unclassified: .failure
    case .permanent, .needsUser: .success
    case .cancelled, .rejected: .neutral
    case .throttled: .cooldown(retryAfter)
    }
  }

  /// What a retry budget pays for another attempt.
  public var budget: BudgetCharge {
    switch self {
    case .transient, .throttled, .unknownOutcome: .spends
    case .permanent, .needsUser, .cancelled, .rejected, .unclassified: .nothing
    }
  }

  /// What the outbox does with an operation that ended so.
  public var outbox: OutboxRule {
    switch self {
    case .transient: .backoff(hint: retryAfter)
    case .throttled: .laneWaits(retryAfter)
    case .permanent: .deadLetter
    case .needsUser: .lanePaused
    case .unknownOutcome: .reconcile
    case .cancelled: .released
    case .rejected: .waits(retryAfter)
    case .unclassified: .limitedAttempts(3)
    }
  }

  /// The status that a tracing span gets.
  public var span: SpanStatus {
    switch self {
    case .cancelled, .rejected: .ok
    case .transient, .throttled, .permanent, .needsUser, .unknownOutcome, .unclassified: .error
    }
  }

  /// How long the other side, or the policy that refused, asks to wait; nil where nobody said.
  ///
  /// A negative wait counts as not said, and one of more than a year is cut to a year.
  public var retryAfter: Duration? {
    switch self {
    case .transient(let hint), .throttled(let hint), .rejected(let hint):
      hint.flatMap { $0 < .zero ? nil : $0.clamped }
    case .permanent, .needsUser, .unknownOutcome, .cancelled, .unclassified: nil
    }
  }
}
