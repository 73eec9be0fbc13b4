// SPDX-License-Identifier: Apache-2.0

/// Runs an operation again when it failed in a way that another attempt can mend.
///
/// What may be repeated is read from the error's ``Disposition``: a transient failure after a
/// backoff, and a throttled call after the time the service asked for. A call with an unknown
/// outcome is repeated only under an ``IdempotencyKey``, and one that a policy refused only where
/// that said when to come back and a deadline leaves the time. A breaker that tries its dependency
/// out cannot say when: there the backoff has to fit the deadline. Nothing else is repeated. A
/// caller that cancels gets `CancellationError` at once; an attempt that could not begin before the
/// deadline is not waited for, and the last error is thrown. Repetitions are paid for from a
/// ``RetryBudget``.
///
/// Where an attempt has left the outcome unknown, its error is thrown in place of a refusal or of a
/// failure that may pass, or where a time limit ends a later one. Those say nothing about what that
/// attempt did. One that may be repeated and may have been sent leaves its mark in the last error,
/// or is thrown in its place. An answer over HTTP that will not change is thrown with the mark of
/// either. A limit that passes while a refusal is waited for tells the refusal.
///
/// A retry inside of another one never multiplies the attempts: in one pipeline it runs the
/// operation once, and between pipelines the outer one counts the attempts that the inner one made.
///
/// ```swift
/// let retry = Retry(
///   maximumAttempts: 5, backoff: .exponential(from: .milliseconds(100), to: .seconds(10)))
/// let answer = try await retry.run { try await api.answer() }
/// ```
public struct Retry: Policy {
  let settings: RetrySettings
  let condition: Condition
  let timeline: Timeline
  let chance: Chance
  let audience: PolicyAudience
  let unclassified = UnclassifiedReports()
  let budget: RetryBudget
  /// Whether the budget was given, and is kept elsewhere as well.
  let isBudgetShared: Bool
  let results: ResultCondition?
  // Asked on every call: looking whether `results` is nil would copy it.
  @usableFromInline let judgesResults: Bool
  let nesting: Nesting
  var recovery: RecoveryPlan?
  var name: String?
  /// Whether a retry further out in the same pipeline makes the attempts.
  var isInsideAnother = false
  /// Whether each call was paid in when it comes here, by a stage further out in the same pipeline.
  private var isPaidIn = false

  /// Makes a retry.
  ///
  /// - Parameters:
  ///   - maximumAttempts: How often the operation is run at most, the first time included; 1 or
  ///     more, the default is 3.
  ///   - backoff: How long to wait in between; the default grows from 200 ms to 20 s with full
  ///     jitter.
  ///   - condition: Which errors are followed by another attempt; the default reads the
  ///     disposition.
  ///   - results: Which results are followed by another attempt; the default, nil, is none.
  ///   - maximumServerDelay: The longest wait that a service may ask for; longer ones end the
  ///     retry. Zero or more, the default is one minute.
  ///   - maximumElapsed: How long everything may take, waits included; more than zero, the default
  ///     is no limit but the active ``Deadline``.
  ///   - budget: What all repetitions are paid from; the default, nil, is one of its own that all
  ///     copies of this retry share, of 20 % of the calls and one per second.
  ///   - nesting: What it does inside of another retry; by default the attempts are not multiplied.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    maximumAttempts: Int = 3,
    backoff: Backoff = .exponential(from: .milliseconds(200), to: .seconds(20)),
    retryIf condition: Condition = .disposition,
    retryIfResult results: ResultCondition? = nil,
    maximumServerDelay: Duration = .seconds(60),
    maximumElapsed: Duration? = nil,
    budget: RetryBudget? = nil,
    nesting: Nesting = .runsOnce,
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
        configuration, backoff, (condition, results, nesting), budget, name, Timeline(clock), seed,
        observer)
    } catch {
      // mainstay:ignore MS602 -- it is a precondition of the caller's
      preconditionFailure(error.description)
    }
  }

  /// Makes a retry from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - condition: Which errors are followed by another attempt; the default reads the
  ///     disposition.
  ///   - results: Which results are followed by another attempt; the default, nil, is none.
  ///   - budget: What all repetitions are paid from; the default, nil, is one of its own that all
  ///     copies of this retry share, of 20 % of the calls and one per second.
  ///   - nesting: What it does inside of another retry; by default the attempts are not multiplied.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, retryIf condition: Condition = .disposition,
    retryIfResult results: ResultCondition? = nil, budget: RetryBudget? = nil,
    nesting: Nesting = .runsOnce, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try self.init(
      configuration, nil, (condition, results, nesting), budget, name, Timeline(clock), seed,
      observer)
  }

  private init(
    _ configuration: Configuration, _ backoff: Backoff?,
    _ rules: (errors: Condition, results: ResultCondition?, nesting: Nesting),
    _ budget: RetryBudget?, _ name: String?, _ timeline: Timeline, _ seed: UInt64?,
    _ observer: (any PolicyObserver)?
  ) throws(ConfigurationError) {
    try configuration.check()
    settings = RetrySettings(configuration, backoff)
    (condition, results, nesting) = rules
    judgesResults = results != nil
    self.name = name
    self.timeline = timeline
    self.budget = budget ?? RetryBudget(checked: .init(), on: timeline)
    isBudgetShared = budget != nil
    chance = Chance(seed: seed)
    audience = PolicyAudience(own: observer)
  }

  /// Runs an operation, and again while another attempt can help.
  ///
  /// - Parameter operation: What is run.
  /// - Returns: What the operation returned; a result that is not acceptable where no further
  ///   attempt is made.
  /// - Throws: The error of the last attempt, or of an earlier one that left the outcome unknown;
  ///   `CancellationError` for a caller that has gone away.
  @inlinable @inline(__always)
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let call = try begin()
    let first: Result<T, any Error>
    do {
      let value = try await operation()
      guard judgesResults else { return value }
      first = .success(value)
    } catch {
      first = .failure(error)
    }
    // In a closure, after which the compiler sees to being on the caller's executor; else a call
    // that succeeds at once would have to see to it twice.
    return try await PassThrough().run {
      try await goOn(after: first, call, operation) { rule(for: $0) }
    }
  }

  /// Runs an operation until its result is acceptable, and while another attempt can help.
  ///
  /// ```swift
  /// let job = try await retry.run(until: { $0.isDone }) { try await api.job(id) }
  /// ```
  ///
  /// - Parameters:
  ///   - isAcceptable: Whether the result is what was wanted; the policy's own condition for
  ///     results is asked as well, and may say how long to wait.
  ///   - operation: What is run.
  /// - Returns: The first acceptable result; where no further attempt is made, the last result.
  /// - Throws: The error of the last attempt, or of an earlier one that left the outcome unknown;
  ///   `CancellationError` for a caller that has gone away.
  @inlinable
  public func run<T>(
    until isAcceptable: (T) -> Bool, _ operation: () async throws -> T
  ) async throws -> T {
    let call = try begin()
    let first: Result<T, any Error>
    do {
      first = .success(try await operation())
    } catch {
      first = .failure(error)
    }
    return try await goOn(after: first, call, operation) {
      rule(for: $0) ?? (isAcceptable($0) ? nil : .afterBackoff(hint: nil))
    }
  }

  /// Runs an operation that says how it ended, and again while another attempt can help.
  ///
  /// - Parameter operation: What is run.
  /// - Returns: How the last attempt ended, or an earlier one that left the outcome unknown;
  ///   `cancelled` for a caller that has gone away.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    do {
      let call = try begin()
      let first = await operation()
      if !judgesResults, case .success = first { return first }
      let end = Result { () throws in try first.original() }
      return .success(
        try await goOn(after: end, call, { try await operation().original() }) { rule(for: $0) })
    } catch {
      return Outcome(ending: error)
    }
  }

  /// Which attempt the current task works on, such as to ask another replica; 1 for the first one,
  /// and outside of a retry.
  ///
  /// Of several retries around each other, it is that of the one that makes the attempts.
  public static var currentAttempt: Int { RetryScope.currentAttempt ?? 1 }

  /// What is known of a call when it begins.
  @usableFromInline
  struct Call: Sendable {
    /// When it began, where the settings need to know.
    let start: Duration?
  }

  /// A call begins: nothing is run for a caller that has already gone away.
  @usableFromInline
  func begin() throws -> Call {
    if Task.isCancelled { throw CancellationError() }
    if !isPaidIn { budget.deposit() }
    return Call(start: settings.isTimed ? timeline.now : nil)
  }

  /// When another attempt follows a result; nil where the policy itself has nothing against it.
  @usableFromInline
  func rule<T>(for value: T) -> Disposition.RetryRule? { results?.decide(value) }

  /// Looks at how an attempt ended, and makes further ones while they can help.
  ///
  /// Those are marked, and the first one is not: setting the mark costs as much as five calls.
  @usableFromInline
  func goOn<T>(
    after first: Result<T, any Error>, _ call: Call,
    _ operation: () async throws -> T, _ rule: (T) -> Disposition.RetryRule?
  ) async throws -> T {
    var end = first
    var recovery: RetryRecovery?
    var attempt = 1
    while true {
      switch end {
      case .success(let value):
        guard let rule = rule(value) else {
          recovery?.succeeded()
          return value
        }
        let going = recovery ?? RetryRecovery(of: self, call: call)
        recovery = going
        guard try await going.wait(afterResultOf: T.self, rule) else { return value }
      case .failure(let failure):
        let going = recovery ?? RetryRecovery(of: self, call: call)
        recovery = going
        try await going.wait(after: failure)
      }
      attempt += 1
      do {
        end = .success(try await RetryScope.retrying(attempt, operation))
      } catch {
        end = .failure(error)
      }
    }
  }
}

extension Retry: PipelineStage {
  package func placed(_ placement: StagePlacement) -> Retry {
    var copy = self
    copy.name = name ?? placement.pipeline
    copy.isInsideAnother = placement.isInsideRetry && nesting == .runsOnce
    let isSharedPaid = isBudgetShared && placement.budgetsPaid.contains(ObjectIdentifier(budget))
    copy.isPaidIn = copy.isInsideAnother || isSharedPaid
    return copy
  }

  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    isPaidIn || !isBudgetShared ? around : around.union([ObjectIdentifier(budget)])
  }

  package var repeatsForThoseInside: Bool? { true }

  package var isPristine: Bool {
    !settings.wereChanged && (isBudgetShared || budget.isPristine)
  }
}
