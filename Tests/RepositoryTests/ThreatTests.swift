// SPDX-License-Identifier: Apache-2.0

import Testing

/// The threat model against the tests that it names.
@Suite struct ThreatTests {
  @Test func `every threat names the one test that shows it`() throws {
    let repository = Repository.current
    let page = SourceFile(
      path: ThreatRules.page, text: try repository.text(at: ThreatRules.page))
    #expect(page.lines.contains { $0.hasSuffix("| Shown by |") })
    let tests = repository.swiftFiles.filter { $0.path.contains("Tests/") }
    expectNone(ThreatRules.violations(page, tests: tests))
  }

  @Test func `every boundary has its threats`() throws {
    let page = MarkdownPage(
      SourceFile(
        path: ThreatRules.page, text: try Repository.current.text(at: ThreatRules.page)))
    let boundaries = [
      "What is worth guarding", "Who may attack, and through what", "Loopback", "The dashboard",
      "What a service answers", "What is stored", "Reports", "PostgreSQL",
      "The service's callers", "What the audit reads",
    ]
    #expect(Set(boundaries).subtracting(page.headings).isEmpty)
  }

  @Test func `finds threats without a test, and tests that are not there`() {
    let page = SourceFile(
      path: ThreatRules.page,
      text: """
        | Threat | Guard | Shown by |
        |---|---|---|
        | one | a guard | `it holds` |
        | two | a guard | `it is gone` |
        | three | a guard | somehow |

        | Asset | Where it lies |
        |---|---|
        | a key | somewhere |
        """)
    let tests = SourceFile(path: "Tests/A.swift", text: "@Test func `it holds`() {}")
    let found = ThreatRules.violations(page, tests: [tests])
    #expect(found.map(\.line) == [4, 5])
    #expect(found.map(\.rule) == ["no test is called `it is gone`", "a threat has no test"])
  }

  @Test func `finds a name that several tests have, unless their suites tell them apart`() {
    let page = SourceFile(
      path: ThreatRules.page,
      text: """
        | Threat | Guard | Shown by |
        |---|---|---|
        | one | a guard | `it holds` |
        | two | a guard | `BTests › it holds` |
        | three | a guard | `CTests › it holds`, `it is alone` |
        """)
    let tests = ["A", "B"].map { name in
      SourceFile(
        path: "Tests/\(name).swift",
        text: "@Suite struct \(name)Tests { @Test func `it holds`() {} }")
    }
    let alone = SourceFile(path: "Tests/D.swift", text: "@Test func `it is alone`() {}")
    let found = ThreatRules.violations(page, tests: tests + [alone])
    #expect(found.map(\.line) == [3, 5])
    #expect(
      found.map(\.rule) == [
        "2 tests are called `it holds`", "no test is called `CTests › it holds`",
      ])
  }
}
