// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Waits by the clock of the system that are cancelled: they must leave nothing behind.
@Suite(.ends(withinMinutes: 2)) struct CancelledWaitTests {
  /// Which alarms of the clock of the system are due in about so many seconds, a number that
  /// nobody else uses.
  private func alarms(in seconds: Int) -> Int {
    Timeline.live.alarms.waits.count { $0 > .seconds(seconds - 3_600) && $0 <= .seconds(seconds) }
  }

  @Test func `a backoff that is cancelled leaves no sleeper`() async {
    let seconds = 7_654_321
    let retry = Retry(maximumAttempts: 2, backoff: .constant(.seconds(seconds), jitter: .none))
    let call = Task { try await retry.run { throw BreakerBench.down } }
    while alarms(in: seconds) == 0, !Task.isCancelled { await Task.yield() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(alarms(in: seconds) == 0)
  }

  @Test func `a sleep whose time has passed ends`() async throws {
    let timeline = Timeline.live
    try await timeline.sleep(until: timeline.now - .seconds(1))
  }

  @Test func `a sleep of a task that was cancelled before does not begin`() async {
    let sleep = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Timeline.live.sleep(until: Timeline.live.now + .seconds(1_000))
    }
    await #expect(throws: CancellationError.self) { try await sleep.value }
  }
}
