// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors show`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows all that is known of one error.")

  @Argument(help: "Its group, or as much of it as is needed to tell it apart; or its code.")
  var fingerprint: String

  @OptionGroup var options: LogOptions

  func validate() throws { try validateName(fingerprint) }

  func run() throws {
    let group = try group(fingerprint, in: LoggedGroup.all(in: try options.log()))
    if options.json { return try Terminal.output.write(Format.json(group)) }
    try Terminal.output.write(text(of: group))
  }

  private func text(of group: LoggedGroup) -> String {
    let report = group.latest
    let rows = rows(of: group) + report.metadata.sorted { $0.key < $1.key }.map { ($0, $1) }
    let width = rows.map(\.0.count).max() ?? 0
    var lines = [Terminal.output.accented(Terminal.safe(report.heading), .bold)]
    if report.heading != report.message { lines += Terminal.lines(report.message) }
    for (name, value) in rows {
      let space = String(repeating: " ", count: width + 2 - name.count)
      let label = Terminal.output.accented(Terminal.safe(name), .faint)
      let margin = "\n" + String(repeating: " ", count: width + 2)
      lines.append(label + space + Terminal.lines(value).joined(separator: margin))
    }
    let breadcrumbs = report.breadcrumbs.map { "\(Format.time($0.time)) \($0.message)" }
    lines += section("Before it", breadcrumbs)
    lines += section("Calls", report.stack)
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is known, by name; without what is empty.
  private func rows(of group: LoggedGroup) -> [(String, String)] {
    let report = group.latest
    let operations = group.operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let all: [(String, String?)] =
      [
        ("Code", report.code.rawValue), ("Group", group.fingerprint.description),
        ("Kind", "\(report.kind), \(report.disposition)"),
        ("Severity", group.severity.rawValue), ("Type", report.type),
        ("Place", report.site.description), ("Count", String(group.count)),
        ("First", Format.time(group.firstSeen)), ("Last", Format.time(group.lastSeen)),
        ("During", operations.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")),
        ("Shown", report.shownText), ("Recovered", group.recoveryText),
        ("Details", report.details),
      ] + report.causes.map { ("Cause", $0.description) }
    return all.compactMap { name, value in
      value.flatMap { $0.isEmpty ? nil : (name, $0) }
    }
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    return ["", Terminal.output.accented(title, .bold)] + lines.map { "  " + Terminal.safe($0) }
  }
}
