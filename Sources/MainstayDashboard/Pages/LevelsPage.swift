// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

extension Site {
  /// How much of the app works, and how that came about.
  func levels() throws -> Page {
    guard let levels = dashboard.levels else { throw Refusal.unknownPage }
    let status = levels.status
    var page = Page(
      title: "Feature level", place: "\(root)/levels",
      lead: "How much of the app works now, and how that changed.", live: .levels)
    var now = Page.Section("Now")
    now.facts = [
      Page.Fact(
        "Level", Page.Cell(status.level.rawValue, tone: status.level == .full ? .good : .warn)),
      Page.Fact(
        "Because",
        Page.Cell(
          status.reasons.isEmpty
            ? "nothing is missing" : status.reasons.map { "\($0.reason)" }.joined(separator: " "))),
    ]
    page.sections = [now]
    if !status.features.isEmpty { page.sections.append(Self.features(status)) }
    page.sections.append(history(levels))
    return page
  }

  private static func features(_ status: DegradationController.Status) -> Page.Section {
    Page.Section(
      "Features", ["Feature", "State", "Missing", "Instead"],
      status.features.map { one in
        let missing = one.missing.map(\.rawValue).sorted().joined(separator: ", ")
        return Page.Row(
          Page.Cell(one.feature.name),
          one.isAvailable
            ? Page.Cell("available", tone: .good) : Page.Cell("not available", tone: .warn),
          "\(missing.isEmpty ? "–" : missing)",
          "\(one.feature.alternative.map { "\($0)" } ?? "–")", key: one.feature.name)
      }, empty: "No feature is known.")
  }

  private func history(_ levels: DegradationController) -> Page.Section {
    Page.Section(
      "History", ["When", "From", "To", "Because"],
      levels.history.suffix(Self.maximumRows).reversed().map { change in
        let reasons = change.reasons.map { "\($0.reason)" }.joined(separator: " ")
        return Page.Row(
          dashboard.time(change.time), "\(change.from.rawValue)",
          Page.Cell(change.to.rawValue, tone: change.isFall ? .warn : .good),
          "\(reasons.isEmpty ? "–" : reasons)")
      }, empty: "The level has not changed.")
  }
}
