// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What may have had its effect is told as such, whichever limit ends it.
@Suite(.requirement("P25")) struct UnknownOutcomeLimitTests {
  private let clock = ManualClock()
  private let patience = ManualClock()

  private var deadline: Deadline { Deadline(.seconds(3), clock: clock) }
  private var payment: Timeout {
    Timeout(.seconds(10), disposition: .unknownOutcome, name: "pay", clock: clock)
  }

  /// What a call ends with when three seconds pass while it is on its way.
  private func error(of policy: some Policy) async -> TimedOut? {
    let call = Task { try await policy.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    return await #expect(throws: TimedOut.self) { try await call.value }
  }

  @Test func `a deadline directly around ends a call whose outcome is unknown`() async {
    let error = await error(
      of: Pipeline("pay") {
        deadline
        payment
      })
    #expect(error?.scope == .total && error?.disposition == .unknownOutcome)
  }

  @Test func `a deadline around a retry ends a call whose outcome is unknown`() async {
    let error = await error(
      of: Pipeline("pay") {
        deadline
        Retry(clock: clock)
        payment
      })
    #expect(error?.scope == .total && error?.disposition == .unknownOutcome)
  }

  @Test func `a pipeline around another one ends a call whose outcome is unknown`() async {
    // Which of the two alarms rings first is up to chance.
    for _ in 0..<50 {
      let inner = Pipeline("pay") { payment }
      let error = await error(
        of: Pipeline("request") {
          deadline
          Trace("between")
          inner
        })
      #expect(error?.scope == .total && error?.disposition == .unknownOutcome)
    }
  }

  @Test func `a limit of another clock ends a call whose outcome is unknown`() async {
    let slow = Timeout(.seconds(86_400), disposition: .unknownOutcome)
    let error = await error(
      of: Pipeline("request") {
        deadline
        Trace("between")
        Pipeline("pay") { slow }
      })
    #expect(error?.scope == .total && error?.disposition == .unknownOutcome)
  }

  @Test func `a call that was given up by its caller's deadline may have had its effect`() async {
    for _ in 0..<50 {
      let slow = Timeout.Abandoning(.seconds(86_400))
      let gate = BreakerBench.Gate()
      let deadline = deadline
      let call = Task {
        try await deadline.run { try await slow.runSendable { await gate.pass() } }
      }
      await clock.sleepers(atLeast: 1)
      await gate.arrivals(atLeast: 1)
      clock.advance(by: .seconds(3))
      let error = await #expect(throws: TimedOut.self) { try await call.value }
      #expect(error?.scope == .total && error?.disposition == .unknownOutcome)
      #expect(slow.stillRunning == 1)
      gate.open()
    }
  }

  @Test func `a payment is not sent a second time by a retry around the deadline`() async {
    let sent = Log()
    let pipeline = Pipeline("request") {
      Retry(backoff: .none, clock: clock)
      Trace("between")
      Pipeline("pay") {
        deadline
        payment
      }
    }
    let call = Task {
      try await pipeline.run {
        sent.add("sent")
        if sent.lines.count == 1 { try await untilCancelled(patience) }
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    await #expect(throws: TimedOut.self) { try await call.value }
    #expect(sent.lines == ["sent"])
  }

  @Test func `what is safe to repeat stays so`() async {
    let error = await error(
      of: Pipeline("read") {
        deadline
        Timeout(.seconds(10), clock: clock)
      })
    #expect(error?.disposition == .transient())
  }

  @Test func `a deadline that passes after a call has ended says nothing about that call`() async {
    let (deadline, payment) = (deadline, payment)
    let call = Task {
      try await deadline.run {
        try await payment.run {}
        try await untilCancelled(patience)
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: TimedOut.self) { try await call.value }
    #expect(error?.disposition == .transient())
  }
}
