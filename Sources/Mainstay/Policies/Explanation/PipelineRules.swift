// SPDX-License-Identifier: Apache-2.0

/// What can be seen to be wrong in the order and the settings of stages.
///
/// Stages that Mainstay knows nothing about are never accused: they may do what seems to be
/// missing.
enum PipelineRules {
  typealias Finding = PipelineExplanation.Finding

  /// Two stages, one anywhere inside of the other.
  struct Pair {
    let outer: StageSummary
    let inner: StageSummary
    /// Whether what happens inside may be shared with other callers, so that the limits outside
    /// are not those of the run.
    let isShared: Bool
    /// Whether the inner one leaves repeating to a retry that stands outside of it.
    let innerYields: Bool
  }

  static func findings(in stages: [StageSummary]) -> [Finding] {
    let pairs = stages.indices.flatMap { outer in
      ((outer + 1)..<stages.endIndex).map { inner in
        Pair(
          outer: stages[outer], inner: stages[inner],
          isShared: stages[outer..<inner].contains { $0.kind == .coalesce },
          innerYields: stages[inner].yieldsToOuter
            && stages.around(inner).contains { $0.kind == .retry })
      }
    }
    var findings: [Finding] = []
    for pair in pairs { findings += all.compactMap { $0(pair) } }
    return findings + stages.compactMap(disturbsReleases) + ofTheWhole(stages)
  }

  private static let all: [@Sendable (Pair) -> Finding?] = [
    timeoutOutsideRetry, deadlineInsideRetry, breakerOutsideRetry, rateLimiterOutsideRetry,
    retryInsideRetry, hedgeAndRetry, hedgesUnknownOutcome, retriesUnknownOutcome, limitNeverEnds,
    waitsBeyondLimit, limitOutsideCoalesce, abandonsInsideRetry,
  ]
}

// The order of two stages.
extension PipelineRules {
  @Sendable private static func timeoutOutsideRetry(_ pair: Pair) -> Finding? {
    guard pair.outer.kind.isTimeout, pair.inner.attempts > 1, !pair.isShared else { return nil }
    return Finding(
      .timeoutOutsideRetry, .warning,
      "\(pair.outer.title) stands outside of \(pair.inner.title) and cuts off its attempts.",
      "Put it inside of the retry, or use Deadline for all attempts together.")
  }

  @Sendable private static func deadlineInsideRetry(_ pair: Pair) -> Finding? {
    guard pair.inner.kind == .deadline, pair.outer.attempts > 1 else { return nil }
    return Finding(
      .deadlineInsideRetry, .warning,
      "\(pair.inner.title) stands inside of \(pair.outer.title), so each attempt gets all of it.",
      "Put it outside of the retry, or use Timeout for each attempt.")
  }

  @Sendable private static func breakerOutsideRetry(_ pair: Pair) -> Finding? {
    guard pair.outer.kind == .breaker, pair.inner.attempts > 1 else { return nil }
    return Finding(
      .breakerOutsideRetry, .warning,
      "\(pair.outer.title) stands outside of \(pair.inner.title): it sees one failure per call, "
        + "and attempts go on while the dependency is down.",
      "Put it inside of the retry.")
  }

  @Sendable private static func rateLimiterOutsideRetry(_ pair: Pair) -> Finding? {
    guard pair.outer.kind == .rateLimiter, pair.inner.attempts > 1 else { return nil }
    return Finding(
      .rateLimiterOutsideRetry, .warning,
      "\(pair.outer.title) stands outside of \(pair.inner.title), so further attempts are not "
        + "counted, though the service counts them.",
      "Put it inside of the retry.")
  }

  @Sendable private static func retryInsideRetry(_ pair: Pair) -> Finding? {
    guard pair.outer.kind == .retry, pair.inner.attempts > 1 else { return nil }
    guard pair.isShared || !pair.inner.yieldsToOuter else {
      return Finding(
        .retryInsideRetry, .info,
        "\(pair.inner.title) stands inside of another retry and makes one attempt each time.",
        "Take one of them out.")
    }
    guard pair.outer.attempts > 1 else { return nil }
    let product = pair.outer.attempts.multipliedReportingOverflow(by: pair.inner.attempts)
    return Finding(
      .retryInsideRetry, .warning,
      "\(pair.inner.title) stands inside of another retry: one call becomes up to "
        + "\(product.overflow ? .max : product.partialValue).",
      "Take one of them out.")
  }

  @Sendable private static func hedgeAndRetry(_ pair: Pair) -> Finding? {
    let (attempts, copies) =
      switch (pair.outer.effect, pair.inner.effect) {
      case (.repeats(let repetition), .copies(let copies, _)): (repetition.attempts, copies)
      case (.copies(let copies, _), .repeats(let repetition)): (repetition.attempts, copies)
      default: (1, 1)
      }
    guard attempts > 1, copies > 1 else { return nil }
    // One budget for both bounds what they add together.
    if let budget = pair.outer.budget, budget == pair.inner.budget { return nil }
    return Finding(
      .hedgeAndRetry, .info,
      "Each of up to \(attempts) attempts and each of up to \(copies) copies multiply the other.",
      "Choose one of the two, or give both the same RetryBudget.")
  }

  @Sendable private static func limitOutsideCoalesce(_ pair: Pair) -> Finding? {
    let counting: Set<StageSummary.Kind> = [
      .bulkhead, .rateLimiter, .adaptiveLimit, .throttle, .breaker, .retry,
    ]
    guard counting.contains(pair.outer.kind), pair.inner.kind == .coalesce else { return nil }
    return Finding(
      .limitOutsideCoalesce, .info,
      "\(pair.outer.title) stands outside of \(pair.inner.title) and treats calls that share one "
        + "run as if each had its own.",
      "Put Coalesce outside of it.")
  }

  @Sendable private static func abandonsInsideRetry(_ pair: Pair) -> Finding? {
    guard pair.inner.kind == .abandoningTimeout, pair.outer.attempts > 1 else { return nil }
    return Finding(
      .abandonsInsideRetry, .info,
      "\(pair.outer.title) begins an attempt while up to \(pair.outer.attempts - 1) abandoned ones "
        + "may still run.",
      "Use Timeout where the operation heeds its cancellation.")
  }
}

// What is promised and not kept.
extension PipelineRules {
  @Sendable private static func hedgesUnknownOutcome(_ pair: Pair) -> Finding? {
    guard
      pair.outer.hedgesBlindly && pair.inner.leavesOutcomeUnknown
        || pair.outer.leavesOutcomeUnknown && pair.inner.hedgesBlindly
    else { return nil }
    return Finding(
      .hedgesUnknownOutcome, .warning,
      "The time limit says that a call may have had its effect, yet the hedge makes it twice.",
      "Hedge such calls under an idempotency key alone, which is the default.")
  }

  @Sendable private static func retriesUnknownOutcome(_ pair: Pair) -> Finding? {
    guard case .repeats(let repetition) = pair.outer.effect, repetition.isBlind,
      repetition.attempts > 1, pair.inner.leavesOutcomeUnknown
    else { return nil }
    return Finding(
      .retriesUnknownOutcome, .warning,
      "\(pair.inner.title) says that a call may have had its effect, yet \(pair.outer.title) "
        + "repeats after anything.",
      "Let the retry read the disposition, which is the default.")
  }

  @Sendable private static func limitNeverEnds(_ pair: Pair) -> Finding? {
    guard case .bounds(let outer) = pair.outer.effect, case .bounds(let inner) = pair.inner.effect,
      inner >= outer, !pair.isShared
    else { return nil }
    return Finding(
      .limitNeverEnds, .warning,
      "\(pair.inner.title) of \(inner.inWords) never ends anything: \(pair.outer.title) around it "
        + "ends after \(outer.inWords).",
      "Make the inner limit shorter than the outer one.")
  }

  @Sendable private static func waitsBeyondLimit(_ pair: Pair) -> Finding? {
    guard case .bounds(let limit) = pair.outer.effect,
      case .repeats(let repetition) = pair.inner.effect, repetition.waits >= limit,
      !pair.isShared, !pair.innerYields
    else { return nil }
    return Finding(
      .waitsBeyondLimit, .warning,
      "\(pair.inner.title) may wait for \(repetition.waits.inWords) in all, which does not fit in "
        + "\(pair.outer.title) of \(limit.inWords): its last attempts are never made.",
      "Wait less, make fewer attempts, or allow more time.")
  }

  @Sendable private static func disturbsReleases(_ stage: StageSummary) -> Finding? {
    guard stage.disturbsReleases else { return nil }
    return Finding(
      .chaosInReleases, .warning, "\(stage.title) disturbs calls in release builds too.",
      "Leave out `enabledInRelease` unless that is what you want.")
  }
}

// All stages together.
extension PipelineRules {
  /// What is wrong with the stages of a pipeline whose own clock is not that of the system.
  static func mixedClocks(_ stages: [StageSummary]) -> [Finding] {
    let titles = stages.filter(\.runsByLiveClock).map(\.title)
    guard !titles.isEmpty else { return [] }
    return [
      Finding(
        .mixedClocks, .warning,
        "The pipeline has a clock of its own, yet these run by that of the system: "
          + "\(titles.joined(separator: ", ")).",
        "Give each stage the same clock: a pipeline hands its own on to none.")
    ]
  }

  private static func ofTheWhole(_ stages: [StageSummary]) -> [Finding] {
    let isKnown = !stages.contains { $0.kind == .opaque }
    guard isKnown, !stages.isEmpty else { return [] }
    var findings: [Finding] = []
    for (index, stage) in stages.enumerated()
    where stage.effect == .delays(nil) && !stages[..<index].contains(where: \.isLimit) {
      findings.append(
        Finding(
          .waitsForEver, .warning,
          "\(stage.title) may wait for ever: no time limit stands outside of it.",
          "Give it a longest wait, or put a Deadline outside of it."))
    }
    for (index, stage) in stages.enumerated()
    where stage.kind == .coalesce && !stages[index...].contains(where: \.isLimit) {
      findings.append(
        Finding(
          .sharedRunWithoutLimit, .warning,
          "Nothing ends a run that \(stage.title) shares: the limits outside are those of single "
            + "callers.",
          "Put a Deadline or a Timeout inside of it."))
    }
    if !stages.contains(where: \.isLimit) {
      findings.append(
        Finding(
          .noTimeLimit, .warning, "Nothing bounds how long a call takes.",
          "Add a Deadline outermost and a Timeout innermost."))
    }
    return findings
  }
}

extension PipelineExplanation.Finding {
  fileprivate init(_ rule: Rule, _ severity: Severity, _ message: String, _ cure: String) {
    self.init(rule: rule, severity: severity, message: message, cure: cure)
  }
}

extension StageSummary.Kind {
  fileprivate var isTimeout: Bool { self == .timeout || self == .abandoningTimeout }
}

extension StageSummary {
  /// How often it runs what is inside, one after the other.
  fileprivate var attempts: Int {
    if case .repeats(let repetition) = effect { repetition.attempts } else { 1 }
  }

  fileprivate var yieldsToOuter: Bool {
    if case .repeats(let repetition) = effect { repetition.yieldsToOuter } else { false }
  }
}
