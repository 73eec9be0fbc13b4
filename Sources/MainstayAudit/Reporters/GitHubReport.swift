// SPDX-License-Identifier: Apache-2.0

/// Commands that GitHub Actions turns into annotations of a change.
struct GitHubReport {
  let report: AuditReport

  var text: String {
    (report.findings.map(annotation) + report.problems.map(annotation)).map { $0 + "\n" }.joined()
  }

  private func annotation(_ finding: Finding) -> String {
    let column = finding.source.utf16Column(ofByteColumn: finding.column)
    let end = finding.source.utf16Column(ofByteColumn: finding.endColumn)
    var message = [finding.message + ".", finding.why]
    if let fix = finding.fix { message.append(fix.hint + ".") }
    return command(
      finding.severity.annotation,
      [
        ("file", finding.path), ("line", String(finding.line)), ("endLine", String(finding.line)),
        ("col", String(column)), ("endColumn", String(max(column + 1, end))),
        ("title", "\(finding.rule) \(finding.name)"),
      ], message.joined(separator: "\n"))
  }

  private func annotation(_ problem: AuditProblem) -> String {
    command(
      "warning", [("file", problem.path), ("title", "Not looked at")],
      "This file \(problem.sentence).")
  }

  private func command(
    _ name: String, _ properties: [(name: String, value: String)], _ message: String
  ) -> String {
    let listed = properties.map { "\($0.name)=\(Self.escapedProperty($0.value))" }
    return "::\(name) \(listed.joined(separator: ","))::\(Self.escaped(message))"
  }

  /// A message, as the runner wants it.
  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").unicodeScalars.map { scalar in
      switch scalar {
      case "\r": "%0D"
      case "\n": "%0A"
      default: scalar.isVisible || scalar == "\t" ? String(scalar) : scalar.escaped
      }
    }.joined()
  }

  /// A property, which also ends at a comma, and the list of them at a colon.
  private static func escapedProperty(_ text: String) -> String {
    escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

extension Severity {
  /// What GitHub calls it.
  fileprivate var annotation: String {
    switch self {
    case .info: "notice"
    case .warning: "warning"
    case .error: "error"
    }
  }
}
