// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

/// Counts what policies do, for the pages of a ``Dashboard``.
///
/// A circuit breaker knows its state, but not how many calls it has refused. Give this as observer
/// to breakers, pipelines and retries, and to ``Dashboard/tally``. A pipeline does not hand it on
/// to its policies.
///
/// ```swift
/// let tally = PolicyTally()
/// let breaker = CircuitBreaker("catalog", observer: tally)
/// ```
///
/// It keeps a few numbers for each name, of at most ``maximumNames`` names; what comes under others
/// is not counted.
public final class PolicyTally: PolicyObserver {
  /// How many names of policies and pipelines it counts at most.
  public static let maximumNames = 1_000

  /// What one policy or pipeline has done since the process was started.
  public struct Counts: Sendable, Hashable {
    /// Calls that were refused before anything was tried.
    public var rejected = 0
    /// How often a circuit was opened.
    public var opened = 0
    /// The failures that opened the circuit last; 0 where nothing has.
    public var failuresToOpen = 0
    /// Attempts that failed, as far as a `Retry` was given this as observer.
    public var attemptsFailed = 0
    /// Calls of a pipeline that ended with an error of the operation.
    public var failed = 0
    /// Calls of a pipeline that took longer than they may.
    public var timedOut = 0

    init() {}
  }

  private let counts = Locked<[String: Counts]>([:])

  /// Makes one that has counted nothing.
  public init() {}

  /// Counts an event; those that are no news to an operator are passed over.
  public func observe(_ event: PolicyEvent) {
    let change: (inout Counts) -> Void
    switch event.what {
    case .rejected: change = { $0.rejected += 1 }
    case .attemptFailed: change = { $0.attemptsFailed += 1 }
    case .callEnded(.failed, took: _): change = { $0.failed += 1 }
    case .callEnded(.timedOut, took: _): change = { $0.timedOut += 1 }
    case .circuitOpened(let failures, breakFor: _):
      change = {
        $0.opened += 1
        $0.failuresToOpen = failures
      }
    default: return
    }
    counts.withLock { counts in
      guard counts[event.policy] != nil || counts.count < Self.maximumNames else { return }
      change(&counts[event.policy, default: Counts()])
    }
  }

  /// What a policy or pipeline of this name has done; nil where nothing was told of it.
  public func counts(of name: String) -> Counts? { counts.withLock { $0[name] } }
}
