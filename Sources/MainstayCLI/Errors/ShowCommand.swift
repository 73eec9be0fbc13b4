// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Mainstay

/// `mainstay errors show`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows all that is known of one error.")

  @Argument(help: "Its group, or as much of it as is needed to tell it apart; or its code.")
  var fingerprint: String

  @OptionGroup var options: LogOptions

  func run() throws {
    let group = try group(fingerprint, in: LoggedGroup.all(in: try options.log()))
    if options.json { return Terminal.output.write(try Format.json(group)) }
    Terminal.output.write(text(of: group))
  }

  private func text(of group: LoggedGroup) -> String {
    let report = group.latest
    var lines = [Terminal.output.accented(Terminal.safe(report.heading), .bold)]
    func add(_ name: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      let label = name.padding(toLength: 12, withPad: " ", startingAt: 0)
      lines.append(Terminal.output.accented(label, .faint) + Terminal.safe(value))
    }
    if report.heading != report.message { lines.append(Terminal.safe(report.message)) }
    add("Code", report.code.rawValue)
    add("Group", group.fingerprint.description)
    add("Kind", "\(report.kind), \(report.disposition)")
    add("Severity", group.severity.rawValue)
    add("Type", report.type)
    add("Place", report.site.description)
    add("Count", String(group.count))
    add("First", Format.time(group.firstSeen))
    add("Last", Format.time(group.lastSeen))
    let operations = group.operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    add("During", operations.map { "\($0.key) (\($0.value))" }.joined(separator: ", "))
    add("Recovered", group.recoveryText)
    add("Details", report.details)
    for cause in report.causes { add("Cause", cause.description) }
    for (name, value) in report.metadata.sorted(by: { $0.key < $1.key }) { add(name, value) }
    let breadcrumbs = report.breadcrumbs.map { "\(Format.time($0.time)) \($0.message)" }
    lines += section("Before it", breadcrumbs)
    lines += section("Calls", report.stack)
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    return ["", Terminal.output.accented(title, .bold)] + lines.map { "  " + Terminal.safe($0) }
  }
}
