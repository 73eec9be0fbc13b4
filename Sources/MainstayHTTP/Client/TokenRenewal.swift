// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// A question for a token, and those who wait for what it says.
///
/// The question itself goes on to its end: what renews a token may do so once. Its waiting is over
/// earlier where somebody has signed in, or out, meanwhile.
final class TokenRenewal: Sendable {
  private typealias Waiter = CheckedContinuation<String?, any Error>

  private enum State {
    case asked([Waiter])
    case ended(Result<String?, any Error>)
  }

  private let state = Locked(State.asked([]))

  /// Ends the waiting, once: with a token, with the reason why there is none, or with nil where
  /// what was asked for is not wanted any more.
  func end(_ result: Result<String?, any Error>) {
    let waiters: [Waiter] = state.withLock { state in
      guard case .asked(let waiters) = state else { return [] }
      state = .ended(result)
      return waiters
    }
    for waiter in waiters { waiter.resume(with: result) }
  }

  /// The token; nil where somebody has signed in, or out, while it was waited for.
  func token() async throws -> String? {
    try await withCheckedThrowingContinuation { waiter in
      let result: Result<String?, any Error>? = state.withLock { state in
        switch state {
        case .ended(let result): return result
        case .asked(let waiters):
          state = .asked(waiters + [waiter])
          return nil
        }
      }
      if let result { waiter.resume(with: result) }
    }
  }
}
