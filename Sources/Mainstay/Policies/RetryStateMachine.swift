// SPDX-License-Identifier: Apache-2.0

/// What one call under ``Retry`` has behind it, and whether another attempt follows: the pure part.
struct RetryStateMachine: Sendable {
  /// The settings of the policy.
  struct Limits: Sendable {
    var maximumAttempts: Int
    var backoff: Backoff
    var maximumServerDelay: Duration
    var maximumElapsed: Duration?
  }

  /// What the shell knows at the time of a failure.
  struct Situation {
    /// How long the call has taken so far.
    var elapsed: Duration
    /// How much time is left before the deadline; nil where there is none.
    var timeLeft: Duration?
    /// How many attempts the failure stands for: more than one where a retry inside has made them.
    var attempts = 1
    /// Whether an idempotency key makes repeating safe.
    var isRepeatable: Bool
    /// Whether a retry further out repeats the call already.
    var isInsideAnother = false
    /// Whether a refusal that names no time ends as soon as somebody else's call does.
    var passesSoon = false
    /// Two random numbers in `0..<1`: for the own delay, and for what is added to a hint.
    var chance: (own: Double, hint: Double)
  }

  enum Decision: Sendable, Equatable {
    case wait(Duration)
    case giveUp(PolicyEvent.GiveUpReason)
  }

  let limits: Limits
  private(set) var failures = 0
  /// Whether it was the service that chose how long the last wait is.
  private(set) var isHint = false
  private var previousDelay: Duration?

  init(limits: Limits) { self.limits = limits }

  /// An attempt failed.
  mutating func attemptFailed(
    _ rule: Disposition.RetryRule, _ situation: Situation
  ) -> Decision {
    failures += situation.attempts
    let own = limits.backoff.delay(
      attempt: failures, previous: previousDelay, fraction: situation.chance.own)
    let delay: Duration
    var isTooLong = false
    isHint = false
    switch rule {
    case .never: return .giveUp(.notRetryable)
    case .onlyWithIdempotencyKey:
      guard situation.isRepeatable else { return .giveUp(.notRetryable) }
      delay = own
    case .onlyIfFitsDeadline(let hint):
      // Without a deadline there is nothing that it could fit, and without a hint nothing is known.
      guard hint != nil || situation.passesSoon, timeLeft(situation) != nil else {
        return .giveUp(.notRetryable)
      }
      (delay, isHint) = hint.map { (spread($0.clamped, situation), true) } ?? (own, false)
    // A time that is none, or has passed, says as little as no time: nobody comes back at once.
    case .afterBackoff(let hint?) where hint > .zero, .afterHint(let hint?) where hint > .zero:
      isTooLong = hint.clamped > limits.maximumServerDelay
      let floor = if case .afterBackoff = rule { own } else { Duration.zero }
      let hinted = spread(hint.clamped, situation)
      (delay, isHint) = (max(floor, hinted), hinted >= floor)
    case .afterBackoff, .afterHint: delay = own
    }
    guard !situation.isInsideAnother else { return .giveUp(.insideAnotherRetry) }
    guard failures < limits.maximumAttempts else { return .giveUp(.attemptsUsedUp) }
    // Only for whoever would wait is a wait too long.
    guard !isTooLong else { return .giveUp(.serverDelayTooLong) }
    // Checked before the wait, with the wait included: nobody sleeps towards a deadline that cannot
    // be met.
    guard isInTime(after: delay, situation) else { return .giveUp(.deadlineTooClose) }
    previousDelay = delay
    return .wait(delay)
  }

  /// Whether an attempt that begins after a wait still begins in time.
  func isInTime(after delay: Duration, _ situation: Situation) -> Bool {
    timeLeft(situation).map { delay < $0 } ?? true
  }

  /// The time until the deadline or the end of the longest time for all attempts.
  private func timeLeft(_ situation: Situation) -> Duration? {
    let own = limits.maximumElapsed.map { $0 - situation.elapsed.clamped }
    guard let deadline = situation.timeLeft else { return own }
    return own.map { min($0, deadline) } ?? deadline
  }

  /// A hint with up to a tenth added, so that those who were sent away together do not come back
  /// together; never less than was asked for.
  private func spread(_ hint: Duration, _ situation: Situation) -> Duration {
    hint + .clamped(seconds: hint.inSeconds * 0.1 * situation.chance.hint)
  }
}
