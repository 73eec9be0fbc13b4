// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A call that is tried again does not forget that an earlier attempt may have had its effect.
@Suite struct RetryUnknownOutcomeTests {
  private let clock = ManualClock()
  private let patience = ManualClock()
  /// A connection that was lost when the request may have been sent.
  private let lost = AppError.offline().adding(metadata: ["http.sent": "maybe"])

  @Test func `a refusal does not hide that an earlier attempt may have had its effect`() async {
    let recorder = EventRecorder()
    let breaker = CircuitBreaker("pay", .consecutiveFailures(1), clock: clock)
    let pipeline = Pipeline("pay") {
      Retry(backoff: .none, clock: clock, observer: recorder)
      breaker
      Timeout(.seconds(1), disposition: .unknownOutcome, clock: clock)
    }
    let call = Task {
      try await IdempotencyKey().active {
        try await pipeline.run { try await untilCancelled(patience) }
      }
    }
    await clock.sleepers(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimedOut.self) { try await call.value }
    #expect(error?.disposition == .unknownOutcome)
    let log = recorder.events.last?.attempts?.entries.map(\.outcome)
    #expect(log == ["timedOut.attempt", "rejected.circuitOpen"])
  }

  @Test(arguments: [(503, 500), (429, 500), (404, 404), (401, 401)])
  func `of later failures only an answer that will not change is told in its place`(
    later: Int, told: Int
  ) async {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    var errors = [
      AppError.http(status: 500, isRepeatable: false), .http(status: later, isRepeatable: true),
    ]
    let error = await #expect(throws: AppError.self) {
      try await IdempotencyKey().active { try await retry.run { throw errors.removeFirst() } }
    }
    #expect(error?.httpStatus == told)
    #expect(error?.metadata["retry.attempts"] == "2")
    #expect(error?.metadata["retry.log"]?.contains("2 http.\(later), ") == true)
    if told == later { #expect(error?.metadata["http.sent"] == "maybe", "it says so all the same") }
  }

  @Test func `an answer of the app's own stays as it is, and its work learns of the doubt`() async {
    let answer = AppError.validation("Too many", field: "/count")
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    for (first, isInDoubt) in [(lost, true), (.offline(), false)] {
      var errors = [first, answer]
      let use = NetworkUse()
      let error = await #expect(throws: AppError.self) {
        try await use.during { try await retry.run { throw errors.removeFirst() } }
      }
      #expect(error?.id == answer.id && error?.metadata["http.sent"] == nil)
      #expect(use.isInDoubt == isInDoubt)
    }
  }

  @Test func `of several attempts that leave it unknown the first is told`() async {
    let retry = Retry(maximumAttempts: 4, backoff: .none, budget: .unlimited)
    var errors = [
      AppError.http(status: 503, isRepeatable: true), .http(status: 500, isRepeatable: false),
      .http(status: 502, isRepeatable: false), .http(status: 503, isRepeatable: true),
    ]
    let error = await #expect(throws: AppError.self) {
      try await IdempotencyKey().active { try await retry.run { throw errors.removeFirst() } }
    }
    #expect(error?.httpStatus == 500 && error?.disposition == .unknownOutcome)
  }

  @Test(arguments: [AppError.offline(), .http(status: 503, isRepeatable: true), .http(status: 429)])
  func `an attempt that may have been sent is told with the error of a later one`(
    _ later: AppError
  ) async {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    for first in [lost, .timeout()] {
      var errors: [any Error] = [first, later.adding(metadata: ["http.sent": "no"])]
      let error = await #expect(throws: AppError.self) {
        try await retry.run { throw errors.removeFirst() }
      }
      #expect(error?.metadata["http.sent"] == "maybe")
      #expect(error?.id == later.id && error?.disposition == later.disposition)
    }
  }

  @Test(
    arguments: [
      POSIXError(.ECONNREFUSED), Rejection(policy: "pay", reason: .bulkheadFull),
    ] as [any Error])
  func `an error without a place for that gives way to the earlier one`(
    _ later: any Error
  ) async {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    var errors: [any Error] = [lost, later]
    let error = await #expect(throws: AppError.self) {
      try await retry.run { throw errors.removeFirst() }
    }
    #expect(error?.id == lost.id)
  }

  @Test func `of attempts that were not sent, or were answered, the last is told as it is`() async {
    let retry = Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited)
    var errors: [any Error] = [
      POSIXError(.ECONNREFUSED), AppError.http(status: 503, isRepeatable: true),
      AppError.offline().adding(metadata: ["http.sent": "no"]),
    ]
    let error = await #expect(throws: AppError.self) {
      try await retry.run { throw errors.removeFirst() }
    }
    #expect(error?.metadata["http.sent"] == "no")
  }

  @Test func `a copy that may have been sent is told with the error of another one`() async {
    for isFirst in [true, false] {
      let hedge = Hedge(
        after: .fixed(.seconds(1)), maximumCopies: 2, safety: .safeToRepeat, budget: .unlimited,
        clock: clock)
      let lost = AppError.timeout()
      let unsent = AppError.offline().adding(metadata: ["http.sent": "no"])
      let errors = Locked(isFirst ? [lost, unsent] : [unsent, lost])
      let error = await #expect(throws: AppError.self) {
        try await hedge.runSendable { throw errors.withLock { $0.removeFirst() } }
      }
      #expect(error?.metadata["http.sent"] == (isFirst ? nil : "maybe"))
      #expect(error?.id == (isFirst ? lost : unsent).id)
    }
  }

  @Test func `a cancellation stays one`() async {
    let retry = Retry(backoff: .none, budget: .unlimited)
    var errors: [any Error] = [
      AppError.http(status: 500, isRepeatable: false), CancellationError(),
    ]
    await #expect(throws: CancellationError.self) {
      try await IdempotencyKey().active { try await retry.run { throw errors.removeFirst() } }
    }
  }
}
