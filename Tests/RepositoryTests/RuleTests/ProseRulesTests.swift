// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ProseRulesTests {
  private func page(_ text: String, at path: String = "Documentation/A.md") -> MarkdownPage {
    MarkdownPage(planted(path, text))
  }

  private func words(_ count: Int) -> String {
    Array(repeating: "word", count: count).joined(separator: " ")
  }

  @Test func `reads a page as people do`() {
    let page = page(
      """
      # A title

      A paragraph of
      two lines, `code | bar` and [a link](B.md).

      - an item
        that goes on
      - another

      | Head | Two |
      |---|---|
      | one `a|b` | two |

      <picture>
        <img alt="not prose">
      </picture>

          indented code

      ```swift
      let a = 1
      ```
      """)
    #expect(
      page.passages.map(\.text) == [
        "A title", "A paragraph of two lines, `code | bar` and [a link](B.md).",
        "an item that goes on", "another", " Head ", " Two ", " one `a|b` ", " two ",
      ])
    #expect(page.passages.map(\.line) == [1, 3, 6, 8, 10, 10, 12, 12])
    #expect(page.passages[1].prose == "A paragraph of two lines, ¤ and a link.")
    #expect(page.blocks.map(\.language) == [nil, "swift"])
    #expect(page.blocks.map { $0.lines.map(\.text) } == [["indented code"], ["let a = 1"]])
  }

  @Test func `finds sentences that are too long`() {
    let text = """
      Short. Q \(words(35)). Short.

      \(words(35)). Q \(words(34))!

      \(words(20))
      \(words(20))
      """
    #expect(ProseRules.longSentences([page(text)]).lines == [1, 5])
  }

  @Test func `finds sentences of documentation comments that are too long`() {
    let file = planted(
      "Sources/A.swift",
      """
      /// Q \(words(20))
      /// \(words(20)).
      struct A {
        /// \(words(20))
        let a = 1
        /// \(words(20)), of another comment.
        let b = 2

        /// Short.
        ///
        /// - Parameter c: \(words(34)).
        /// - Returns: \(words(30)), `c`,
        ///   \(words(5)).
        func d(c: Int) {}  // \(words(40)).
        // \(words(40)).
      }
      """)
    let comments = MarkdownPage.documentation(of: file)
    #expect(ProseRules.longSentences([comments]).lines == [1, 12])
  }

  @Test func `a full stop within a sentence does not end it`() {
    let passage = MarkdownPage.Passage(
      text: "It is 0.5 s, e.g. Here. (It is not.) `code` ends. then not", line: 1, isCell: false)
    #expect(ProseRules.sentences(of: passage).map(\.count) == [6, 3, 4])
  }

  @Test func `in a table a semicolon ends a sentence`() {
    let table = "| a |\n|---|\n| \(words(30)); \(words(30)) |"
    #expect(ProseRules.longSentences([page(table)]).isEmpty)
    #expect(ProseRules.longSentences([page("\(words(30)); \(words(30))")]).lines == [1])
  }

  private func wrong(_ text: String, at path: String = "Documentation/A.md") -> [String] {
    WordRules.wrongWords([page(text, at: path)]).map(\.rule)
  }

  @Test func `finds words that have another name`() {
    #expect(wrong("Two jobs wait.") == ["`job` has another name here"])
    #expect(wrong("Another try, a crash report.").count == 2)
    #expect(wrong("The dead-letter queue.") == ["`dead letter queue` has another name here"])
    #expect(wrong("A [policy\nstack](B.md).") == ["`policy stack` has another name here"])
  }

  @Test func `spares code, other words, and pages that have to say them`() {
    #expect(wrong("`job` jobless\n\n```\njob\n```").isEmpty)
    #expect(wrong("The Apache License. A license.").count == 1)
    #expect(wrong("A job.", at: "Documentation/Peers.md").isEmpty)
  }

  @Test func `reads documentation comments as people do`() {
    let file = planted(
      "Sources/A.swift",
      """
      /// A paragraph of
      /// two lines.
      ///
      /// - Parameters:
      ///   - timeout: A time,
      ///     which is long.
      /// - Parameter job: A thing.
      struct A {}  // a job
      // A job.
      let job = "job"
      """)
    let page = MarkdownPage.documentation(of: file)
    #expect(
      page.passages.map { $0.prose.split(separator: " ").joined(separator: " ") }.filter {
        !$0.isEmpty
      } == ["A paragraph of two lines.", "A time, which is long.", "A thing."])
    #expect(WordRules.wrongWords([page]).isEmpty)
    let wrong = MarkdownPage.documentation(
      of: planted("Sources/A.swift", "/// Two jobs\nlet a = 1"))
    #expect(WordRules.wrongWords([wrong]).lines == [1])
  }

  @Test func `every allowance has a page and a reason`() {
    let paths = Repository.current.paths
    let allowances = WordRules.terms.flatMap(\.allowances)
    #expect(allowances.allSatisfy { !$0.reason.isEmpty })
    let unused = allowances.map(\.path).filter { path in !paths.contains { $0.contains(path) } }
    #expect(unused.isEmpty)
  }
}
