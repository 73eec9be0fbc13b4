// SPDX-License-Identifier: Apache-2.0

extension CircuitBreakerStateMachine {
  /// What outlives the process: not the calls on their way, nor what somebody holds by hand.
  struct Memory: Sendable, Hashable {
    /// Failures in a row while closed; 0 or more.
    var failures = 0
    /// How long the next break is, before chance lengthens it.
    var nextBreak: Duration
    /// How many breaks in a row there were; 0 or more.
    var breaks = 0
    /// How much of the break is left; nil while closed.
    var remainingBreak: Duration?
  }

  /// What is worth keeping; half-open counts as a break that is over.
  mutating func memory(now: Duration) -> Memory {
    advance(to: now)
    return switch state {
    case .closed: Memory(failures: failures, nextBreak: nextBreak)
    case .open(let until):
      Memory(nextBreak: nextBreak, breaks: breaks, remainingBreak: max(.zero, until - latest))
    case .halfOpen: Memory(nextBreak: nextBreak, breaks: breaks, remainingBreak: .zero)
    case .isolated: Memory(nextBreak: settings.firstBreak)
    }
  }

  /// Goes on from what was kept, cut to what the settings allow.
  ///
  /// - Parameters:
  ///   - memory: What was kept.
  ///   - longestBreak: How long a break can be; nil for what the settings say.
  ///   - now: The reading.
  /// - Returns: What is to be told.
  mutating func restore(
    _ memory: Memory, longestBreak: Duration? = nil, now: Duration
  ) -> Event? {
    advance(to: now)
    let wasClosed = state == .closed
    enter(.closed)
    nextBreak = min(max(memory.nextBreak, settings.firstBreak), settings.maximumBreak)
    breaks = memory.breaks
    guard let remaining = memory.remainingBreak else {
      failures = min(memory.failures, Int.max / 2)
      return wasClosed ? nil : .closed
    }
    currentBreak = min(max(remaining, .zero), longestBreak ?? self.longestBreak)
    state = .open(until: latest + currentBreak)
    return .opened(failures: 0, breakFor: currentBreak, leaseExpired: false)
  }

  /// The longest break that chance can make of the maximum.
  private var longestBreak: Duration {
    settings.maximumBreak + .clamped(seconds: settings.maximumBreak.inSeconds * settings.jitter)
  }
}
