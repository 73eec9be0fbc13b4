// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// An answer that one caller waits for; the first one counts.
final class Reply<Value: Sendable>: Sendable {
  private enum State {
    case open(CheckedContinuation<Value, Never>?)
    case given(Value)
  }

  private let state = Locked(State.open(nil))

  /// Answers.
  func give(_ value: Value) {
    let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
      guard case .open(let continuation) = state else { return nil }
      state = .given(value)
      return continuation
    }
    continuation?.resume(returning: value)
  }

  /// The answer, on the caller's actor.
  func value(isolation: isolated (any Actor)? = #isolation) async -> Value {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let value: Value? = state.withLock { state in
        if case .given(let value) = state { return value }
        state = .open(continuation)
        return nil
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}
