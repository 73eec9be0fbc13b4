// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The table of kinds against the kinds that there are.
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
}
