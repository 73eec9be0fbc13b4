// SPDX-License-Identifier: Apache-2.0

import Mainstay
import Testing

/// What services are told of the version, against `CHANGELOG.md`.
@Suite struct VersionTests {
  /// That of https://keepachangelog.com/en/1.1.0/ is meant.
  @Test func `the changelog has the form that it says it has`() throws {
    let page = MarkdownPage(
      SourceFile(
        path: "CHANGELOG.md", text: try Repository.current.text(at: "CHANGELOG.md")))
    #expect(page.headings.first == "Changelog")
    let kinds: Set = [
      "Unreleased", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security",
    ]
    for heading in page.headings.dropFirst() where !kinds.contains(heading) {
      // A version that is out has the day on which it came.
      #expect(heading.wholeMatch(of: /\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d/) != nil, "\(heading)")
    }
  }

  @Test func `the audit has the version of the libraries`() throws {
    let text = try Repository.current.text(at: "Sources/MainstayAudit/AuditVersion.swift")
    #expect(text.contains("static let current = \"\(MainstayVersion.current)\"\n"))
  }

  @Test func `the version is the changelog's newest, or one to come`() throws {
    let page = try Repository.current.text(at: "CHANGELOG.md")
    // As in `## Unreleased`, `## 0.1.0` or `## [0.1.0] - 2026-11-23`.
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { line in
      String(line.dropFirst(3).drop { $0 == "[" }.prefix { $0 != " " && $0 != "]" })
    }
    let newest = try #require(headings.first)
    guard newest == "Unreleased" else {
      #expect(MainstayVersion.current == newest)
      return
    }
    let coming = try #require(MainstayVersion.current.wholeMatch(of: /(\d+\.\d+\.\d+)-dev/))
    #expect(!headings.contains(String(coming.1)), "\(coming.1) is out")
    if headings.count == 1 { #expect(coming.1 == "0.1.0", "nothing is out") }
  }

  @Test func `the platforms name the Swift of the manifest, and the one that checks run with`()
    throws
  {
    let repository = Repository.current
    let manifest = try repository.text(at: "Package.swift")
    let least = try #require(manifest.firstMatch(of: /swift-tools-version: (\d+\.\d+)/)).1
    let workflow = try repository.text(at: ".github/workflows/ci.yml")
    let run = try #require(workflow.firstMatch(of: /image: swift:(\d+\.\d+)/)).1
    let page = SourceFile(path: "README.md", text: try repository.text(at: "README.md"))
    let row = try #require(MarkdownTable(under: "## Platforms", in: page).rows.first)
    #expect(row.cells[1] == "Swift \(least)")
    #expect(row.cells[2].hasPrefix("run with Swift \(run): "))
  }
}
