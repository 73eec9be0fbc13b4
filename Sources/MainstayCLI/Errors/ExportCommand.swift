// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors export`.
struct ExportCommand: ParsableCommand {
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case json, html
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes everything as JSON, or as one page of HTML.")

  @OptionGroup var options: LogOptions

  @Option(help: "json, or html: one page that needs nothing else.")
  var format = Form.json

  @Option(
    name: .shortAndLong,
    help: "A new file to write to, for your eyes alone; the default is standard output.")
  var output: String?

  func validate() throws {
    guard !options.json || format == .json else {
      throw ValidationError("--json and --format \(format.rawValue) ask for two forms at once.")
    }
  }

  func run() throws {
    let log = try options.log()
    let document = ErrorsDocument(log)
    let text =
      switch format {
      case .json: try Format.json(document)
      case .html: ErrorsPage(document).html
      }
    guard let output, output != "-" else { return try Terminal.output.write(text) }
    do throws(POSIXError) {
      // A log is for its owner alone, and so is what is made of it.
      try FreshFile.write(Array(text.utf8), to: output)
    } catch {
      let reason = Self.reason(error, for: output)
      throw CommandFailure(
        status: .couldNotRun, message: "\(output) cannot be written: \(reason).")
    }
  }

  /// What keeps a new file from being written, for the end of a sentence.
  static func reason(_ error: POSIXError, for path: String) -> String {
    let parent = (path as NSString).deletingLastPathComponent
    let folder = parent.isEmpty ? "." : parent
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
    return switch error.code {
    case .EEXIST: "it is there already, and nothing is overwritten"
    case .ENOENT where !isThere: "there is no folder \(folder)"
    case .ENOTDIR where isThere && !isFolder.boolValue: "\(folder) is no folder"
    default: error.words
    }
  }
}

/// What is exported.
struct ErrorsDocument: Encodable {
  let version = 1
  let generatedAt: Date
  let reports: Int
  let unreadableLines: Int
  let unreadableRecords: Int
  let undatedReports: Int
  /// What waits in stores and is not among the groups.
  let onlyForServices: [WaitingRecords]
  let groups: [LoggedGroup]
  let trends: [LoggedTrend]

  init(_ log: ErrorLog) {
    generatedAt = log.readAt
    reports = log.reports.count
    unreadableLines = log.unreadable
    unreadableRecords = log.unreadableRecords
    undatedReports = log.undated
    onlyForServices = log.forServices
    groups = LoggedGroup.all(in: log)
    let groups = groups
    trends = ErrorMonitor.Span.allCases.map { LoggedTrend(of: groups, per: $0, until: log.end) }
  }
}
