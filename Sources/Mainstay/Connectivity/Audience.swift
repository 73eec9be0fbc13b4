// SPDX-License-Identifier: Apache-2.0

/// The listeners of one sequence; each gets the newest value, and may miss older ones.
package final class Audience<Value: Sendable>: Sendable {
  /// A value and which one it is, counted.
  package typealias Reading = @Sendable () -> (value: Value, number: UInt64)

  private struct Listener {
    let continuation: AsyncStream<Value>.Continuation
    /// The last that it was told; nil where it was told none.
    var number: UInt64?
    var isDue: Bool
  }

  private struct State {
    var nextID: UInt64 = 0
    var isEnded = false
    var listeners: [UInt64: Listener] = [:]
    // Values are read and handed on one at a time, so that the last one told is the newest.
    var isTelling = false
  }

  private let state = Locked(State())

  package init() {}

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - first: What it is told at once; nil for nothing.
  ///   - number: The last value that it need not be told.
  /// - Returns: What it is told.
  package func listen(first: Reading?, since number: UInt64? = nil) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = Listener(
        continuation: continuation, number: number, isDue: first != nil)
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
    }
    if let first { deliver(first) }
    return stream
  }

  /// Tells every listener.
  package func tell(_ read: Reading) {
    state.withLock { state in
      for id in state.listeners.keys { state.listeners[id]?.isDue = true }
    }
    deliver(read)
  }

  private func deliver(_ read: Reading) {
    let isFirst = state.withLock { state in
      defer { state.isTelling = true }
      return !state.isTelling
    }
    guard isFirst else { return }
    while let due = takeDue() {
      let (value, number) = read()
      for continuation in take(due, number) { continuation.yield(value) }
    }
  }

  /// Those who are to be told something; nil where nobody is.
  ///
  /// They are due no more before the value is read: whoever changes it after that has them due
  /// anew.
  private func takeDue() -> [UInt64]? {
    state.withLock { state in
      let due = state.listeners.filter(\.value.isDue).map(\.key)
      for id in due { state.listeners[id]?.isDue = false }
      state.isTelling = !due.isEmpty
      return due.isEmpty ? nil : due
    }
  }

  /// Those of them who were not told the value with this number.
  private func take(_ due: [UInt64], _ number: UInt64) -> [AsyncStream<Value>.Continuation] {
    state.withLock { state in
      due.compactMap { id in
        guard let listener = state.listeners[id], listener.number != number else { return nil }
        state.listeners[id]?.number = number
        return listener.continuation
      }
    }
  }

  package func finish() {
    let listeners = state.withLock { state in
      state.isEnded = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.continuation.finish() }
  }
}
