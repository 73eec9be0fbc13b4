// SPDX-License-Identifier: Apache-2.0

/// A report for people, like the diagnostics of a compiler.
struct TextReport {
  let report: AuditReport
  let style: TextStyle

  var text: String {
    var explained: Set<String> = []
    var blocks = report.findings.map { finding in
      block(of: finding, isFirst: explained.insert(finding.rule).inserted)
    }
    blocks.append(summary)
    if !report.problems.isEmpty { blocks.append(problems) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func block(of finding: Finding, isFirst: Bool) -> String {
    let place = "\(finding.path.terminalSafe):\(finding.line):\(finding.column):"
    let rule = "[\(finding.rule) \(finding.name)]"
    var lines = [
      "\(style.paint(place, .bold)) \(style.paint(finding.severity)): "
        + "\(style.paint(finding.message.terminalSafe, .bold)) \(style.paint(rule, .faint))"
    ]
    let number = String(finding.line)
    let gutter = String(repeating: " ", count: number.count + 2)
    let excerpt = SourceExcerpt(
      finding.source, column: finding.column, endColumn: finding.endColumn,
      width: style.columns - gutter.count - 2)
    let mark = "^" + String(repeating: "~", count: excerpt.length - 1)
    lines.append(" \(style.paint(number, .faint)) \(style.paint("|", .faint)) \(excerpt.line)")
    lines.append(
      "\(gutter)\(style.paint("|", .faint)) \(String(repeating: " ", count: excerpt.offset))"
        + style.paint(mark, .green))
    if isFirst { lines.append(style.paragraph(finding.why, after: "\(gutter)= why: ")) }
    if let fix = finding.fix {
      lines.append(style.paragraph(fix.hint, after: "\(gutter)= fix: "))
    }
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    let counts = ReportCounts(report)
    var lines = [style.paint(counts.sentence + ".", .bold)]
    let names = counts.byRule.map { "\($0.id) \($0.name)" }
    let width = names.map(\.count).max() ?? 0
    for (rule, name) in zip(counts.byRule, names) {
      let found = ReportCounts.phrase(ReportCounts.severities(of: rule.findings))
      lines.append("  \(name.padded(to: width))  \(found)")
    }
    if let fixes = counts.fixes { lines.append("\(fixes).") }
    return lines.joined(separator: "\n")
  }

  private var problems: String {
    report.problems.map { problem in
      "\(style.paint(problem.path.terminalSafe + ":", .bold)) "
        + "\(style.paint("problem", .red)): \(problem.sentence.terminalSafe)"
    }.joined(separator: "\n")
  }
}
