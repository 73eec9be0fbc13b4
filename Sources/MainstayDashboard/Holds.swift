// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The circuits that are isolated by hand from one dashboard.
///
/// What others isolate is theirs to end. When the dashboard goes, so do its holds.
final class Holds: Sendable {
  private struct Hold {
    let isolation: CircuitBreaker.Isolation
    let since: Duration
  }

  private let holds = Locked<[ObjectIdentifier: Hold]>([:])

  /// Since when a circuit is held, by the clock of the dashboard; nil where it is not.
  func since(_ breaker: CircuitBreaker) -> Duration? {
    holds.withLock { $0[ObjectIdentifier(breaker)]?.since }
  }

  /// - Returns: Whether it was not held yet.
  func isolate(_ breaker: CircuitBreaker, at now: Duration) -> Bool {
    guard since(breaker) == nil else { return false }
    // Outside of the lock: observers are told. Where another request was faster, this hold ends.
    let hold = Hold(isolation: breaker.isolate(), since: now)
    return holds.withLock { holds in
      guard holds[ObjectIdentifier(breaker)] == nil else { return false }
      holds[ObjectIdentifier(breaker)] = hold
      return true
    }
  }

  /// - Returns: Whether it was held.
  func release(_ breaker: CircuitBreaker) -> Bool {
    let hold = holds.withLock { $0.removeValue(forKey: ObjectIdentifier(breaker)) }
    hold?.isolation.end()
    return hold != nil
  }
}
