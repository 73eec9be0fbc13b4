// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Site {
  /// The errors that are the same, the most frequent first, and how often they come.
  func errors() throws -> Page {
    guard let monitor = dashboard.errors else { throw Refusal.unknownPage }
    var page = Page(
      title: "Errors", place: "\(root)/errors",
      lead: "Errors that are the same stand together.", live: .errors)
    let ledger = monitor.ledger
    page.tiles = [
      Page.Tile(
        title: "Captured", value: Words.number(ledger.captured),
        detail: "kept \(Words.number(ledger.kept))"),
      Page.Tile(
        title: "Groups", value: Words.number(monitor.groups.count),
        detail: "of at most \(Words.number(monitor.configuration.groups))"),
      Page.Tile(
        title: "Ledger", value: ledger.isBalanced ? "balanced" : "not balanced",
        detail: ledger.isBalanced
          ? "every captured error is accounted for"
          : "captured errors are missing from the counts",
        tone: ledger.isBalanced ? .good : .bad),
    ]
    var trend = Page.Section("All errors")
    trend.plots = [
      Plot("In the last hour, by minute", monitor.trend(per: .minute), each: .minute),
      Plot("In the last day, by hour", monitor.trend(per: .hour), each: .hour),
    ]
    if dashboard.diagnostics != nil {
      trend.links = [
        Page.Link(title: "Download the document for support", address: "\(root)/diagnostics")
      ]
    }
    page.sections = [trend, errorTable(monitor, atMost: Self.maximumRows)]
    return page
  }

  func errorTable(_ monitor: ErrorMonitor, atMost count: Int) -> Page.Section {
    Page.Section(
      "Error groups",
      [
        "Error", "In the last hour", .number("Count"), "Last seen", .number("Recovered"), "Message",
      ],
      monitor.mostCommon(count).map { group in
        let trend = group.trend(per: .minute)
        var recent = Page.Cell(Words.number(trend.reduce(0, +)))
        recent.bars = Bars(trend)
        var recovered = Page.Cell(group.recovery)
        recovered.isNumber = true
        return Page.Row(
          Page.Cell(
            group.latest?.code.rawValue ?? group.fingerprint.description,
            link: "\(root)/errors/\(Self.escaped(group.fingerprint.description))"),
          recent, .number(group.count), dashboard.time(group.lastSeen), recovered,
          "\(group.latest?.message ?? "–")", key: group.fingerprint.description)
      }, empty: "No error was captured.")
  }
}

extension ErrorMonitor.Group {
  /// How many attempts to recover from it worked.
  var recovery: String {
    recoveryRate.map { "\(Int(($0 * 100).rounded())) %" } ?? "–"
  }
}
