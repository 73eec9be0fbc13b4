// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Lets a test wait until something has happened a number of times.
public final class Countdown: Sendable {
  private struct State {
    var left: Int
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>

  /// Waits for this many times.
  public init(_ count: Int) { state = Locked(State(left: count)) }

  /// It happens once.
  public func count() {
    let waiters = state.withLock { state in
      state.left -= 1
      guard state.left <= 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when it has happened often enough.
  public func reached() async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.left <= 0 { return true }
        state.waiters.append(continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
