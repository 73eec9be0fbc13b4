// SPDX-License-Identifier: Apache-2.0

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

  /// Opens, unless somebody holds the breaker isolated.
  ///
  /// - Parameters:
  ///   - length: How long the break is; nil for one as after a failure, which leaves a break that
  ///     goes on as it is.
  ///   - now: The reading.
  ///   - fraction: Where in its jitter a break as after a failure lies.
  /// - Returns: What is to be told.
  mutating func forceOpen(for length: Duration?, now: Duration, fraction: Double) -> Event? {
    advance(to: now)
    guard state != .isolated else { return nil }
    guard let length else {
      if case .open(let until) = state, until > latest { return nil }
      return open(failures: 0, fraction: fraction, leaseExpired: false)
    }
    currentBreak = length.clamped
    enter(.open(until: latest + currentBreak))
    return .opened(failures: 0, breakFor: currentBreak, leaseExpired: false)
  }

  /// Tries the dependency out from now on, unless somebody holds the breaker isolated.
  mutating func forceHalfOpen() -> Event? {
    guard state != .isolated, state != .halfOpen else { return nil }
    enter(.halfOpen)
    return .halfOpened
  }

  /// Closes as after a probe that succeeded, unless somebody holds the breaker isolated.
  mutating func forceClosed() -> Event? {
    guard state != .isolated, state != .closed else { return nil }
    return close()
  }

  /// Acts on the states from now on, or does not; what is on its way changes nothing any more.
  ///
  /// What the machine knows is kept: an open break goes on.
  mutating func setMode(_ mode: CircuitBreaker.Mode) -> Event? {
    guard mode != settings.mode else { return nil }
    settings.mode = mode
    beginEpoch()
    if state == .halfOpen { failures = 0 }
    return .settingsChanged
  }

  /// Goes on with other settings, in the same state (P37).
  ///
  /// Calls on their way still count, unless the mode is another one. A break that has begun stays
  /// as long as it was promised; the next one goes by the new settings. A window is kept where a
  /// rule still names its span.
  mutating func update(_ new: Settings) -> Event {
    let hasGrown = nextBreak != settings.firstBreak
    nextBreak =
      hasGrown ? min(max(nextBreak, new.firstBreak), new.maximumBreak) : new.firstBreak
    windows = new.spans.map { span in
      windows.first { $0.span == span } ?? SlidingWindow(over: span)
    }
    let oldMode = settings.mode
    settings = new
    settings.mode = oldMode
    while leases.count < new.permits { leases.append(nil) }
    _ = setMode(new.mode)
    return .settingsChanged
  }
}
