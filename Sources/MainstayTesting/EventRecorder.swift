// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Keeps the events of policies for a test to look at.
public final class EventRecorder: PolicyObserver {
  private let recorded = Locked<[PolicyEvent]>([])

  /// Makes an empty recorder.
  public init() {}

  /// All events so far, in order.
  public var events: [PolicyEvent] { recorded.withLock { $0 } }

  /// Keeps an event.
  public func observe(_ event: PolicyEvent) { recorded.withLock { $0.append(event) } }

  /// Forgets all events.
  public func clear() { recorded.withLock { $0.removeAll() } }
}
