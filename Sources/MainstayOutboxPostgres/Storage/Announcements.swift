// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

/// Collects what other processes are told: that there is something to do, and nothing else.
///
/// One announcement stands for all that came before it, and none follows another at once.
final class Announcements: Sendable {
  /// The least time between two of them.
  static let pause = Duration.milliseconds(60)

  private struct State {
    var isWanted = false
    var isSending = false
  }

  private let state = Locked(State())

  /// Asks for an announcement; never waits.
  ///
  /// - Parameter send: Tells the others; false where somebody else has just done so, and what is
  ///   to be told may have come after that.
  func announce(_ send: @escaping @Sendable () async -> Bool) {
    let mustSend = state.withLock { state in
      state.isWanted = true
      defer { state.isSending = true }
      return !state.isSending
    }
    if mustSend { Task { await run(send) } }
  }

  private func run(_ send: @Sendable () async -> Bool) async {
    let timeline = Timeline.live
    while true {
      let isMore = state.withLock { state in
        defer { state.isWanted = false }
        state.isSending = state.isWanted
        return state.isWanted
      }
      guard isMore else { return }
      if await !send() { state.withLock { $0.isWanted = true } }
      try? await timeline.sleep(until: timeline.now + Self.pause)
    }
  }
}

extension PostgresStore {
  /// Tells waiting processes that there may be something to do.
  ///
  /// It is a hint: they look for themselves from time to time.
  func announce() {
    announcements.announce { [weak self] in
      guard let self, let owner = try? owner else { return true }
      let rows = try? await run("SELECT mainstay.wake($1)", [.int(owner)])
      // mainstay:ignore MS204 -- a hint that is lost costs a second at most
      return (try? rows?.first?.bool(0)) ?? true
    }
  }
}
