// SPDX-License-Identifier: Apache-2.0

/// One call under ``Retry`` whose first attempt has failed: the thin shell around its machine.
@usableFromInline
final class RetryRecovery {
  private let retry: Retry
  /// When the call began, or else when its first attempt ended; nil where that does not matter.
  ///
  /// That it matters the settings may say only since the first attempt.
  private let start: Duration?
  /// Whether the attempts are left to a retry further out.
  private let isInsideAnother: Bool
  private let budget: RetryBudget
  private var machine: RetryStateMachine
  private var notes = AttemptNotes()
  private var paid = 0
  private var doubt = EarlierDoubt()

  @usableFromInline
  init(of retry: Retry, call: Retry.Call) {
    self.retry = retry
    isInsideAnother =
      retry.isInsideAnother || (retry.nesting == .runsOnce && RetryScope.isInside)
    budget = RetryScope.current?.budget ?? retry.budget
    let limits = retry.settings.limits
    start = limits.maximumElapsed.map { _ in call.start ?? retry.timeline.now }
    machine = RetryStateMachine(limits: limits)
  }

  /// Returns when the next attempt may begin.
  ///
  /// - Throws: The failure where there is no next attempt, where a time limit ended the wait after
  ///   a refusal, or an earlier one that may have had an effect. `CancellationError` where the
  ///   caller has gone away, or where a time limit ended the call otherwise.
  @usableFromInline
  func wait(after failure: any Error) async throws {
    let disposition = Classification.disposition(of: failure)
    guard disposition != .cancelled else { throw stopped(failure) }
    doubt.note(failure, disposition)
    let rule = retry.condition.decide(failure, disposition)
    let mending = retry.recovery?.step(for: failure)
    // A condition or a recovery of the user's may repeat what nobody has classified.
    if disposition == .unclassified, rule == .never, mending == nil { report(failure) }
    // What is mended is worth another attempt, whatever its error says.
    let isHopeless = rule == .never && mending != nil
    let cost = budget.cost(after: failure, disposition)
    guard
      let delay = decide(
        failure, isHopeless ? .afterBackoff(hint: nil) : rule, isInside: isInsideAnother,
        cost: cost)
    else { throw told(failure) }
    if let (step, error) = mending {
      // A step that nobody waits for would not even be begun, and be told as failed.
      if Task.isCancelled { throw cancelled() }
      let isMended = await mend(error, by: step)
      // An attempt was to follow, so the failure is not the last word.
      if Task.isCancelled { throw cancelled() }
      guard isMended || !isHopeless else { throw unmade(failure, .notRetryable) }
      // The step has taken time, of which the wait knows nothing.
      guard isInTime(after: delay) else { throw unmade(failure, .deadlineTooClose) }
    }
    try await sleep(delay, after: failure, isRefusal: disposition.isRefusal)
    // The wait may have ended late, such as on a device that slept.
    guard isInTime(after: .zero) else { throw unmade(failure, .deadlineTooClose) }
  }

  /// Tells, once, that an error is not repeated since nobody has said what it is.
  private func report(_ failure: any Error) {
    guard retry.condition.readsDisposition else { return }
    let report = retry.unclassified.report(
      failure, of: retry.name ?? "retry", to: retry.audience, until: "it is not retried")
    if let report { tell(report) }
  }

  /// Runs a step before the wait, and tells what became of it.
  private func mend(_ error: AppError, by step: RecoveryPlan.Step) async -> Bool {
    do {
      try await RecoveryPlan.run(step, error)
      tell(.recoveryEnded(step: step.name, error: nil))
      return true
    } catch {
      tell(.recoveryEnded(step: step.name, error: error))
      return false
    }
  }

  /// No attempt follows after all: what the call ends with.
  private func unmade(_ failure: any Error, _ reason: PolicyEvent.GiveUpReason) -> any Error {
    takeBack(reason)
    return told(failure)
  }

  /// No attempt follows after all: what was paid for it comes back.
  private func takeBack(_ reason: PolicyEvent.GiveUpReason) {
    notes.endLast(decidedBy: reason.rawValue)
    giveUp(reason)
  }

  /// What the caller is told.
  private func told(_ failure: any Error) -> any Error {
    notes.attached(to: doubt.told(failure), countsOutside: retry.nesting == .runsOnce)
  }

  /// An attempt was stopped, by the caller or a time limit: what the call ends with.
  private func stopped(_ failure: any Error) -> any Error {
    let reason = stopReason
    note(failure, attempt: machine.failures + 1, nil, reason)
    tell(.gaveUp(attempts: machine.failures + 1, reason: reason), withLog: true)
    // Operations say in many ways that they were cancelled.
    return told(Task.isCancelled ? CancellationError() : failure)
  }

  /// The call was stopped before the attempt that was to follow: what it ends with.
  private func cancelled() -> any Error {
    giveUp(stopReason)
    return told(CancellationError())
  }

  /// Why a call that is cancelled makes no further attempt.
  private var stopReason: PolicyEvent.GiveUpReason {
    ActiveLimit.hasEndedCurrentTask ? .deadlineTooClose : .cancelled
  }

  private func giveUp(_ reason: PolicyEvent.GiveUpReason) {
    budget.refund(paid)
    paid = 0
    tell(.gaveUp(attempts: machine.failures, reason: reason), withLog: true)
  }

  /// Returns when the next attempt may begin after a result that is not acceptable; false where
  /// there is no next attempt.
  ///
  /// A retry further out does not repeat results, so this one does, wherever it stands.
  @usableFromInline
  func wait<T>(
    afterResultOf type: T.Type, _ rule: Disposition.RetryRule
  ) async throws -> Bool {
    let failure = Retry.UnacceptableResult(type: QualifiedTypeName.of(type))
    guard let delay = decide(failure, rule, isInside: false, cost: budget.costAfterResult)
    else { return false }
    try await sleep(delay, after: failure, isRefusal: false)
    guard isInTime(after: .zero) else {
      takeBack(.deadlineTooClose)
      return false
    }
    return true
  }

  /// The last attempt returned: it was worth what was paid for it.
  @usableFromInline
  func succeeded() {
    budget.refund(paid)
    tell(.recovered(attempts: machine.failures + 1), withLog: true)
  }

  /// How long to wait before the next attempt, which is paid for; nil where there is none.
  private func decide(
    _ failure: any Error, _ rule: Disposition.RetryRule, isInside: Bool, cost: Int
  ) -> Duration? {
    var situation = situation(
      isInside: isInside, chance: (own: retry.chance.fraction(), hint: retry.chance.fraction()))
    if let failure = failure as? AppError { situation.attempts = failure.fields.attempts }
    if rule == .onlyIfFitsDeadline(nil) {
      situation.passesSoon = Rejection.isWhileProbing(failure)
    }
    var decision = machine.attemptFailed(rule, situation)
    // Only where an attempt would follow does it matter whether the caller is still there: an error
    // that is not followed by one is told as it is (T18). Nothing is paid for a caller that is not.
    let isCancelled = Task.isCancelled
    paid = 0
    if case .wait = decision, !isCancelled {
      if budget.withdraw(cost) { paid = cost } else { decision = .giveUp(.budgetExhausted) }
    }
    switch decision {
    case .giveUp(let reason):
      note(failure, nil, reason)
      tell(.attemptFailed(attempt: machine.failures, error: failure, nextDelay: nil))
      tell(.gaveUp(attempts: machine.failures, reason: reason), withLog: true)
      return nil
    case .wait(let delay):
      let next = isCancelled ? nil : delay
      note(failure, next, isCancelled ? stopReason : nil)
      tell(.attemptFailed(attempt: machine.failures, error: failure, nextDelay: next))
      return delay
    }
  }

  private func sleep(
    _ delay: Duration, after failure: any Error, isRefusal: Bool
  ) async throws {
    do {
      try Task.checkCancellation()
      if delay > .zero { try await retry.timeline.sleep(until: retry.timeline.now + delay) }
      try Task.checkCancellation()
    } catch {
      let end = cancelled()
      // Nobody was asked meanwhile, so it is not that nobody answered in time.
      throw isRefusal && ActiveLimit.hasEndedCurrentTask ? told(failure) : end
    }
  }

  /// Whether an attempt that begins after a wait, which begins now, begins in time.
  private func isInTime(after delay: Duration) -> Bool {
    machine.isInTime(
      after: delay, situation(isInside: isInsideAnother, chance: (own: 0, hint: 0)))
  }

  private func situation(
    isInside: Bool, chance: (own: Double, hint: Double)
  ) -> RetryStateMachine.Situation {
    let limits = [Deadline.remaining, RetryScope.current?.remaining].compactMap(\.self)
    return RetryStateMachine.Situation(
      elapsed: start.map { retry.timeline.now - $0 } ?? .zero,
      timeLeft: limits.min(),
      isRepeatable: IdempotencyKey.current != nil,
      isInsideAnother: isInside,
      chance: chance)
  }

  private func note(
    _ failure: any Error, attempt: Int? = nil, _ delay: Duration?,
    _ reason: PolicyEvent.GiveUpReason?
  ) {
    let decider = reason?.rawValue ?? (machine.isHint ? "service" : "backoff")
    notes.add(
      failure, attempt: attempt ?? machine.failures, delay: delay, decidedBy: decider)
  }

  private func tell(_ what: @autoclosure () -> PolicyEvent.What, withLog: Bool = false) {
    guard !retry.audience.isEmpty else { return }
    retry.audience.tell(
      PolicyEvent(
        policy: retry.name ?? "retry", what: what(), reading: retry.timeline.now,
        attempts: withLog ? notes.log : nil))
  }
}

extension Disposition {
  /// Whether a policy of our own refused the call.
  fileprivate var isRefusal: Bool { if case .rejected = self { true } else { false } }
}
