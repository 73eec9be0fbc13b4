// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Tells all who listen; each has the newest 1,000 that it has not fetched yet.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var isEnded = false
    var listeners: [UInt64: AsyncStream<Value>.Continuation] = [:]
  }

  private let state = Locked(State())

  /// How many listen.
  var count: Int { state.withLock { $0.listeners.count } }

  /// What is told from now on.
  func listen() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1_000))
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
    }
    return stream
  }

  /// Tells a value.
  ///
  /// - Returns: How many listeners lost an older one, since they did not fetch it in time.
  @discardableResult
  func tell(_ value: Value) -> Int {
    let listeners = state.withLock { Array($0.listeners.values) }
    return listeners.count { listener in
      if case .dropped = listener.yield(value) { true } else { false }
    }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isEnded = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
