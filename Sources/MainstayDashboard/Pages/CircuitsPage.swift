// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay

/// What can be done about circuits.
enum CircuitAction: String, CaseIterable, Sendable {
  case reset, isolate, release

  var title: String { rawValue.capitalized }

  /// How the log calls it.
  var done: String {
    switch self {
    case .reset: "reset"
    case .isolate: "isolated"
    case .release: "released"
    }
  }

  func question(_ names: String) -> String {
    switch self {
    case .reset: "Close \(names) and forget its failures?"
    case .isolate: "Isolate \(names)?"
    case .release: "Release \(names)?"
    }
  }

  func detail(_ circuits: [ShownCircuit]) -> String {
    switch self {
    case .reset:
      let isHeld = circuits.contains { $0.breaker.state == .isolated }
      return "Calls go through at once, whether the other side has recovered or not."
        + (isHeld ? " What is isolated stays so." : "")
    case .isolate:
      let idle = circuits.filter { $0.breaker.mode != .enabled }.map(\.title)
        .joined(separator: ", ")
      return "Calls are refused at once, in this process alone, until it is released here or the "
        + "process ends." + (idle.isEmpty ? "" : " In its mode this refuses nothing: \(idle).")
    case .release:
      return "A circuit that nobody else isolates closes, and its calls go through at once."
    }
  }

  /// Why there is nothing to do, though circuits were chosen.
  var nothing: String {
    switch self {
    case .reset: "There is no such circuit."
    case .isolate: "This dashboard isolates what you chose already."
    case .release: "This dashboard isolates nothing of what you chose."
    }
  }
}

extension Site {
  /// The circuits, what they know, and what can be done by hand.
  func circuits() -> Page {
    var page = Page(
      title: "Circuits", place: "\(root)/circuits",
      lead: "An open circuit refuses calls until its break is over, and then tries a few.",
      live: .circuits)
    page.sections = [circuitTable(withActions: mayAct)]
    return page
  }

  func circuitTable(withActions: Bool) -> Page.Section {
    let hasTally = dashboard.tally != nil
    let counts: [Page.Column] =
      hasTally ? [.number("Refused"), .number("Opened"), .number("Failures that opened it")] : []
    let buttons = CircuitAction.allCases.map { action in
      Page.Button(
        title: "\(action.title) chosen", address: address(of: action),
        isGrave: action == .isolate)
    }
    return Page.Section(
      "Circuits",
      ["Circuit", "State", "Isolated by", "Mode", "Break", .number("Waiting")] + counts,
      dashboard.circuits.map { circuit in
        let breaker = circuit.breaker
        let choice = Page.Choice(id: circuit.id, label: "Choose \(circuit.title)")
        var row = Page.Row(
          Page.Cell(circuit.title), breaker.state.cell, "\(holders(of: breaker))",
          breaker.mode.cell, "\(breaker.configuration.breakFor.inWords)",
          .number(breaker.waiting), key: circuit.id, choice: withActions ? choice : nil)
        if hasTally {
          let counts = dashboard.tally?.counts(of: breaker.name)
          row.cells += [
            .number(counts?.rejected ?? 0), .number(counts?.opened ?? 0),
            .number(counts?.failuresToOpen ?? 0),
          ]
        }
        return row
      }, empty: "There is no circuit.",
      form: withActions ? Page.Actions(buttons: buttons) : nil)
  }

  /// Who isolates a circuit.
  private func holders(of breaker: CircuitBreaker) -> String {
    let since = holds.since(breaker)
    let own = since.map { "this dashboard, for \(Words.span(dashboard.timeline.now - $0))" }
    let isOthers = breaker.isolationCount > (own == nil ? 0 : 1)
    let holders = [own, isOthers ? "the program" : nil].compactMap(\.self)
    return holders.isEmpty ? "–" : holders.joined(separator: "; ")
  }

  private func address(of action: CircuitAction) -> String {
    "\(root)/circuits/\(action.rawValue)"
  }

  /// Asks first, and acts when the answer comes back.
  func act(_ action: CircuitAction, _ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let names = Set(form.all("id"))
    let named = dashboard.circuits.filter { names.contains($0.id) }
    guard !named.isEmpty else { throw Refusal.badForm }
    let chosen = named.filter { circuit in
      switch action {
      case .reset: true
      case .isolate: holds.since(circuit.breaker) == nil
      case .release: holds.since(circuit.breaker) != nil
      }
    }
    guard !chosen.isEmpty else {
      return answer(
        request,
        Page(
          title: "Nothing to \(action.rawValue)", place: "\(root)/circuits",
          lead: action.nothing))
    }
    guard form["confirmed"] == "yes" else {
      var page = Page(title: "\(action.title)?", place: "\(root)/circuits")
      page.confirmation = Page.Confirmation(
        question: action.question(chosen.map(\.title).joined(separator: ", ")),
        detail: action.detail(chosen),
        button: Page.Button(
          title: action.title, address: address(of: action), isGrave: action == .isolate),
        fields: chosen.map { Page.Field(name: "id", value: $0.id) }, back: "\(root)/circuits")
      return answer(request, page)
    }
    let done = chosen.filter { perform(action, on: $0.breaker) }
    log(
      "Circuits were \(action.done) from the dashboard.",
      ["circuits": "\(done.map(\.title))"])
    return redirect(to: "\(root)/circuits?done=\(action.rawValue)-\(done.count)")
  }

  /// - Returns: Whether it was not done before.
  private func perform(_ action: CircuitAction, on breaker: CircuitBreaker) -> Bool {
    switch action {
    case .reset:
      breaker.reset()
      return true
    case .isolate: return holds.isolate(breaker, at: dashboard.timeline.now)
    case .release: return holds.release(breaker)
    }
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
