// SPDX-License-Identifier: Apache-2.0

/// The documentation of a group of rules, made from the rules themselves.
package struct RulePage {
  private let group: RuleGroup

  package init(_ group: RuleGroup) { self.group = group }

  /// The page, in the Markdown of DocC.
  package var text: String {
    var blocks = [
      "# \(group.title)",
      group.summary,
      "<!-- Made from the rules by `make rules`; changes here are lost. -->",
    ]
    blocks += group.housekeeping.map { rule in
      "## \(rule.id): \(rule.name)\n\n\(rule.why.markdown)\n\n"
        + Self.table([("Severity", rule.severity.rawValue), ("Profiles", "always on")])
    }
    blocks += group.rules.map { "## \($0.id): \($0.name)\n\n" + Self.body(of: $0) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// All about one rule, below its title.
  static func body(of rule: Rule) -> String {
    var blocks = [rule.summary.markdown, "**Why.** \(rule.why.markdown)"]
    if let before = rule.before {
      blocks.append("Before\(before.context.markdown):\n\n" + block(before))
    }
    if let after = rule.after {
      blocks.append("After\(after.context.markdown):\n\n" + block(after))
    }
    if !rule.guards.isEmpty { blocks.append("Left alone:") }
    blocks += rule.guards.map { example in
      "- \((example.reason ?? "").endedSentence.markdown)\n\n" + block(example, indent: "  ")
    }
    let places = PathClass.allCases.filter(rule.places.contains).map(\.plural)
    blocks += [
      "**What it guesses.** \(rule.guess.markdown)",
      "**To say that you mean it.** \(rule.onPurpose.markdown) "
        + "Or `\(RuleExplanation.comment(rule.id))`.",
      "**Fix.** \(rule.remedy.sentence.markdown)",
      table([
        ("Severity", rule.severity.rawValue),
        ("Profiles", rule.profiles.map { "`\($0.rawValue)`" }.joined(separator: ", ")),
        ("Looks at", places.joined(separator: ", ")),
        ("Serves", rule.serves.joined(separator: ", ")),
      ]),
    ]
    return blocks.joined(separator: "\n\n")
  }

  private static func table(_ columns: [(title: String, text: String)]) -> String {
    func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
    return [
      row(columns.map(\.title)), row(columns.map { _ in "---" }), row(columns.map(\.text)),
    ].joined(separator: "\n")
  }

  private static func block(_ example: Example, indent: String = "") -> String {
    example.code.markdownBlock("swift").split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : indent + $0 }.joined(separator: "\n")
  }
}
