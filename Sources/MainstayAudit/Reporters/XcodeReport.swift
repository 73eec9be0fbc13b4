// SPDX-License-Identifier: Apache-2.0

/// Lines that Xcode and other editors take for those of a compiler.
struct XcodeReport {
  let report: AuditReport
  /// The folder that relative paths start from.
  let folder: String

  var text: String {
    let findings = report.findings.map { finding in
      "\(absolute(finding.path)):\(finding.line):\(finding.column): "
        + "\(finding.severity.diagnostic): \(finding.message.terminalSafe) "
        + "(\(finding.rule) \(finding.name))"
    }
    let problems = report.problems.map {
      "\(absolute($0.path)):1:1: warning: this file \($0.sentence.terminalSafe)"
    }
    return (findings + problems).map { $0 + "\n" }.joined()
  }

  /// The path from the root; a path with a line end could not be told from two lines.
  private func absolute(_ path: String) -> String {
    var relative = path[...]
    while relative.hasPrefix("./") { relative = relative.dropFirst(2) }
    let full =
      path.hasPrefix("/") ? path : "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(relative)"
    return full.terminalSafe
  }
}

extension Severity {
  /// What a compiler calls it.
  fileprivate var diagnostic: String {
    switch self {
    case .info: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }
}
