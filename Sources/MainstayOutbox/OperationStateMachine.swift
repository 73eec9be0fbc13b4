// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// What the end of a run does to an operation, as a value without storage, time or chance.
package struct OperationStateMachine: Sendable, Equatable {
  /// What a worker allows.
  package struct Rules: Sendable, Equatable {
    package var maximumAttempts = 25
    package var backoff = Backoff.exponential(from: .seconds(1), to: .seconds(300))
    package var followers = Worker.AfterDeadLetter.holdKey
    package var maximumConcurrency: Int?
    package var maximumMerges = 5

    package init() {}
  }

  /// How many runs in a row may be lost to a dying process.
  package static let maximumLostRuns = 3

  /// How long a lane is closed when the other side asks to slow down and does not say for how long.
  package static let throttledWait = Duration.seconds(5)

  /// How long at least a lane is closed when the other side asks to slow down: no attempt is
  /// counted, so "at once" would go on for ever, as fast as the other side answers.
  package static let shortestThrottledWait = Duration.seconds(1)

  /// What is waited instead of no time at all: at least a second, and not the same for everybody.
  private static let instead = Backoff.constant(.seconds(2), jitter: .equal)

  /// How many attempts have been counted.
  package private(set) var attempts: Int
  /// How many runs in a row could not reach the network.
  package private(set) var unreachable: Int
  /// Whether the effect may have happened.
  package private(set) var effect: EffectCertainty
  /// How many of the attempts failed with an error that nobody has classified.
  package private(set) var unclassified: Int
  /// Whether a run has noted how far it came: then a part of the effect may be there, whatever the
  /// step failed with that came after it.
  package var hasBegun: Bool
  /// Whether the effect became uncertain in this run, so that nobody was asked before it.
  private var isNewDoubt = false
  let rules: Rules

  package init(
    attempts: Int, unreachable: Int, effect: EffectCertainty, unclassified: Int = 0,
    hasBegun: Bool = false, rules: Rules
  ) {
    self.attempts = attempts
    self.unreachable = unreachable
    self.effect = effect
    // Attempts begin anew with a redrive, which keeps the note.
    self.unclassified = min(unclassified, attempts)
    self.hasBegun = hasBegun
    self.rules = rules
  }

  package init(_ operation: StoredOperation, rules: Rules) {
    self.init(
      attempts: operation.attempts, unreachable: operation.unreachable,
      effect: operation.effect, unclassified: operation.failure?.unclassified ?? 0,
      hasBegun: operation.checkpoint != nil, rules: rules)
  }

  /// Whether the other side has to be asked before anything is sent.
  package var mustReconcile: Bool { effect == .sentUnknown }

  /// The worker returned.
  package func succeeded() -> OperationVerdict {
    var verdict = verdict(.done, failure: nil)
    verdict.effect = .applied
    return verdict
  }

  /// The run was cancelled before the worker was called: nothing has changed.
  package func notBegun() -> OperationVerdict {
    var verdict = verdict(.ready, failure: nil)
    verdict.isUnbegun = true
    return verdict
  }

  /// Somebody has cancelled the operation, and nobody can say more about its effect.
  package func cancelled() -> OperationVerdict {
    verdict(.cancelled, failure: nil)
  }

  /// The run cannot be paid for yet: nothing has changed, and its lane waits.
  package func heldBack(for wait: Duration) -> OperationVerdict {
    var verdict = notBegun()
    verdict.closesLane = LaneClosure(.throttled, for: wait.clamped)
    return verdict
  }

  /// A call of this run may have had its effect, whatever the run failed with.
  package mutating func leftInDoubt() {
    isNewDoubt = isNewDoubt || !mustReconcile
    effect = .sentUnknown
  }

  /// No worker can read the operation.
  package mutating func unreadable(_ error: AppError) -> OperationVerdict {
    if hasBegun { effect = .sentUnknown }
    return verdict(.parked, failure: error)
  }

  /// The other side answered whether the effect happened; nil means that the worker may run now.
  package mutating func reconciled(
    _ answer: Reconciliation, fraction: Double
  ) -> OperationVerdict? {
    switch answer {
    case .applied:
      effect = .applied
      return verdict(.done, failure: nil)
    case .notApplied:
      effect = .refused
      return nil
    case .unknown:
      return backOff(nil, hint: nil, givingUpAs: .outcomeUnknown, fraction: fraction)
    }
  }

  /// Asking the other side failed: the outcome stays unknown.
  package mutating func reconcilingFailed(
    _ error: AppError, isRunCancelled: Bool = false, fraction: Double
  ) -> OperationVerdict {
    if error.isDecidedConflict {
      effect = .sentUnknown
      return backOff(error, hint: nil, givingUpAs: .outcomeUnknown, fraction: fraction)
    }
    if error.disposition == .permanent { return dead(.outcomeUnknown, error) }
    let verdict = failed(error, isRunCancelled: isRunCancelled, fraction: fraction)
    effect = .sentUnknown
    return verdict
  }

  /// The worker threw.
  ///
  /// - Parameters:
  ///   - error: What it threw, classified.
  ///   - remote: The document of the other side, where the error brought one.
  ///   - isResolvable: Whether somebody could resolve a conflict: the worker merges, or the error
  ///     brought a document. Any other conflict is a refusal.
  ///   - canAsk: Whether the other side can be asked what became of a run.
  ///   - isRunCancelled: Whether somebody has cancelled the run: the error alone does not say so.
  ///   - fraction: A random number in `0..<1`, for the backoff.
  /// - Returns: What becomes of the operation.
  package mutating func failed(
    _ error: AppError, remote: Data? = nil, isResolvable: Bool = false, canAsk: Bool = false,
    isRunCancelled: Bool = false, fraction: Double
  ) -> OperationVerdict {
    if error.isDecidedConflict, isResolvable {
      return conflicted(by: error, remote, canAsk, fraction)
    }
    if error.leavesDoubt {
      effect = .sentUnknown
    } else if !error.wasNotSent {
      effect = error.disposition.effect(before: effect, isAnswered: error.httpStatus != nil)
    }
    // A refusal of this run says nothing about an earlier one that nobody answered.
    let isInDoubt = mustReconcile
    if hasBegun { effect = .sentUnknown }
    if isRunCancelled, error.saysNothing {
      // As with one that says "cancelled": the call may have gone out before.
      if !error.wasNotSent, error.kind != .offline { effect = .sentUnknown }
      return verdict(.ready, failure: nil)
    }
    switch (error.isDecidedConflict ? .permanent : error.disposition).outbox {
    case .backoff(let hint):
      return backOff(error, hint: hint, givingUpAs: .attemptsUsedUp, fraction: fraction)
    case .laneWaits(let hint):
      var wait = (hint ?? Self.throttledWait).clamped
      if wait < Self.shortestThrottledWait {
        wait = Self.instead.delay(attempt: 1, fraction: fraction)
      }
      return verdict(.ready, failure: error, closesLane: LaneClosure(.throttled, for: wait))
    case .lanePaused:
      return verdict(.ready, failure: error, closesLane: LaneClosure(.needsUser))
    case .deadLetter:
      if error.isReusedKey { return dead(.keyReused, error) }
      return dead(isInDoubt ? .outcomeUnknown : .refused, error)
    case .reconcile:
      return backOff(error, hint: nil, givingUpAs: .outcomeUnknown, fraction: fraction)
    case .released:
      // Nobody asked for it, so it would come back at once, and end so again.
      var verdict = backOff(
        error, hint: nil, givingUpAs: .outcomeUnknown, fraction: fraction)
      verdict.failure = FailureNote.brokenOff.counting(unclassified)
      return verdict
    case .waits(let hint):
      // A circuit of the worker's own stays open since the network could not be reached.
      if !error.isOfCircuit { unreachable = 0 }
      let delay = hint?.clamped ?? rules.backoff.delay(attempt: 1, fraction: fraction)
      let instead = Self.instead.delay(attempt: 1, fraction: fraction)
      return verdict(.waiting(after: delay > .zero ? delay : instead), failure: error)
    case .limitedAttempts(let limit):
      // What it failed with before was classified, and is no reason to give up on this.
      if !error.isUnreachable { unclassified = min(unclassified, Int.max - 1) + 1 }
      let isLast = unclassified >= min(limit, rules.maximumAttempts)
      return backOff(
        error, hint: nil, limit: isLast ? 0 : nil,
        givingUpAs: isLast ? .unclassified : .attemptsUsedUp, fraction: fraction)
    }
  }

  /// The other side has another version, which says nothing about an earlier call that nobody
  /// answered: what it has may be what that call made of it.
  private mutating func conflicted(
    by error: AppError, _ remote: Data?, _ canAsk: Bool, _ fraction: Double
  ) -> OperationVerdict {
    if error.leavesDoubt { leftInDoubt() }
    guard mustReconcile else {
      effect = .refused
      return verdict(.conflicted(remote: remote), failure: error)
    }
    // The run that follows begins with the question, unless this one did.
    if isNewDoubt, canAsk {
      return backOff(error, hint: nil, givingUpAs: .outcomeUnknown, fraction: fraction)
    }
    return verdict(.conflicted(remote: remote, fields: [.outcomeUnknown]), failure: error)
  }

  private mutating func backOff(
    _ error: AppError?, hint: Duration?, limit: Int? = nil, givingUpAs reason: DeadLetter.Reason,
    fraction: Double
  ) -> OperationVerdict {
    if error?.isUnreachable == true {
      unreachable = min(unreachable, Int.max - 1) + 1
    } else {
      unreachable = 0
      attempts = min(attempts, Int.max - 1) + 1
      if attempts >= limit ?? rules.maximumAttempts { return dead(reason, error) }
    }
    let failures = attempts.addingReportingOverflow(unreachable)
    let own = rules.backoff.delay(
      attempt: failures.overflow ? .max : failures.partialValue, fraction: fraction)
    return verdict(.scheduled(after: max(own, hint?.clamped ?? .zero)), failure: error)
  }

  private func dead(_ reason: DeadLetter.Reason, _ error: AppError?) -> OperationVerdict {
    verdict(.dead(reason, followers: rules.followers), failure: error)
  }

  private func verdict(
    _ next: OperationVerdict.Next, failure: AppError?, closesLane: LaneClosure? = nil
  ) -> OperationVerdict {
    OperationVerdict(
      next, attempts: attempts, unreachable: unreachable, effect: effect,
      failure: failure.map { FailureNote($0).counting(unclassified) }, closesLane: closesLane)
  }
}

extension Disposition {
  /// What is known of the effect after a run that ended so.
  fileprivate func effect(before: EffectCertainty, isAnswered: Bool) -> EffectCertainty {
    switch self {
    case .unknownOutcome, .unclassified: .sentUnknown
    // The call may have gone out before it was cancelled.
    case .cancelled: .sentUnknown
    case .rejected: before
    // An answer to this attempt says nothing about an earlier one of unknown outcome.
    case .transient where before != .notSent || !isAnswered: before
    case .throttled, .permanent, .needsUser, .transient:
      before == .sentUnknown ? .sentUnknown : .refused
    }
  }
}

extension AppError {
  /// Whether it is a conflict about which the other side has decided: none that may pass by itself.
  fileprivate var isDecidedConflict: Bool {
    kind == .conflict && (disposition == .needsUser || disposition == .permanent)
  }

  /// Whether the call never reached the other side: a time without a network uses up no attempts.
  ///
  /// A time limit may have passed before anything was sent, such as while a token was waited for.
  fileprivate var isUnreachable: Bool {
    if kind == .timeout { return metadata["http.sent"] == "no" }
    return [.offline, .network, .portal].contains(kind)
  }

  /// Whether nothing has left: what is known of the effect stays as it was.
  ///
  /// A worker that was broken off may have had another part of its effect.
  fileprivate var wasNotSent: Bool {
    metadata["http.sent"] == "no" && disposition != .cancelled && disposition != .unknownOutcome
  }

  /// Whether it says nothing but that a call has ended early: nobody has answered, and nobody has
  /// decided anything.
  fileprivate var saysNothing: Bool {
    switch disposition {
    case .cancelled: true
    case .transient, .unknownOutcome, .unclassified: httpStatus == nil
    case .throttled, .permanent, .needsUser, .rejected: false
    }
  }

  /// Whether a circuit breaker refused the call, since earlier ones had failed.
  fileprivate var isOfCircuit: Bool {
    let reasons: [Rejection.Reason] = [.circuitOpen, .circuitProbing]
    return reasons.map(\.rawValue).contains(metadata["policy.reason"])
  }

  /// Whether the other side knows the idempotency key with another payload.
  fileprivate var isReusedKey: Bool {
    code == "idempotency.key-reused"
      || KeyProblem(status: httpStatus, type: metadata["http.problem-type"]) == .reused
  }
}
