// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Settings that come from outside: from JSON to a policy, or to a list of everything wrong.
@Suite(.requirement("P10", "P23", "T8")) struct PolicyConfigurationTests {
  private func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  private func options(_ error: ConfigurationError?) -> [String] {
    error?.violations.map(\.option) ?? []
  }

  @Test func `a retry says everything that is wrong at once`() throws {
    let settings = try decode(
      Retry.Configuration.self,
      """
      {"maximumAttempts": 0, "maximumServerDelay": -1, "maximumElapsed": 0,
       "backoff": {"growth": "exponential", "first": 2, "cap": 1, "factor": 0.5}}
      """)
    let error = #expect(throws: ConfigurationError.self) { try Retry(validating: settings) }
    #expect(
      options(error) == [
        "maximumAttempts", "backoff.cap", "backoff.factor", "maximumServerDelay", "maximumElapsed",
      ])
    #expect(error?.description.contains("maximumAttempts: 0 is not legal: it must be 1") == true)
    #expect(error?.appError.kind == .configuration)
  }

  @Test func `missing keys get their defaults, which are those of the literals`() throws {
    #expect(try decode(Retry.Configuration.self, "{}") == Retry.Configuration())
    let backoff = try Backoff(
      validating: decode(Backoff.Configuration.self, #"{"growth": "exponential"}"#))
    #expect(backoff == .exponential(from: .milliseconds(200), to: .seconds(20)))
    let linear = try Backoff(
      validating: decode(
        Backoff.Configuration.self, #"{"growth": "linear", "first": 1, "cap": 9, "step": 3}"#))
    #expect(linear == .linear(from: .seconds(1), by: .seconds(3), to: .seconds(9)))
    let constant = try Backoff(
      validating: decode(Backoff.Configuration.self, #"{"growth": "constant", "first": 3}"#))
    #expect(constant == .constant(.seconds(3)))
    let sums = try Backoff(
      validating: decode(
        Backoff.Configuration.self, #"{"growth": "fibonacci", "first": 1, "cap": 9}"#))
    #expect(sums == .fibonacci(from: .seconds(1), to: .seconds(9)))
  }

  @Test func `settings survive JSON`() throws {
    let retry = Retry.Configuration(
      maximumAttempts: 7,
      backoff: .init(.linear, first: .seconds(1), cap: .seconds(9), step: .seconds(2)),
      maximumServerDelay: .seconds(5), maximumElapsed: .seconds(90))
    #expect(
      try JSONDecoder().decode(
        Retry.Configuration.self, from: JSONEncoder().encode(retry)) == retry)
    let timeout = Timeout.Configuration(limit: .milliseconds(1_500), leavesOutcomeUnknown: true)
    #expect(
      try JSONDecoder().decode(
        Timeout.Configuration.self, from: JSONEncoder().encode(timeout)) == timeout)
  }

  @Test func `a retry goes by its settings`() async throws {
    let settings = try decode(
      Retry.Configuration.self,
      #"{"maximumAttempts": 2, "backoff": {"growth": "constant", "first": 0}}"#)
    let calls = Log()
    let retry = try Retry(validating: settings)
    await #expect(throws: AppError.self) {
      try await retry.run {
        calls.add("ran")
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    #expect(calls.lines.count == 2)
  }

  @Test func `limits need a span of time that is more than zero`() throws {
    for json in [#"{"limit": 0}"#, #"{"limit": -3}"#] {
      let settings = try decode(Timeout.Configuration.self, json)
      #expect(
        options(#expect(throws: ConfigurationError.self) { try Timeout(validating: settings) })
          == ["limit"])
      #expect(
        options(#expect(throws: ConfigurationError.self) { try Deadline(validating: settings) })
          == ["limit"])
    }
    #expect(throws: DecodingError.self) { try decode(Timeout.Configuration.self, "{}") }
    #expect(throws: DecodingError.self) {
      try decode(Timeout.Configuration.self, #"{"limit": "x"}"#)
    }
  }

  @Test func `a limit goes by its settings`() async throws {
    let (clock, patience) = (ManualClock(), ManualClock())
    let settings = try decode(
      Timeout.Configuration.self, #"{"limit": 1.5, "leavesOutcomeUnknown": true}"#)
    let timeout = try Timeout(validating: settings, clock: clock)
    let result = Task { try await timeout.run { try await untilCancelled(patience) } }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(1_500))
    let error = await #expect(throws: TimedOut.self) { try await result.value }
    #expect(error?.limit == .milliseconds(1_500) && error?.disposition == .unknownOutcome)
  }
}
