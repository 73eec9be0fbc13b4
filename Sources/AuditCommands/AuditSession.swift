// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit

/// One run: what was asked for, from the paths to the exit status.
struct AuditSession {
  let command: RunCommand
  let settings: AuditSettings

  private static let largestInput = 16 << 20
  /// With fewer files nobody has to wait.
  private static let shortestWait = 500

  var jobs: Int { command.output.jobs ?? min(ProcessInfo.processInfo.activeProcessorCount, 64) }
  private var names: PathNames { settings.names }

  func run() async throws {
    var found = try find()
    var configuration = settings.configuration
    configuration.notesMembers = command.output.chosenFormat.asksForMembers
    let audit = Audit(configuration)
    let scope = try await AuditScope(command, settings, found.sources)
      .learned(from: found.sources, audit, jobs: jobs)
    found = scope.limited(found)
    let engine = AuditEngine(audit: audit, found: found, scope: scope, jobs: jobs)
    var report = await look(with: engine)
    if let (written, meant) = report.misspeltAppError {
      command.note("No type is called `\(written)`, as `app_error` says; did you mean `\(meant)`?")
    }
    for path in found.excluded { command.note("\(path) is excluded by the configuration.") }
    if command.fixing.isAsked {
      let fixes = await Fixing(engine: engine, unsafe: command.fixing.unsafe).fixes(for: report)
      guard command.fixing.fix, !command.fixing.diff else {
        try show(fixes, report)
        return try end(report, found)
      }
      report = await Mending(session: self, engine: engine).write(fixes, report)
    }
    if let path = command.scope.writeBaseline {
      try writeBaseline(path, report)
    } else {
      try tell(report, found, scope)
    }
    try end(report, found)
  }

  /// Ends with a status that says whether something was found, and whether all was there that was
  /// named: a gate that looks nowhere would be open.
  private func end(_ report: AuditReport, _ found: FileFinder.Found) throws(CommandFailure) {
    if command.scope.writeBaseline == nil,
      report.findings.contains(where: { $0.severity >= command.output.failOn })
    {
      throw CommandFailure(status: .findings, message: "")
    }
    if report.problems.contains(where: { found.named.contains($0.path) }) {
      throw CommandFailure(status: .couldNotRun, message: "")
    }
  }

  // MARK: Looking

  /// The files that are looked at.
  func find() throws(CommandFailure) -> FileFinder.Found {
    if command.scope.stdin { return try standardInput() }
    let finder = FileFinder(
      excluded: settings.configuration.excluded, excludesNamed: command.scope.forceExclude,
      markdown: command.scope.markdown, names: names, project: settings.project)
    return finder.find(command.paths.isEmpty ? ["."] : command.paths)
  }

  private func standardInput() throws(CommandFailure) -> FileFinder.Found {
    let name = command.scope.assumePath.map(names.relative) ?? "standard-input.swift"
    let place = settings.project.relative(names.absolute(name))
    // An editor hands over whatever is open.
    let isExcluded =
      command.scope.assumePath != nil
      && FileFinder(excluded: settings.configuration.excluded).isExcluded(place)
    do throws(POSIXError) {
      let bytes = try WholeBytes.read(nil, most: Self.largestInput)
      var found = FileFinder.Found()
      if isExcluded {
        found.excluded = [name]
      } else {
        found.sources = [AuditSource(path: name, bytes: bytes, place: place)]
      }
      return found
    } catch {
      throw CommandFailure(
        status: .couldNotRun, message: "Standard input cannot be read: \(error.words).")
    }
  }

  private func look(with engine: AuditEngine) async -> AuditReport {
    let isShown = !command.output.noProgress && !command.output.quiet
    // Of files that differ nobody knows how many others have to be read for their sake.
    let count = engine.scope.isLimited ? 0 : engine.found.sources.count
    var bar = ProgressBar("Looking", total: isShown ? count : 0, from: Self.shortestWait)
    defer { bar.end() }
    return await engine.report { bar.show($0) }
  }

  // MARK: Telling

  /// The findings, and what could not be looked at.
  private func tell(
    _ report: AuditReport, _ found: FileFinder.Found, _ scope: AuditScope
  ) throws(CommandFailure) {
    let format = command.output.chosenFormat
    let unread = Set(report.problems.map(\.path))
    let looks = found.sources.contains { !unread.contains($0.path) }
    if !looks, found.excluded.isEmpty || !report.problems.isEmpty, !scope.isLimited {
      complain(about: report.problems)
      guard !report.problems.isEmpty else { throw nothingFound }
      throw CommandFailure(status: .couldNotRun, message: "Nothing could be looked at.")
    }
    if !format.tellsProblemsInLines || command.output.output != nil {
      complain(about: report.problems)
    }
    try print(report, format)
    for unmet in scope.notes(about: report) { command.note(unmet) }
  }

  private var nothingFound: CommandFailure {
    let paths = command.paths.isEmpty ? ["the working folder"] : command.paths
    let rest = settings.configuration.excluded.isEmpty ? "" : " that is not excluded"
    return CommandFailure(
      status: .couldNotRun,
      message: "There is no Swift file in \(paths.joined(separator: ", "))\(rest).")
  }

  /// The report with the names that whoever reads a format looks for: services know files by their
  /// paths from the top of the repository.
  func named(_ report: AuditReport, for format: AuditFormat) -> AuditReport {
    guard [.github, .sarif].contains(format), let root = Repository.root(around: names.folder),
      root != names.folder
    else { return report }
    let top = PathNames(folder: root)
    return report.renamed { top.relative(names.absolute($0)) }
  }

  private func print(_ report: AuditReport, _ format: AuditFormat) throws(CommandFailure) {
    let report = named(report, for: format)
    guard let path = command.output.output, path != "-" else {
      return try Terminal.output.write(format.text(of: report, style: TextStyle(of: .output)))
    }
    let text = format.text(of: report, style: TextStyle())
    do throws(POSIXError) {
      try WholeBytes.write(Array(text.utf8), to: path)
    } catch {
      throw WholeBytes.complaint(about: path, error)
    }
  }

  func complain(about problems: [AuditProblem]) {
    for problem in problems { command.complain("\(problem.path): \(problem.reason)") }
  }

  // MARK: Fixes and baselines

  /// What would be mended, as a difference that `git apply` takes.
  private func show(_ fixes: FixOutcome, _ report: AuditReport) throws(CommandFailure) {
    complain(about: report.problems + fixes.problems)
    let differences = fixes.files.map { file in
      LineDiff(from: file.old, to: file.new).unified(path: file.path)
    }
    let text = differences.joined()
    if let path = command.output.output, path != "-" {
      do throws(POSIXError) {
        try WholeBytes.write(Array(text.utf8), to: path)
      } catch {
        throw WholeBytes.complaint(about: path, error)
      }
    } else {
      try Terminal.output.write(DifferenceText.shown(text, on: .output))
    }
    let count = fixes.files.reduce(0) { $0 + $1.fixed.count }
    command.note("\(count) of \(report.findings.count) findings would be mended.")
  }

  private func writeBaseline(_ path: String, _ report: AuditReport) throws(CommandFailure) {
    complain(about: report.problems)
    let baseline = try BaselineFile.write(report.findings, to: path, names: names)
    let count = baseline.entries.count
    command.note("\(path) knows of \(count) finding\(count == 1 ? "" : "s").")
  }
}

extension AuditFormat {
  /// Whether who reads the output sees at once what could not be looked at.
  var tellsProblemsInLines: Bool { [.text, .xcode, .github].contains(self) }
}

/// A difference as a terminal shows it.
enum DifferenceText {
  static func shown(_ text: String, on terminal: Terminal) -> String {
    // A program gets each byte as it is.
    guard terminal.isInteractive else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let safe = Terminal.safe(line.replacing("\t", with: "  "))
      return switch line.first {
      case "+": terminal.accented(safe, .cyan)
      case "-": terminal.accented(safe, .red)
      case "@": terminal.accented(safe, .faint)
      default: safe
      }
    }.joined(separator: "\n")
  }
}
