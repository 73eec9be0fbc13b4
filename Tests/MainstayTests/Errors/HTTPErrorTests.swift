// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private let hint = Duration.seconds(9)

@Suite struct HTTPErrorTests {
  @Test(.requirement("E14"), arguments: [408, 425, 500, 502, 503, 504])
  func `a failing service is transient after its hint`(_ status: Int) {
    let error = AppError.http(status: status, isRepeatable: true, retryAfter: hint)
    #expect(error.disposition == .transient(retryAfter: hint))
    #expect(error.kind == .server)
  }

  @Test(.requirement("E14")) func `too many requests are throttled`() {
    let error = AppError.http(status: 429, retryAfter: hint)
    #expect(error.disposition == .throttled(retryAfter: hint))
    #expect(AppError.http(status: 429, retryAfter: .zero).disposition.retryAfter == .zero)
  }

  @Test(.requirement("E14")) func `an expired sign-in needs the user`() {
    let error = AppError.http(status: 401)
    #expect(error.disposition == .needsUser)
    #expect(error.kind == .unauthorized)
    #expect(error.disposition.outbox == .lanePaused)
  }

  @Test func `a conflict is one unless the same request is still running`() {
    for status in [409, 412] {
      #expect(AppError.http(status: status, isRepeatable: true).kind == .conflict)
      #expect(AppError.http(status: status, isRepeatable: true).disposition == .needsUser)
    }
    let running = "https://example.org/problems/idempotency-in-progress"
    let error = AppError.http(status: 409, retryAfter: hint, problemType: running)
    #expect(error.disposition == .transient(retryAfter: hint))
    #expect(AppError.http(status: 412, problemType: running).kind == .conflict)
    #expect(AppError.http(status: 409, problemType: "about:blank").kind == .conflict)
  }

  @Test(arguments: [
    "https://example.org/problems/idempotency-in-progress", "urn:problem:idempotency-in-progress",
    "urn:problem:server.idempotency-running", "https://example.org/p#idempotency-running",
    "https://developer.example.com/idempotency",
  ]) func `a request that is still running is known by the end of the type`(_ type: String) {
    let error = AppError.http(status: 409, retryAfter: hint, problemType: type)
    #expect(error.disposition == .transient(retryAfter: hint))
    #expect(error.kind == .server)
  }

  @Test func `what was done and has lost its answer is no conflict`() {
    let type = "urn:problem:server.idempotency-answer-lost"
    let error = AppError.http(status: 409, problemType: type)
    #expect(error.disposition == .unknownOutcome)
    #expect(error.kind == .server)
    for other in ["urn:problem:not-idempotency-running", "idempotency-running.html", ""] {
      #expect(AppError.http(status: 409, problemType: other).kind == .conflict, "\(other)")
    }
  }

  @Test(
    arguments: [400, 402, 403, 404, 405, 406, 410, 413, 415, 418, 422, 431, 451, 499, 501, 505])
  func `other refusals are permanent and go to the dead letters`(_ status: Int) {
    let error = AppError.http(status: status, isRepeatable: true, retryAfter: hint)
    #expect(error.disposition == .permanent)
    #expect(error.disposition.outbox == .deadLetter)
  }

  @Test(arguments: [500, 502, 503, 504, 520, 599])
  func `a failure after a request that must not run twice leaves the outcome unknown`(
    _ status: Int
  ) {
    let error = AppError.http(status: status, isRepeatable: false, retryAfter: hint)
    #expect(error.disposition == .unknownOutcome)
    #expect(error.title.string() == "We don’t know whether it worked")
    #expect(error.actions == [.checkOutcome, .dismiss])
  }

  @Test(arguments: [408, 425, 429, 501, 505])
  func `a request that was not worked on may be sent again`(_ status: Int) {
    #expect(
      AppError.http(status: status, isRepeatable: false).disposition
        == AppError.http(status: status, isRepeatable: true).disposition)
  }

  @Test func `an unknown status of the fifth class is read as 500`() {
    #expect(AppError.http(status: 599, isRepeatable: true).disposition == .transient())
    #expect(AppError.http(status: 511).kind == .portal)
  }

  @Test(arguments: [Int.min, -1, 0, 1, 99, 100, 200, 204, 302, 304, 399, 600, 999, Int.max])
  func `a status that is no failure is an answer that cannot be used`(_ status: Int) {
    let error = AppError.http(status: status, isRepeatable: true)
    #expect(error.disposition == .permanent)
    #expect(error.title.string() == "The answer could not be read")
    #expect(error.httpStatus == status)
  }

  @Test(arguments: [
    (Duration.seconds(-1), Duration?.none), (.seconds(Int64.min), nil), (.zero, .zero),
    (.seconds(Int64.max), .seconds(31_536_000)), (.nanoseconds(1), .nanoseconds(1)),
  ])
  func `a hint from a server is dropped or cut, never trusted`(
    _ given: Duration, _ expected: Duration?
  ) {
    for status in [408, 429, 503] {
      #expect(
        AppError.http(status: status, isRepeatable: true, retryAfter: given).disposition.retryAfter
          == expected)
    }
  }

  @Test func `the status and the code name it for programs`() {
    #expect(AppError.http(status: 503, isRepeatable: true).code == "http.503")
    #expect(AppError.http(status: 503, isRepeatable: true).httpStatus == 503)
    #expect(AppError.http(status: -3, isRepeatable: true).code == "http.unknown")
    #expect(AppError.offline().httpStatus == nil)
  }

  @Test(.requirement("E28")) func `five network failures say whether trying again can help`() {
    for error in [AppError.offline(), .timeout(), .http(status: 500, isRepeatable: true)] {
      #expect(error.disposition.retry == .afterBackoff(hint: nil))
    }
    for error in [AppError.unauthorized(), .http(status: 401), .http(status: 200)] {
      #expect(error.disposition.retry == .never)
    }
  }
}
