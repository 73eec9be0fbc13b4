// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Site {
  /// How many reports of a group are shown.
  private static let maximumReports = 10

  /// One group of errors: what holds it together, when it came, and what was reported last.
  func errorGroup(_ name: String?) throws -> Page {
    guard let monitor = dashboard.errors,
      let fingerprint = name.flatMap({ Fingerprint($0) }), let group = monitor.group(fingerprint)
    else { throw Refusal.unknownPage }
    var page = Page(
      title: group.latest?.code.rawValue ?? fingerprint.description, place: "\(root)/errors",
      lead: group.latest?.message, live: .errors)
    var trend = Page.Section("How often")
    trend.plots = [
      Plot("In the last hour, by minute", group.trend(per: .minute), each: .minute),
      Plot("In the last day, by hour", group.trend(per: .hour), each: .hour),
    ]
    page.sections = [facts(group), trend] + [recent(monitor, fingerprint)]
    if let latest = group.latest { page.sections.insert(Self.parts(latest), at: 2) }
    return page
  }

  private func facts(_ group: ErrorMonitor.Group) -> Page.Section {
    var section = Page.Section("Facts")
    let attempts = Words.plural(group.recoveryAttempts, "attempt", "attempts")
    let recovered =
      group.recoveryAttempts == 0
      ? "nobody tried"
      : "\(group.recovery), \(Words.number(group.recoverySuccesses)) of \(attempts)"
    section.facts = [
      Page.Fact("Fingerprint", "\(group.fingerprint.description)", isWide: true),
      Page.Fact("Count", .number(group.count)),
      Page.Fact("First seen", dashboard.time(group.firstSeen)),
      Page.Fact("Last seen", dashboard.time(group.lastSeen)),
      Page.Fact("Recovered", Page.Cell(recovered)),
    ]
    if let suppressed = group.suppressed {
      section.facts.append(Page.Fact("Not kept, as there were too many", .number(suppressed.count)))
    }
    let operations = group.operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !operations.isEmpty {
      let words = operations.prefix(5).map { "\($0.key) (\(Words.number($0.value)))" }
      section.facts.append(Page.Fact("During", "\(words.joined(separator: ", "))"))
    }
    return section
  }

  /// What a report of the group says about itself; the fingerprint is made of such parts.
  private static func parts(_ report: ErrorReport) -> Page.Section {
    var section = Page.Section(
      "What holds it together",
      note: "The parts of the latest report that a fingerprint is made of.")
    section.facts = [
      Page.Fact("Code", "\(report.code.rawValue)"),
      Page.Fact("Type", "\(report.type)"),
      Page.Fact("Kind", "\(report.kind.rawValue)"),
      Page.Fact(
        "Disposition", "\(String(describing: report.disposition).prefix(while: \.isLetter))"),
      Page.Fact("Version of the fingerprint", "\(report.fingerprint.version)"),
    ]
    if !report.causes.isEmpty {
      section.facts.append(
        Page.Fact("Caused by", "\(report.causes.map(\.type).joined(separator: ", then "))"))
    }
    return section
  }

  private func recent(_ monitor: ErrorMonitor, _ fingerprint: Fingerprint) -> Page.Section {
    let reports = monitor.history.filter { $0.fingerprint == fingerprint }
      .sorted { $0.time > $1.time }.prefix(Self.maximumReports)
    return Page.Section(
      "Recent reports", ["When", "During", "Message", "Details", "Handled", "Report"],
      reports.map { report in
        Page.Row(
          dashboard.time(report.time), "\(report.operation ?? "–")", "\(report.message)",
          "\(report.details ?? "–")",
          report.isHandled ? Page.Cell("yes") : Page.Cell("no", tone: .bad),
          // As callers are told it, and as it stands in the log.
          "\(report.id.uuidString.lowercased())", key: report.id.uuidString)
      }, empty: "None of its reports is kept any more.")
  }
}
