// SPDX-License-Identifier: Apache-2.0

import Testing

/// The table of metric names against the code.
@Suite struct MetricTests {
  @Test func `every metric is in the table of their names`() throws {
    let repository = Repository.current
    let page = SourceFile(path: MetricRules.page, text: try repository.text(at: MetricRules.page))
    let sources = repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
    expectNone(MetricRules.violations(page, sources: sources))
  }

  @Test func `finds metrics without a row, and rows without a metric`() {
    let page = SourceFile(
      path: MetricRules.page, text: "| `mainstay.one` | counter |\n| `mainstay.two` | meter |")
    let file = SourceFile(
      path: "Sources/A.swift",
      text: """
        public import Metrics
        Counter(label: "mainstay.one", dimensions: [("http.route", route)])
        time("mainstay.three", took, [("policy", name), ("http.status", text)])
        """)
    let found = MetricRules.violations(page, sources: [file])
    #expect(
      found.map(\.rule) == [
        "the metric mainstay.three is in no table", "nobody makes the metric mainstay.two",
      ])
  }
}
