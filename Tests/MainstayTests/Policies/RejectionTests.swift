// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

/// What a person reads where a policy refused.
@Suite struct RejectionTests {
  private static let reasons: [(Rejection.Reason, title: String)] = [
    (.circuitOpen, "The service is taking a break"),
    (.circuitProbing, "The service is taking a break"),
    (.circuitIsolated, "The service is taking a break"),
    (.bulkheadFull, "Too much at once"),
    (.waitedTooLong, "It was not its turn in time"),
    (.rateLimited, "Too often in a short time"),
    (.costTooHigh, "Too much at once"),
    (.limitReached, "The service is busy"),
    (.throttled, "The service is overloaded"),
    (.coolingDown, "The service asked to slow down"),
    (.deadlineTooClose, "There was no time left"),
    (.foreignError, "Something went wrong"),
    (Rejection.Reason("myOwn"), "This was not tried"),
  ]

  @Test(arguments: reasons)
  func `each reason has a text that is true of it`(reason: Rejection.Reason, title: String) {
    let error = Rejection(policy: "catalog", reason: reason).appError
    #expect(error.title.description == title)
    #expect(!error.message.isBlank)
    #expect(error.suggestion?.isBlank == false)
    #expect(error.kind == (reason == .deadlineTooClose ? .timeout : .rejected))
    #expect(error.disposition == .rejected())
    #expect(error.details == "catalog refused: \(reason.rawValue)")
    // Only a breaker knows of problems of the service.
    let blamesService = error.message.description.contains("problems")
    #expect(blamesService == reason.rawValue.hasPrefix("circuit"))
  }

  @Test(arguments: reasons) func `where the time is known, it is said`(
    reason: Rejection.Reason, title: String
  ) {
    guard reason != .costTooHigh else { return }
    let without = Rejection(policy: "catalog", reason: reason).appError
    let with = Rejection(policy: "catalog", reason: reason, retryAfter: .seconds(90)).appError
    #expect(with.suggestion?.arguments == [.duration(.seconds(90))])
    #expect(with.disposition == .rejected(retryAfter: .seconds(90)))
    // A text with an argument has a key of its own, the code is the same.
    #expect(with.suggestion?.key != without.suggestion?.key)
    #expect(with.code == without.code)
    let now = Rejection(policy: "catalog", reason: reason, retryAfter: .zero).appError
    #expect(now.suggestion == without.suggestion)
  }

  @Test func `texts that differ have keys that differ`() {
    let errors = Self.reasons.map { Rejection(policy: "catalog", reason: $0.0).appError }
    let keys = Set(errors.map(\.message.key))
    #expect(keys.count == Set(errors.map(\.message.description)).count)
  }
}
