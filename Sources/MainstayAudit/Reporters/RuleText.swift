// SPDX-License-Identifier: Apache-2.0

/// What there is to say about rules, for people and for programs.
package enum RuleText {
  /// What a rule finds, why, and how to do better.
  ///
  /// - Parameters:
  ///   - id: The rule's id or its name, in any case.
  ///   - style: What the terminal can show.
  /// - Returns: The text, or nil where no rule has this id or name.
  package static func explanation(of id: String, style: TextStyle) -> String? {
    guard let id = RuleNames.id(id) else { return nil }
    if let rule = Rule.all.first(where: { $0.id == id }) {
      return RuleExplanation(rule, style: style).text
    }
    return Housekeeping.all.first { $0.id == id }.map { RuleExplanation($0, style: style).text }
  }

  /// The id that somebody may have meant.
  ///
  /// - Parameter id: What was written instead of an id or a name.
  /// - Returns: An id or a name, whichever was nearly written; nil where nothing is near.
  package static func nearest(to id: String) -> String? {
    let ids = Rule.all.map(\.id) + Housekeeping.all.map(\.id)
    let names = Rule.all.map(\.name) + Housekeeping.all.map(\.name)
    return Suggestion.closest(to: id, in: ids + names)
  }

  /// All rules, one to a line.
  ///
  /// - Parameter style: What the terminal can show.
  /// - Returns: The text, with a line end.
  package static func list(style: TextStyle) -> String {
    let names = Rule.all.map(\.name) + Housekeeping.all.map(\.name)
    let width = names.map(\.count).max() ?? 0
    return RuleGroup.present.map { group in
      let lines =
        group.housekeeping.map {
          line($0.id, $0.name, $0.severity, "always", $0.why, width, style)
        }
        + group.rules.map {
          line($0.id, $0.name, $0.severity, $0.level.word, $0.summary, width, style)
        }
      return ([style.paint(group.title, .bold)] + lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private static func line(
    _ id: String, _ name: String, _ severity: Severity, _ level: String, _ summary: String,
    _ width: Int, _ style: TextStyle
  ) -> String {
    let lead = "  \(id)  \(name.padded(to: width))  "
    let grade = "\(severity.rawValue.padded(to: 7))  \(level.padded(to: 7))  "
    let columns = lead.count + grade.count
    let lines = summary.terminalSafe.wrapped(to: max(30, style.columns - columns))
    let text = lines.joined(separator: "\n" + String(repeating: " ", count: columns))
    return lead + style.paint(severity, severity.rawValue.padded(to: 7))
      + "  \(level.padded(to: 7))  " + text
  }

  /// All rules with all that there is to say of each, as JSON.
  ///
  /// - Returns: The text, with a line end.
  package static func json() -> String {
    JSONText.object([
      ("rules", .array(Rule.all.map(\.json))),
      ("housekeeping", .array(Housekeeping.all.map(\.json))),
    ]).document
  }
}

extension RuleLevel {
  /// The word for it in a table.
  var word: String { self == .optIn ? "opt-in" : rawValue }
}

extension Rule {
  fileprivate var json: JSONText {
    .object([
      ("id", .string(id)),
      ("name", .string(name)),
      ("group", .string(RuleGroup(of: id).title)),
      ("severity", .string(severity.rawValue)),
      ("level", .string(level.word)),
      ("profiles", .strings(profiles.map(\.rawValue))),
      ("serves", .strings(serves)),
      ("places", .strings(PathClass.allCases.filter(places.contains).map(\.rawValue))),
      ("summary", .string(summary)),
      ("why", .string(why)),
      ("guess", .string(guess)),
      ("onPurpose", .string(onPurpose)),
      ("comment", .string(RuleExplanation.comment(id))),
      (
        "fix",
        .object([("kind", .string(remedy.kind)), ("text", .string(remedy.text))])
      ),
      ("examples", .array(examples.map(\.json))),
    ])
  }
}

extension Housekeeping {
  fileprivate var json: JSONText {
    .object([
      ("id", .string(id)),
      ("name", .string(name)),
      ("group", .string(RuleGroup(of: id).title)),
      ("severity", .string(severity.rawValue)),
      ("why", .string(why)),
    ])
  }
}

extension Example {
  fileprivate var json: JSONText {
    .object([
      ("kind", .string(isBad ? "bad" : "good")),
      ("code", .string(code)),
      ("marked", isBad ? .string(marked) : nil),
      ("path", .string(path)),
      ("because", reason.map { .string($0) }),
      ("configuration", configuration.map { .string($0) }),
      (
        "others",
        others.isEmpty
          ? nil : .object(others.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
      ),
      ("fixed", fixed.map { .string($0) }),
    ])
  }
}
