// SPDX-License-Identifier: Apache-2.0

import Testing

/// The threat model against the tests that it names.
@Suite struct ThreatTests {
  @Test func `every threat names a test that is there`() throws {
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
      "What is stored", "Reports", "PostgreSQL",
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
}
