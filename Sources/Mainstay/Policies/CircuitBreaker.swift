// SPDX-License-Identifier: Apache-2.0

/// Leaves a dependency alone for a while after it has failed too often.
///
/// Closed, it lets every call through and counts what becomes of them. Open, it refuses every call
/// at once and says when to come back. Half-open, it lets a few probes through, and what becomes of
/// them closes it or opens it again for longer. Make one per dependency and share it among all who
/// call that dependency:
///
/// ```swift
/// let breaker = CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
/// let book = try await breaker.run { try await api.book(isbn) }
/// ```
///
/// What counts as a failure is read from the error's ``Disposition/breaker``: an answer that
/// refuses, such as "not found", is a success of the dependency. A cancellation says nothing,
/// unless a time limit cancelled. A call that ends in another state than it began in changes
/// nothing: it is told as a stale result.
///
/// Breaks and windows are counted by `ContinuousClock`, which goes on while the device sleeps. How
/// long a call took is measured by `SuspendingClock`, so that sleep makes no call slow. When to
/// come back is told for a tick of the system at once: a refusal may say up to 10 ms too much. In
/// the first 10 ms after the device has slept it may say what held before.
public final class CircuitBreaker: Policy, Sendable {
  /// What a breaker does with calls.
  public enum State: Sendable, Hashable {
    /// Every call goes through.
    case closed
    /// Every call is refused; after `retryAfter`, zero or more, the next one is let through as a
    /// probe.
    case open(retryAfter: Duration)
    /// A few calls go through as probes, the others are refused.
    case halfOpen
    /// Every call is refused for as long as somebody holds an ``Isolation``.
    case isolated
  }

  /// The name of the dependency, for events and messages.
  public let name: String

  let timeline: Timeline
  /// Measures how long calls take: the same clock, but for the live one.
  private let stopwatch: Timeline
  let audience: PolicyAudience
  let guarded: Locked<Guarded>
  let gate = Gate()
  let tripCause: Rejection.Cause
  /// Which results count as failures; nil where none do.
  private let results: Retry.ResultCondition?
  // Asked on every call: looking whether `results` is nil would copy it.
  @usableFromInline let judgesResults: Bool
  /// How long breaks are; asked outside of the lock, nil for what the settings say.
  let breakDuration: (@Sendable (Trip) -> Duration)?

  private static let liveStopwatch = Timeline(SuspendingClock())

  /// Makes a closed breaker from settings that stand in the code; one that is not legal stops the
  /// program.
  ///
  /// - Parameters:
  ///   - name: The name of the dependency, for events and messages; not blank.
  ///   - tripRule: When it opens; the default is five failures in a row.
  ///   - breakFor: How long the first break is; more than zero, cut to a year, the default is 5 s.
  ///   - maximumBreak: How long a break grows at most, before jitter; `breakFor` or more, cut to a
  ///     year, the default is the longer of `breakFor` and 60 s.
  ///   - breakGrowth: By how much each break is longer than the one before, until the breaker
  ///     closes; 1 to 100, the default is 2.
  ///   - breakJitter: By which part of its length chance may lengthen a break; 0 to 1, the default
  ///     is 0.2. A break is never shortened.
  ///   - halfOpen: How the dependency is tried out after a break; the default is one probe.
  ///   - mode: Whether it acts on its states; the default is that it does.
  ///   - breakDuration: How long a break is, in place of `breakFor`, `breakGrowth` and
  ///     `maximumBreak`; the default is nil. Its answer is cut to zero to a year, and chance
  ///     lengthens it by `breakJitter`. It is asked by the call that opens the breaker, outside of
  ///     all locks, and may be asked in vain, so it only computes.
  ///   - results: Which results count as failures, although the operation returned; the default,
  ///     nil, is none.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, _ tripRule: TripRule = .consecutiveFailures(5),
    breakFor: Duration = .seconds(5), maximumBreak: Duration? = nil, breakGrowth: Double = 2,
    breakJitter: Double = 0.2, halfOpen: HalfOpen = HalfOpen(), mode: Mode = .enabled,
    breakDuration: (@Sendable (Trip) -> Duration)? = nil,
    failIfResult results: Retry.ResultCondition? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, tripRule: tripRule, breakFor: breakFor, maximumBreak: maximumBreak,
      breakGrowth: breakGrowth, breakJitter: breakJitter, halfOpen: halfOpen,
      mode: mode)
    do throws(ConfigurationError) {
      try self.init(
        validating: configuration, breakDuration: breakDuration, failIfResult: results,
        clock: clock, seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a closed breaker from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - breakDuration: How long a break is, in place of `breakFor`, `breakGrowth` and
  ///     `maximumBreak`; the default is nil. Its answer is cut to zero to a year, and chance
  ///     lengthens it by `breakJitter`. It is asked by the call that opens the breaker, outside of
  ///     all locks, and may be asked in vain, so it only computes.
  ///   - results: Which results count as failures, although the operation returned; the default,
  ///     nil, is none.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration,
    breakDuration: (@Sendable (Trip) -> Duration)? = nil,
    failIfResult results: Retry.ResultCondition? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    let settings = try configuration.checked()
    name = configuration.name
    timeline = Timeline(clock)
    stopwatch = clock is ContinuousClock ? Self.liveStopwatch : timeline
    audience = PolicyAudience(own: observer)
    self.breakDuration = breakDuration
    self.results = results
    judgesResults = results != nil
    let tripCause = Rejection.Cause()
    self.tripCause = tripCause
    guarded = Locked(
      Guarded(
        machine: CircuitBreakerStateMachine(settings), configuration: configuration,
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max)), tripCause: tripCause))
    change { _ in }
  }

  /// What the breaker does with calls right now.
  ///
  /// An open breaker stays open until a call comes after its break: reading changes nothing.
  public var state: State {
    let now = timeline.now
    return change { guarded in
      switch guarded.machine.state {
      case .closed: .closed
      case .open: .open(retryAfter: guarded.machine.retryAfter(now: now) ?? .zero)
      case .halfOpen: .halfOpen
      case .isolated: .isolated
      }
    }
  }

  /// Runs an operation, unless the breaker refuses the call.
  ///
  /// - Parameter operation: What is run; never run when the call is refused.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, or ``Rejection`` with the reason `circuitOpen`,
  ///   `circuitProbing` or `circuitIsolated`; where callers wait for probes, also `waitedTooLong`
  ///   or `deadlineTooClose`, and `CancellationError` for a caller that was cancelled meanwhile.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let pass: Pass
    do throws(Rejection) {
      pass = try enter()
    } catch {
      guard mayWait(insteadOf: error) else { throw error }
      pass = try await enterAfterVerdict(insteadOf: error)
    }
    let value: T
    do {
      value = try await operation()
    } catch {
      fail(pass, with: error)
      throw error
    }
    if judgesResults { settle(pass, judging: value) } else { succeed(pass) }
    return value
  }

  /// Runs an operation that says how it ended, unless the breaker refuses the call; nothing is
  /// thrown or allocated for a refusal.
  ///
  /// - Parameter operation: What is run; never run when the call is refused.
  /// - Returns: How the operation ended, or `rejected`.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    let pass: Pass
    do throws(Rejection) {
      pass = try enter()
    } catch {
      guard mayWait(insteadOf: error) else { return .rejected(error) }
      do { pass = try await enterAfterVerdict(insteadOf: error) } catch {
        return Outcome(ending: error)
      }
    }
    let outcome = await operation()
    switch outcome {
    case .success(let value) where judgesResults: settle(pass, judging: value)
    case .success: succeed(pass)
    default: fail(pass, with: outcome)
    }
    return outcome
  }
}

// The calls: the lock is held for a few instructions, and never while somebody else's code runs.
extension CircuitBreaker {
  /// A call that was let through; it is given back exactly once.
  @usableFromInline
  struct Pass: Sendable {
    let token: CircuitBreakerStateMachine.Token
    /// The reading of the stopwatch when the call began; nil where no rule asks for it.
    let began: Duration?
    /// Whether the clock is likely to be needed when the call ends.
    let needsReading: Bool
    /// How many time limits had passed when the call began.
    let expiries = ActiveLimit.expiryCount
  }

  @usableFromInline
  func enter() throws(Rejection) -> Pass {
    switch gate.sign {
    case .free(let epoch):
      let token = CircuitBreakerStateMachine.Token(epoch: epoch, place: .regular)
      return Pass(token: token, began: nil, needsReading: false)
    case .locked: return try enterWithoutClock()
    case .lockedByClock: return try ask()
    case .open: return try enterDuringBreak()
    }
  }

  @inline(never)
  private func enterWithoutClock() throws(Rejection) -> Pass {
    let (token, isTimed, needsReading) = guarded.withLock {
      ($0.machine.tokenWithoutClock, $0.machine.isTimed, $0.machine.needsReading)
    }
    guard let token else { return try ask() }
    return Pass(token: token, began: isTimed ? stopwatch.now : nil, needsReading: needsReading)
  }

  @usableFromInline
  func settle<T>(_ pass: Pass, judging value: T) {
    guard results?.isUnacceptable(value) == true else { return settle(pass, .success) }
    settle(
      pass, .failure, because: Retry.UnacceptableResult(type: QualifiedTypeName.of(T.self)))
  }

  @usableFromInline
  func succeed(_ pass: Pass) {
    if !gate.isFree(in: pass.token.epoch) { settle(pass, .success) }
  }

  @usableFromInline
  func fail<T, Failure>(_ pass: Pass, with outcome: Outcome<T, Failure>) {
    settle(
      pass, by: Classification.verdict(on: outcome, since: pass.expiries), because: outcome.error)
  }

  @usableFromInline
  func fail(_ pass: Pass, with error: any Error) {
    settle(pass, by: Classification.verdict(on: error, since: pass.expiries), because: error)
  }

  private func settle(
    _ pass: Pass, by verdict: Disposition.BreakerVerdict,
    because error: @autoclosure () -> (any Error)?
  ) {
    // A cooldown is neither a failure nor an answer: it says nothing about whether calls succeed.
    switch verdict {
    case .success: settle(pass, .success)
    case .failure: settle(pass, .failure, because: error())
    case .neutral, .cooldown: settle(pass, .neutral)
    }
  }

  private func enterDuringBreak() throws(Rejection) -> Pass {
    // The way of most refusals, which are as many as the calls while a dependency is down.
    guard audience.isEmpty else { return try ask() }
    if let wait = gate.wait(in: timeline.tick) {
      throw rejection(.open(retryAfter: wait))
    }
    return try enterInNewTick()
  }

  /// The tick is read before the clock, so that no wait is remembered for longer than a tick.
  @inline(never)
  private func enterInNewTick() throws(Rejection) -> Pass {
    let tick = timeline.tick
    let now = timeline.now
    guard let wait = gate.wait(at: now) else { return try ask() }
    if let tick { guarded.withLock { _ in gate.look(at: now, in: tick) } }
    throw rejection(.open(retryAfter: wait))
  }

  @inline(never)
  private func ask() throws(Rejection) -> Pass {
    if let pass = passOfProbingRun() { return pass }
    let isHeard = !audience.isEmpty
    let (decision, isTimed, delivers) = moved { guarded, now in
      let fraction = guarded.random.fraction()
      let (decision, event) = guarded.machine.admit(now: now, fraction: fraction)
      let isTimed = guarded.machine.isTimed
      guard isHeard else { return (decision, isTimed, false) }
      guarded.post(event, of: name, at: now)
      switch decision {
      case .admitted: break
      // Whether it is refused in the end shows later.
      case .refused(.probing) where guarded.machine.settings.waiting != nil: break
      case .admittedAnyway(_, let refusal):
        guarded.post(.wouldHaveRejected(rejection(refusal)), of: name, at: now)
      case .refused(let refusal):
        guarded.post(.rejected(rejection(refusal)), of: name, at: now)
      }
      return (decision, isTimed, guarded.mailbox.beginDelivery())
    }
    if delivers { deliver() }
    switch decision {
    case .admitted(let token), .admittedAnyway(let token, _):
      return pass(token, isTimed: isTimed)
    case .refused(let refusal): throw rejection(refusal)
    }
  }

  func pass(_ token: CircuitBreakerStateMachine.Token, isTimed: Bool) -> Pass {
    guard token.place != .outside else {
      return Pass(token: token, began: nil, needsReading: false)
    }
    return Pass(token: token, began: isTimed ? stopwatch.now : nil, needsReading: true)
  }

  /// A call ends; its error is asked for only where it may open the breaker.
  func settle(
    _ pass: Pass, _ verdict: CircuitBreakerStateMachine.Verdict,
    because error: @autoclosure () -> (any Error)? = nil
  ) {
    if isSaidByRun(pass) { return }
    let took = pass.began.map { stopwatch.now - $0 }
    if !pass.needsReading,
      change({ $0.machine.settleWithoutClock(pass.token, verdict, took: took) })
    {
      return
    }
    if settleInPlace(pass, verdict, took: took) { return }
    let cause = verdict == .failure ? Self.tripFailure(error()) : nil
    step { guarded, now in
      let fraction = guarded.random.fraction()
      let event = guarded.machine.settle(
        pass.token, verdict, took: took, now: now, fraction: fraction)
      if case .opened = event { tripCause.keep(cause) }
      return event
    }
  }

  func rejection(_ refusal: CircuitBreakerStateMachine.Refusal) -> Rejection {
    switch refusal {
    case .open(let retryAfter):
      Rejection(policy: name, reason: .circuitOpen, retryAfter: retryAfter, after: tripCause)
    case .probing: Rejection(policy: name, reason: .circuitProbing, after: tripCause)
    case .isolated: Rejection(policy: name, reason: .circuitIsolated)
    }
  }
}

extension CircuitBreaker: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool {
    let now = timeline.now
    return guarded.withLock { !$0.isChanged && $0.machine.isPristine(now: now) }
  }

  /// Failures of long ago say little about now.
  package var isPristineWhenIdle: Bool {
    let now = timeline.now
    return guarded.withLock { !$0.isChanged && $0.machine.isPristineWhenIdle(now: now) }
  }
}
