// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors trend`.
struct TrendCommand: ParsableCommand {
  enum Per: String, ExpressibleByArgument, CaseIterable {
    case minute, hour, day

    var span: ErrorMonitor.Span {
      switch self {
      case .minute: .minute
      case .hour: .hour
      case .day: .day
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "trend",
    abstract: "Plots how many errors there were, up to the newest one.")

  @OptionGroup var options: LogOptions

  @Option(help: "What a bar stands for: minute (60 of them), hour (24) or day (30).")
  var per = Per.hour

  @Option(help: "One group alone: its name, as much of it as is needed, or its code.")
  var group: String?

  func validate() throws {
    if let group { try validateName(group) }
  }

  func run() throws {
    let log = try options.log()
    var groups = LoggedGroup.all(in: log)
    if let group { groups = [try MainstayCLI.group(group, in: groups)] }
    let trend = LoggedTrend(of: groups, per: per.span, until: log.end)
    if options.json { return try Terminal.output.write(Format.json(trend)) }
    let sum = trend.counts.boundedSum
    let title =
      group == nil
      ? Format.count(sum, "error")
      : "\(Format.count(sum, "time")) \(Terminal.safe(groups[0].latest.code.rawValue))"
    var lines = [Terminal.output.accented("\(title), per \(per.rawValue)", .bold)]
    lines += Chart.bars(trend.counts).map { Terminal.output.accented($0, .cyan) }
    lines.append("\(Format.time(trend.from)) to \(Format.time(trend.to)) UTC")
    try Terminal.output.write(lines.joined(separator: "\n") + "\n")
  }
}
