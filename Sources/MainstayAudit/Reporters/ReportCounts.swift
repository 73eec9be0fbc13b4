// SPDX-License-Identifier: Apache-2.0

/// How much an audit found, by severity and by rule.
struct ReportCounts {
  let bySeverity: [Severity: Int]
  /// The rules with findings, sorted by id, each with its findings in the order of the report.
  let byRule: [(id: String, name: String, findings: [Finding])]
  /// The findings that `--fix` mends.
  let safeFixes: Int
  /// The findings that `--fix --unsafe` mends besides.
  let unsafeFixes: Int
  private let report: AuditReport

  init(_ report: AuditReport) {
    self.report = report
    bySeverity = report.findings.reduce(into: [:]) { $0[$1.severity, default: 0] += 1 }
    byRule = Dictionary(grouping: report.findings, by: \.rule).sorted { $0.key < $1.key }
      .map { ($0.key, $0.value[0].name, $0.value) }
    safeFixes = report.findings.count { $0.fix?.isSafe == true }
    unsafeFixes = report.findings.count { $0.fix?.isSafe == false }
  }

  /// "3 findings in 2 of 14 files (1,204 lines): 1 error, 2 warnings".
  var sentence: String {
    let looked = "\(report.files.grouped) \(report.files == 1 ? "file" : "files")"
    let lines = "(\(report.lines.grouped) \(report.lines == 1 ? "line" : "lines"))"
    guard !report.findings.isEmpty else { return "No findings in \(looked) \(lines)" }
    let found = report.findings.count
    let touched = Set(report.findings.map(\.path)).count
    return "\(found.grouped) \(found == 1 ? "finding" : "findings") in "
      + (report.files == touched ? looked : "\(touched.grouped) of \(looked)")
      + " \(lines): \(Self.phrase(bySeverity))"
  }

  /// "1 error, 2 warnings", the worst first.
  static func phrase(_ counts: [Severity: Int]) -> String {
    Severity.allCases.sorted(by: >).compactMap { severity in
      counts[severity].map { count in
        let plural = severity == .info || count == 1 ? "" : "s"
        return "\(count.grouped) \(severity.rawValue)\(plural)"
      }
    }.joined(separator: ", ")
  }

  static func severities(of findings: [Finding]) -> [Severity: Int] {
    findings.reduce(into: [:]) { $0[$1.severity, default: 0] += 1 }
  }

  /// What fixes would mend, as a sentence; nil where there are none.
  var fixes: String? {
    var parts: [String] = []
    if safeFixes > 0 { parts.append("`--fix` mends \(safeFixes.grouped)") }
    if unsafeFixes > 0 {
      parts.append(
        "`--fix --unsafe` \(parts.isEmpty ? "mends " : "")\((safeFixes + unsafeFixes).grouped)")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension Int {
  /// The number with a comma at each thousand.
  var grouped: String {
    var text = ""
    for (place, digit) in String(magnitude).reversed().enumerated() {
      if place > 0 && place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}

extension Fix {
  /// What a person is told of it: "`--fix` would log the error".
  var hint: String { "`\(isSafe ? "--fix" : "--fix --unsafe")` would \(title)" }
}

extension AuditProblem {
  /// What a person is told of it, without the path.
  var sentence: String { "could not be looked at: \(reason)" }
}
