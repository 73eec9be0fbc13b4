// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MainstayAudit

/// Looks once at everything, and then at each file that changes, until Ctrl-C.
struct Watch {
  let session: AuditSession

  /// Often enough for a person who waits, and seldom enough to cost next to nothing.
  private static let pause = Duration.milliseconds(500)

  func run() async throws {
    let watching = Task { try await watch() }
    // The default would end the program in the middle of a line.
    signal(SIGINT, SIG_IGN)
    signal(SIGTERM, SIG_IGN)
    let sources = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { watching.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      try await watching.value
    } catch is CancellationError {
      session.command.note("Watching has ended.")
    }
  }

  private func watch() async throws {
    var session = session
    var found = try session.find()
    var stamps = stamps(of: found, session)
    try tell(try await report(on: nil, found, session), on: nil, session)
    session.command.note("Watching \(count(found.sources.count)). Ctrl-C ends it.")
    var owed = Owed()
    while true {
      try await Task.sleep(for: Self.pause)
      found = try session.find()
      let now = self.stamps(of: found, session)
      if now != stamps {
        let changed = Set(now.filter { stamps[$0.key] != $0.value }.keys)
        let gone = stamps.keys.filter { now[$0] == nil }.sorted()
        stamps = now
        for path in gone { session.command.note("\(path) is gone.") }
        if session.settings.places.contains(where: { changed.contains($0) || gone.contains($0) }) {
          owed.isEverything = true
        }
        owed.paths.formUnion(changed)
      }
      guard owed.isEverything || !owed.paths.isEmpty else { continue }
      let paths = owed.isEverything ? nil : owed.paths
      let report: AuditReport
      do {
        if owed.isEverything {
          session = try renewed(session)
          found = try session.find()
        }
        report = try await self.report(on: paths, found, session)
      } catch let failure as CommandFailure {
        // Somebody may just be writing a baseline or a configuration, or changing branches.
        if owed.complaint != failure.message { session.command.complain(failure.message) }
        owed.complaint = failure.message
        continue
      }
      owed = Owed()
      try tell(report, on: paths, session)
    }
  }

  /// What changed and has not been told yet.
  private struct Owed {
    var isEverything = false
    var paths: Set<String> = []
    /// Why not, as it was said.
    var complaint = ""
  }

  /// The session under the configuration as it is now.
  private func renewed(_ session: AuditSession) throws(CommandFailure) -> AuditSession {
    let settings = try AuditSettings(session.command.rules)
    if let error = settings.error { session.command.complain("\(error)") }
    return AuditSession(command: session.command, settings: settings)
  }

  private func report(
    on paths: Set<String>?, _ found: FileFinder.Found, _ session: AuditSession
  ) async throws -> AuditReport {
    // What counts as changed may have changed too.
    let audit = Audit(session.settings.configuration)
    let scope = try await AuditScope(session.command, session.settings, found.sources)
      .learned(from: found.sources, audit, jobs: session.jobs)
    let engine = AuditEngine(audit: audit, found: found, scope: scope, jobs: session.jobs)
    let report =
      if let paths { await engine.report(on: paths) } else { await engine.report() }
    try Task.checkCancellation()
    return report
  }

  private func tell(
    _ report: AuditReport, on paths: Set<String>?, _ session: AuditSession
  ) throws(CommandFailure) {
    let format = session.command.output.chosenFormat
    guard let paths, report.findings.isEmpty, report.problems.isEmpty else {
      let named = session.named(report, for: format)
      return try Terminal.output.write(format.text(of: named, style: TextStyle(of: .output)))
    }
    let name = paths.count == 1 ? paths.first ?? "" : count(paths.count)
    session.command.note("\(name): nothing was found.")
  }

  private func count(_ files: Int) -> String { files == 1 ? "1 file" : "\(files) files" }

  /// What tells whether a file has changed, by its path.
  private func stamps(
    of found: FileFinder.Found, _ session: AuditSession
  ) -> [String: FileStatus] {
    var stamps: [String: FileStatus] = [:]
    // A configuration may also come to where there is none yet.
    for place in session.settings.places { stamps[place] = FileStatus(place) }
    for source in found.sources {
      if case .file(let path) = source.content { stamps[source.path] = FileStatus(path) }
    }
    return stamps
  }
}
