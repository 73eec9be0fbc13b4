// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Policies that suit a client of Ogmios; each is an ordinary policy.
public enum OgmiosPresets {
  /// Three attempts, one second apart.
  ///
  /// - Parameter clock: The clock; the default is the continuous one.
  /// - Returns: The retry; errors that another attempt does not mend are thrown at once.
  public static func fixedRetry(clock: some Clock<Duration> = ContinuousClock()) -> Retry {
    Retry(
      maximumAttempts: 3, backoff: .constant(.seconds(1), jitter: .none), name: "ogmios",
      clock: clock)
  }

  /// Six attempts, at first one second apart and then twice as long each time, at most a minute.
  ///
  /// - Parameter clock: The clock; the default is the continuous one.
  /// - Returns: The retry; errors that another attempt does not mend are thrown at once.
  public static func exponentialRetry(clock: some Clock<Duration> = ContinuousClock()) -> Retry {
    Retry(
      maximumAttempts: 6, backoff: .exponential(from: .seconds(1), to: .seconds(60)),
      name: "ogmios", clock: clock)
  }

  /// Opens after five failures in a row, for 30 seconds.
  ///
  /// - Parameters:
  ///   - name: The name of the endpoint.
  ///   - clock: The clock; the default is the continuous one.
  /// - Returns: The breaker.
  public static func breaker(
    _ name: String, clock: some Clock<Duration> = ContinuousClock()
  ) -> CircuitBreaker {
    CircuitBreaker(name, .consecutiveFailures(5), breakFor: .seconds(30), clock: clock)
  }
}
