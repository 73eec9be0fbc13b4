// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors top`.
struct TopCommand: ParsableCommand {
  enum Order: String, ExpressibleByArgument, CaseIterable {
    case count, latest, severity
  }

  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Lists the most common errors.")

  @OptionGroup var options: LogOptions

  @Option(help: "How many, 1 or more.")
  var limit = 10

  @Option(name: .customLong("by"), help: "What comes first: count, latest or severity.")
  var order = Order.count

  func validate() throws {
    guard limit >= 1 else { throw ValidationError("--limit must be 1 or more, not \(limit).") }
  }

  func run() throws {
    let log = try options.log()
    let all = LoggedGroup.all(in: log)
    let groups = Array(sorted(all).prefix(limit))
    if options.json { return try Terminal.output.write(Format.json(groups)) }
    guard !groups.isEmpty else {
      let what = log.isPartial ? "No errors that can be shown.\n" : "No errors.\n"
      return try Terminal.output.write(what)
    }
    var table = TextTable([
      "Count": .right, "Severity": .left, "Code": .left, "Last": .left, "24 hours": .left,
      "Recovered": .right, "Group": .left,
    ])
    for group in groups {
      let trend = LoggedTrend(of: [group], per: .hour, until: log.end)
      table.add([
        String(group.count), group.severity.rawValue, group.latest.code.rawValue,
        Format.time(group.lastSeen), Chart.sparkline(trend.counts), group.recoveryText ?? "–",
        String(group.fingerprint.description.prefix(10)),
      ])
    }
    let lines = table.lines.enumerated().map { index, line in
      index == 0
        ? Terminal.output.accented(line, .bold) : colored(line, groups[index - 1].severity)
    }
    try Terminal.output.write(lines.joined(separator: "\n") + "\n")
    let errors = all.map(\.count).boundedSum
    let left = all.count - groups.count
    let sum = "\(Format.count(errors, "error")) in \(Format.count(all.count, "group"))"
    let more = left > 0 ? ", \(left) of them not listed" : ""
    try Terminal.output.write(Terminal.output.accented("\(sum)\(more)\n", .faint))
  }

  private func colored(_ line: String, _ severity: Severity) -> String {
    switch severity {
    case .critical, .error: Terminal.output.accented(line, .red)
    case .warning: Terminal.output.accented(line, .yellow)
    case .info, .debug: line
    }
  }

  private func sorted(_ groups: [LoggedGroup]) -> [LoggedGroup] {
    switch order {
    case .count: groups
    case .latest: groups.sorted { $0.order > $1.order }
    case .severity: groups.sorted { ($0.severity, $0.count) > ($1.severity, $1.count) }
    }
  }
}
