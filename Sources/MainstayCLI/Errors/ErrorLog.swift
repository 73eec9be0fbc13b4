// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Reports that a `FileSink` wrote, read again.
struct ErrorLog {
  /// Each report once, the oldest first.
  private(set) var reports: [ErrorReport] = []
  /// What became of attempts to recover, each once.
  private(set) var recoveries: [ErrorReport.Recovery] = []
  /// How many lines are neither.
  private(set) var unreadable = 0
  /// When it was read.
  let readAt: Date

  private var knownReports: Set<UUID> = []
  private var knownRecoveries: Set<ErrorReport.Recovery> = []

  /// When the newest error happened; where there is none, when the log was read.
  var end: Date { reports.last?.time ?? readAt }

  /// Reads files, and all logs in folders.
  ///
  /// - Parameters:
  ///   - paths: What was typed, as `LogFiles` takes it.
  ///   - time: The time of day.
  /// - Throws: `CommandFailure` where a path cannot be read or there is no log.
  init(reading paths: [String], at time: Date = Date()) throws {
    readAt = time
    let files = try LogFiles(at: paths)
    try read(files)
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

  private mutating func add(_ contents: ErrorReport.Encoding.Contents) {
    reports += contents.reports.filter { knownReports.insert($0.id).inserted }
    recoveries += contents.recoveries.filter { knownRecoveries.insert($0).inserted }
    unreadable += contents.unreadable
  }
}
