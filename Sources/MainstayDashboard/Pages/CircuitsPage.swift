// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Logging
internal import Mainstay

extension Site {
  /// The circuits, what they know, and a way to close them.
  func circuits() -> Page {
    var page = Page(
      title: "Circuits", place: "\(root)/circuits",
      lead: "An open circuit refuses calls until its break is over, and then tries a few.",
      live: .circuits)
    page.sections = [circuitTable(withActions: !dashboard.isReadOnly)]
    return page
  }

  func circuitTable(withActions: Bool) -> Page.Section {
    let hasTally = dashboard.tally != nil
    let counts: [Page.Column] =
      hasTally ? [.number("Refused"), .number("Opened"), .number("By failures")] : []
    let button = Page.Button(title: "Reset chosen", address: "\(root)/circuits/reset")
    return Page.Section(
      "Circuits", ["Circuit", "State", "Mode", "Break", .number("Waiting")] + counts,
      dashboard.breakers.map { breaker in
        let choice = Page.Choice(id: breaker.name, label: "Choose \(breaker.name)")
        var row = Page.Row(
          Page.Cell(breaker.name), breaker.state.cell, breaker.mode.cell,
          "\(breaker.configuration.breakFor.inWords)", .number(breaker.waiting), key: breaker.name,
          choice: withActions ? choice : nil)
        if hasTally {
          let counts = dashboard.tally?.counts(of: breaker.name)
          row.cells += [
            .number(counts?.rejected ?? 0), .number(counts?.opened ?? 0),
            .number(counts?.failuresToOpen ?? 0),
          ]
        }
        return row
      }, empty: "There is no circuit.",
      form: withActions ? Page.Actions(buttons: [button]) : nil)
  }

  /// Closes circuits, after asking.
  func reset(_ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let names = Set(form.all("id"))
    let chosen = dashboard.breakers.filter { names.contains($0.name) }
    guard !chosen.isEmpty else { throw Refusal.badForm }
    guard form["confirmed"] == "yes" else {
      var page = Page(title: "Reset?", place: "\(root)/circuits")
      page.confirmation = Page.Confirmation(
        question: "Close \(chosen.map(\.name).joined(separator: ", ")) and forget its failures?",
        detail: "Calls go through at once, whether the other side has recovered or not.",
        button: Page.Button(title: "Reset", address: "\(root)/circuits/reset"),
        fields: chosen.map { Page.Field(name: "id", value: $0.name) }, back: "\(root)/circuits")
      return answer(request, page)
    }
    for breaker in chosen { breaker.reset() }
    dashboard.logger.notice(
      "Circuits were reset from the dashboard.",
      metadata: ["circuits": "\(chosen.map(\.name))"])
    return redirect(to: "\(root)/circuits?done=reset-\(chosen.count)")
  }
}

extension CircuitBreaker.State {
  fileprivate var cell: Page.Cell {
    switch self {
    case .closed: Page.Cell(word, tone: .good)
    case .halfOpen, .isolated: Page.Cell(word, tone: .warn)
    case .open(let pause): Page.Cell("open, next try in \(Words.span(pause))", tone: .bad)
    }
  }
}

extension CircuitBreaker.Mode {
  fileprivate var cell: Page.Cell {
    switch self {
    case .enabled: "acts"
    case .metricsOnly: Page.Cell("only counts", tone: .warn)
    case .disabled: Page.Cell("off", tone: .warn)
    }
  }
}
