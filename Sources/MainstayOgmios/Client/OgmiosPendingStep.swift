// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// A question for the next block whose answer nobody has taken yet.
///
/// Whoever waits for it may leave: the server answers it in any case, and goes on by that. So the
/// next one who asks on the same connection takes that answer, and no block is lost.
final class OgmiosPendingStep: Sendable {
  private struct State {
    var number: UInt64 = 0
    var task: Task<JSONValue, any Error>?
  }

  private let state = Locked(State())

  /// The question that is on its way, or a new one.
  ///
  /// - Parameter ask: Asks.
  /// - Returns: Its number, and what waits for its answer.
  func current(
    _ ask: @escaping @Sendable () async throws -> JSONValue
  ) -> (number: UInt64, answer: Task<JSONValue, any Error>) {
    state.withLock { state in
      if let task = state.task { return (state.number, task) }
      state.number += 1
      let number = state.number
      // Not with the time limits of the first who asks: others wait for it as well.
      let task = Task.detached {
        do {
          return try await ask()
        } catch {
          self.taken(number)
          throw error
        }
      }
      state.task = task
      return (number, task)
    }
  }

  /// The answer was taken, or there is none.
  func taken(_ number: UInt64) {
    state.withLock { if $0.number == number { $0.task = nil } }
  }

  /// Nobody wants the answer any more.
  func drop() {
    let task = state.withLock { state in
      defer { state.task = nil }
      return state.task
    }
    task?.cancel()
  }
}
