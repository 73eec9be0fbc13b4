// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// Writes fixes, and tells which.
struct Mending {
  let session: AuditSession
  let engine: AuditEngine

  /// Writes each file that is still as it was looked at.
  ///
  /// - Parameters:
  ///   - fixes: What to write.
  ///   - report: What was found before.
  /// - Returns: What is left.
  func write(_ fixes: FixOutcome, _ report: AuditReport) async -> AuditReport {
    var problems = fixes.problems
    var written: [FixOutcome.File] = []
    for file in fixes.files {
      if let reason = Self.failure(writing: file) {
        problems.append(AuditProblem(path: file.path, reason: reason))
      } else {
        written.append(file)
      }
    }
    tell(written)
    session.complain(about: problems)
    guard !written.isEmpty else { return report }
    // What was mended in one file may be what another one has a finding for.
    let paths = Set(written.map(\.path)).union(report.findings.map(\.path))
    let bytes = Dictionary(written.map { ($0.path, $0.new) }) { first, _ in first }
    let after = await engine.report(on: paths, with: bytes, lines: fixes.lines)
    return report.with(after.findings)
  }

  private static func failure(writing file: FixOutcome.File) -> String? {
    guard case .file(let path) = file.source.content else { return "it is no file" }
    return FileReplacing.failure(replacing: file.old, by: file.new, at: path)
  }

  private func tell(_ files: [FixOutcome.File]) {
    for file in files {
      for finding in file.fixed {
        let title = finding.fix?.title ?? "mended"
        session.command.note("\(file.path):\(finding.line): \(finding.rule) mended: \(title)")
      }
    }
    let count = files.reduce(0) { $0 + $1.fixed.count }
    session.command.note(
      "\(count) finding\(count == 1 ? "" : "s") mended in \(files.count) "
        + "file\(files.count == 1 ? "" : "s").")
  }
}
