// SPDX-License-Identifier: Apache-2.0

/// One call under ``Retry`` whose first attempt has failed: the thin shell around its machine.
@usableFromInline
final class RetryRecovery {
  private let retry: Retry
  private let start: Duration?
  private var machine: RetryStateMachine

  @usableFromInline
  init(of retry: Retry, call start: Duration?) {
    self.retry = retry
    self.start = start
    machine = RetryStateMachine(limits: retry.limits)
  }

  /// Returns when the next attempt may begin.
  ///
  /// - Throws: The failure where there is no next attempt, `CancellationError` where the caller has
  ///   gone away in the meantime.
  @usableFromInline
  func wait(after failure: any Error) async throws {
    let disposition = Classification.disposition(of: failure)
    guard disposition != .cancelled else {
      tell(.gaveUp(attempts: machine.failures + 1, reason: .cancelled))
      throw failure
    }
    if disposition == .unclassified, retry.condition.readsDisposition,
      let report = retry.unclassified.report(failure)
    {
      tell(report)
    }
    let rule = retry.condition.decide(failure, disposition)
    switch machine.attemptFailed(rule, situation()) {
    case .giveUp(let reason):
      tell(.attemptFailed(attempt: machine.failures, error: failure, nextDelay: nil))
      tell(.gaveUp(attempts: machine.failures, reason: reason))
      throw failure
    case .wait(let delay):
      // Only now does it matter whether the caller is still there: an error that is not followed by
      // an attempt is told as it is (T18).
      tell(
        .attemptFailed(
          attempt: machine.failures, error: failure, nextDelay: Task.isCancelled ? nil : delay))
      try await sleep(delay)
    }
  }

  private func sleep(_ delay: Duration) async throws {
    do {
      try Task.checkCancellation()
      if delay > .zero { try await retry.timeline.sleep(until: retry.timeline.now + delay) }
      try Task.checkCancellation()
    } catch {
      tell(.gaveUp(attempts: machine.failures, reason: .cancelled))
      throw CancellationError()
    }
  }

  /// The last attempt returned.
  @usableFromInline
  func succeeded() { tell(.recovered(attempts: machine.failures + 1)) }

  private func situation() -> RetryStateMachine.Situation {
    RetryStateMachine.Situation(
      elapsed: start.map { retry.timeline.now - $0 } ?? .zero,
      timeLeft: Deadline.remaining,
      isRepeatable: IdempotencyKey.current != nil,
      chance: (own: retry.chance.fraction(), hint: retry.chance.fraction()))
  }

  private func tell(_ what: @autoclosure () -> PolicyEvent.What) {
    guard !retry.audience.isEmpty else { return }
    retry.audience.tell(
      PolicyEvent(policy: retry.name ?? "retry", what: what(), reading: retry.timeline.now))
  }
}
