// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ReferenceRulesTests {
  private let source = planted(
    """
    public struct Event {
      public enum What: Sendable {
        /// It began,
        /// by ``Hand``.
        case began(by: String)
        /// It ended.
        case ended
      }
    }
    """)

  private func rules(_ rows: [String]) -> Int {
    let page = planted("A.md", (["## E", "| Event | Means |", "|---|---|"] + rows).joined("\n"))
    let cases = ReferenceRules.cases(of: "What", in: source)
    return ReferenceRules.stale(page, under: "## E", cases: cases).count
  }

  @Test func `reads the cases of an enum with their comments`() {
    #expect(
      ReferenceRules.cases(of: "What", in: source) == [
        .init(name: "began", meaning: "It began, by `Hand`."),
        .init(name: "ended", meaning: "It ended."),
      ])
  }

  @Test func `finds rows that are missing, too many, or in other words`() {
    let began = "| `began` | It began, by `Hand`. |"
    #expect(rules([began, "| `ended` | It ended. |"]) == 0)
    #expect(rules([began]) == 1)
    #expect(rules([began, "| `ended` | It ended. |", "| `paused` | It waits. |"]) == 1)
    #expect(rules([began, "| `ended` | It is over. |"]) == 2)
  }

  @Test func `finds metrics that only the page or only the code has`() {
    let code = planted("import Metrics\nlet a = Counter(label: \"mainstay.a\")\n// \"mainstay.b\"")
    let other = planted("let c = \"mainstay.c\"")
    func count(_ metric: String) -> Int {
      let rows = "## Metrics\n| Metric | Kind |\n|---|---|\n| `\(metric)` | counter |"
      return ReferenceRules.metrics(planted("A.md", rows), sources: [code, other]).count
    }
    #expect(count("mainstay.a") == 0)
    #expect(count("mainstay.c") == 2)
  }

  @Test func `takes a metric for one whatever it begins with, and a dimension for none`() {
    let code = planted(
      """
      public import Metrics
      Timer(
        label: "http.time", dimensions: [("http.route", route)])
        ("http.status", status),
      set("mainstay.limit", limit, [("policy.name", name)])
      """)
    let rows = "## Metrics\n| Metric | Kind |\n|---|---|\n| `http.route` | timer |"
    let found = ReferenceRules.metrics(planted("A.md", rows), sources: [code]).map(\.rule)
    #expect(
      found
        == ["http.route", "http.time", "mainstay.limit"].map {
          "the page and the code differ about the metric \($0)"
        })
  }
}

extension [String] {
  fileprivate func joined(_ separator: String) -> String { joined(separator: separator) }
}
