// SPDX-License-Identifier: Apache-2.0

/// What takes new settings while it works.
public protocol LiveConfigurable: Sendable {
  /// Its settings.
  associatedtype Settings: Codable, Equatable, Sendable

  /// The settings that hold now.
  var configuration: Settings { get }

  /// Takes other settings without losing its state.
  ///
  /// - Throws: `ConfigurationError` with everything that is not legal; the old settings hold then.
  func update(_ configuration: Settings) throws(ConfigurationError)
}

extension AdaptiveLimit: LiveConfigurable {}
extension Bulkhead: LiveConfigurable {}
extension CircuitBreaker: LiveConfigurable {}
extension Cooldown: LiveConfigurable {}
extension Deadline: LiveConfigurable {}
extension Hedge: LiveConfigurable {}
extension RateLimiter: LiveConfigurable {}
extension Retry: LiveConfigurable {}
extension RetryBudget: LiveConfigurable {}
extension Throttle: LiveConfigurable {}
extension Timeout: LiveConfigurable {}
extension Timeout.Abandoning: LiveConfigurable {}
