// SPDX-License-Identifier: Apache-2.0

/// Starts a second copy of a call that takes longer than usual, and takes the first good answer.
///
/// It cuts the slowest calls short, at the price of a few more calls. The first success wins. A
/// failure does not win while another copy still runs; an answer that will not change, such as
/// "not found", ends the call at once. The other copies are cancelled and waited for, and what
/// becomes of them counts nowhere.
///
/// ```swift
/// let hedge = Hedge(after: .percentile(0.95), safety: .safeToRepeat, budget: budget)
/// let book = try await hedge.runSendable { try await api.book(isbn) }
/// ```
///
/// Only what may be done twice is done twice: by default, calls under an ``IdempotencyKey``. Every
/// copy beyond the first is paid for from a ``RetryBudget``, is not begun when the service asked to
/// slow down, nor when less time is left before the ``Deadline`` than the delay.
///
/// Source: J. Dean and L. A. Barroso, "The tail at scale", CACM 56 (2013).
public struct Hedge: ConcurrentPolicy {
  /// Which calls may run twice at the same time.
  public enum Safety: Sendable, Hashable {
    /// Those under an active ``IdempotencyKey``; all others run once, as without this policy.
    case underIdempotencyKey
    /// All: you know that doing it twice does no more than doing it once.
    case safeToRepeat
  }

  let safety: Safety
  let budget: RetryBudget
  let isBudgetShared: Bool
  /// Whether each call was paid in when it comes here, by a stage further out in the same pipeline.
  private var isPaidIn = false
  let timeline: Timeline
  let audience: PolicyAudience
  let latencies: HedgeLatencies
  var name: String?

  /// Makes a hedge from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - delay: How long a copy may take before the next one is started; the default is as long as
  ///     95 % of the calls take.
  ///   - maximumCopies: How many copies there are at most, the call itself included; 2 to 10, the
  ///     default is 2.
  ///   - safety: Which calls may run twice; the default is those under an idempotency key.
  ///   - budget: What further copies are paid from; the default, nil, is one of its own, of 20 % of
  ///     the calls and one per second. Give a ``Retry`` in the same pipeline the same: the
  ///     outermost of them pays each call in, once.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    after delay: Delay = .percentile(0.95), maximumCopies: Int = 2,
    safety: Safety = .underIdempotencyKey, budget: RetryBudget? = nil, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) {
    do throws(ConfigurationError) {
      try self.init(
        validating: Configuration(delay: delay, maximumCopies: maximumCopies), safety: safety,
        budget: budget, name: name, clock: clock, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a hedge from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - safety: Which calls may run twice; the default is those under an idempotency key.
  ///   - budget: What further copies are paid from; the default, nil, is one of its own, of 20 % of
  ///     the calls and one per second.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, safety: Safety = .underIdempotencyKey,
    budget: RetryBudget? = nil, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check()
    self.safety = safety
    self.name = name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    latencies = HedgeLatencies(configuration, timeline: timeline)
    self.budget = budget ?? RetryBudget(checked: .init(), on: timeline)
    isBudgetShared = budget != nil
  }

  /// The settings in force.
  public var configuration: Configuration { latencies.configuration }

  /// Goes on with other settings, with all copies of this hedge.
  ///
  /// They hold for calls that begin later; what is known of how long calls take stays.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check()
    latencies.configuration = configuration
    tell(.settingsChanged)
  }

  /// How long a copy may take before the next one is started, as of now.
  public var currentDelay: Duration { latencies.delay }

  /// Runs an operation, and further copies of it where it takes too long.
  ///
  /// - Parameter operation: What is run, up to the number of copies at the same time.
  /// - Returns: What the first copy to succeed returned.
  /// - Throws: The error of the copy that said that nothing will change. Where all have failed, the
  ///   error of the first copy that left the outcome unknown, else of the one that was asked to
  ///   wait, else of the first to fail. `CancellationError` for a caller that has gone away.
  public func runSendable<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let isHedged = safety == .safeToRepeat || IdempotencyKey.current != nil
    // Whoever is inside and shares the budget relies on it that each call is paid in here.
    let paysIn = isBudgetShared ? !isPaidIn && !RetryScope.isInside : isHedged
    if paysIn { budget.deposit() }
    guard isHedged else { return try await operation() }
    return try await HedgeRun(of: self, operation).result().get()
  }

  func tell(_ what: @autoclosure () -> PolicyEvent.What) {
    guard !audience.isEmpty else { return }
    audience.tell(PolicyEvent(policy: name ?? "hedge", what: what(), reading: timeline.now))
  }
}

extension Hedge: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name ?? "hedge", ObjectIdentifier(latencies))]
  }

  // How long calls took is learned anew: the window never empties, so it would keep every key.
  package var isPristine: Bool {
    !latencies.wereSettingsChanged && (isBudgetShared || budget.isPristine)
  }

  package var summaries: [StageSummary] {
    let (maximumCopies, delay) = (configuration.maximumCopies, latencies.fixedDelay)
    let words = "starts up to \(maximumCopies - 1) more copies side by side"
    var summary = StageSummary(.hedge, name: name, words, .copies(maximumCopies, every: delay))
    summary.hedgesBlindly = safety == .safeToRepeat
    summary.budget = isBudgetShared ? ObjectIdentifier(budget) : nil
    return [summary.running(by: timeline)]
  }

  package func placed(_ placement: StagePlacement) -> Hedge {
    var copy = self
    copy.name = name ?? placement.pipeline
    copy.isPaidIn = isBudgetShared && placement.budgetsPaid.contains(ObjectIdentifier(budget))
    return copy
  }

  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    isBudgetShared ? around.union([ObjectIdentifier(budget)]) : around
  }
}

/// What all copies of one hedge share: its settings, and how long calls take.
final class HedgeLatencies: Sendable {
  private struct Known {
    var configuration: Hedge.Configuration
    var isChanged = false
    var window = LatencyWindow(capacity: Hedge.Delay.windowSize)
    var sleep: SleepWatch
  }

  private let timeline: Timeline
  private let known: Locked<Known>

  init(_ configuration: Hedge.Configuration, timeline: Timeline) {
    self.timeline = timeline
    let sleep = SleepWatch(asleep: timeline.timeAsleep(at: timeline.now))
    known = Locked(Known(configuration: configuration, sleep: sleep))
  }

  /// The settings, which were checked.
  var configuration: Hedge.Configuration {
    get { known.withLock { $0.configuration } }
    set {
      known.withLock { known in
        if known.configuration != newValue { known.isChanged = true }
        known.configuration = newValue
      }
    }
  }

  /// Whether the settings are others than those it was made with.
  var wereSettingsChanged: Bool { known.withLock { $0.isChanged } }

  /// How long a copy may take before the next one is started.
  var delay: Duration {
    known.withLock { known in
      switch known.configuration.delay.kind {
      case .fixed(let delay): return delay.clamped
      case .percentile(let share, let initial, let minimum):
        let usual = known.window.count >= minimum ? known.window.percentile(share) : nil
        return usual ?? initial.clamped
      }
    }
  }

  /// How long a copy may take before the next one is started where that is always the same; nil
  /// where it follows the calls.
  var fixedDelay: Duration? {
    if case .fixed(let delay) = configuration.delay.kind { delay.clamped } else { nil }
  }

  /// A copy gave the answer, and the others were cancelled; nothing is learned where the device
  /// slept meanwhile (P13).
  ///
  /// - Parameters:
  ///   - winner: When the copy that gave the answer was started.
  ///   - losers: When the others were.
  ///   - now: The reading.
  func record(winner: Duration, losers: [Duration], now: Duration) {
    guard case .percentile(let share, _, _) = configuration.delay.kind else { return }
    let start = losers.min().map { min($0, winner) } ?? winner
    let asleep =
      SleepWatch.mayHaveSlept(in: now - start) ? timeline.timeAsleep(at: now) : nil
    known.withLock { known in
      guard !known.sleep.hasSlept(since: start, now: now, asleep: asleep) else { return }
      for loser in losers { known.window.recordCensored(now - loser, share: share) }
      known.window.record(now - winner)
    }
  }
}
