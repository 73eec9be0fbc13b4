// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A report in SARIF 2.1.0, the format that services collect results in.
///
/// See https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
struct SARIFReport {
  private let report: AuditReport
  private let rules: [SARIFRule]
  private let indices: [String: Int]

  init(_ report: AuditReport) {
    self.report = report
    rules = SARIFRule.rules(of: report)
    indices = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
  }

  var text: String {
    JSONText.object([
      ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
      ("version", .string("2.1.0")),
      ("runs", .array([run])),
    ]).document
  }

  private var run: JSONText {
    var ordinals: [String: Int] = [:]
    let results = report.findings.map { finding in
      let key = "\(finding.path)\0\(Self.fingerprint(of: finding))"
      ordinals[key, default: 0] += 1
      return result(finding, ordinal: ordinals[key, default: 1])
    }
    return .object([
      (
        "tool",
        .object([
          (
            "driver",
            .object([
              ("name", .string("mainstay-audit")),
              ("fullName", .string("mainstay audit")),
              ("semanticVersion", .string(AuditVersion.current)),
              ("rules", .array(rules.map(\.json))),
            ])
          )
        ])
      ),
      (
        "invocations",
        .array([
          .object([
            ("executionSuccessful", .bool(true)),
            ("toolExecutionNotifications", .array(report.problems.map(notification))),
          ])
        ])
      ),
      ("columnKind", .string("utf16CodeUnits")),
      ("newlineSequences", .strings(["\r\n", "\n", "\r"])),
      ("results", .array(results)),
    ])
  }

  private func result(_ finding: Finding, ordinal: Int) -> JSONText {
    let column = finding.source.utf16Column(ofByteColumn: finding.column)
    let end = finding.source.utf16Column(ofByteColumn: finding.endColumn)
    let wrong = finding.source.utf16Slice(fromColumn: column, toColumn: end)
    let region: JSONText = .object([
      ("startLine", .number(finding.line)), ("startColumn", .number(column)),
      ("endLine", .number(finding.line)), ("endColumn", .number(max(column, end))),
      ("snippet", Self.snippet(wrong)),
    ])
    let context: JSONText = .object([
      ("startLine", .number(finding.line)), ("endLine", .number(finding.line)),
      ("snippet", Self.snippet(finding.source)),
    ])
    let logical: JSONText? =
      finding.anchor.declaration.isEmpty
      ? nil
      : .array([.object([("fullyQualifiedName", .string(finding.anchor.declaration))])])
    return .object([
      ("ruleId", .string(finding.rule)),
      ("ruleIndex", indices[finding.rule].map { .number($0) }),
      ("level", .string(finding.severity.sarif)),
      ("message", .object([("text", .string(finding.message + "."))])),
      (
        "locations",
        .array([
          .object([
            (
              "physicalLocation",
              .object([
                ("artifactLocation", Self.location(finding.path)), ("region", region),
                ("contextRegion", context),
              ])
            ),
            ("logicalLocations", logical),
          ])
        ])
      ),
      (
        "partialFingerprints",
        .object([("mainstayAnchor/v1", .string("\(Self.fingerprint(of: finding)):\(ordinal)"))])
      ),
      ("fixes", finding.fix.map { .array([fix($0, of: finding.path)]) }),
    ])
  }

  /// A text of the file; none where it is longer than anybody reads, as in code on a single line.
  private static func snippet(_ text: String) -> JSONText? {
    text.utf8.count > 1_000 ? nil : .object([("text", .string(text))])
  }

  /// What stays equal when other lines are added or removed, but for equal statements.
  private static func fingerprint(of finding: Finding) -> String {
    var hash = StableHash()
    hash.add(finding.rule)
    hash.add(finding.anchor.declaration)
    hash.add(String(finding.anchor.statement, radix: 16))
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func fix(_ fix: Fix, of path: String) -> JSONText {
    let replacements = fix.edits.indices.map { place in
      let edit = fix.edits[place]
      return place < fix.spans.count
        ? Self.replacement(edit, at: fix.spans[place]) : Self.replacement(edit)
    }
    let change: JSONText = .object([
      ("artifactLocation", Self.location(path)), ("replacements", .array(replacements)),
    ])
    return .object([
      ("description", .object([("text", .string(fix.title + (fix.isSafe ? "" : " (unsafe)")))])),
      ("artifactChanges", .array([change])),
      ("properties", .object([("safe", .bool(fix.isSafe))])),
    ])
  }

  private static func replacement(_ edit: Edit, at span: Fix.Span) -> JSONText {
    .object([
      (
        "deletedRegion",
        .object([
          ("startLine", .number(span.line)), ("startColumn", .number(span.column)),
          ("endLine", .number(span.endLine)), ("endColumn", .number(span.endColumn)),
        ])
      ),
      ("insertedContent", .object([("text", .string(edit.replacement))])),
    ])
  }

  /// A region of bytes, whose content is bytes too.
  private static func replacement(_ edit: Edit) -> JSONText {
    let content = Data(edit.replacement.utf8).base64EncodedString()
    return .object([
      (
        "deletedRegion",
        .object([
          ("byteOffset", .number(edit.range.lowerBound)),
          ("byteLength", .number(edit.range.count)),
        ])
      ),
      ("insertedContent", .object([("binary", .string(content))])),
    ])
  }

  private func notification(_ problem: AuditProblem) -> JSONText {
    .object([
      ("level", .string("error")),
      ("message", .object([("text", .string("This file \(problem.sentence)."))])),
      (
        "locations",
        .array([
          .object([
            (
              "physicalLocation", .object([("artifactLocation", Self.location(problem.path))])
            )
          ])
        ])
      ),
    ])
  }

  /// A path as a URI: relative to the folder of the sources, where it is.
  private static func location(_ path: String) -> JSONText {
    var relative = path[...]
    while relative.hasPrefix("./") { relative = relative.dropFirst(2) }
    let uri = String(relative).percentEncoded
    guard !relative.hasPrefix("/") else { return .object([("uri", .string("file://" + uri))]) }
    return .object([("uri", .string(uri)), ("uriBaseId", .string("%SRCROOT%"))])
  }
}

extension Severity {
  /// What SARIF calls it.
  var sarif: String { self == .info ? "note" : rawValue }
}
