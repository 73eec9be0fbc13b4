// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What an earlier attempt may have done is not forgotten, whatever ends the call.
@Suite struct EarlierDoubtTests {
  private let clock = ManualClock()
  private let patience = ManualClock()
  private let recorder = EventRecorder()

  private struct Plain: Error {}

  /// An app's own error for a service that asks to wait.
  private struct TooMany: AppErrorConvertible {
    var appError: AppError {
      AppError(
        code: "shop.too-many", kind: .throttled, disposition: .throttled(retryAfter: .seconds(30)),
        title: "Too many orders", message: "Try again in half a minute.")
    }
  }

  private static let unknown = AppError.http(status: 500, isRepeatable: false)

  /// What a call under a key ends with whose first attempt leaves the outcome unknown, and whose
  /// second one is on its way when its deadline passes.
  private func error(of policy: some Policy, deadline: Duration) async -> AppError? {
    let attempts = Log()
    let call = Task {
      try await IdempotencyKey().active {
        try await policy.run {
          attempts.add("sent")
          if attempts.lines.count == 1 { throw Self.unknown }
          try await untilCancelled(patience)
        }
      }
    }
    await patience.sleepers(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: deadline)
    return await #expect(throws: AppError.self) { try await call.value }
  }

  @Test func `a deadline that ends a later attempt hides no earlier one`() async {
    let error = await error(
      of: Pipeline("pay") {
        Deadline(.seconds(10), clock: clock)
        Retry(backoff: .none, clock: clock, observer: recorder)
      }, deadline: .seconds(10))
    #expect(error?.httpStatus == 500 && error?.disposition == .unknownOutcome)
    #expect(error?.metadata["retry.attempts"] == "2")
    #expect(recorder.gaveUpReasons == [.deadlineTooClose])
  }

  @Test func `a deadline of a pipeline around hides no earlier attempt of the one inside`() async {
    // Which of the two alarms rings first is up to chance.
    for _ in 0..<50 {
      let inner = Pipeline("pay") {
        Retry(backoff: .none, clock: clock)
        Timeout(.seconds(60), clock: clock)
      }
      let error = await error(
        of: Pipeline("request") {
          Deadline(.seconds(10), clock: clock)
          Trace("between")
          inner
        }, deadline: .seconds(10))
      #expect(error?.httpStatus == 500 && error?.disposition == .unknownOutcome)
    }
  }

  @Test func `a deadline that ends a later copy hides no earlier one`() async {
    let hedge = Hedge(
      after: .fixed(.seconds(1)), safety: .safeToRepeat, budget: .unlimited, clock: clock)
    let (copies, patience) = (Log(), patience)
    let deadline = Deadline(.seconds(10), clock: clock)
    let call = Task {
      try await deadline.run {
        try await hedge.runSendable {
          copies.add("sent")
          if copies.lines.count == 1 { throw Self.unknown }
          try await untilCancelled(patience)
        }
      }
    }
    await patience.sleepers(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.httpStatus == 500 && error?.disposition == .unknownOutcome)
  }

  @Test func `a caller that gives up hears of nothing else`() async {
    let retry = Retry(backoff: .none, clock: clock, observer: recorder)
    let attempts = Log()
    let call = Task {
      try await IdempotencyKey().active {
        try await retry.run {
          attempts.add("sent")
          if attempts.lines.count == 1 { throw Self.unknown }
          try await untilCancelled(patience)
        }
      }
    }
    await patience.sleepers(atLeast: 1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(recorder.gaveUpReasons == [.cancelled])
  }

  @Test func `an error that nobody has classified hides no unknown outcome`() async {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    var errors: [any Error] = [Self.unknown, Plain()]
    let error = await #expect(throws: AppError.self) {
      try await IdempotencyKey().active { try await retry.run { throw errors.removeFirst() } }
    }
    #expect(error?.disposition == .unknownOutcome)
    // What may be repeated does not take the place of an error that may be an answer.
    errors = [AppError.timeout(), Plain()]
    await #expect(throws: Plain.self) { try await retry.run { throw errors.removeFirst() } }
  }

  @Test func `how long the service asked to wait is not lost with an error of another type`()
    async
  {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    var errors: [any Error] = [AppError.timeout(), TooMany()]
    let retried = await #expect(throws: AppError.self) {
      try await retry.run { throw errors.removeFirst() }
    }
    let hedge = Hedge(
      after: .fixed(.seconds(1)), safety: .safeToRepeat, budget: .unlimited, clock: clock)
    let copies = Log()
    let hedged = await #expect(throws: AppError.self) {
      try await hedge.runSendable {
        copies.add("sent")
        if copies.lines.count == 1 { throw AppError.timeout() }
        throw TooMany()
      }
    }
    for error in [retried, hedged] {
      #expect(error?.disposition == .throttled(retryAfter: .seconds(30)))
      #expect(error?.metadata["http.sent"] == "maybe")
      #expect(error?.cause(as: TooMany.self) != nil)
    }
  }
}
