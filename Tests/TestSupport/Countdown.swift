// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayTesting

/// Lets a test wait until something has happened a number of times.
///
/// A test that waits for what does not come ends with its time limit, which cancels its task. A
/// line on standard error then says where it waited, and how often it has happened.
public final class Countdown: Sendable {
  private struct State {
    var left: Int
    var nextID: UInt64 = 0
    /// Each is given whether it has happened often enough.
    var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
  }

  private let state: Locked<State>
  private let expected: Int

  /// Waits for this many times.
  public init(_ count: Int) {
    expected = count
    state = Locked(State(left: count))
  }

  /// It happens once.
  public func count() {
    let waiters = state.withLock { state in
      state.left -= 1
      guard state.left <= 0 else { return [CheckedContinuation<Bool, Never>]() }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Returns when it has happened often enough, or the own task is cancelled.
  ///
  /// - Parameters:
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func reached(fileID: String = #fileID, line: Int = #line) async {
    let id = newID()
    let isMet = await withTaskCancellationHandler {
      await wait(id) {
        // The handler may have run before the waiter was there.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
    guard !isMet else { return }
    UnmetWait.ended(
      fileID, line, until: "it had happened \(expected) times",
      found: "It had happened \(expected - state.withLock { $0.left }) times.")
  }

  /// Returns when it has happened often enough, and never before: for what is deaf to cancellation,
  /// or is held up by a test that may cancel it.
  public func passed() async { _ = await wait(newID()) {} }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// - Returns: Whether it has happened often enough.
  private func wait(_ id: UInt64, _ then: () -> Void) async -> Bool {
    await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let isReached = state.withLock { state in
        if state.left <= 0 { return true }
        state.waiters[id] = continuation
        return false
      }
      if isReached { continuation.resume(returning: true) }
      then()
    }
  }

  private func leave(_ id: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
  }
}
