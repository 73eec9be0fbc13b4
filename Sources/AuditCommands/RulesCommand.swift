// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import MainstayAudit

/// `mainstay rules`.
package struct RulesCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Lists the rules of the audit, or explains some.")

  @Argument(help: "Ids or names of rules to explain, such as MS201 or empty-catch.")
  var rules: [String] = []

  @Flag(help: "Print all that is known of all rules as JSON.")
  var json = false

  package init() {}

  package func validate() throws {
    guard rules.isEmpty || !json else {
      throw ValidationError("--json prints all rules: name none.")
    }
    try RuleList.check(rules)
  }

  package func run() throws {
    let style = TextStyle(of: .output)
    if json { return try Terminal.output.write(RuleText.json()) }
    if rules.isEmpty { return try Terminal.output.write(RuleText.list(style: style)) }
    let texts = rules.compactMap { RuleText.explanation(of: $0, style: style) }
    try Terminal.output.write(texts.joined(separator: "\n"))
  }
}

/// Rules as they are typed.
enum RuleList {
  /// The ids, where several may stand in one word: `MS101,MS203`.
  static func ids(_ words: [String]) -> [String] {
    words.flatMap { $0.split(separator: ",") }.compactMap {
      RuleNames.id($0.trimmingSpaces)
    }
  }

  /// Refuses names that no rule has, all at once.
  static func check(_ words: [String]) throws(ValidationError) {
    let typed = words.flatMap { $0.split(separator: ",") }.map(\.trimmingSpaces)
    let unknown = typed.filter { RuleNames.id($0) == nil }
    guard unknown.isEmpty else {
      throw ValidationError(unknown.map(RuleNames.complaint).joined(separator: "\n"))
    }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

extension TextStyle {
  /// What a terminal can show; a wide one is not used up, since long lines are hard to read.
  init(of terminal: Terminal) {
    self.init(colours: terminal.isColored, width: min(terminal.width ?? 100, 120))
  }
}
