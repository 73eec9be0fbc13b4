// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What happened, in order.
public final class Log: Sendable {
  private struct State {
    var lines: [String] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// Nothing has happened yet.
  public init() {}

  /// What happened so far.
  public var lines: [String] { state.withLock { $0.lines } }

  /// Something happens.
  public func add(_ line: String) {
    let ready = state.withLock { state in
      state.lines.append(line)
      let count = state.lines.count
      let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= count }
      return ready
    }
    for watcher in ready { watcher.resume() }
  }

  /// Returns as soon as at least so much has happened.
  public func lines(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
