// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct AnchorRulesTests {
  private let other = planted(
    "Documentation/B.md", "# Two words\n\n## Again\n\n## Again\n\n## It's?")

  private func found(_ text: String) -> [Int] {
    AnchorRules.brokenAnchors([planted("Documentation/A.md", text), other]).lines
  }

  @Test func `finds headings that are not there`() {
    #expect(found("[a](B.md#two-words) [b](B.md#three-words)\n\n[c](#here)") == [1, 3])
  }

  @Test func `spares those that are`() {
    #expect(found("# Here\n\n[a](B.md#again-1) [b](B.md#its) [c](#here)").isEmpty)
    #expect(found("[a](https://swift.org/#b) `[b](B.md#no)`").isEmpty)
  }

  private func topics(_ text: String, at path: String = "Sources/A.docc/X.md") -> [Int] {
    AnchorRules.brokenTopics([
      planted(path, text), planted("Sources/A.docc/In/Y.md", "## A part"),
      planted("Sources/B.docc/Z.md", ""),
    ]).lines
  }

  @Test func `finds pages of a catalog that are not there`() {
    #expect(topics("<doc:Y>\n\n<doc:Z>\n\n[a](doc:No)\n\n<doc:Y#Another-part>") == [3, 5, 7])
    #expect(topics("<doc:Y>", at: "README.md") == [1])
  }

  @Test func `spares pages of catalogs that are`() {
    #expect(topics("<doc:Y#A-part> [a](doc:Y) <doc:/documentation/B/Z>").isEmpty)
  }
}
