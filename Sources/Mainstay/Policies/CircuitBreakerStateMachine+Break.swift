// SPDX-License-Identifier: Apache-2.0

// Breaks whose length a function of the user's says. It is called outside of the lock, so the
// breaker asks for a break first, and opens for as long as it was given afterwards.
extension CircuitBreakerStateMachine {
  /// The length of a break, and the epoch for whose end it was asked for.
  struct GivenBreak: Sendable, Equatable {
    let epoch: UInt64
    let length: Duration
  }

  /// Another break in a row begins.
  ///
  /// - Parameter failures: How many failures or slow calls are the reason.
  /// - Returns: How long it is, before chance lengthens it.
  mutating func beginBreak(failures: Int) -> Duration {
    breaks = min(breaks, .max - 1) + 1
    let rate = tripRate
    tripRate = nil
    if let given, given.epoch == epoch { return given.length.clamped }
    unanswered = CircuitBreaker.Trip(breaksInARow: breaks, failures: failures, rate: rate)
    return nextBreak
  }
}
