// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Wakes the one task that waits for it, also when the call comes before the wait.
final class WakeSignal: AlarmTarget {
  private struct State {
    var isSet = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  /// Wakes the waiter, or lets its next wait return at once.
  func set() {
    let waiter = state.withLock { state in
      state.isSet = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Whether somebody waits whom nothing has woken yet.
  var isAwaited: Bool { state.withLock { $0.waiter != nil } }

  /// A wake-up is a hint: whoever wakes looks for himself what there is to do.
  func ring() { set() }

  /// Returns when the signal is set, or when the timeline has reached a reading.
  func wait(until due: Duration?, on timeline: Timeline) async {
    let ticket = due.map { timeline.alarms.add(due: $0, target: self) }
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        defer { state.isSet = false }
        if !state.isSet { state.waiter = continuation }
        return state.isSet
      }
      if isSet { continuation.resume() }
    }
    if let ticket { timeline.alarms.remove(ticket) }
  }
}
