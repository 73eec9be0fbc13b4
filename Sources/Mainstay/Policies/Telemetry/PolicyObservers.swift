// SPDX-License-Identifier: Apache-2.0

/// Tells several observers of the same events, one after the other.
///
/// ```swift
/// PolicyObservation.bootstrap(PolicyObservers(PolicyLogger(logger), PolicyMetrics()))
/// ```
public struct PolicyObservers: PolicyObserver {
  private let observers: [any PolicyObserver]

  /// Combines observers; they are told in this order.
  public init(_ observers: any PolicyObserver...) { self.init(observers) }

  /// Combines observers; they are told in this order.
  public init(_ observers: [any PolicyObserver]) { self.observers = observers }

  /// Tells all of them.
  public func observe(_ event: PolicyEvent) {
    for observer in observers { observer.observe(event) }
  }
}
