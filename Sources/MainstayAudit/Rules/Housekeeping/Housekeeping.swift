// SPDX-License-Identifier: Apache-2.0

/// What an audit says of its own comments and of files that it cannot read; always on.
package struct Housekeeping: Sendable {
  package let id: String
  package let name: String
  package let severity: Severity
  package let why: String

  func at(_ site: IndexedSite, _ message: String) -> Finding {
    Finding(
      rule: id, name: name, severity: severity, path: site.path, line: site.line,
      column: site.column, message: message, why: why, endColumn: site.endColumn,
      source: site.source, anchor: site.anchor, fix: nil)
  }

  package static let all: [Housekeeping] = [
    .unusedIgnore, .invalidIgnore, .blanketIgnore, .staleBaseline, .unparsed,
  ]
}

extension Housekeeping {
  static let unusedIgnore = Housekeeping(
    id: "MS001", name: "unused-ignore", severity: .warning,
    why: "A comment that silences nothing hides the next defect on its line.")
  static let invalidIgnore = Housekeeping(
    id: "MS002", name: "invalid-ignore", severity: .warning,
    why: "A comment with an unknown rule or without a reason silences nothing, whatever it meant.")
  static let blanketIgnore = Housekeeping(
    id: "MS003", name: "blanket-ignore", severity: .warning,
    why: "A comment that names no rule would silence defects that nobody has seen yet.")
  static let staleBaseline = Housekeeping(
    id: "MS004", name: "stale-baseline-entry", severity: .warning,
    why: "An entry that no longer occurs would silence the same defect when it comes back.")
  static let unparsed = Housekeeping(
    id: "MS005", name: "file-does-not-parse", severity: .warning,
    why: "Rules may miss what stands behind the place where a file stops being Swift.")
}
