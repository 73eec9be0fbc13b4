// SPDX-License-Identifier: Apache-2.0

/// A form that the result of an audit is written in.
package enum AuditFormat: String, CaseIterable, Sendable {
  /// For people, like the diagnostics of a compiler.
  case text
  /// For programs, in a form of our own.
  case json
  /// For services that collect results: SARIF 2.1.0.
  case sarif
  /// Annotations of a run of GitHub Actions.
  case github
  /// Lines that Xcode shows beside the code.
  case xcode
  /// A report that is read as a page.
  case markdown
  /// What a migration to one type of errors still has to do.
  case checklist

  /// Writes a report.
  ///
  /// - Parameters:
  ///   - report: What an audit found.
  ///   - style: What the terminal can show; only forms for people look at it.
  /// - Returns: The text, with a line end; empty where the form has nothing to say.
  package func text(of report: AuditReport, style: TextStyle) -> String {
    switch self {
    case .text: TextReport(report: report, style: style).text
    case .json: JSONReport(report: report).text
    case .sarif: SARIFReport(report).text
    case .github: GitHubReport(report: report).text
    case .xcode: XcodeReport(report: report, folder: style.folder).text
    case .markdown: MarkdownReport(report: report).text
    case .checklist: ChecklistTable(Checklist(report), style: style).text
    }
  }

  /// Whether it says which cases tests name, which the index has to be told before.
  package var asksForMembers: Bool { self == .checklist || self == .markdown }
}
