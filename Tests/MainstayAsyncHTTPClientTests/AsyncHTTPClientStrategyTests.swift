// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayAsyncHTTPClient
import MainstayTesting
import TestSupport
import Testing

/// The module's part of `Documentation/Strategy.md`.
@Suite struct AsyncHTTPClientStrategyTests {
  private let errors: [AppError] = {
    let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()
    let mapped = AsyncHTTPClientMappingTests.all.map { mapping.map($0.error) }
    return mapped.filter { $0.disposition != .unclassified }
  }()

  @Test(.requirement("A50", "A41")) func `the page lists what the libraries' errors become`() throws
  {
    let rows = errors.map { error in
      StrategyPage.Row(
        code: error.code.rawValue, kind: error.kind.rawValue,
        disposition: String(String(describing: error.disposition).prefix { $0 != "(" }),
        severity: error.severity.rawValue, title: error.title.description)
    }
    let lines =
      [
        "", "## MainstayAsyncHTTPClient", "",
        "What the errors of AsyncHTTPClient, SwiftNIO, its TLS and its HTTP/2 become; the rows are",
        "the core's.", "",
      ]
      + StrategyPage.policies(
        "a time limit of each request that sends reports, 30 seconds; all else is the app's.")
      + [""] + StrategyPage.table(of: rows) + [""]
    let written = try StrategyPage.section(of: "MainstayAsyncHTTPClient", writing: lines)
    #expect(written == lines, "\(StrategyPage.path) is stale. Run `make requirements`.")
  }

  @Test(.requirement("A51", "A52")) func `what they say has no findings in any language`() {
    let lint = MessageLint(
      languages: TextCatalog.standard.languages, catalog: .standard)
    for finding in lint.findings(in: errors) {
      Issue.record("\(finding)")
    }
  }
}
