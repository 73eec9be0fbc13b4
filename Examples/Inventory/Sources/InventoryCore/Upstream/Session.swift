// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Signs in again after the service has refused who asks: once, however many requests it refused.
///
/// Each request carries the number of the session that it was sent in. A refusal of an earlier
/// session says nothing about the present one, and one of a session that could not be renewed does
/// not try it again.
final class Session: Sendable {
  private struct State {
    var number = 1
    var running: Task<Bool, Never>?
    var isGivenUp = false
  }

  private let refresh: (@Sendable () async throws -> Bool)?
  private let state = Locked(State())

  init(_ refresh: (@Sendable () async throws -> Bool)?) { self.refresh = refresh }

  /// What a request is sent in.
  var number: Int { state.withLock(\.number) }

  /// The service refused a request of this session.
  ///
  /// - Returns: Whether there is a newer session by now.
  func renew(_ number: Int) async -> Bool {
    guard let refresh else { return false }
    let task = state.withLock { state -> Task<Bool, Never>? in
      guard state.number == number, !state.isGivenUp else { return nil }
      if let running = state.running { return running }
      let task = Task {
        // mainstay:ignore MS204 -- who asks is told that it failed
        let isRenewed = (try? await refresh()) ?? false
        self.ended(isRenewed)
        return isRenewed
      }
      state.running = task
      return task
    }
    guard let task else { return self.number != number }
    return await task.value
  }

  /// Somebody has done something, so it may be tried again.
  func allowAgain() { state.withLock { $0.isGivenUp = false } }

  private func ended(_ isRenewed: Bool) {
    state.withLock { state in
      state.running = nil
      state.isGivenUp = !isRenewed
      if isRenewed { state.number += 1 }
    }
  }
}

extension AppError {
  private static let session = "upstream.session"

  /// The session in which the service refused who asks; nil for other errors.
  var refusedSession: Int? {
    httpStatus == 401 ? metadata[Self.session].flatMap(Int.init) : nil
  }

  func inSession(_ number: Int) -> AppError {
    adding(metadata: [Self.session: String(number)])
  }
}
