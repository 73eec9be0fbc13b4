// SPDX-License-Identifier: Apache-2.0

/// Tables of reference against the code that they are about.
enum ReferenceRules {
  static let page = "Sources/Mainstay/Mainstay.docc/Monitoring/EventsAndMetrics.md"

  /// The tables of cases: the heading, the file and the enum that declares them.
  static let tables = [
    ("## Events of policies", "Sources/Mainstay/Policies/PolicyEvent.swift", "What"),
    ("## How a call ended", "Sources/Mainstay/Policies/PolicyEvent.swift", "CallEnding"),
    (
      "## Why no further attempt is made", "Sources/Mainstay/Policies/PolicyEvent.swift",
      "GiveUpReason"
    ),
    ("## Events of an outbox", "Sources/MainstayOutbox/OutboxEvent.swift", "What"),
  ]

  /// A case of an enum, with its documentation in one line.
  struct Case: Hashable {
    let name: String
    let meaning: String
  }

  /// The cases of an enum that is nested in a type of the file.
  static func cases(of name: String, in source: SourceFile) -> [Case] {
    let start = source.lines.firstIndex { $0.hasPrefix("  public enum \(name):") }
    var cases: [Case] = []
    var comment: [Substring] = []
    for line in source.lines[(start ?? source.lines.endIndex)...].dropFirst() {
      if line == "  }" { break }
      let text = line.drop { $0 == " " }
      if text.hasPrefix("/// ") {
        comment.append(text.dropFirst(4))
      } else if text.hasPrefix("case ") {
        let name = text.dropFirst(5).prefix { $0.isLetter || $0.isNumber }
        let meaning = comment.joined(separator: " ").replacing("``", with: "`")
        cases.append(Case(name: String(name), meaning: meaning))
        comment = []
      }
    }
    return cases
  }

  /// Where a table of the page and an enum do not say the same.
  static func stale(
    _ page: SourceFile, under heading: String, cases: [Case]
  ) -> [Violation] {
    let rows = MarkdownTable(under: heading, in: page).rows
    let told = rows.map {
      Case(name: $0.cells.first?.codeSpans.first ?? "", meaning: $0.cells.last ?? "")
    }
    let line = rows.first?.line ?? 1
    return Set(cases).symmetricDifference(told).map {
      Violation(
        path: page.path, line: line,
        rule: "\(heading): the page and the code differ about \($0.name)",
        cure: "Write the row as the comment says: | `\($0.name)` | \($0.meaning) |")
    }
  }

  /// Metrics that are in the code and not on the page, or the other way round.
  ///
  /// A metric is a literal of words between dots, in a file that imports swift-metrics.
  static func metrics(_ page: SourceFile, sources: [SourceFile]) -> [Violation] {
    let written = sources.filter { $0.lines.contains { $0.hasSuffix("import Metrics") } }
      .flatMap { $0.lines.flatMap(metrics) }
    let told = MarkdownTable(under: "## Metrics", in: page).rows
      .compactMap { $0.cells.first?.codeSpans.first }
    return Set(written).symmetricDifference(told).sorted().map {
      Violation(
        path: page.path, line: 1, rule: "the page and the code differ about the metric \($0)",
        cure: "Give it a row below `## Metrics`, or take it away")
    }
  }

  /// The metrics that a line of code names; the names of dimensions begin tuples.
  private static func metrics(in line: Substring) -> [String] {
    guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
    return line.matches(of: /"([a-z_]+(?:\.[a-z_]+)+)"/).compactMap { match in
      let before = line[..<match.range.lowerBound]
      let isDimension = before.last == "(" && before.dropLast().last?.isLetter != true
      return isDimension ? nil : String(match.1)
    }
  }
}
