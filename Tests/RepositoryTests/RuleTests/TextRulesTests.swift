// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct TextRulesTests {
  @Test(arguments: TextRules.reminders.sorted())
  func `finds reminders as whole words`(word: String) {
    #expect(TextRules.leftovers([planted("a.md", "\n<!-- \(word): later -->")]).lines == [2])
    #expect(
      TextRules.leftovers([planted("a.md", "A\(word) \(word)S \(word.lowercased())")]).isEmpty)
  }

  @Test(arguments: TextRules.phrases)
  func `finds phrases in any case`(phrase: String) {
    #expect(
      TextRules.leftovers([planted("Makefile", "fatal(\"\(phrase.uppercased())\")")]).count == 1)
  }

  @Test func `finds merges that were left half done`() {
    let marks = TextRules.mergeMarks
    let text = "a\n\(marks[0])HEAD\nb\n=======\nc\n\(marks[1])main\n"
    #expect(TextRules.unresolvedMerges([planted("a.md", text)]).lines == [2, 6])
    #expect(TextRules.unresolvedMerges([planted("a.md", "Title\n=======\na \(marks[0])b")]).isEmpty)
  }

  @Test func `finds a missing licence`() {
    let license = TextRules.license
    #expect(TextRules.licenses([planted(license + "\n")]).isEmpty)
    #expect(TextRules.licenses([planted("\n" + license)]).lines == [1])
    #expect(TextRules.licenses([planted("")]).lines == [1])
    #expect(TextRules.licenses([planted("Package.swift", "// tools\n" + license)]).isEmpty)
    #expect(TextRules.licenses([planted("Package.swift", license)]).lines == [2])
  }

  @Test func `finds paths that are equal ignoring case`() {
    let files = TextRules.pathsEqualIgnoringCase(["a/B.swift", "a/b.swift", "c.swift"])
    #expect(files.map(\.path) == ["a/B.swift"])
    let folders = TextRules.pathsEqualIgnoringCase(["Sources/HTTP/a", "Sources/Http/b"])
    #expect(folders.map(\.path) == ["Sources/HTTP"])
  }
}
