// SPDX-License-Identifier: Apache-2.0

/// The states of a ``CircuitBreaker`` and the ways between them.
///
/// It has no clock, no lock and no chance of its own: `now` is a reading counted from a fixed
/// start, and `fraction` a random number in `0..<1`. A reading that is not later than the latest
/// one means that no time has passed. Every change of state begins a new epoch; what was admitted
/// in another one changes nothing any more.
struct CircuitBreakerStateMachine: Sendable {
  enum State: Sendable, Equatable {
    case closed
    case open(until: Duration)
    case halfOpen
    case isolated
  }

  /// One admitted call; given back exactly once.
  struct Token: Sendable, Equatable {
    enum Place: Sendable, Equatable {
      /// Admitted while closed.
      case regular
      /// A probe, with the place that it takes.
      case probe(UInt8)
      /// Admitted although the states would not have it, or do not matter; it never counts.
      case outside
    }

    let epoch: UInt64
    let place: Place

    /// The place of a probe; nil for every other call.
    var slot: Int? { if case .probe(let slot) = place { Int(slot) } else { nil } }
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
    /// Let through since the breaker only watches.
    case admittedAnyway(Token, insteadOf: Refusal)
    case refused(Refusal)
  }

  /// What is to be told; no step has more than one.
  enum Event: Sendable, Equatable {
    case opened(failures: Int, breakFor: Duration, leaseExpired: Bool)
    case halfOpened
    case closed
    case isolated
    case reset
    case settingsChanged
    case stale(succeeded: Bool, admittedIn: UInt64, endedIn: UInt64)
  }

  // The parts of the machine in other files change these as well.
  var settings: Settings
  var state = State.closed
  var epoch: UInt64 = 0

  /// Failures in a row while closed; failed probes of this cycle while half-open.
  var failures = 0
  /// Successful probes of this cycle.
  var successes = 0
  /// What became of calls while closed, one window for each span that the rules name.
  var windows: [SlidingWindow]
  /// Until when each place for a probe is taken, nil where it is free.
  ///
  /// There are as many as permits, and more only in an epoch in which there were more permits.
  var leases: [Duration?]
  /// How long the next break is, before chance lengthens it.
  var nextBreak: Duration
  /// How many hold the breaker isolated.
  var isolations = 0
  /// The latest reading.
  var latest = Self.earliestReading

  /// How long the latest break is.
  var currentBreak = Duration.zero
  /// How many breaks in a row there were, the latest one included; 0 while all is well.
  var breaks = 0
  /// The part of the calls that the rule about a rate saw that held last.
  var tripRate: Double?
  /// How long the next break is, where somebody else says so.
  var given: GivenBreak?
  /// Why it opened in the latest move, where nobody else had said for how long.
  var unanswered: CircuitBreaker.Trip?

  init(_ settings: Settings) {
    self.settings = settings
    nextBreak = settings.firstBreak
    leases = Array(repeating: nil, count: settings.permits)
    windows = settings.spans.map { SlidingWindow(over: $0) }
  }

  // Readings beyond these bounds are cut to them, so that adding a break never overflows.
  private static let earliestReading = Duration.seconds(Int64.min / 2)
  private static let latestReading = Duration.seconds(Int64.max / 2)

  /// The shortest lease that is given to a probe where the settings name none.
  static let shortestDefaultLease = Duration.seconds(10)
}

// A call asks to be let through.
extension CircuitBreakerStateMachine {
  /// The token of a call for which no clock is needed, as while closed; otherwise nil.
  var tokenWithoutClock: Token? {
    if settings.mode == .disabled { return Token(epoch: epoch, place: .outside) }
    guard case .closed = state else { return nil }
    return Token(epoch: epoch, place: .regular)
  }

  /// A call asks to be let through; a place for a probe is reserved in this same step.
  mutating func admit(now: Duration, fraction: Double) -> (decision: Decision, event: Event?) {
    advance(to: now)
    if let token = tokenWithoutClock { return (.admitted(token), nil) }
    let (decision, event) = decide(fraction)
    guard settings.mode == .metricsOnly, case .refused(let refusal) = decision else {
      return (decision, event)
    }
    return (.admittedAnyway(Token(epoch: epoch, place: .outside), insteadOf: refusal), event)
  }

  private mutating func decide(_ fraction: Double) -> (Decision, Event?) {
    switch state {
    case .closed:
      return (.admitted(Token(epoch: epoch, place: .regular)), nil)
    case .isolated:
      return (.refused(.isolated), nil)
    case .open(let until):
      guard latest >= until else { return (.refused(.open(retryAfter: until - latest)), nil) }
      enter(.halfOpen)
      return (reserve(0), .halfOpened)
    case .halfOpen:
      if let free = freePlace { return (reserve(free), nil) }
      guard leases.contains(where: { $0.map { $0 <= latest } ?? false }) else {
        return (.refused(.probing), nil)
      }
      let event = open(failures: failures + 1, fraction: fraction, leaseExpired: true)
      return (.refused(.open(retryAfter: currentBreak)), event)
    }
  }

  /// A place for a probe, unless as many run as there are permits.
  private var freePlace: Int? {
    guard leases.count(where: { $0 != nil }) < settings.permits else { return nil }
    return leases.firstIndex(of: nil)
  }

  private mutating func reserve(_ slot: Int) -> Decision {
    leases[slot] = latest + (settings.lease ?? max(currentBreak, Self.shortestDefaultLease))
    return .admitted(Token(epoch: epoch, place: .probe(UInt8(slot))))
  }

  /// How long it takes until a call is let through as a probe; nil unless open.
  mutating func retryAfter(now: Duration) -> Duration? {
    advance(to: now)
    guard case .open(let until) = state else { return nil }
    return max(.zero, until - latest)
  }
}

// An admitted call gives its token back.
extension CircuitBreakerStateMachine {
  /// A call that was admitted while closed gives its token back, where that needs no clock.
  ///
  /// - Parameters:
  ///   - token: What it was given.
  ///   - verdict: What it said.
  ///   - took: How long it took; nil where that was not measured.
  /// - Returns: Whether that was all; if not, ``settle(_:_:took:now:fraction:)`` has to be called.
  mutating func settleWithoutClock(
    _ token: Token, _ verdict: Verdict, took: Duration? = nil
  ) -> Bool {
    guard token.place != .outside else { return true }
    guard token.epoch == epoch, token.place == .regular else { return false }
    switch verdict {
    case .neutral:
      return true
    case .success:
      guard !isSlow(took) else { return false }
      if !windows.isEmpty {
        guard !needsReading else { return false }
        record(isFailure: false, isSlow: false)
      }
      failures = 0
      return true
    case .failure:
      guard windows.isEmpty, failures + 1 < settings.failureThreshold ?? .max else { return false }
      failures += 1
      return true
    }
  }

  /// An admitted call gives its token back.
  mutating func settle(
    _ token: Token, _ verdict: Verdict, took: Duration? = nil, now: Duration, fraction: Double
  ) -> Event? {
    advance(to: now)
    guard token.place != .outside else { return nil }
    guard token.epoch == epoch else {
      // A call without a verdict has no result that could be late.
      guard verdict != .neutral else { return nil }
      return .stale(succeeded: verdict == .success, admittedIn: token.epoch, endedIn: epoch)
    }
    if let slot = token.slot { leases[slot] = nil }
    guard verdict != .neutral else { return nil }
    let isSlow = self.isSlow(took)
    if token.slot != nil {
      return settleProbe(failed: verdict == .failure || isSlow, fraction: fraction)
    }
    record(isFailure: verdict == .failure, isSlow: isSlow)
    // A success never opens a breaker, whatever the window says by now.
    guard verdict == .failure || isSlow, let causes = causesToTrip() else { return nil }
    return open(failures: causes, fraction: fraction, leaseExpired: false)
  }

  private mutating func settleProbe(failed: Bool, fraction: Double) -> Event? {
    if !failed {
      successes += 1
      return successes >= settings.required ? close() : nil
    }
    failures += 1
    guard failures > settings.permits - settings.required else { return nil }
    return open(failures: failures, fraction: fraction, leaseExpired: false)
  }

  private mutating func record(isFailure: Bool, isSlow: Bool) {
    failures = isFailure ? failures + 1 : 0
    for index in windows.indices {
      windows[index].record(isFailure: isFailure, isSlow: isSlow, at: latest)
    }
  }
}

extension CircuitBreakerStateMachine {
  mutating func advance(to now: Duration) {
    latest = max(latest, min(now, Self.latestReading))
  }

  /// Begins a new epoch, with all places for probes free and nothing counted.
  mutating func enter(_ new: State) {
    state = new
    beginEpoch()
    failures = 0
    for index in windows.indices { windows[index].clear() }
  }

  /// Makes stale what is on its way, with all places for probes free and an empty sample.
  mutating func beginEpoch() {
    epoch += 1
    successes = 0
    for slot in leases.indices { leases[slot] = nil }
    leases.removeLast(leases.count - settings.permits)
  }

  mutating func close() -> Event {
    enter(.closed)
    nextBreak = settings.firstBreak
    breaks = 0
    return .closed
  }

  mutating func open(failures: Int, fraction: Double, leaseExpired: Bool) -> Event {
    let length = beginBreak(failures: failures)
    // Only ever lengthened: what was promised to those who were refused stays true.
    currentBreak = length + .clamped(seconds: length.inSeconds * settings.jitter * fraction)
    let grown = Duration.clamped(seconds: nextBreak.inSeconds * settings.growth)
    nextBreak = max(nextBreak, min(grown, settings.maximumBreak))
    enter(.open(until: latest + currentBreak))
    return .opened(failures: failures, breakFor: currentBreak, leaseExpired: leaseExpired)
  }
}
