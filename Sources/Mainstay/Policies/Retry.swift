// SPDX-License-Identifier: Apache-2.0

/// Runs an operation again when it failed in a way that another attempt can mend.
///
/// What may be repeated is read from the error's ``Disposition``: a transient failure after a
/// backoff, a throttled call after the time the service asked for, a call with an unknown outcome
/// only under an ``IdempotencyKey``, and nothing else. A caller that cancels gets
/// `CancellationError` at once; an attempt that could not begin before the deadline is not waited
/// for, and the last error is thrown.
///
/// ```swift
/// let retry = Retry(
///   maximumAttempts: 5, backoff: .exponential(from: .milliseconds(100), to: .seconds(10)))
/// let answer = try await retry.run { try await api.answer() }
/// ```
public struct Retry: Policy {
  /// Which errors are followed by another attempt.
  public struct Condition: Sendable {
    let decide: @Sendable (any Error, Disposition) -> Disposition.RetryRule
    let readsDisposition: Bool

    /// Goes by the error's disposition; the default.
    public static let disposition = Condition(readsDisposition: true) { $1.retry }

    /// Repeats after anything but a cancellation, for operations of which you know that repeating
    /// them is safe; refusals by a policy still go by their own rule.
    public static let anythingButCancellation = Condition(readsDisposition: false) {
      switch $1 {
      case .cancelled, .rejected, .throttled: $1.retry
      default: .afterBackoff(hint: $1.retryAfter)
      }
    }

    /// Asks a function of yours.
    ///
    /// - Parameter decide: Gets the error and its disposition; `disposition.retry` is the usual
    ///   answer. It is never asked about a cancellation.
    public init(
      _ decide: @escaping @Sendable (any Error, Disposition) -> Disposition.RetryRule
    ) {
      self.init(readsDisposition: true, decide)
    }

    private init(
      readsDisposition: Bool,
      _ decide: @escaping @Sendable (any Error, Disposition) -> Disposition.RetryRule
    ) {
      self.readsDisposition = readsDisposition
      self.decide = decide
    }
  }

  let limits: RetryStateMachine.Limits
  let condition: Condition
  let timeline: Timeline
  let chance: Chance
  let audience: PolicyAudience
  let unclassified = UnclassifiedReports()
  var name: String?

  /// Makes a retry.
  ///
  /// - Parameters:
  ///   - maximumAttempts: How often the operation is run at most, the first time included; 1 or
  ///     more, the default is 3.
  ///   - backoff: How long to wait in between; the default grows from 200 ms to 20 s with full
  ///     jitter.
  ///   - condition: Which errors are followed by another attempt; the default reads the
  ///     disposition.
  ///   - maximumServerDelay: The longest wait that a service may ask for; longer ones end the
  ///     retry. Zero or more, the default is one minute.
  ///   - maximumElapsed: How long everything may take, waits included; more than zero, the default
  ///     is no limit but the active ``Deadline``.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    maximumAttempts: Int = 3,
    backoff: Backoff = .exponential(from: .milliseconds(200), to: .seconds(20)),
    retryIf condition: Condition = .disposition,
    maximumServerDelay: Duration = .seconds(60),
    maximumElapsed: Duration? = nil,
    name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    // The backoff was checked when it was made.
    let configuration = Configuration(
      maximumAttempts: maximumAttempts, maximumServerDelay: maximumServerDelay,
      maximumElapsed: maximumElapsed)
    do throws(ConfigurationError) {
      try self.init(
        validating: configuration, backoff: backoff, retryIf: condition, name: name, clock: clock,
        seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a retry from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - condition: Which errors are followed by another attempt; the default reads the
  ///     disposition.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, retryIf condition: Condition = .disposition,
    name: String? = nil, clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try self.init(
      validating: configuration, backoff: nil, retryIf: condition, name: name, clock: clock,
      seed: seed, observer: observer)
  }

  private init(
    validating configuration: Configuration, backoff: Backoff?, retryIf condition: Condition,
    name: String?, clock: some Clock<Duration>, seed: UInt64?, observer: (any PolicyObserver)?
  ) throws(ConfigurationError) {
    try configuration.check()
    limits = RetryStateMachine.Limits(
      maximumAttempts: configuration.maximumAttempts,
      backoff: backoff ?? Backoff(checked: configuration.backoff),
      maximumServerDelay: configuration.maximumServerDelay.clamped,
      maximumElapsed: configuration.maximumElapsed?.clamped)
    self.condition = condition
    self.name = name
    timeline = Timeline(clock)
    chance = Chance(seed: seed)
    audience = PolicyAudience(own: observer)
  }

  /// Runs an operation, and again while another attempt can help.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let call = try begin()
    var failure: any Error
    do { return try await operation() } catch { failure = error }
    let recovery = RetryRecovery(of: self, call: call)
    while true {
      try await recovery.wait(after: failure)
      do {
        let value = try await operation()
        recovery.succeeded()
        return value
      } catch { failure = error }
    }
  }

  /// A call begins: nothing is run for a caller that has already gone away.
  ///
  /// - Returns: The reading of the clock, where the settings need it.
  @usableFromInline
  func begin() throws -> Duration? {
    try Task.checkCancellation()
    return limits.maximumElapsed == nil ? nil : timeline.now
  }
}

extension Retry: PipelineStage {
  package func placed(_ placement: StagePlacement) -> Retry {
    var copy = self
    copy.name = name ?? placement.pipeline
    return copy
  }
}
