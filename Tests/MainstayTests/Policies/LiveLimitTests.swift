// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Time limits whose settings change while they stand in pipelines (P37).
@Suite(.requirement("P37")) struct LiveLimitTests {
  private let clock = ManualClock()
  private let patience = ManualClock()
  private let recorder = EventRecorder()

  /// What an operation that never ends by itself gets after so many seconds.
  private func end(of policy: some Policy, after seconds: Int) async -> TimedOut? {
    let result = Task { try await policy.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(seconds) - .nanoseconds(1))
    #expect(clock.sleeperCount == 1, "it ended too early")
    clock.advance(by: .nanoseconds(1))
    return await #expect(throws: TimedOut.self) { try await result.value }
  }

  @Test func `a limit follows its settings, also where a pipeline has named it`() async throws {
    let timeout = Timeout(.seconds(10), clock: clock, observer: recorder)
    let pipeline = Pipeline("catalog") { timeout }
    #expect(
      timeout.configuration == .init(limit: .seconds(10), leavesOutcomeUnknown: false))
    try timeout.update(.init(limit: .seconds(2)))
    let error = await end(of: pipeline, after: 2)
    #expect(error?.policy == "catalog" && error?.limit == .seconds(2))
    #expect(recorder.names == ["settingsChanged", "timedOut"])
    #expect(pipeline.explain().longestTime == .seconds(2))
  }

  @Test func `what settings leave open is what the policy says by itself`() throws {
    let said = Timeout.Configuration(limit: .seconds(1), leavesOutcomeUnknown: false)
    let abandoning = try Timeout.Abandoning(validating: said)
    #expect(abandoning.configuration == said)
    try abandoning.update(.init(limit: .seconds(1)))
    #expect(abandoning.configuration.leavesOutcomeUnknown == true)
    let unknown = Timeout.Configuration(limit: .seconds(1), leavesOutcomeUnknown: true)
    let (timeout, deadline) = (try Timeout(validating: unknown), try Deadline(validating: unknown))
    try timeout.update(.init(limit: .seconds(1)))
    try deadline.update(.init(limit: .seconds(1)))
    #expect(timeout.configuration.leavesOutcomeUnknown == false)
    #expect(deadline.configuration.leavesOutcomeUnknown == false)
  }

  @Test func `a call that runs ends when it was to end, and says by which limit`() async throws {
    let timeout = Timeout(.seconds(10), clock: clock)
    let result = Task { try await timeout.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    try timeout.update(.init(limit: .seconds(2)))
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.limit == .seconds(10))
  }

  @Test func `of limits that share a child task the one counts that is shortest now`() async throws
  {
    let deadline = Deadline(.seconds(5), name: "outer", clock: clock)
    let timeout = Timeout(.seconds(10), name: "inner", clock: clock)
    let pipeline = Pipeline("catalog") {
      deadline
      timeout
    }
    try deadline.update(.init(limit: .seconds(30)))
    #expect(await end(of: pipeline, after: 10)?.policy == "inner")
    try deadline.update(.init(limit: .seconds(10)))
    #expect(await end(of: pipeline, after: 10)?.policy == "inner", "alike, the inner one")
    try deadline.update(.init(limit: .seconds(9)))
    #expect(await end(of: pipeline, after: 9)?.policy == "outer")
  }

  @Test func `whether the outcome is known follows the settings`() async throws {
    let timeout = Timeout(
      .seconds(2), disposition: .transient(retryAfter: .seconds(7)), clock: clock)
    try timeout.update(.init(limit: .seconds(1)))
    let kept = await end(of: timeout, after: 1)
    #expect(kept?.disposition == .transient(retryAfter: .seconds(7)), "what the code says stays")
    try timeout.update(.init(limit: .seconds(1), leavesOutcomeUnknown: true))
    #expect(timeout.configuration.leavesOutcomeUnknown == true)
    #expect(await end(of: timeout, after: 1)?.disposition == .unknownOutcome)
    try timeout.update(.init(limit: .seconds(1)))
    #expect(await end(of: timeout, after: 1)?.disposition == .transient())
  }

  @Test func `an attempt that is given up follows them, too`() async throws {
    let limit = Timeout.Abandoning(.seconds(9), clock: clock)
    let pipeline = Pipeline("report") { limit }
    try limit.update(.init(limit: .seconds(1), leavesOutcomeUnknown: true))
    let patience = patience
    let result = Task { try await pipeline.run { @Sendable in try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.limit == .seconds(1) && error?.disposition == .unknownOutcome)
  }

  @Test(.requirement("P18")) func `settings at the edge are cut, and those that are none refused`()
    throws
  {
    let timeout = Timeout(.seconds(1))
    try timeout.update(.init(limit: .seconds(1e12)))
    #expect(timeout.configuration.limit == .seconds(365 * 86_400))
    try timeout.update(.init(limit: Duration(secondsComponent: 0, attosecondsComponent: 1)))
    #expect(timeout.configuration.limit == .nanoseconds(1))
    let deadline = Deadline(.seconds(1))
    for limit in [Duration.zero, .seconds(-1)] {
      let error = #expect(throws: ConfigurationError.self) {
        try deadline.update(.init(limit: limit))
      }
      #expect(error?.subject == "Deadline" && error?.violations.map(\.option) == ["limit"])
      #expect(throws: ConfigurationError.self) { try timeout.update(.init(limit: limit)) }
    }
    #expect(deadline.configuration.limit == .seconds(1))
  }
}
