// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

  @Option(name: .shortAndLong, help: "A new file to write to; the default is standard output.")
  var output: String?

  func run() throws {
    let log = try options.log()
    let document = ErrorsDocument(log)
    let text =
      switch format {
      case .json: try Format.json(document)
      case .html: ErrorsPage(document).html
      }
    guard let output else { return Terminal.output.write(text) }
    do {
      // Never over a file that is there.
      try Data(text.utf8).write(to: URL(filePath: output), options: .withoutOverwriting)
    } catch {
      throw CommandFailure(
        status: .couldNotRun,
        message: "\(output) cannot be written: \(AppError.from(error).message)")
    }
  }
}

/// What is exported.
struct ErrorsDocument: Encodable {
  let version = 1
  let generatedAt: Date
  let reports: Int
  let unreadableLines: Int
  let groups: [LoggedGroup]
  let trends: [LoggedTrend]

  init(_ log: ErrorLog) {
    generatedAt = log.readAt
    reports = log.reports.count
    unreadableLines = log.unreadable
    groups = LoggedGroup.all(in: log)
    let groups = groups
    trends = ErrorMonitor.Span.allCases.map { LoggedTrend(of: groups, per: $0, until: log.end) }
  }
}
