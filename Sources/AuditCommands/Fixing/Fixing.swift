// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// What fixes make of some files.
struct FixOutcome {
  /// One file with its fixes.
  struct File {
    let path: String
    let source: AuditSource
    let old: [UInt8]
    let new: [UInt8]
    /// What was fixed, in the order in which it was.
    let fixed: [Finding]
  }

  /// The files, in the order of their paths.
  var files: [File]
  /// Files that are left alone, and why.
  var problems: [AuditProblem]
  /// The changed lines afterwards, where only those matter.
  var lines: ChangedLines?
}

/// Applies fixes in memory, again and again until there is nothing left to do.
struct Fixing {
  let engine: AuditEngine
  let unsafe: Bool

  private static let mostPasses = 10
  private static let largestFile = 4 << 20

  /// A file while it is being mended.
  private struct Draft {
    let source: AuditSource
    let old: [UInt8]
    let troubles: Int
    var new: [UInt8]
    var fixed: [Finding] = []
    /// What the last pass had to leave out, since the file would not parse after it.
    var broken: [Finding] = []
    var isOpen = true
    /// Whether a fix waits, since the last pass made one elsewhere after which it may be another.
    var isWaiting = false
  }

  /// Mends all files that a report has fixes for.
  func fixes(for report: AuditReport) async -> FixOutcome {
    var outcome = FixOutcome(files: [], problems: [], lines: engine.scope.changed)
    var drafts = await drafts(for: report, &outcome)
    for _ in 0..<Self.mostPasses where drafts.values.contains(where: \.isOpen) {
      let open = Set(drafts.values.filter(\.isOpen).map(\.source.path))
      let report = await engine.report(
        on: open, with: drafts.mapValues(\.new), lines: outcome.lines)
      let findings = Dictionary(grouping: report.findings, by: \.path)
      await pass(over: open, findings, &drafts, &outcome)
    }
    // What only waits is sound as it is.
    for draft in drafts.values where draft.isOpen && !draft.isWaiting {
      drafts[draft.source.path] = nil
      outcome.problems.append(
        AuditProblem(
          path: draft.source.path,
          reason: "fixes found no end in \(Self.mostPasses) passes, so it is left as it was"))
    }
    outcome.problems += drafts.values.flatMap(\.broken).map { finding in
      AuditProblem(
        path: finding.path,
        reason: "it would not parse after the fix of \(finding.rule) for line \(finding.line), so "
          + "that is left out")
    }
    outcome.files = drafts.values.filter { !$0.fixed.isEmpty }.map { draft in
      FixOutcome.File(
        path: draft.source.path, source: draft.source, old: draft.old, new: draft.new,
        fixed: draft.fixed)
    }
    .sorted { $0.path < $1.path }
    outcome.problems.sort { $0.path < $1.path }
    return outcome
  }

  private func drafts(
    for report: AuditReport, _ outcome: inout FixOutcome
  ) async -> [String: Draft] {
    let paths = Set(
      report.findings.filter { $0.fix.map { unsafe || $0.isSafe } ?? false }.map(\.path))
    var texts: [String: [UInt8]] = [:]
    let sources = engine.found.sources.filter { paths.contains($0.path) }
    for source in sources {
      do throws(POSIXError) {
        texts[source.path] = try Self.bytes(of: source)
      } catch {
        outcome.problems.append(
          AuditProblem(path: source.path, reason: "it cannot be read: \(error.words)"))
      }
    }
    let troubles = await ParseCheck.troubles(in: texts, jobs: engine.jobs)
    var drafts: [String: Draft] = [:]
    for source in sources {
      let path = source.path
      guard let bytes = texts[path], let count = troubles[path] else { continue }
      if count > 0, !ParseCheck.isPage(path) {
        outcome.problems.append(
          AuditProblem(path: path, reason: "it does not parse, so nothing in it is mended"))
      } else {
        drafts[path] = Draft(source: source, old: bytes, troubles: count, new: bytes)
      }
    }
    return drafts
  }

  static func bytes(of source: AuditSource) throws(POSIXError) -> [UInt8] {
    switch source.content {
    case .bytes(let bytes): bytes
    case .file(let path): try WholeBytes.read(path, most: largestFile)
    }
  }

  private func pass(
    over paths: Set<String>, _ findings: [String: [Finding]], _ drafts: inout [String: Draft],
    _ outcome: inout FixOutcome
  ) async {
    var runs: [String: FixRun] = [:]
    // What the fixes of files before a file add, which its own must not add again.
    var taken: [String: Set<String>] = [:]
    var keys: Set<String> = []
    for path in paths.sorted() {
      guard let draft = drafts[path] else { continue }
      taken[path] = keys
      let run = FixRun(findings[path] ?? [], in: draft.new, unsafe: unsafe, taken: keys)
      keys.formUnion(run.keys)
      runs[path] = run
    }
    let changed = runs.filter { !$0.value.fixed.isEmpty }.mapValues(\.bytes)
    let troubles = await ParseCheck.troubles(in: changed, jobs: engine.jobs)
    for (path, run) in runs.sorted(by: { $0.key < $1.key }) {
      guard let draft = drafts[path] else { continue }
      guard troubles[path] ?? 0 > draft.troubles else {
        take(run, leaving: [], of: path, &drafts, &outcome)
        continue
      }
      let free = (findings[path] ?? []).filter { finding in
        finding.fix?.key.map { taken[path]?.contains($0) != true } ?? true
      }
      let sound = await SoundFixes(
        free, in: draft.new, path: path, troubles: draft.troubles, unsafe: unsafe)
      take(sound.run, leaving: sound.broken, of: path, &drafts, &outcome)
    }
    // Where no pass makes anything, none after it will.
    let hasMade = paths.contains { drafts[$0]?.isOpen ?? false }
    for (path, run) in runs where hasMade && run.isWaiting {
      let isOpen = drafts[path]?.isOpen ?? true
      drafts[path]?.isOpen = true
      drafts[path]?.isWaiting = !isOpen
    }
  }

  private func take(
    _ run: FixRun, leaving broken: [Finding], of path: String, _ drafts: inout [String: Draft],
    _ outcome: inout FixOutcome
  ) {
    guard var draft = drafts[path] else { return }
    defer { drafts[path] = draft }
    draft.broken = broken
    draft.isWaiting = false
    guard !run.fixed.isEmpty, run.bytes != draft.new else {
      draft.isOpen = false
      return
    }
    if let lines = outcome.lines?[path: path] {
      let hunks = LineDiff(from: draft.new, to: run.bytes).hunks
      outcome.lines?.replace(path, with: lines.after(hunks))
    }
    draft.new = run.bytes
    draft.fixed += run.fixed
  }
}
