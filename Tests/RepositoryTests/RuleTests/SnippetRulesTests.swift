// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct SnippetRulesTests {
  private let snippet = planted(
    "Snippets/A.swift",
    "import Mainstay\n// snippet.show\nlet a = 1\n\nlet b = 2\nlet c = 3\nlet d = 4")

  private func found(_ text: String) -> [Int] {
    SnippetRules.uncompiled([planted("README.md", text)], snippets: [snippet]).lines
  }

  @Test func `finds code that stands in no snippet`() {
    #expect(found("Text\n```swift\nlet a = 1\nlet b = 3\nlet c = 3\nlet d = 4\n```") == [2])
    #expect(found("```swift\nlet b = 2\nlet a = 1\nlet c = 3\nlet d = 4\n```") == [1])
  }

  @Test func `reads what a snippet shows, wherever it is indented to`() {
    let text = """
      // snippet.one
      let a = 1

      // snippet.hide
      let b = 2
        // snippet.two
        let c = 3
      """
    let parts = SnippetRules.parts(of: planted("Snippets/B.swift", text))
    #expect(parts == ["one": ["leta=1"], "two": ["letc=3"]])
  }

  @Test func `spares what is compiled, short or no Swift`() {
    #expect(found("```swift\nlet a = 1\nlet b = 2\n  let c = 3\nlet d = 4\n```").isEmpty)
    #expect(found("```swift\nlet x = 1\n```\n```\nmake run\nmake\nmake\nmake\n```").isEmpty)
  }

  @Test func `finds code in documentation comments, and in no others`() {
    func found(_ code: [String], sign: String) -> [Int] {
      let comment = (["```swift"] + code + ["```"]).map { "  \(sign) \($0)" }
      let text = (["struct A {", "  \(sign) Text.", "  \(sign)"] + comment + ["  let e = 5", "}"])
        .joined(separator: "\n")
      return SnippetRules.uncompiled([planted(text)], snippets: [snippet]).lines
    }
    let compiled = ["let a = 1", "let b = 2", "let c = 3", "let d = 4"]
    #expect(found(compiled, sign: "///").isEmpty)
    #expect(found(compiled.reversed(), sign: "///") == [4])
    #expect(found(compiled.reversed(), sign: "//").isEmpty)
    #expect(found(Array(compiled.reversed().dropLast()), sign: "///").isEmpty)
  }
}
