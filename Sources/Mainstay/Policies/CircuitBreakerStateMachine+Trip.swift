// SPDX-License-Identifier: Apache-2.0

extension CircuitBreakerStateMachine {
  /// Settings that were checked before; durations lie in `0...aYear`.
  struct Settings: Sendable {
    var mode = CircuitBreaker.Mode.enabled
    /// How many failures in a row open the breaker; nil where they never do.
    var failureThreshold: Int? = 5
    /// A call that takes longer is slow; nil where no rule asks for it.
    var slowerThan: Duration?
    /// The rules about a part of the calls of late; any of them opens the breaker.
    var rates: [Rate] = []
    var firstBreak = Duration.seconds(5)
    var maximumBreak = Duration.seconds(60)
    var growth = 2.0
    var jitter = 0.2
    var permits = 1
    var required = 1
    var lease: Duration?
    /// How callers wait while all places for probes are taken; nil where they do not.
    var waiting: Waiting?

    /// Every span that the rules name, once.
    var spans: [CircuitBreaker.Window] {
      rates.reduce(into: []) { if !$0.contains($1.span) { $0.append($1.span) } }
    }
  }

  /// How long a caller waits for the verdict of a probe, in `0...aYear`, and how many do.
  struct Waiting: Sendable, Equatable {
    let atMost: Duration
    let callers: Int
  }

  /// Opens a breaker by which part of the calls of late failed or was slow.
  struct Rate: Sendable, Equatable {
    enum Counted: Sendable {
      case failures
      case slowCalls
    }

    let counts: Counted
    /// In `0...1`, without zero.
    let threshold: Double
    let span: CircuitBreaker.Window
    /// How many calls the window holds at least, 1 or more; it matters while closed only.
    let minimum: Int

    /// How many calls are reason to open; nil where there is none.
    func causes(in totals: SlidingWindow.Totals) -> Int? {
      guard totals.calls >= minimum else { return nil }
      let count = count(in: totals)
      // The quotient is rounded as a literal is: 7 of 10 are exactly 0.7.
      return Double(count) / Double(totals.calls) >= threshold ? count : nil
    }

    /// How many calls of those that it counts there are.
    func count(in totals: SlidingWindow.Totals) -> Int {
      counts == .failures ? totals.failures : totals.slow
    }
  }

  /// Whether a breaker made anew would do the same: it is closed, and no failure or slow call of
  /// late counts.
  mutating func isPristine(now: Duration) -> Bool {
    guard case .closed = state, failures == 0, nextBreak == settings.firstBreak else {
      return false
    }
    return windows.indices.allSatisfy { index in
      let totals = windows[index].totals(at: max(now, latest))
      return totals.failures == 0 && totals.slow == 0
    }
  }

  /// For how long after its break an open breaker is remembered though nobody calls: it would let a
  /// probe through, where one made anew would let as many fail as its rule says.
  private static let memoryAfterBreak = Duration.seconds(3600)

  /// Whether what is known is of no use, once nobody has called for long.
  func isPristineWhenIdle(now: Duration) -> Bool {
    switch state {
    case .closed: true
    case .open(let until): now - until >= Self.memoryAfterBreak
    case .halfOpen:
      leases.allSatisfy { ($0 ?? now) <= now } && now - latest >= Self.memoryAfterBreak
    case .isolated: false
    }
  }

  /// Whether time has to be known wherever a call ends: a window over a time needs it.
  var needsReading: Bool {
    settings.mode != .disabled && windows.contains { $0.needsReading }
  }

  /// How many more probes may run; nil where calls need not be probes.
  var freePlaces: Int? {
    guard state == .halfOpen, settings.mode == .enabled else { return nil }
    return max(0, settings.permits - leases.count { $0 != nil })
  }

  /// When the next lease of a probe passes; nil where none runs.
  var nextLease: Duration? { leases.compactMap { $0 }.min() }

  /// Whether it matters how long calls take.
  var isTimed: Bool { settings.slowerThan != nil && settings.mode != .disabled }

  /// Whether a call that took this long was slow; a time that was not measured is not.
  func isSlow(_ took: Duration?) -> Bool {
    guard let took, let slowerThan = settings.slowerThan else { return false }
    return took > slowerThan
  }

  /// Whether a call that gives its token back might open the breaker; false only where it does not.
  mutating func mayOpen(
    _ token: Token, _ verdict: Verdict, took: Duration? = nil, now: Duration
  ) -> Bool {
    guard token.place != .outside, token.epoch == epoch, verdict != .neutral else { return false }
    let isFailure = verdict == .failure
    guard isFailure || isSlow(took) else { return false }
    guard token.slot == nil else { return true }
    if isFailure, failures + 1 >= settings.failureThreshold ?? .max { return true }
    advance(to: now)
    for rate in settings.rates {
      guard let index = windows.firstIndex(where: { $0.span == rate.span }) else { continue }
      var totals = windows[index].totals(at: latest)
      // A window over a count that is full holds no more calls with this one than without it.
      let fewest = max(totals.calls, 1)
      totals.add(isFailure: isFailure, isSlow: isSlow(took))
      guard totals.calls >= rate.minimum else { continue }
      if Double(rate.count(in: totals)) / Double(fewest) >= rate.threshold { return true }
    }
    return false
  }

  /// How many failures or slow calls are reason to open; nil where no rule says so.
  mutating func causesToTrip() -> Int? {
    if let threshold = settings.failureThreshold, failures >= threshold { return failures }
    for rate in settings.rates {
      guard let index = windows.firstIndex(where: { $0.span == rate.span }) else { continue }
      let totals = windows[index].totals(at: latest)
      guard let causes = rate.causes(in: totals) else { continue }
      tripRate = Double(causes) / Double(totals.calls)
      return causes
    }
    return nil
  }
}
