// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Reports that a `FileSink` wrote or a `ReportStore` keeps, read again.
struct ErrorLog {
  /// Each report once, the oldest first.
  private(set) var reports: [ErrorReport] = []
  /// What became of attempts to recover, each once.
  private(set) var recoveries: [ErrorReport.Recovery] = []
  /// How many lines are neither.
  private(set) var unreadable = 0
  /// How many records of stores cannot be read.
  private(set) var unreadableRecords = 0
  /// What waits in stores in a form that only a service reads.
  private(set) var forServices: [WaitingRecords] = []
  /// When it was read.
  let readAt: Date

  private var knownReports: Set<UUID> = []
  private var knownRecoveries: Set<ErrorReport.Recovery> = []

  /// When the newest error happened; where there is none, when the log was read.
  var end: Date { reports.last?.time ?? readAt }

  /// Whether there are reports that cannot be shown.
  var isPartial: Bool { unreadable > 0 || unreadableRecords > 0 || !forServices.isEmpty }

  /// Reads files, and all logs and stores in folders.
  ///
  /// - Parameters:
  ///   - paths: What was typed, as `LogFiles` takes it.
  ///   - time: The time of day.
  /// - Throws: `CommandFailure` where a path cannot be read or there is no log.
  init(reading paths: [String], at time: Date = Date()) throws {
    readAt = time
    let files = try LogFiles(at: paths)
    try read(files)
    read(files.stores)
    guard unreadable == 0 || !reports.isEmpty || !recoveries.isEmpty else {
      let lines = unreadable == 1 ? "its only line is no" : "none of its \(unreadable) lines is a"
      let words =
        files.paths.count == 1
        ? "\(files.paths[0]) is no log: \(lines) report."
        : "\(paths.joined(separator: ", ")): none of the \(unreadable) lines is a report."
      throw CommandFailure(status: .couldNotRun, message: words)
    }
    reports.sort { $0.time < $1.time }
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
        let name = file == "-" ? "Standard input" : file
        throw CommandFailure(
          status: .couldNotRun, message: "\(name) cannot be read: \(error.words).")
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
    reports += contents.reports.filter { knownReports.insert($0.id).inserted }
    recoveries += contents.recoveries.filter { knownRecoveries.insert($0).inserted }
    unreadable += contents.unreadable
  }
}
