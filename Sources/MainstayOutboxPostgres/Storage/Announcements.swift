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
    /// Whether one is on its way.
    var isUnderWay = false
    /// Whether those who wait for nothing are to hear of it, too.
    var isForAll = false
  }

  private let state = Locked(State())

  /// Whether something was asked for and is not sent yet, or has just been sent.
  var isBusy: Bool { state.withLock(\.isSending) }

  /// Tells the others, or all of them; false where somebody else has just done so, and what is to
  /// be told may have come after that.
  typealias Send = @Sendable (_ isForAll: Bool) async -> Bool

  /// Asks for an announcement; never waits.
  ///
  /// - Parameters:
  ///   - isForAll: Whether those are to hear of it, too, who have all hands full.
  ///   - send: Tells the others.
  func announce(toAll isForAll: Bool, _ send: @escaping Send) {
    let mustSend = state.withLock { state in
      state.isWanted = true
      if isForAll { state.isForAll = true }
      defer { state.isSending = true }
      return !state.isSending
    }
    if mustSend { Task { await run(send) } }
  }

  /// Sends what was asked for and is not sent yet: nobody else will any more.
  ///
  /// - Parameter send: Tells the others; one that somebody else keeps from it is asked again, but
  ///   not for long, since they tell of it by then.
  func finish(_ send: Send) async {
    let timeline = Timeline.live
    for _ in 0..<5 {
      let isForAll: Bool? = state.withLock { state in
        state.isWanted || state.isUnderWay ? state.isForAll : nil
      }
      guard let isForAll, await !send(isForAll) else { return }
      try? await timeline.sleep(until: timeline.now + Self.pause)
    }
  }

  private func run(_ send: Send) async {
    let timeline = Timeline.live
    while true {
      let (isMore, isForAll) = state.withLock { state in
        defer { state.isWanted = false }
        state.isSending = state.isWanted
        state.isUnderWay = state.isWanted
        return (state.isWanted, state.isForAll)
      }
      guard isMore else { return }
      let isSent = await send(isForAll)
      state.withLock { state in
        state.isUnderWay = false
        if !isSent { state.isWanted = true }
        // What was asked for meanwhile may be for all.
        if !state.isWanted { state.isForAll = false }
      }
      try? await timeline.sleep(until: timeline.now + Self.pause)
    }
  }
}

extension PostgresStore {
  /// Tells waiting processes that there may be something to do.
  ///
  /// It is a hint: they look for themselves from time to time.
  ///
  /// - Parameter isForAll: Whether those are told, too, that wait for nothing, as where something
  ///   that runs is to be stopped; the default is false.
  func announce(toAll isForAll: Bool = false) {
    guard let asker = try? owner else { return }
    announcements.announce(toAll: isForAll) { [weak self] isForAll in
      guard let self else { return true }
      // While it is being closed it has no number any more, and what it has done is told still.
      return await tell(as: (try? owner) ?? asker, toAll: isForAll)
    }
  }

  /// Whether something is still to be told.
  package var isTelling: Bool { announcements.isBusy }

  /// Tells them what they were not told yet, before this process leaves.
  func announceRest(as owner: Int64) async {
    await announcements.finish { await self.tell(as: owner, toAll: $0) }
  }

  private func tell(as owner: Int64, toAll isForAll: Bool) async -> Bool {
    let text =
      isForAll
      ? """
      SELECT CASE WHEN mainstay.may_tell()
        THEN (SELECT true FROM pg_notify('mainstay.wake', '')) ELSE false END
      """ : "SELECT mainstay.wake($1)"
    let rows = try? await run(text, isForAll ? [] : [.int(owner)])
    // mainstay:ignore MS204 -- a hint that is lost costs a second at most
    return (try? rows?.first?.bool(0)) ?? true
  }
}
