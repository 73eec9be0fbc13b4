// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

extension Site {
  /// How many error groups and changes of the level are shown.
  private static let maximumRows = 50

  /// All that is known at a glance; what was not given is left out.
  func overview() async throws -> Page {
    var page = Page(title: "Overview")
    for (name, outbox) in dashboard.outboxes.sorted(by: { $0.key < $1.key }) {
      let queue = Queue(name: name, outbox: outbox, address: address(ofOutbox: name))
      page.sections.append(try await summary(of: queue))
    }
    if !dashboard.breakers.isEmpty { page.sections.append(circuits) }
    page.sections += dashboard.pipelines.map(Self.section)
    if let monitor = dashboard.errors { page.sections.append(Self.section(monitor)) }
    if let monitor = dashboard.connectivity { page.sections.append(Self.section(monitor)) }
    if let levels = dashboard.levels { page.sections.append(Self.section(levels)) }
    if page.sections.isEmpty { page.lead = "This dashboard was given nothing to show." }
    return page
  }

  private var circuits: Page.Section {
    let button = Page.Button(title: "Reset chosen", address: "\(root)/circuits/reset")
    return Page.Section(
      "Circuits", ["Circuit", "State"],
      dashboard.breakers.map { breaker in
        let choice = Page.Choice(id: breaker.name, label: "Choose \(breaker.name)")
        return Page.Row(
          Page.Cell(breaker.name), Self.cell(breaker.state),
          choice: dashboard.isReadOnly ? nil : choice)
      }, form: dashboard.isReadOnly ? nil : Page.Actions(buttons: [button]))
  }

  private static func cell(_ state: CircuitBreaker.State) -> Page.Cell {
    switch state {
    case .closed: Page.Cell("closed", tone: "good")
    case .halfOpen: Page.Cell("half open", tone: "warn")
    case .isolated: Page.Cell("isolated", tone: "warn")
    case .open(let pause):
      Page.Cell("open, next try in \(max(pause.components.seconds, 0)) s", tone: "bad")
    }
  }

  /// Closes circuits, after asking.
  func reset(_ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let names = Set(form.all("id"))
    let chosen = dashboard.breakers.filter { names.contains($0.name) }
    guard !chosen.isEmpty else { throw Refusal.badForm }
    guard form["confirmed"] == "yes" else {
      var page = Page(title: "Reset?")
      page.confirmation = Page.Confirmation(
        question: "Close \(chosen.map(\.name).joined(separator: ", ")) and forget its failures?",
        button: Page.Button(title: "Reset", address: "\(root)/circuits/reset"),
        ids: chosen.map(\.name), back: root)
      return answer(request, page)
    }
    for breaker in chosen { breaker.reset() }
    dashboard.logger.notice(
      "Circuits were reset from the dashboard.",
      metadata: ["circuits": "\(chosen.map(\.name))"])
    return redirect(to: "\(root)?done=reset-\(chosen.count)")
  }

  private static func section(_ pipeline: PipelineExplanation) -> Page.Section {
    Page.Section(
      "Pipeline \(pipeline.name)", ["Stage", "What it does"],
      pipeline.stages.map { Page.Row("\($0.title)", "\($0.words)") }
        + pipeline.findings.map {
          Page.Row(Page.Cell("Finding", tone: "warn"), "\($0.message) \($0.cure)")
        })
  }

  private static func section(_ monitor: ErrorMonitor) -> Page.Section {
    Page.Section(
      "Errors", ["Error", "Count", "By minute, newest last", "Last seen", "Message"],
      monitor.mostCommon(maximumRows).map { group in
        let trend = group.trend(per: .minute).suffix(10).map(String.init)
        return Page.Row(
          "\(group.latest?.code.rawValue ?? group.fingerprint.description)", "\(group.count)",
          "\(trend.joined(separator: " "))", "\(group.lastSeen.formatted(.iso8601))",
          "\(group.latest?.message ?? "–")")
      }, empty: "No error was captured.")
  }

  private static func section(_ monitor: ConnectivityMonitor) -> Page.Section {
    let current = monitor.current
    return Page.Section(
      "Connection: \(current.standing.rawValue) since \(current.since.formatted(.iso8601))",
      ["Evidence", "Source", "At", "Confidence"],
      current.evidence.suffix(maximumRows).reversed().map { one in
        Page.Row(
          "\(one.finding.rawValue)", "\(one.source.rawValue)",
          "\(one.date.formatted(.iso8601))", "\(Int((one.confidence * 100).rounded())) %")
      }, empty: "There is no evidence yet.")
  }

  private static func section(_ levels: DegradationController) -> Page.Section {
    Page.Section(
      "Feature level: \(levels.status.level.rawValue)", ["At", "From", "To", "Because"],
      levels.history.suffix(maximumRows).reversed().map { change in
        let reasons = change.reasons.map { "\($0.reason)" }.joined(separator: " ")
        return Page.Row(
          "\(change.time.formatted(.iso8601))", "\(change.from.rawValue)",
          Page.Cell(change.to.rawValue, tone: change.isFall ? "warn" : "good"),
          "\(reasons.isEmpty ? "–" : reasons)")
      }, empty: "The level has not changed.")
  }
}
