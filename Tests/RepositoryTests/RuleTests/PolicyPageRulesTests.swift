// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct PolicyPageRulesTests {
  private static let source = planted(
    "Sources/Mainstay/Policies/Planted.swift",
    """
    init(attempts: Int = 3, retryIf condition: Condition = .disposition,
      backoff: Backoff = .exponential(from: .zero, to: .seconds(2)),
      limit: Duration? = nil) {}
    """)

  private func page(_ rows: String) -> SourceFile {
    planted("Policies/Page.md", "## Defaults\n\n| Option | Default |\n|---|---|\n" + rows)
  }

  private func found(_ rows: String) -> [Int] {
    PolicyPageRules.defaults([page(rows)], sources: [Self.source]).lines
  }

  @Test func `finds defaults that the code does not have`() {
    #expect(found("| `attempts` | `4` |\n| `limit` | `nil` |\n| `speed` | `3` |") == [5, 7])
    #expect(found("| `attempts` | `30` |") == [5])
    #expect(found("| `backoff` | `.exponential(from: .zero)` |") == [5])
  }

  @Test func `spares defaults that the code has`() {
    #expect(
      found(
        """
        | `attempts` | `3` |
        | `retryIf` | `.disposition` |
        | `backoff` | `.exponential(from: .zero, to: .seconds(2))` |
        | no option | here |
        """
      ).isEmpty)
  }

  @Test func `reads the defaults of properties, too`() {
    let source = planted(
      """
      /// How many.
      public var most = 4
      /// How long.
      public var span = Duration.seconds(3600)
      /// Who.
      public var observer: (any Observer)?
      /// How large.
      public var bytes: Int? = 100
      /// The end.
      """)
    func found(_ rows: String) -> [Int] {
      let page = planted("A.md", "## Of it\n\n| Option | Default |\n|---|---|\n" + rows)
      return PolicyPageRules.defaults([page], under: "## Of it", sources: [source]).lines
    }
    let right = "| `most` | `4` |\n| `span` | `.seconds(3600)` |\n| `observer` | `nil` |"
    #expect(found(right + "\n| `bytes` | `100` |").isEmpty)
    #expect(found("| `most` | `5` |\n| `span` | `nil` |\n| `bytes` | `nil` |") == [5, 6, 7])
    #expect(found("| `observer` | `4` |") == [5])
  }

  @Test func `finds a page that leaves the template`() {
    let whole = PolicyPageRules.headings.joined(separator: "\n")
    #expect(PolicyPageRules.template([planted("A.md", whole)]).isEmpty)
    #expect(PolicyPageRules.template([planted("A.md", "## About\n## Usage")]).lines == [1])
  }

  @Test func `finds a page that begins without code`() {
    let head = "# Title\n\nWhat it is.\n\n## About\n\nOne sentence:\n\n"
    let code = "```swift\nlet a = 1\n```\n"
    let told = String(repeating: "\nAnother paragraph.\n", count: 4)
    #expect(PolicyPageRules.codeFirst([planted("A.md", head + code)]).isEmpty)
    #expect(PolicyPageRules.codeFirst([planted("A.md", head + told + code)]).lines == [1])
    #expect(PolicyPageRules.codeFirst([planted("A.md", head)]).lines == [1])
  }

  @Test func `finds pages without a picture, and states that are not on it`() {
    let page = planted(
      "Policies/Page.md", "## Diagram\n\n![States](Page)\n\n| State |\n|---|\n| open |\n| shut |")
    #expect(PolicyPageRules.diagrams([page], drawn: ["Page": ""]).lines == [1])
    let (both, one) = ("<title>open</title><title>shut</title>", "<title>open</title>")
    #expect(PolicyPageRules.diagrams([page], drawn: ["Page": both, "Page~dark": one]).lines == [8])
    #expect(PolicyPageRules.diagrams([page], drawn: ["Page": both, "Page~dark": both]).isEmpty)
  }
}
