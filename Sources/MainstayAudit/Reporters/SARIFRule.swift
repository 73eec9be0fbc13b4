// SPDX-License-Identifier: Apache-2.0

/// What SARIF says of a rule.
struct SARIFRule {
  let id: String
  private let name: String
  private let summary: String
  private let why: String
  private let severity: Severity
  private let help: (text: String, markdown: String)?
  private let tags: [String]

  /// The rules that were on, those that found something, and those that always are.
  static func rules(of report: AuditReport) -> [SARIFRule] {
    var needed = report.basis.rules
    needed.formUnion(report.findings.map(\.rule))
    let own = Housekeeping.all.map(SARIFRule.init)
    let known = Rule.all.filter { needed.contains($0.id) }.map(SARIFRule.init)
    let ids = Set((own + known).map(\.id))
    // A finding never goes without its rule, whoever made it.
    let strangers = Dictionary(
      grouping: report.findings.filter { !ids.contains($0.rule) }, by: \.rule
    )
    .compactMap { $0.value.first.map(SARIFRule.init) }
    return (own + known + strangers).sorted { $0.id < $1.id }
  }

  private init(_ rule: Rule) {
    id = rule.id
    name = rule.name
    summary = rule.summary
    why = rule.why
    severity = rule.severity
    help = (RuleExplanation(rule, style: TextStyle(width: 80)).text, RulePage.body(of: rule))
    tags = ["error-handling", RuleGroup(of: rule.id).tag] + rule.serves
  }

  private init(_ rule: Housekeeping) {
    id = rule.id
    name = rule.name
    summary = rule.name.inWords + "."
    why = rule.why
    severity = rule.severity
    help = nil
    tags = ["error-handling", RuleGroup(of: rule.id).tag]
  }

  private init(_ finding: Finding) {
    id = finding.rule
    name = finding.name
    summary = finding.name.inWords + "."
    why = finding.why
    severity = finding.severity
    help = nil
    tags = ["error-handling"]
  }

  var json: JSONText {
    .object([
      ("id", .string(id)),
      ("name", .string(name)),
      ("shortDescription", .object([("text", .string(summary))])),
      ("fullDescription", .object([("text", .string(why))])),
      (
        "help",
        .object([
          ("text", .string(help?.text ?? why)), ("markdown", .string(help?.markdown ?? why)),
        ])
      ),
      ("defaultConfiguration", .object([("level", .string(severity.sarif))])),
      ("properties", .object([("tags", .strings(tags))])),
    ])
  }
}

extension String {
  /// A name with hyphens as words: "Empty catch".
  var inWords: String {
    let words = replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
