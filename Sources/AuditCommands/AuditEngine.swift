// SPDX-License-Identifier: Apache-2.0

import MainstayAudit

/// The audit over the files of a run, and over them again once some have changed.
struct AuditEngine {
  let audit: Audit
  let found: FileFinder.Found
  let scope: AuditScope
  let jobs: Int

  /// Looks at all that matters.
  func report(progress: (Int) -> Void = { _ in }) async -> AuditReport {
    let report = await audit.run(
      found.sources, focus: scope.focus, jobs: jobs, hasStringTables: found.hasStringTables,
      progress: progress)
    return scope.limited(
      report.with(report.findings, problems: found.problems), sources: found.sources, audit: audit)
  }

  /// Looks at some files again.
  ///
  /// - Parameters:
  ///   - focus: Their paths.
  ///   - bytes: What files hold now, by path; the others are read.
  ///   - lines: The changed lines now, where only those matter.
  /// - Returns: What is told of these files.
  func report(
    on focus: Set<String>, with bytes: [String: [UInt8]] = [:], lines: ChangedLines? = nil
  ) async -> AuditReport {
    let sources = found.sources.map { source in bytes[source.path].map(source.with) ?? source }
    let report = await audit.run(
      sources, focus: focus, jobs: jobs, hasStringTables: found.hasStringTables)
    let told = scope.limited(report, sources: sources, lines: lines, audit: audit)
    return told.keeping { focus.contains($0.path) }
  }
}
