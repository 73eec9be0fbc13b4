// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

/// `Documentation/Strategy.md` against the table of errors and the rules of dispositions.
@Suite struct StrategyTests {
  private static let dispositions: [(name: String, disposition: Disposition)] = [
    ("transient", .transient()), ("throttled", .throttled()), ("permanent", .permanent),
    ("needsUser", .needsUser), ("unknownOutcome", .unknownOutcome), ("cancelled", .cancelled),
    ("rejected", .rejected()), ("unclassified", .unclassified),
  ]

  private static func row(_ error: AppError) -> StrategyPage.Row {
    StrategyPage.Row(
      code: error.code.rawValue, kind: error.kind.rawValue, disposition: name(error.disposition),
      severity: error.severity.rawValue, title: error.title.description)
  }

  private static func name(_ disposition: Disposition) -> String {
    let bare = String(describing: disposition).prefix { $0 != "(" }
    return String(bare)
  }

  @Test(.requirement("A50", "A41"))
  func `the page says what everything does with each disposition`() throws {
    var lines = [
      "", "## What everything does with an error", "",
      "| Disposition | Retry | Breaker | Budget | Outbox | Span |", "|---|---|---|---|---|---|",
    ]
    for (name, disposition) in Self.dispositions {
      let cells = [
        "`\(name)`", Self.words(disposition.retry), Self.words(disposition.breaker),
        Self.words(disposition.budget), Self.words(disposition.outbox),
        Self.words(disposition.span),
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    try expectSection("dispositions", lines + [""])
  }

  @Test(.requirement("A50", "A41")) func `the page lists the errors of the core`() throws {
    var lines =
      ["", "## Mainstay", ""]
      + StrategyPage.policies(
        """
        none by itself: what a call goes through is built by the app. A report store tries again \
        after 1 to 300 seconds, and heeds what the other side asks for.
        """)
    for (about, errors) in AppError.builtIn {
      lines += ["", "### \(about)", ""] + StrategyPage.table(of: errors.map(Self.row))
    }
    try expectSection("Mainstay", lines + [""])
  }

  @Test(.requirement("A43"))
  func `whoever has to do something is offered more than to look away`() {
    let errors = AppError.builtIn.flatMap(\.errors).filter { $0.disposition == .needsUser }
    #expect(!errors.isEmpty)
    for error in errors {
      #expect(
        error.actions.contains { $0.id != RecoveryAction.dismiss.id }, "\(error.code)")
    }
  }

  private func expectSection(
    _ name: String, _ lines: [String], at location: SourceLocation = #_sourceLocation
  ) throws {
    let written = try StrategyPage.section(of: name, writing: lines)
    let difference = zip(written ?? [], lines).first { $0 != $1 }
    #expect(
      written == lines,
      """
      \(StrategyPage.path) is stale. Run `make requirements`. First difference:
        written: \(difference?.0 ?? "the end")
        current: \(difference?.1 ?? "the end")
      """, sourceLocation: location)
  }

  /// A case in words: `afterBackoff(hint: nil)` is "after backoff".
  private static func words(_ rule: some Any) -> String {
    let text = String(describing: rule)
    let name = text.prefix { $0 != "(" }
    let number = text.drop { $0 != "(" }.filter(\.isNumber)
    let words = name.reduce(into: "") { words, letter in
      words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
    }
    return number.isEmpty ? words : words + ": " + number
  }
}
