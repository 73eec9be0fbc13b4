// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

/// What can be done about the kinds of operations in an outbox.
enum KindAction: String, CaseIterable, Sendable {
  case pause, resume

  var title: String { rawValue.capitalized }

  /// How the log calls it.
  var done: String {
    switch self {
    case .pause: "paused"
    case .resume: "resumed"
    }
  }

  var detail: String {
    switch self {
    case .pause:
      "Nothing of it is started any more, by any process that uses this outbox, until it is "
        + "resumed. What runs goes on, and what comes is kept."
    case .resume: "What waits is started as before."
    }
  }

  func address(on queue: Queue) -> String { "\(queue.address)/kinds/\(rawValue)" }

  /// What is said where something kept it from going on.
  func stopped(after count: Int, of all: Int, _ why: String) -> String {
    let kinds = Words.plural(all, "kind was", "kinds were")
    return "At least \(Words.number(count)) of \(kinds) \(done); then it stopped. \(why)"
  }

  /// - Returns: Those that it was done with, and what kept it from going on.
  func perform(
    on kinds: [OperationKind], in outbox: Outbox
  ) async -> (done: [OperationKind], failure: OutboxError?) {
    var done: [OperationKind] = []
    do {
      for kind in kinds {
        switch self {
        case .pause: try await outbox.pause(kind: kind)
        case .resume: try await outbox.resume(kind: kind)
        }
        done.append(kind)
      }
      return (done, nil)
    } catch {
      return (done, error)
    }
  }
}

extension Site {
  /// How many operations of each kind stand where, which kinds are paused, and what can be done.
  ///
  /// - Parameters:
  ///   - counts: What was counted.
  ///   - queue: The outbox.
  ///   - one: The one kind that is asked for; nil for as many as there is room for.
  /// - Returns: A table.
  func kindTable(
    _ counts: Sample.Queue, of queue: Queue, only one: OperationKind? = nil
  ) -> Page.Section {
    let canAct = mayAct
    let byKind = Dictionary(grouping: counts.tally, by: \.kind)
    let paused = Set(counts.paused)
    // Those that are paused first: no other page says how to go on with them.
    let all =
      counts.paused
      + byKind.keys.filter { !paused.contains($0) }.sorted { $0.rawValue < $1.rawValue }
    let kinds = one.map { one in all.filter { $0 == one } } ?? all
    let room = Self.maximumRows
    let buttons = KindAction.allCases.map { action in
      Page.Button(title: "\(action.title) chosen", address: action.address(on: queue))
    }
    return Page.Section(
      "By kind",
      [
        "Kind", "Paused", .number("Ready"), .number("Running"), .number("Held back"),
        .number("Given up"),
      ],
      kinds.prefix(room).map { kind in
        row(of: kind, byKind[kind] ?? [], counts, queue)
      }, empty: "There is nothing \(one == nil ? "in this outbox" : "of this kind").",
      note: kinds.count > room
        ? "\(room) of \(Words.number(kinds.count)) kinds. Search for another one to see it here."
        : nil,
      form: canAct ? Page.Actions(buttons: buttons) : nil)
  }

  private func row(
    of kind: OperationKind, _ places: [OperationTally], _ counts: Sample.Queue, _ queue: Queue
  ) -> Page.Row {
    func count(_ isCounted: (OperationTally) -> Bool) -> Int {
      places.filter(isCounted).reduce(0) { $0 + $1.count }
    }
    let isPaused = counts.paused.contains(kind)
    let closed = Set(counts.closed.map(\.lane))
    let ready = isPaused ? 0 : count { $0.state == .ready && !closed.contains($0.lane) }
    let running = count { $0.state == .leased }
    let (dead, all) = (count { $0.state == nil }, count { _ in true })
    let query = "kind=\(Self.escaped(kind.rawValue))"
    let choice = Page.Choice(id: kind.rawValue, label: "Choose \(kind)")
    return Page.Row(
      Page.Cell(kind.rawValue, link: "\(queue.address)?\(query)"),
      isPaused ? Page.Cell("paused", tone: .warn) : "–",
      .number(ready), .number(running), .number(all - running - dead - ready),
      .number(
        dead, link: dead > 0 ? "\(queue.address)/dead?\(query)" : nil,
        tone: dead > 0 ? .bad : nil), key: kind.rawValue,
      choice: mayAct ? choice : nil)
  }

  /// Asks first, and acts when the answer comes back.
  func act(_ action: KindAction, on queue: Queue, _ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let named = Set(form.all("id")).sorted()
    guard (1...Self.maximumRows).contains(named.count) else { throw Refusal.badForm }
    let paused = Set(try await queue.outbox.pausedKinds())
    let chosen = named.map(OperationKind.init(rawValue:)).filter {
      paused.contains($0) == (action == .resume)
    }
    guard !chosen.isEmpty else {
      return answer(
        request,
        Page(
          title: "Nothing to \(action.rawValue)", place: queue.address,
          lead: "What you chose is \(action.done) already."))
    }
    guard form["confirmed"] == "yes" else {
      return answer(request, question(action, chosen, queue))
    }
    let (done, error) = await action.perform(on: chosen, in: queue.outbox)
    live.forgetCounts(of: queue.name)
    log(
      "Kinds of operations were \(action.done) from the dashboard.",
      ["outbox": "\(queue.name)", "kinds": "\(done.map(\.rawValue))"])
    if let error {
      return failure(
        .serviceUnavailable, action.stopped(after: done.count, of: chosen.count, words(for: error)))
    }
    return redirect(to: "\(queue.address)?done=\(action.rawValue)-\(done.count)")
  }

  private func question(_ action: KindAction, _ chosen: [OperationKind], _ queue: Queue) -> Page {
    var page = Page(title: "\(action.title)?", place: queue.address)
    let names = chosen.map { "“\($0)”" }.joined(separator: ", ")
    page.confirmation = Page.Confirmation(
      question: "\(action.title) \(names) in \(queue.name)?", detail: action.detail,
      button: Page.Button(title: action.title, address: action.address(on: queue)),
      fields: chosen.map { Page.Field(name: "id", value: $0.rawValue) }, back: queue.address)
    return page
  }
}
