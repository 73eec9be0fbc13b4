// SPDX-License-Identifier: Apache-2.0

extension Retry {
  package var summaries: [StageSummary] {
    let limits = settings.limits
    let own = limits.longestWaits(atLeast: .zero)
    let asked = limits.longestWaits(atLeast: limits.maximumServerDelay)
    let times = limits.maximumAttempts == 1 ? "once" : "up to \(limits.maximumAttempts) times"
    var words = "runs what is inside \(times)"
    if limits.maximumAttempts > 1 {
      words += ", waiting up to \(own.inWords) in all"
      if asked > own { words += ", or \(asked.inWords) where the service asks for it" }
    }
    if let elapsed = limits.maximumElapsed {
      words += "; no attempt begins after \(elapsed.inWords)"
    }
    if limits.maximumAttempts > 1, let step = recovery?.longestStep, step > .zero {
      words += "; before each wait it may mend something for \(step.inWords)"
    }
    var repetition = StageSummary.Repetition(
      attempts: limits.maximumAttempts, waits: own, askedWaits: asked,
      elapsed: limits.maximumElapsed, isBlind: !condition.readsDisposition,
      // One further out does not see results, so those are repeated in any case.
      yieldsToOuter: nesting == .runsOnce && results == nil)
    repetition.longestStep = recovery?.longestStep ?? .zero
    var summary = StageSummary(.retry, name: name, words, .repeats(repetition))
    summary.budget = isBudgetShared ? ObjectIdentifier(budget) : nil
    return [summary.running(by: timeline)]
  }
}

extension RetryStateMachine.Limits {
  /// All waits of one call together, where chance makes each as long as it may be.
  ///
  /// - Parameter hint: What the service asks for each time; up to a tenth is added to it.
  /// - Returns: Their sum, at most a year.
  func longestWaits(atLeast hint: Duration) -> Duration {
    var sum = Duration.zero
    var previous: Duration?
    let hint = Duration.clamped(seconds: hint.inSeconds * 1.1)
    // Growth is over after some failures, or the sum is: what is left over is a product.
    let steps = max(0, maximumAttempts - 1)
    for failures in 0..<min(steps, 1000) {
      let own = backoff.delay(attempt: failures + 1, previous: previous, fraction: 1)
      let longest = max(own, hint)
      previous = longest
      sum = (sum + longest).clamped
    }
    guard steps > 1000 else { return sum }
    let longest = max(backoff.delay(attempt: steps, previous: previous, fraction: 1), hint)
    return (sum + longest.multiplied(by: steps - 1000)).clamped
  }
}

extension CircuitBreaker {
  package var summaries: [StageSummary] {
    let words = "refuses calls at once while the dependency is failing"
    guard let waiting = guarded.withLock({ $0.machine.settings.waiting }) else {
      let summary = StageSummary(.breaker, name: name, words, .refuses)
      return [summary.refusingWithTime().running(by: timeline)]
    }
    let wait = "; while it is tried out, others wait up to \(waiting.atMost.inWords)"
    let summary = StageSummary(.breaker, name: name, words + wait, .delays(waiting.atMost))
    return [summary.refusingWithTime().running(by: timeline)]
  }
}

extension Timeout {
  package var summaries: [StageSummary] {
    [
      limit.summary(
        .timeout, "cancels what is inside after \(limit.duration.inWords) and waits for its end")
    ]
  }
}

extension Deadline {
  package var summaries: [StageSummary] {
    [limit.summary(.deadline, "ends everything inside after \(limit.duration.inWords)")]
  }
}

extension TimeLimit {
  func summary(_ kind: StageSummary.Kind, _ words: String) -> StageSummary {
    var summary = StageSummary(kind, name: name, words, .bounds(duration))
    summary.leavesOutcomeUnknown = disposition == .unknownOutcome
    if summary.leavesOutcomeUnknown { summary.words += "; the call may have had its effect" }
    return summary.running(by: timeline)
  }
}
