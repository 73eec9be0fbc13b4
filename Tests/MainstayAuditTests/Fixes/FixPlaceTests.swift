// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Where fixes that only the whole project can decide have their places.
@Suite struct FixPlaceTests {
  @Test func `a fix of a rule for the whole project has a place for each edit`() async throws {
    var configuration = AuditConfiguration()
    configuration.enabled = ["MS104"]
    configuration.vocabulary.appError = "AppError"
    let text = "// Größe: 😀\nenum SyncError: Error { case offline } // 😀\n"
    let report = await Audit(configuration).run([AuditSource(path: "Sync.swift", text: text)])
    let fix = try #require(report.findings.first { $0.rule == "MS104" }?.fix)
    #expect(fix.spans.count == fix.edits.count)
    let span = try #require(fix.spans.last)
    #expect(span.line == 2 && span.column == 39)
    #expect(span.endLine == 2 && span.endColumn == 39)
  }
}
