// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

/// The documentation of the rules against the rules.
@Suite struct RulePageTests {
  private static let catalog = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Sources/MainstayAudit/MainstayAudit.docc")
  private static let folder = catalog.appending(path: "Rules")

  /// With `MAINSTAY_WRITE_RULES=1`, which `make rules` sets, the pages are written.
  @Test(arguments: RuleGroup.present) func `a page says what the rules of its group say`(
    group: RuleGroup
  ) throws {
    let page = Self.folder.appending(path: "\(group.page).md")
    let current = RulePage(group).text
    if ProcessInfo.processInfo.environment["MAINSTAY_WRITE_RULES"] == "1" {
      try FileManager.default.createDirectory(
        at: Self.folder, withIntermediateDirectories: true)
      try Data(current.utf8).write(to: page)
    }
    let written = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let line = zip(written.split(separator: "\n"), current.split(separator: "\n"))
      .first { $0 != $1 }
    #expect(
      written == current,
      """
      Rules/\(group.page).md is stale. Run `make rules`. First difference:
        written: \(line?.0 ?? "the end")
        current: \(line?.1 ?? "the end")
      """)
  }

  @Test func `there are no other pages, and the front page leads to each`() throws {
    let pages = Set(RuleGroup.present.map(\.page))
    let written =
      (try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) ?? []
    #expect(Set(written).isSubset(of: pages.map { $0 + ".md" }))
    let front = try String(
      contentsOf: Self.catalog.appending(path: "MainstayAudit.md"), encoding: .utf8)
    let missing = pages.filter { !front.contains("- <doc:\($0)>") }
    #expect(missing.isEmpty)
  }

  @Test(arguments: RuleGroup.present) func `a page has each rule once`(group: RuleGroup) {
    let text = RulePage(group).text
    let titles = text.split(separator: "\n").filter { $0.hasPrefix("## ") }
    let ids = titles.compactMap { $0.dropFirst(3).split(separator: ":").first.map(String.init) }
    #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    #expect(Set(ids).isSuperset(of: group.rules.map(\.id)))
    let fences = text.split(separator: "\n").filter { $0.drop { $0 == " " }.hasPrefix("```") }
    #expect(fences.count.isMultiple(of: 2), "a block of code is open")
  }
}
