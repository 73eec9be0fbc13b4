// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// Which questions were answered: each is answered once, however often its form is sent.
///
/// It knows the latest ones of this process. What keeps an older form from doing more than it says
/// is that it names all that it is about.
final class AnsweredQuestions: Sendable {
  /// How many are remembered.
  static let capacity = 1_000

  private struct State {
    var known: Set<UUID> = []
    /// In the order of their answers, round and round.
    var order: [UUID] = []
    var oldest = 0
  }

  private let state = Locked(State())

  /// Remembers that a question is answered.
  ///
  /// - Returns: Whether it was not before.
  func answer(_ question: UUID) -> Bool {
    state.withLock { state in
      guard state.known.insert(question).inserted else { return false }
      guard state.order.count == Self.capacity else {
        state.order.append(question)
        return true
      }
      state.known.remove(state.order[state.oldest])
      state.order[state.oldest] = question
      state.oldest = (state.oldest + 1) % Self.capacity
      return true
    }
  }
}
