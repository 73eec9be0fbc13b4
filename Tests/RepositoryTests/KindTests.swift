// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The tables of kinds and of actions against those that there are.
@Suite struct KindTests {
  @Test func `the page of an error's life lists every kind once, in their order`() throws {
    let repository = Repository.current
    let source = try repository.text(at: "Sources/Mainstay/Errors/ErrorKind.swift")
    let kinds = source.split(separator: "\n").compactMap { line in
      line.contains("public static let") ? line.split(separator: "\"").dropFirst().first : nil
    }
    let path = "Sources/Mainstay/Mainstay.docc/Types/ErrorLifecycle.md"
    let page = SourceFile(path: path, text: try repository.text(at: path))
    let listed = page.lines.drop { $0 != "| Kind | Means | Who heeds it |" }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(kinds.count > 20)
    #expect(listed.compactMap { String($0[1]).codeSpans.first } == kinds.map(String.init))
    #expect(listed.allSatisfy { $0.count == 5 }, "kind, meaning, and who heeds it")
  }

  @Test func `the page of actions lists every button once, with its words`() throws {
    let repository = Repository.current
    let source = try repository.text(at: "Sources/Mainstay/Errors/RecoveryAction.swift")
    let declared = source.matches(
      of: /static let (\w+) = RecoveryAction\("[^"]+", "([^"]+)"/
    ).map { [".\($0.1)", String($0.2)] }
    let path = "Sources/Mainstay/Mainstay.docc/Types/OfferingActions.md"
    let page = SourceFile(path: path, text: try repository.text(at: path))
    let rows = MarkdownTable(under: "## The actions that there are", in: page).rows.map(\.cells)
    #expect(declared.count > 5)
    #expect(rows.map { [$0[0].codeSpans.first, $0[1]] } == declared.map { [$0[0], $0[1]] })
    #expect(rows.allSatisfy { $0.count == 4 && !$0.contains("") })
  }
}
