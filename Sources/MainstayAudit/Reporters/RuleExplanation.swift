// SPDX-License-Identifier: Apache-2.0

/// All that there is to say of a rule, for a terminal.
struct RuleExplanation {
  private var blocks: [String] = []
  private let style: TextStyle

  var text: String { blocks.joined(separator: "\n\n") + "\n" }

  init(_ rule: Rule, style: TextStyle) {
    self.style = style
    add(rule.id, rule.name, rule.severity, "profiles: " + Self.list(rule.profiles.map(\.rawValue)))
    blocks.append(style.paragraph(rule.summary, after: ""))
    add("Why", rule.why)
    if let before = rule.before { add("Before", code: before) }
    if let after = rule.after { add("After", code: after) }
    addGuards(rule)
    add("What it guesses", rule.guess)
    let comment = style.paragraph("Or `\(Self.comment(rule.id))`.", after: "  ")
    add("To say that you mean it", rule.onPurpose)
    blocks[blocks.count - 1] += "\n" + comment
    add("Fix", rule.remedy.sentence)
    add("Looks at", Self.list(PathClass.allCases.filter(rule.places.contains).map(\.plural)))
    if !rule.serves.isEmpty { add("Serves", rule.serves.joined(separator: ", ")) }
  }

  init(_ rule: Housekeeping, style: TextStyle) {
    self.style = style
    add(rule.id, rule.name, rule.severity, "always on")
    add("Why", rule.why)
  }

  /// The comment that silences one finding of a rule.
  static func comment(_ id: String) -> String { "// mainstay:ignore \(id) -- the reason" }

  static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

  private mutating func add(_ id: String, _ name: String, _ severity: Severity, _ on: String) {
    blocks.append(
      "\(style.paint("\(id) \(name)", .bold)) (\(style.paint(severity)); \(on))")
  }

  private mutating func add(_ title: String, _ text: String) {
    blocks.append(style.paint(title, .bold) + "\n" + style.paragraph(text, after: "  "))
  }

  private mutating func add(_ title: String, code: Example) {
    blocks.append(style.paint(title, .bold) + code.context.terminalSafe + "\n" + listing(code))
  }

  private mutating func addGuards(_ rule: Rule) {
    let guards = rule.guards
    guard !guards.isEmpty else { return }
    let parts = guards.map { example in
      style.paragraph((example.reason ?? "").endedSentence, after: "  - ") + "\n" + listing(example)
    }
    blocks.append(style.paint("Left alone", .bold) + "\n" + parts.joined(separator: "\n"))
  }

  private func listing(_ example: Example) -> String {
    example.code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "      " + style.paint($0.terminalSafe(keeping: "\t"), .faint) }
      .joined(separator: "\n")
  }
}

extension PathClass {
  /// What files of it are called.
  var plural: String {
    switch self {
    case .production: "production code"
    case .test: "tests"
    case .preview: "previews"
    case .example: "examples"
    case .tool: "tools"
    case .generated: "generated code"
    }
  }
}

extension String {
  /// A phrase with a capital and a full stop.
  var endedSentence: String {
    let start = hasPrefix("`") ? self : prefix(1).uppercased() + dropFirst()
    return start.hasSuffix(".") ? start : start + "."
  }
}

extension StringProtocol {
  /// The text as a terminal may have it, but for characters that it knows.
  func terminalSafe(keeping kept: Character) -> String {
    map { $0 == kept ? String($0) : String($0).terminalSafe }.joined()
  }
}
