// SPDX-License-Identifier: Apache-2.0

/// Leaves a dependency alone for a while after it has failed too often.
///
/// Closed, it lets every call through and counts failures in a row; open, it refuses every call at
/// once and says when to come back; half-open, it lets a few probes through, and what becomes of
/// them closes it or opens it again for longer. Make one per dependency and share it among all who
/// call that dependency:
///
/// ```swift
/// let breaker = CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
/// let book = try await breaker.run { try await api.book(isbn) }
/// ```
///
/// What counts as a failure is read from the error's ``Disposition/breaker``: an answer that
/// refuses, such as "not found", is a success of the dependency, and a cancellation says nothing. A
/// call that ends in another state than it began in changes nothing: it is told as a stale result.
///
/// Breaks are counted by `ContinuousClock`, which goes on while the device sleeps.
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

  private let timeline: Timeline
  private let audience: PolicyAudience
  private let guarded: Locked<Guarded>

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
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, _ tripRule: TripRule = .consecutiveFailures(5),
    breakFor: Duration = .seconds(5), maximumBreak: Duration? = nil, breakGrowth: Double = 2,
    breakJitter: Double = 0.2, halfOpen: HalfOpen = HalfOpen(),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, tripRule: tripRule, breakFor: breakFor, maximumBreak: maximumBreak,
      breakGrowth: breakGrowth, breakJitter: breakJitter, halfOpen: halfOpen)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock, seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a closed breaker from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the jitter repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    let settings = try configuration.checked()
    name = configuration.name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    guarded = Locked(
      Guarded(
        machine: CircuitBreakerStateMachine(settings),
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max))))
  }

  /// What the breaker does with calls right now.
  ///
  /// An open breaker stays open until a call comes after its break: reading changes nothing.
  public var state: State {
    let now = timeline.now
    return guarded.withLock { guarded in
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
  ///   `circuitProbing` or `circuitIsolated`.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let admission = try admit()
    let value: T
    do {
      value = try await operation()
    } catch {
      fail(admission, with: error)
      throw error
    }
    succeed(admission)
    return value
  }
}

// The calls: the lock is held for a few instructions, and never while somebody else's code runs.
extension CircuitBreaker {
  /// A call that was let through; it cannot be given back twice.
  @usableFromInline
  struct Admission: ~Copyable, Sendable {
    let token: CircuitBreakerStateMachine.Token
  }

  @usableFromInline
  func admit() throws(Rejection) -> Admission {
    if let token = guarded.withLock({ $0.machine.tokenWhileClosed }) {
      return Admission(token: token)
    }
    return try admitByClock()
  }

  @usableFromInline
  func succeed(_ admission: consuming Admission) { settle(admission.token, .success) }

  @usableFromInline
  func fail(_ admission: consuming Admission, with error: any Error) {
    // A cooldown is neither a failure nor an answer: it says nothing about whether calls succeed.
    switch Classification.verdict(on: error) {
    case .success: settle(admission.token, .success)
    case .failure: settle(admission.token, .failure)
    case .neutral, .cooldown: settle(admission.token, .neutral)
    }
  }

  @inline(never)
  private func admitByClock() throws(Rejection) -> Admission {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let (decision, delivers) = guarded.withLock { guarded in
      let fraction = guarded.random.fraction()
      let (decision, event) = guarded.machine.admit(now: now, fraction: fraction)
      guard isHeard else { return (decision, false) }
      guarded.post(event, of: name, at: now)
      if case .refused(let refusal) = decision {
        guarded.post(.rejected(rejection(refusal)), of: name, at: now)
      }
      return (decision, guarded.mailbox.beginDelivery())
    }
    if delivers { deliver() }
    switch decision {
    case .admitted(let token): return Admission(token: token)
    case .refused(let refusal): throw rejection(refusal)
    }
  }

  private func settle(
    _ token: CircuitBreakerStateMachine.Token, _ verdict: CircuitBreakerStateMachine.Verdict
  ) {
    if guarded.withLock({ $0.machine.settleWhileClosed(token, verdict) }) { return }
    step { guarded, now in
      let fraction = guarded.random.fraction()
      return guarded.machine.settle(token, verdict, now: now, fraction: fraction)
    }
  }

  private func rejection(_ refusal: CircuitBreakerStateMachine.Refusal) -> Rejection {
    switch refusal {
    case .open(let retryAfter):
      Rejection(policy: name, reason: .circuitOpen, retryAfter: retryAfter)
    case .probing: Rejection(policy: name, reason: .circuitProbing)
    case .isolated: Rejection(policy: name, reason: .circuitIsolated)
    }
  }
}

// What is done by hand.
extension CircuitBreaker {
  /// Refuses all calls from now on, such as during maintenance, until the isolation is ended.
  ///
  /// Several may isolate the same breaker; it closes when the last of them has ended that. A
  /// ``reset()`` does not end it.
  ///
  /// - Returns: The hold on the breaker: keep it, since releasing it ends it.
  public func isolate() -> Isolation {
    step { guarded, _ in guarded.machine.isolate() }
    return Isolation(of: self)
  }

  /// Forgets all failures and closes, unless somebody holds an ``Isolation``.
  ///
  /// What becomes of the calls that are on their way changes nothing any more.
  public func reset() { step { guarded, _ in guarded.machine.reset() } }

  /// A hold that keeps a breaker isolated until ``end()`` is called or the hold is released.
  public final class Isolation: Sendable {
    private let breaker: Locked<CircuitBreaker?>

    fileprivate init(of breaker: CircuitBreaker) { self.breaker = Locked(breaker) }

    deinit { end() }

    /// Ends this hold; the last one closes the breaker, and a second call does nothing.
    public func end() {
      let breaker = breaker.withLock { $0.take() }
      breaker?.step { guarded, _ in guarded.machine.endIsolation() }
    }
  }
}

// The events: written down under the lock, told outside of it by one caller at a time, in order.
extension CircuitBreaker {
  private struct Guarded {
    var machine: CircuitBreakerStateMachine
    var random: SplitMix64
    var mailbox = EventMailbox()

    mutating func post(
      _ event: CircuitBreakerStateMachine.Event?, of policy: String, at reading: Duration
    ) {
      switch event {
      case nil: break
      case .opened(let failures, let breakFor, let leaseExpired):
        if leaseExpired { post(.probeExpired, of: policy, at: reading) }
        post(.circuitOpened(failures: failures, breakFor: breakFor), of: policy, at: reading)
      case .halfOpened: post(.circuitHalfOpened, of: policy, at: reading)
      case .closed: post(.circuitClosed, of: policy, at: reading)
      case .isolated: post(.circuitIsolated, of: policy, at: reading)
      case .reset: post(.circuitReset, of: policy, at: reading)
      case .stale(let succeeded, let admittedIn, let endedIn):
        post(
          .staleResult(succeeded: succeeded, admittedIn: admittedIn, endedIn: endedIn),
          of: policy, at: reading)
      }
    }

    mutating func post(_ what: PolicyEvent.What, of policy: String, at reading: Duration) {
      mailbox.post(what, of: policy, at: reading)
    }
  }

  /// Moves the machine, with a reading of the clock, and tells what there is to tell.
  private func step(
    _ move: (inout Guarded, Duration) -> CircuitBreakerStateMachine.Event?
  ) {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let delivers = guarded.withLock { guarded in
      let event = move(&guarded, now)
      guard isHeard else { return false }
      guarded.post(event, of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  private func deliver() {
    audience.deliver { guarded.withLock { $0.mailbox.takeForDelivery() } }
  }
}

extension CircuitBreaker: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool {
    guarded.withLock { $0.machine.state == .closed && $0.machine.failures == 0 }
  }
}
