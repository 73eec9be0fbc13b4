// SPDX-License-Identifier: Apache-2.0

/// A report that is read as a page.
struct MarkdownReport {
  let report: AuditReport

  /// The most places of one rule that are listed; a page with more is not read.
  private static let mostPlaces = 500

  var text: String {
    let counts = ReportCounts(report)
    var blocks = ["# Audit", counts.sentence + "."]
    if !counts.byRule.isEmpty { blocks.append(table(counts)) }
    if let fixes = counts.fixes { blocks.append(fixes + ".") }
    blocks += counts.byRule.map(section)
    if !report.problems.isEmpty { blocks.append(problems) }
    let checklist = Checklist(report)
    if !checklist.entries.isEmpty { blocks.append(ChecklistPage(checklist).text) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func table(_ counts: ReportCounts) -> String {
    let rows = counts.byRule.map { rule in
      let found = ReportCounts.phrase(ReportCounts.severities(of: rule.findings))
      let fixes = rule.findings.count { $0.fix != nil }
      return
        "| \(rule.id) | \(rule.name.markdownCell) | \(found) | \(fixes == 0 ? "" : fixes.grouped) |"
    }
    return (["| Rule | Name | Findings | With a fix |", "|---|---|---|---:|"] + rows)
      .joined(separator: "\n")
  }

  private func section(_ rule: (id: String, name: String, findings: [Finding])) -> String {
    let found = rule.findings.count
    let places = rule.findings.prefix(Self.mostPlaces).map(place)
    let rest = found - places.count
    let list = places + (rest > 0 ? ["- and \(rest.grouped) more"] : [])
    return """
      ## \(rule.id) \(rule.name.markdown)

      \((rule.findings.first?.why ?? "").markdown)

      <details><summary>\(found.grouped) \(found == 1 ? "place" : "places")</summary>

      \(list.joined(separator: "\n"))

      </details>
      """
  }

  private func place(_ finding: Finding) -> String {
    let name = "\(finding.path):\(finding.line)".markdownCode
    let link = "[\(name)](\(finding.path.percentEncoded)#L\(finding.line))"
    let fix = finding.fix.map { "; " + $0.hint.markdown } ?? ""
    return "- \(link) \(finding.severity.rawValue): \(finding.message.markdown)\(fix)"
  }

  private var problems: String {
    let lines = report.problems.map { "- \($0.path.markdownCode) \($0.sentence.markdown)" }
    return "## Not looked at\n\n" + lines.joined(separator: "\n")
  }
}
