// SPDX-License-Identifier: Apache-2.0

/// A report for programs.
struct JSONReport {
  let report: AuditReport

  var text: String {
    JSONText.object([
      ("findings", .array(report.findings.map(json))),
      ("files", .number(report.files)),
      ("lines", .number(report.lines)),
      (
        "problems",
        .array(
          report.problems.map {
            .object([("path", .string($0.path)), ("reason", .string($0.reason))])
          })
      ),
    ]).document
  }

  private func json(_ finding: Finding) -> JSONText {
    .object([
      ("rule", .string(finding.rule)),
      ("name", .string(finding.name)),
      ("severity", .string(finding.severity.rawValue)),
      ("path", .string(finding.path)),
      ("line", .number(finding.line)),
      ("column", .number(finding.column)),
      ("endColumn", .number(finding.endColumn)),
      ("message", .string(finding.message)),
      ("why", .string(finding.why)),
      (
        "fix",
        finding.fix.map {
          .object([("title", .string($0.title)), ("safe", .bool($0.isSafe))])
        } ?? .null
      ),
    ])
  }
}
