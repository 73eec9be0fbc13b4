// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// Why a breaker opens: what a function of your own computes the length of the break from.
  ///
  /// ```swift
  /// let breaker = CircuitBreaker(
  ///   "catalog",
  ///   breakDuration: { trip in .seconds(trip.rate ?? 0 > 0.9 ? 60 : 5 * trip.breaksInARow) })
  /// ```
  public struct Trip: Sendable, Hashable {
    /// Which break in a row it is, since the breaker was closed; 1 or more.
    public let breaksInARow: Int
    /// How many failures, or slow calls, are the reason; zero where it is opened by hand.
    public let failures: Int
    /// Which part of the calls in the window failed, or was slow; nil where no rule about a rate is
    /// the reason.
    public let rate: Double?
  }
}
