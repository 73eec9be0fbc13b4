// SPDX-License-Identifier: Apache-2.0

/// Something that a policy did or learned; for logs, metrics and tests.
///
/// Events of one policy are told in the order in which they happened, outside of all locks: an
/// observer may use the same policy again. Where many calls cause events at the same time, one of
/// them tells those of all.
public struct PolicyEvent: Sendable {
  /// What happened; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum What: Sendable {
    /// An attempt failed; `nextDelay` is the wait before the next one, nil where there is none.
    case attemptFailed(attempt: Int, error: any Error, nextDelay: Duration?)
    /// A call succeeded after more than one attempt.
    case recovered(attempts: Int)
    /// No further attempt is made.
    case gaveUp(attempts: Int, reason: GiveUpReason)
    /// What a ``RecoveryPlan`` does about a failure was done before the wait; what it threw itself,
    /// nil where it worked.
    case recoveryEnded(step: String, error: AppError?)
    /// Nobody has said what may be done about errors of this type; told once per policy and type,
    /// or code.
    case unclassified(type: String, cure: String)
    /// A time limit passed.
    case timedOut(TimedOut)
    /// A policy refused a call.
    case rejected(Rejection)
    /// A breaker opened after this many failures, for this long.
    case circuitOpened(failures: Int, breakFor: Duration)
    /// A breaker began to try the dependency out.
    case circuitHalfOpened
    /// A breaker closed: the dependency is well again, or nobody isolates the breaker any longer.
    case circuitClosed
    /// A breaker was isolated by hand.
    case circuitIsolated
    /// A breaker was reset by hand.
    case circuitReset
    /// A probe gave no answer within its lease and counts as failed.
    case probeExpired
    /// A call ended that had begun in an earlier state of the breaker; it changed nothing.
    case staleResult(succeeded: Bool, admittedIn: UInt64, endedIn: UInt64)
    /// A policy that only watches would have refused this call.
    case wouldHaveRejected(Rejection)
    /// A policy was given other settings; what it knew is kept.
    case settingsChanged
    /// A call was let through after waiting for its turn.
    case waited(Duration)
    /// A limit on calls at the same time was moved.
    case limitChanged(from: Int, to: Int)
    /// One more copy of a call was started beside those that give no answer; `copy` counts from 1,
    /// the call itself.
    case hedgeStarted(copy: Int, after: Duration)
    /// One more copy of a call was due and was not started.
    case hedgeWithheld(copy: Int, reason: GiveUpReason)
    /// A copy gave the answer; the others are cancelled.
    case hedgeWon(copy: Int)
    /// A call was not made, since the same one was under way; it got that one's answer.
    case coalesced
    /// All calls with this key are held back for a time, because the service asked for it.
    case cooldownBegan(key: String, for: Duration)
    /// A disturbance was added to a call on purpose.
    case chaosInjected(String)
    /// A call was given up at its limit while its operation went on; so many of those still run.
    case abandoned(stillRunning: Int)
    /// An operation that had been given up at its limit has ended after all; so many still run.
    case abandonedEnded(stillRunning: Int)
    /// A registry keeps more policies than it should, since all of them remember something.
    case registryOverflowed(count: Int, maximumCount: Int)
    /// Observers were too slow: so many events before this one were told to nobody.
    case eventsDropped(count: Int)
    /// A question was answered from what is kept; a newer answer is loaded behind it, or is not
    /// needed.
    case cacheHit(isRevalidating: Bool)
    /// A question was answered by loading; what came is fresh.
    case cacheMissed
    /// Loading failed, and an answer of this age was given instead; nil where its age is not known.
    case staleServed(key: String, age: Duration?, error: any Error)
    /// Loading behind an answer failed; what is kept stays.
    case revalidationFailed(key: String, error: any Error)
    /// What was loaded is not kept: it was overtaken meanwhile, or is too large.
    case lateAnswerDropped(key: String)
    /// The place where answers are kept failed, or holds what cannot be read; told once until it
    /// works again.
    case cacheStorageFailed(any Error)
    /// A call of a pipeline ended in this way, after this time, waits and all attempts included.
    case callEnded(CallEnding, took: Duration)
  }

  /// How a call of a ``Pipeline`` ended.
  public enum CallEnding: String, Sendable, Hashable, CaseIterable {
    /// The operation returned.
    case succeeded
    /// The operation threw its own error.
    case failed
    /// A policy refused the call before it was made.
    case rejected
    /// A time limit passed.
    case timedOut
    /// The caller stopped it.
    case cancelled
  }

  /// Why ``Retry`` makes no further attempt; more may come, so keep an `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum GiveUpReason: String, Sendable, Hashable {
    /// All attempts are used up.
    case attemptsUsedUp
    /// The error says that another attempt will not help, or must not be made.
    case notRetryable
    /// The next attempt would begin after the deadline, or a time limit ended this one.
    case deadlineTooClose
    /// The service asks to wait longer than ``Retry`` is willing to.
    case serverDelayTooLong
    /// Too many of the calls of late were repetitions: the `RetryBudget` has none left.
    case budgetExhausted
    /// A ``Retry`` further out repeats the call already.
    case insideAnotherRetry
    /// The caller stopped it.
    case cancelled
  }

  /// The name of the policy, or of the pipeline that it stands in.
  public let policy: String
  /// What happened.
  public let what: What
  /// When it happened, by the policy's clock, counted from a fixed start.
  public let reading: Duration
  /// What became of each attempt, for `gaveUp` and `recovered`; nil for everything else.
  public let attempts: Retry.AttemptLog?
  /// The failure by which a breaker opened, without its own causes, for `circuitOpened`; nil where
  /// it was none, such as by hand, and for everything else.
  public let cause: AppError?

  package init(
    policy: String, what: What, reading: Duration, attempts: Retry.AttemptLog? = nil,
    cause: AppError? = nil
  ) {
    self.policy = policy
    self.what = what
    self.reading = reading
    self.attempts = attempts
    self.cause = cause
  }
}

/// Who is told about the events of a policy.
public protocol PolicyObserver: Sendable {
  /// An event happened; called where it happened, so it should be quick.
  ///
  /// Where events come faster than they are told, most are told by a task of its own, outside of
  /// the caller's actor and task-local values, and what is too much is dropped; see
  /// ``PolicyEvent/What/eventsDropped(count:)``.
  func observe(_ event: PolicyEvent)
}
