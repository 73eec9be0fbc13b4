// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What was sent and what was answered, written down by all clients.
final class Recorder: Sendable {
  private struct State {
    var posts: [Post] = []
    var items: [Int: String] = [:]
    var accepted = 0
    var finished = 0
    var underWay = 0
  }

  private let state = Locked(State())

  /// A post is sent.
  func begin() { state.withLock { $0.underWay += 1 } }

  /// Writes the post down that was sent.
  ///
  /// All posts for one thing come from one client, one after the other, so their order is kept.
  func add(_ post: Post) {
    state.withLock { state in
      state.posts.append(post)
      state.underWay -= 1
      guard let id = post.acceptedID else { return }
      state.accepted += 1
      state.items[post.item] = id
    }
  }

  /// A client is through with an action.
  func finish() { state.withLock { $0.finished += 1 } }

  var posts: [Post] { state.withLock { $0.posts } }

  /// How many posts were accepted.
  var accepted: Int { state.withLock { $0.accepted } }

  /// Whether a post waits for its answer.
  var isUnderWay: Bool { state.withLock { $0.underWay > 0 } }

  /// How many actions are over.
  var finished: Int { state.withLock { $0.finished } }

  /// The item that a thing became; nil while no scan of it was answered.
  func id(of item: Int) -> String? { state.withLock { $0.items[item] } }
}
