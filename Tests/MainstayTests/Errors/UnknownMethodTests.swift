// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import Testing

/// Who does not say that a call may be made twice has not said that it may.
@Suite struct UnknownMethodTests {
  /// What a client of an app throws, as in the guide.
  private struct SyncFailure: Error {
    var status: Int
    var method: String

    var isIdempotent: Bool { ["GET", "PUT", "DELETE"].contains(method) }
  }

  private static let mapping = ErrorMapping.standard.adding(SyncFailure.self) { failure in
    AppError.http(status: failure.status, isRepeatable: failure.isIdempotent)
  }

  @Test(arguments: [("POST", 1, true), ("PATCH", 1, true), ("GET", 3, false)])
  func `a change whose answer a proxy lost is made once`(
    method: String, calls: Int, isUnknown: Bool
  ) async throws {
    let retry = Retry(maximumAttempts: 3, backoff: .none, budget: .unlimited)
    var made = 0
    let error = await #expect(throws: AppError.self) {
      try await retry.run {
        made += 1
        throw Self.mapping.map(SyncFailure(status: 502, method: method))
      }
    }
    #expect(made == calls)
    #expect((error?.disposition == .unknownOutcome) == isUnknown)
  }

  @Test func `an error of a service leaves the outcome unknown unless somebody knows better`() {
    let said = [
      AppError.http(status: 502), .http(status: 503, retryAfter: .seconds(1)),
      .server(code: 500), .sql(state: "08006"), .sql(state: "57P01"), .jsonRPC(code: -32_603),
    ]
    for error in said { #expect(error.disposition == .unknownOutcome, "\(error.code)") }
    let undone = [
      AppError.http(status: 408), .http(status: 425), .sql(state: "08001"), .sql(state: "40001"),
    ]
    for error in undone { #expect(error.disposition == .transient(), "\(error.code)") }
    #expect(AppError.http(status: 429).disposition == .throttled())
    #expect(AppError.http(status: 404).disposition == .permanent)
  }
}
