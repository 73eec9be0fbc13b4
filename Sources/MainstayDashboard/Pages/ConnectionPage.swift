// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Site {
  /// How the connection stands, and why.
  func connection() throws -> Page {
    guard let monitor = dashboard.connectivity else { throw Refusal.unknownPage }
    let current = monitor.current
    var page = Page(
      title: "Connection", place: "\(root)/connection",
      lead: "What is believed, and the evidence for it.", live: .connection)
    let interfaces = current.interfaces.map(\.rawValue).joined(separator: ", ")
    var facts = Page.Section("Now")
    facts.facts = [
      Page.Fact("Standing", Page.Cell(current.standing.rawValue, tone: current.standing.tone)),
      Page.Fact("Since", dashboard.time(current.since)),
      Page.Fact("Confidence", "\(Self.percent(current.confidence))"),
      Page.Fact("Learnt from", "\(current.source.rawValue)"),
      Page.Fact("Link", "\(current.link.rawValue)"),
      Page.Fact("Route", "\(current.route.rawValue)"),
      Page.Fact("Over", "\(interfaces.isEmpty ? "–" : interfaces)"),
      Page.Fact("Costs", "\(current.isExpensive ? "expensive" : "not known to cost anything")"),
      Page.Fact("False claims of the system", .number(monitor.falseClaims)),
    ]
    page.sections = [
      facts,
      Page.Section(
        "Evidence", ["What was found", "By", "Kind", "When", .number("Confidence")],
        current.evidence.prefix(Self.maximumRows).map { one in
          var confidence = Page.Cell(Self.percent(one.confidence))
          confidence.isNumber = true
          return Page.Row(
            "\(one.finding.rawValue)", "\(one.source.rawValue)",
            "\(one.kind?.rawValue ?? "–")", dashboard.time(one.date), confidence)
        }, empty: "There is no evidence yet."),
    ]
    return page
  }

  private static func percent(_ value: Double) -> String {
    "\(Int((value * 100).rounded())) %"
  }
}

extension Connectivity.Standing {
  var tone: Page.Tone {
    switch self {
    case .online: .good
    case .offline: .bad
    case .portal: .warn
    case .unknown: .quiet
    }
  }
}
