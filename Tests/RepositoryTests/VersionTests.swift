// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// What services and people are told of the version, against `CHANGELOG.md`, and how a version is
/// made, against what there is.
@Suite struct VersionTests {
  /// The headings of the changelog, each with its level.
  private func headings() throws -> [(level: Int, name: String)] {
    try Repository.current.text(at: "CHANGELOG.md").split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /(#+) (.+)/).map { ($0.1.count, String($0.2)) }
    }
  }

  /// That of https://keepachangelog.com/en/1.1.0/ is meant, with a heading for each part of
  /// Mainstay below the kinds of change.
  @Test func `the changelog has the form that it says it has`() throws {
    let headings = try headings()
    #expect(headings.first?.name == "Changelog")
    let kinds: Set = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for (before, (level, name)) in zip(headings, headings.dropFirst()) {
      #expect(2...4 ~= level && level <= before.level + 1, "\(name)")
      switch level {
      // A version that is out has the day on which it came.
      case 2 where name != "Unreleased":
        #expect(name.wholeMatch(of: /\[?\d+\.\d+\.\d+\]? - \d{4}-\d\d-\d\d/) != nil, "\(name)")
      case 3: #expect(kinds.contains(name), "\(name)")
      default: break
      }
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

  @Test(arguments: ["mainstay", "mainstay-audit"])
  func `a program says the version of the libraries`(program: String) async throws {
    let end = try await BuiltProgram.run(program, ["--version"])
    #expect(end.status == 0, "\(end)")
    #expect(end.output == "\(MainstayVersion.current)\n")
  }

  /// The versions that manifests in a text ask for.
  private static func asked(in text: String) -> [String] {
    text.matches(of: /url: "[^"]*\/mainstay(?:\.git)?",[^"\n]*"(\d+\.\d+\.\d+)"/)
      .map { String($0.1) }
  }

  @Test func `a manifest on a page asks for the version that is out`() throws {
    let example = #".package(url: "https://example.org/mainstay.git", from: "0.1.0", traits: [])"#
    #expect(Self.asked(in: example) == ["0.1.0"])
    let repository = Repository.current
    let changes = try repository.text(at: "CHANGELOG.md")
    let out = changes.firstMatch(of: /(?m)^## \[?(\d+\.\d+\.\d+)/).map { String($0.1) }
    for page in repository.writtenFiles where page.path.hasSuffix(".md") {
      for version in Self.asked(in: try repository.text(at: page.path)) {
        #expect(version == out, "\(page.path)")
      }
    }
  }

  @Test func `until a version is out, the changelog tells of nothing but additions`() throws {
    let headings = try headings().filter { 2...3 ~= $0.level }.map(\.name)
    let versions = headings.filter { $0.contains(/\d+\.\d+\.\d+\]? -/) }
    // After the first one the next is open: it may change what others have.
    guard versions.count == (headings.contains("Unreleased") ? 0 : 1) else { return }
    #expect(headings.count == 2 && headings.last == "Added", "\(headings)")
  }

  @Test func `the recipe of a release has tools, variables and names that there are`() throws {
    let repository = Repository.current
    let recipe = try repository.text(at: "Documentation/Releasing.md")
    let code = recipe.matches(of: /`([^`]+)`/).map { $0.1.replacing("\n", with: " ") }
    let tools = code.compactMap { $0.prefixMatch(of: /Tools\/\S+/).map { String($0.output) } }
    #expect(tools.contains("Tools/start"))
    #expect(Set(tools).isSubset(of: Set(repository.paths)))

    // A variable is read by the Makefile or by the tool that it calls.
    let scripts = try repository.paths.filter { $0 == "Makefile" || $0.hasPrefix("Tools/") }
      .filter { $0.split(separator: "/").count < 3 && !$0.contains(".") }.map(repository.text)
    let variables = code.flatMap { $0.matches(of: /\b([A-Z_]+)=/).map { String($0.1) } }
    #expect(Set(variables).isSuperset(of: ["BENCH", "CONSUMERS", "INVENTORY_DATA"]))
    for variable in variables {
      let forms = ["$(\(variable))", "${\(variable):"]
      let isRead = scripts.contains { script in forms.contains(where: script.contains) }
      #expect(isRead, "nothing reads \(variable)")
    }
    #expect(try repository.text(at: "Tools/check-consumers").contains("\"\" | cold) ;;"))
    for name in ["MainstayVersion", "AuditVersion"] {
      #expect(code.contains("\(name).current"))
      #expect(repository.paths.contains { $0.hasSuffix("/\(name).swift") }, "\(name)")
    }
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
