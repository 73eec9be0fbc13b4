// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// Which of the findings are told: those on changed lines, that no baseline knows, bad enough.
struct AuditScope {
  private(set) var changed: ChangedLines?
  let baseline: BaselineFile?
  private let isStrict: Bool
  private let mildest: Severity

  init(
    _ command: RunCommand, _ settings: AuditSettings, _ sources: [AuditSource]
  ) throws(CommandFailure) {
    let options = command.scope
    isStrict = options.strictBaseline
    mildest = command.output.severity
    baseline = try options.baseline.map { path throws(CommandFailure) in
      try BaselineFile(path, names: settings.names)
    }
    guard let revision = options.changedSince else { return }
    do throws(Git.Failure) {
      changed = try ChangedSources.lines(of: sources, since: revision, names: settings.names)
    } catch {
      throw CommandFailure(status: .couldNotRun, message: error.message)
    }
  }

  /// The same, where what was there before the lines changed is known, and so is not told.
  func learned(from sources: [AuditSource], _ audit: Audit, jobs: Int) async -> AuditScope {
    var scope = self
    await scope.changed?.learn(from: sources, audit, jobs: jobs)
    return scope
  }

  /// Whether it is no wonder that nothing is looked at.
  var isLimited: Bool { changed != nil }

  /// The files that matter; nil for all.
  var focus: Set<String>? { changed?.paths }

  /// The problems of files that matter, and of what was named.
  func limited(_ found: FileFinder.Found) -> FileFinder.Found {
    guard let focus else { return found }
    var found = found
    found.problems.removeAll { !focus.contains($0.path) && !found.named.contains($0.path) }
    return found
  }

  /// The findings that are told.
  ///
  /// - Parameters:
  ///   - report: All that was found.
  ///   - sources: The files that were there, to tell which entries of a baseline are old.
  ///   - lines: The changed lines, where files have been mended since.
  ///   - audit: What looked.
  /// - Returns: The report with those alone.
  func limited(
    _ report: AuditReport, sources: [AuditSource], lines: ChangedLines? = nil, audit: Audit
  ) -> AuditReport {
    var findings = report.findings
    var stale: [Finding] = []
    let changed = lines ?? changed
    if let baseline {
      let (new, unmet) = baseline.apply(to: findings, changed: changed)
      findings = new
      if isStrict {
        stale = baseline.stale(
          unmet, among: sources, unread: report.problems, focus: focus, audit)
      }
    }
    if let changed { findings = findings.filter(changed.contains) }
    return report.with((findings + stale).filter { $0.severity >= mildest })
  }

  /// What else there is to say.
  func notes(about report: AuditReport) -> [String] {
    guard report.files == 0, changed != nil else { return [] }
    return ["No Swift file differs."]
  }
}
