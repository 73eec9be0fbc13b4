// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation
import Mainstay

/// Reports that a `FileSink` wrote or a `ReportStore` keeps, read again.
struct ErrorLog {
  /// Each report once, the oldest first.
  private(set) var reports: [ErrorReport] = []
  /// What became of attempts to recover, each once.
  private(set) var recoveries: [ErrorReport.Recovery] = []
  /// What people saw of reports, the latest of each; files are read in any order.
  private var presentations: [UUID: ErrorReport.Presentation] = [:]
  /// How many lines are none of these.
  private(set) var unreadable = 0
  /// How many records of stores cannot be read.
  private(set) var unreadableRecords = 0
  /// What waits in stores in a form that only a service reads.
  private(set) var forServices: [WaitingRecords] = []
  /// When it was read.
  let readAt: Date

  private var knownReports: Set<UUID> = []
  private var knownRecoveries: Set<ErrorReport.Recovery> = []

  /// How many files are named like a log in characters that are none.
  private(set) var unnamed = 0
  /// How many reports come from a clock that was ahead: trends end before them.
  private(set) var ahead = 0
  /// How many reports have no time that can be read.
  private(set) var undated = 0
  /// Where trends end: when the newest error happened that did not come from a clock that was
  /// ahead; where there is no error, when the log was read.
  private(set) var end: Date

  /// Whether there are reports that cannot be shown.
  var isPartial: Bool {
    unreadable > 0 || unreadableRecords > 0 || unnamed > 0 || !forServices.isEmpty
  }

  /// Reads files, and all logs and stores in folders.
  ///
  /// - Parameters:
  ///   - paths: What was typed, as `LogFiles` takes it.
  ///   - time: The time of day.
  /// - Throws: `CommandFailure` where a path cannot be read or there is no log.
  init(reading paths: [String], at time: Date = Date()) throws {
    readAt = time
    end = time
    let files = try LogFiles(at: paths)
    try read(files)
    read(files.stores)
    unnamed = files.unnamed
    guard unreadable == 0 || !reports.isEmpty || !recoveries.isEmpty else {
      throw noLog(paths, count: files.paths.count)
    }
    reports = reports.map { $0.shown(presentations[$0.id]) }
    reports.sort { $0.time < $1.time }
    findEnd()
  }

  /// Finds where trends end.
  ///
  /// One report from a clock years ahead would leave nothing of the others in any trend. Where all
  /// are ahead, it is this machine that is behind.
  private mutating func findEnd() {
    undated = reports.count { !$0.isDated }
    guard let newest = reports.last, newest.isDated else { return }
    let latest = readAt.addingTimeInterval(86_400)
    let credible = reports.last { $0.isDated && $0.time <= latest }
    end = credible?.time ?? newest.time
    ahead = credible == nil ? 0 : reports.reversed().prefix { $0.time > latest }.count
  }

  private func noLog(_ paths: [String], count: Int) -> CommandFailure {
    let names = paths.map(LogFiles.name).joined(separator: ", ")
    let words =
      count > 1
      ? ": none of the \(unreadable) lines in \(count) files is a report."
      : unreadable == 1
        ? " is no log: its only line is no report."
        : " is no log: none of its \(unreadable) lines is a report."
    return CommandFailure(status: .couldNotRun, message: names + words)
  }

  private mutating func read(_ files: LogFiles) throws {
    var progress = ProgressBar("Reading", total: files.bytes)
    defer { progress.end() }
    var done = 0
    for file in files.paths {
      do throws(POSIXError) {
        try LineInput.read(file) { lines, count in
          add(ErrorReport.Encoding.contents(ofJSON: lines))
          done += count
          progress.show(done)
        }
      } catch {
        throw CommandFailure(
          status: .couldNotRun,
          message: "\(LogFiles.name(of: file)) cannot be read: \(error.words).")
      }
    }
  }

  private mutating func read(_ stores: [StoreSnapshot]) {
    let waiting = stores.flatMap(\.waiting)
    let json = ErrorReport.Encoding.json.contentType
    for record in waiting.map(\.record) where record.contentType == json {
      var contents = ErrorReport.Encoding.contents(ofJSON: record.body)
      // A record is one report, so what it has besides is no line of a log.
      if contents.reports.isEmpty { unreadableRecords += 1 }
      contents.unreadable = 0
      add(contents)
    }
    unreadableRecords += stores.map(\.unreadable).boundedSum
    forServices = WaitingRecords.all(of: waiting.filter { $0.record.contentType != json })
  }

  private mutating func add(_ contents: ErrorReport.Encoding.Contents) {
    // What was tried before a report was written stands on it, and may have a line besides. A copy
    // of a report may be the one that has it.
    let told = contents.reports.compactMap(\.recovery) + contents.recoveries
    recoveries += told.filter { knownRecoveries.insert($0).inserted }
    reports += contents.reports.filter { knownReports.insert($0.id).inserted }
    for report in contents.reports {
      guard let presentation = report.presentation else { continue }
      presentations.merge([report.id: presentation], uniquingKeysWith: Self.later)
    }
    presentations.merge(contents.presentations, uniquingKeysWith: Self.later)
    unreadable += contents.unreadable
  }

  /// What was seen later; of the same moment, what somebody chose something in.
  private static func later(
    _ first: ErrorReport.Presentation, _ second: ErrorReport.Presentation
  ) -> ErrorReport.Presentation {
    let times = [first, second].map { $0.time ?? .distantPast }
    if times[0] == times[1] { return second.action == nil && first.action != nil ? first : second }
    return times[0] > times[1] ? first : second
  }
}

extension ErrorLog {
  /// What whoever asked has to know of what is not shown, a sentence each.
  var complaints: [String] {
    let counts: [(count: Int, one: String, many: String)] = [
      (unreadable, "line is no report and left out.", "lines are no report and left out."),
      (
        unreadableRecords, "record of a store cannot be read and is left out.",
        "records of stores cannot be read and are left out."
      ),
      (
        unnamed, "file with a name that is no text is left out.",
        "files with names that are no text are left out."
      ),
      (
        ahead, "report is dated more than a day ahead; trends end before that.",
        "reports are dated more than a day ahead; trends end before that."
      ),
      (
        undated, "report has no time that can be read; trends leave it out.",
        "reports have no time that can be read; trends leave them out."
      ),
    ]
    return counts.filter { $0.count > 0 }.map { "\($0.count) \($0.count == 1 ? $0.one : $0.many)" }
      + forServices.map(\.complaint)
  }
}
