// SPDX-License-Identifier: Apache-2.0

import MainstayAudit

/// Reports to write down.
enum Samples {
  /// Two findings of one rule, one of another, and a file that cannot be read.
  static let small = AuditReport(
    findings: [
      finding(
        path: "Sources/App/Store.swift", line: 12, column: 7, length: 8,
        source: "    } catch {}", fix: Fix.safe("log the error", Edit(98..<98, " log() "))),
      finding(
        path: "Sources/App/Store.swift", line: 120, column: 1, length: 5,
        source: "catch {", severity: .info),
      finding(
        "MS302", "sleep-swallows-cancel", path: "Sources/App/Timer.swift", line: 3, column: 3,
        length: 4, source: "\ttry? await Task.sleep(for: .seconds(1))",
        message: "`Task.sleep` drops cancellation in a loop",
        why: "After cancellation the loop spins as fast as it can.", severity: .warning,
        fix: Fix.unsafe("leave the loop", Edit(0..<0, "x"))),
    ],
    files: 14, lines: 1204,
    problems: [AuditProblem(path: "Sources/App/Locked.swift", reason: "permission denied")])

  static let clean = AuditReport(findings: [], files: 1, lines: 1, problems: [])

  /// Whatever a name or a line may hold that means something to a terminal, a page or a runner.
  static let hostile = AuditReport(
    findings: [
      finding(
        path: "My Sources/100%, a:b/“x”\n::error::.swift", line: 2, column: 9, length: 4,
        source: "let a = \"é👩‍👩‍👧\u{202E}\u{1B}[31m\u{FFFD}\" // <b>|`*_",
        message: "`a|b` is \"50%\",\r\nor\u{1B}[2J \u{2066}not</details> 👍🏽: [x](y)",
        why: "A <script> & a `|`.")
    ],
    files: 1, lines: 3,
    problems: [AuditProblem(path: "a\u{7}%.swift", reason: "it is <no> text")])

  static func finding(
    _ rule: String = "MS201", _ name: String = "empty-catch", path: String = "A.swift",
    line: Int = 1, column: Int = 1, length: Int = 1, source: String = "x",
    message: String = "This error is dropped",
    why: String = "Whatever goes wrong here is gone: no log, no report, no message.",
    severity: Severity = .error, declaration: String = "Store.save", statement: UInt64 = 7,
    fix: Fix? = nil
  ) -> Finding {
    Finding(
      rule: rule, name: name, severity: severity, path: path, line: line, column: column,
      message: message, why: why, endColumn: column + length, source: source,
      anchor: Finding.Anchor(declaration: declaration, statement: statement), fix: fix)
  }

  static func report(_ findings: Finding...) -> AuditReport {
    AuditReport(findings: findings, files: 1, lines: 1, problems: [])
  }

  /// Whether a terminal shows the text as it is, and does nothing else.
  static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar == "\n"
      // Joins the parts of one picture.
      case .format: scalar.value == 0x200D
      case .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
}

extension AuditReport {
  func text(as format: AuditFormat, width: Int = 100, colours: Bool = false) -> String {
    format.text(of: self, style: TextStyle(colours: colours, width: width, folder: "/code/app"))
  }
}
