// SPDX-License-Identifier: Apache-2.0

/// The states of a ``CircuitBreaker`` and the ways between them.
///
/// It has no clock, no lock and no chance of its own: `now` is a reading counted from a fixed
/// start, and `fraction` a random number in `0..<1`. A reading that is not later than the latest
/// one means that no time has passed. Every change of state begins a new epoch; what was admitted
/// in another one changes nothing any more.
struct CircuitBreakerStateMachine: Sendable {
  /// Settings that were checked before; durations lie in `0...aYear`.
  struct Settings: Sendable {
    var failureThreshold = 5
    var firstBreak = Duration.seconds(5)
    var maximumBreak = Duration.seconds(60)
    var growth = 2.0
    var jitter = 0.2
    var permits = 1
    var required = 1
    var lease: Duration?
  }

  enum State: Sendable, Equatable {
    case closed
    case open(until: Duration)
    case halfOpen
    case isolated
  }

  /// One admitted call; given back exactly once.
  struct Token: Sendable, Equatable {
    let epoch: UInt64
    /// The place of a probe; nil for a call that was admitted while closed.
    let slot: Int?
  }

  /// What a call said about the dependency.
  enum Verdict: Sendable {
    case success
    case failure
    case neutral
  }

  enum Refusal: Sendable, Equatable {
    case open(retryAfter: Duration)
    case probing
    case isolated
  }

  enum Decision: Sendable, Equatable {
    case admitted(Token)
    case refused(Refusal)
  }

  /// What is to be told; no step has more than one.
  enum Event: Sendable, Equatable {
    case opened(failures: Int, breakFor: Duration, leaseExpired: Bool)
    case halfOpened
    case closed
    case isolated
    case reset
    case stale(succeeded: Bool, admittedIn: UInt64, endedIn: UInt64)
  }

  let settings: Settings
  private(set) var state = State.closed
  private(set) var epoch: UInt64 = 0

  /// Failures in a row while closed; failed probes of this cycle while half-open.
  private(set) var failures = 0
  /// Successful probes of this cycle.
  private(set) var successes = 0
  /// Until when each place for a probe is taken, nil where it is free; its size never changes.
  private(set) var leases: [Duration?]
  /// How long the next break is, before chance lengthens it.
  private(set) var nextBreak: Duration
  /// How many hold the breaker isolated.
  private(set) var isolations = 0

  private var currentBreak = Duration.zero
  private var latest = Self.earliestReading

  init(_ settings: Settings) {
    self.settings = settings
    nextBreak = settings.firstBreak
    leases = Array(repeating: nil, count: settings.permits)
  }

  // Readings beyond these bounds are cut to them, so that adding a break never overflows.
  private static let earliestReading = Duration.seconds(Int64.min / 2)
  private static let latestReading = Duration.seconds(Int64.max / 2)

  /// The shortest lease that is given to a probe where the settings name none.
  static let shortestDefaultLease = Duration.seconds(10)
}

// The calls.
extension CircuitBreakerStateMachine {
  /// The token of a call while closed, for which no clock is needed; nil in any other state.
  var tokenWhileClosed: Token? { state == .closed ? Token(epoch: epoch, slot: nil) : nil }

  /// A call asks to be let through; a place for a probe is reserved in this same step.
  mutating func admit(now: Duration, fraction: Double) -> (decision: Decision, event: Event?) {
    advance(to: now)
    switch state {
    case .closed:
      return (.admitted(Token(epoch: epoch, slot: nil)), nil)
    case .isolated:
      return (.refused(.isolated), nil)
    case .open(let until):
      guard latest >= until else { return (.refused(.open(retryAfter: until - latest)), nil) }
      enter(.halfOpen)
      return (reserve(0), .halfOpened)
    case .halfOpen:
      if let free = leases.firstIndex(of: nil) { return (reserve(free), nil) }
      guard leases.contains(where: { $0.map { $0 <= latest } ?? false }) else {
        return (.refused(.probing), nil)
      }
      let event = open(failures: failures + 1, fraction: fraction, leaseExpired: true)
      return (.refused(.open(retryAfter: currentBreak)), event)
    }
  }

  /// A call that was admitted while closed gives its token back, where that needs no clock.
  ///
  /// - Returns: Whether that was all; if not, ``settle(_:_:now:fraction:)`` has to be called.
  mutating func settleWhileClosed(_ token: Token, _ verdict: Verdict) -> Bool {
    guard token.epoch == epoch, token.slot == nil else { return false }
    switch verdict {
    case .success: failures = 0
    case .neutral: break
    case .failure:
      guard failures + 1 < settings.failureThreshold else { return false }
      failures += 1
    }
    return true
  }

  /// An admitted call gives its token back.
  mutating func settle(
    _ token: Token, _ verdict: Verdict, now: Duration, fraction: Double
  ) -> Event? {
    advance(to: now)
    guard token.epoch == epoch else {
      // A call without a verdict has no result that could be late.
      guard verdict != .neutral else { return nil }
      return .stale(succeeded: verdict == .success, admittedIn: token.epoch, endedIn: epoch)
    }
    if settleWhileClosed(token, verdict) { return nil }
    guard let slot = token.slot else {
      return open(failures: failures + 1, fraction: fraction, leaseExpired: false)
    }
    leases[slot] = nil
    switch verdict {
    case .neutral:
      return nil
    case .success:
      successes += 1
      return successes >= settings.required ? close() : nil
    case .failure:
      failures += 1
      guard failures > settings.permits - settings.required else { return nil }
      return open(failures: failures, fraction: fraction, leaseExpired: false)
    }
  }

  /// How long it takes until a call is let through as a probe; nil unless open.
  mutating func retryAfter(now: Duration) -> Duration? {
    advance(to: now)
    guard case .open(let until) = state else { return nil }
    return max(.zero, until - latest)
  }
}

// What is done by hand.
extension CircuitBreakerStateMachine {
  /// Somebody wants no call to go through; it lasts until everybody who asked has ended it.
  mutating func isolate() -> Event? {
    isolations += 1
    guard state != .isolated else { return nil }
    enter(.isolated)
    return .isolated
  }

  /// One of those who asked for isolation ends it; the last one closes the breaker.
  mutating func endIsolation() -> Event? {
    isolations -= 1
    return isolations == 0 ? close() : nil
  }

  /// Forgets all failures and closes, unless somebody holds the breaker isolated.
  mutating func reset() -> Event {
    _ = close()
    if isolations > 0 { state = .isolated }
    return .reset
  }
}

extension CircuitBreakerStateMachine {
  private mutating func advance(to now: Duration) {
    latest = max(latest, min(now, Self.latestReading))
  }

  /// Begins a new epoch, with all places for probes free and nothing counted.
  private mutating func enter(_ new: State) {
    state = new
    epoch += 1
    failures = 0
    successes = 0
    for slot in leases.indices { leases[slot] = nil }
  }

  private mutating func reserve(_ slot: Int) -> Decision {
    leases[slot] = latest + (settings.lease ?? max(currentBreak, Self.shortestDefaultLease))
    return .admitted(Token(epoch: epoch, slot: slot))
  }

  private mutating func close() -> Event {
    enter(.closed)
    nextBreak = settings.firstBreak
    return .closed
  }

  private mutating func open(failures: Int, fraction: Double, leaseExpired: Bool) -> Event {
    // Only ever lengthened: what was promised to those who were refused stays true.
    currentBreak =
      nextBreak + .clamped(seconds: nextBreak.inSeconds * settings.jitter * fraction)
    let grown = Duration.clamped(seconds: nextBreak.inSeconds * settings.growth)
    nextBreak = max(nextBreak, min(grown, settings.maximumBreak))
    enter(.open(until: latest + currentBreak))
    return .opened(failures: failures, breakFor: currentBreak, leaseExpired: leaseExpired)
  }
}
