// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// The module's part of `Documentation/Strategy.md`.
@Suite struct HTTPStrategyTests {
  @Test(.requirement("A50", "A41")) func `the page says what becomes of an answer`() throws {
    let answers = ["GET", "POST"].flatMap { method in
      (400...599).map { HTTPError(status: $0, method: method, url: "https://example.com/") }
    }
    let problem = Data(#"{"errors":[{"pointer":"/a","detail":"It is too long."}]}"#.utf8)
    let field = HTTPError(
      status: 422, method: "POST", url: "https://example.com/",
      headers: ["Content-Type": ProblemDetails.contentType], body: problem)
    let fields = field.appError.underlying.compactMap { $0 as? AppError }
    let rows = (answers.map(\.appError) + fields).map { error in
      StrategyPage.Row(
        code: error.code.rawValue, kind: error.kind.rawValue,
        disposition: String(String(describing: error.disposition).prefix { $0 != "(" }),
        severity: error.severity.rawValue, title: error.title.description)
    }
    let lines =
      [
        "", "## MainstayHTTP", "",
        "An answer to GET and to POST; that to a POST with an idempotency key is as to GET.", "",
      ]
      + StrategyPage.policies(
        "for each origin of a `ResilientClient`, unless the app gives others, a deadline of 30 "
          + "seconds, 3 attempts, a cooldown, a circuit breaker of 5 failures and a time limit of "
          + "10 seconds. A transfer has a deadline of 10 minutes and 30 seconds of silence. Each "
          + "request that sends reports has a time limit of 30 seconds.")
      + [""] + StrategyPage.table(of: rows) + [""]
    let written = try StrategyPage.section(of: "MainstayHTTP", writing: lines)
    #expect(written == lines, "\(StrategyPage.path) is stale. Run `make requirements`.")
  }
}
