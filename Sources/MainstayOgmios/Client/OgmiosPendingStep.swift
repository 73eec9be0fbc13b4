// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// A question for a view of the mempool whose answer nobody has taken yet.
///
/// Whoever waits for it may leave: the server answers it in any case, and goes on by that. So the
/// next one who asks on the same connection takes that answer.
final class OgmiosPendingStep: Sendable {
  private struct State {
    var number: UInt64 = 0
    var task: Task<JSONValue, any Error>?
    var isAnswered = false
  }

  /// How far it is.
  enum Standing: Sendable, Hashable {
    /// There is no question, or its answer was taken.
    case none
    case asked, answered
  }

  /// How long the question itself waits: the server goes on by its answer, whenever that comes.
  ///
  /// A connection that says nothing is noticed by its pings.
  static let patience = Duration.seconds(365 * 86_400)

  private let state = Locked(State())

  var standing: Standing {
    state.withLock { $0.task == nil ? .none : $0.isAnswered ? .answered : .asked }
  }

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
      state.isAnswered = false
      let number = state.number
      // Not with the time limits of the first who asks: others wait for it as well.
      let task = Task.detached {
        do {
          let answer = try await ask()
          self.answered(number)
          return answer
        } catch {
          _ = self.taken(number)
          throw error
        }
      }
      state.task = task
      return (number, task)
    }
  }

  private func answered(_ number: UInt64) {
    state.withLock { if $0.number == number { $0.isAnswered = true } }
  }

  /// The answer was taken, or there is none.
  ///
  /// - Parameter number: The number of the question.
  /// - Returns: Whether the answer was still wanted.
  func taken(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.number == number, state.task != nil else { return false }
      state.task = nil
      return true
    }
  }

  /// An answer that is there came over a connection that is gone, so nobody wants it; a question
  /// that waits for the next connection goes on.
  func connectionChanged() {
    state.withLock { if $0.isAnswered { $0.task = nil } }
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
