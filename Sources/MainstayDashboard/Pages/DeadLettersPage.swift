// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

/// What can be done about dead letters.
enum LetterAction: String, CaseIterable, Sendable {
  case redrive, discard

  /// How many are acted on at a time: more would keep others from the store for long.
  static let maximum = 10_000

  var title: String {
    switch self {
    case .redrive: "Redrive"
    case .discard: "Discard"
    }
  }

  /// - Parameters:
  ///   - count: How many it is about.
  ///   - look: What was looked for, where it is about all of that; nil where each was chosen.
  ///   - queue: The outbox.
  /// - Returns: What the person is asked, which names all that it is about.
  func question(_ count: Int, allOf look: Look?, in queue: Queue) -> String {
    var letters = Words.plural(count, "dead letter", "dead letters")
    if look != nil {
      switch count {
      case 1: letters = "the only dead letter"
      case Self.maximum: letters = "the oldest \(letters)"
      default: letters = "all \(letters)"
      }
    }
    letters = (["\(letters) of \(queue.name)"] + (look?.words ?? [])).joined(separator: ", ")
    return switch self {
    case .redrive: "Give \(letters) another try?"
    case .discard: "Discard \(letters)? What they were to do is never done."
    }
  }

  var detail: String {
    switch self {
    case .redrive: "They get all their attempts again, under the same idempotency keys."
    case .discard: "This cannot be taken back."
    }
  }

  /// What is said where something kept it from going on.
  func stopped(after done: Int, of all: Int, _ why: String) -> String {
    let what = self == .redrive ? "were given another try" : "were discarded"
    return "At least \(Words.number(done)) of \(Words.number(all)) \(what); then it stopped. \(why)"
  }

  /// - Returns: How many were still there, and what kept it from going on.
  func perform(
    on ids: [OperationID], in outbox: Outbox
  ) async -> (count: Int, failure: OutboxError?) {
    var count = 0
    do {
      switch self {
      case .redrive: try await outbox.redrive(contentsOf: ids) { count += $0 }
      case .discard: try await outbox.discard(contentsOf: ids) { count += $0 }
      }
      return (count, nil)
    } catch {
      return (count, error)
    }
  }

  func address(on queue: Queue) -> String { "\(queue.address)/dead/\(rawValue)" }

  static func buttons(of queue: Queue, _ which: String) -> [Page.Button] {
    allCases.map { action in
      Page.Button(
        title: which.isEmpty ? action.title : "\(action.title) \(which)",
        address: action.address(on: queue), isGrave: action == .discard)
    }
  }
}

extension Site {
  /// What was given up, in pages that are found by their first operation however many there are.
  func deadLetters(of queue: Queue, _ request: Request) async throws -> Page {
    let look = Look(request)
    let letters = try await queue.outbox.deadLetters(
      matching: look.filter, after: Self.start(request), limit: Self.pageSize)
    let tally = try await live.counts(of: queue.name).tally.filter { $0.state == nil }
    let count = tally.reduce(0) { $0 + $1.count }
    var page = Page(
      title: "Dead letters of \(queue.name)", place: queue.address,
      lead: count == 0
        ? "Nothing was given up."
        : "\(Words.plural(count, "operation was", "operations were")) given up.",
      live: .outboxes)
    page.search = look.search(tally, withStates: false)
    page.sections = [list(letters.found, of: queue, look)]
    page.next = letters.next.map { look.address("\(queue.address)/dead", after: $0) }
    return page
  }

  private func list(_ letters: [DeadLetter], of queue: Queue, _ look: Look) -> Page.Section {
    let canAct = mayAct
    var form = Page.Actions(buttons: LetterAction.buttons(of: queue, "chosen"))
    form.all = LetterAction.buttons(of: queue, look.isNarrow ? "all that match" : "all")
    form.fields = look.fields
    return Page.Section(
      "Dead letters",
      ["Operation", "Kind", "Lane", .number("Attempts used"), "Given up", "Reason", "Message"],
      letters.map { letter in
        let id = letter.id.description
        return Page.Row(
          Page.Cell(letter.id.short, link: "\(queue.address)/operations/\(id)"),
          "\(letter.operation.type.kind)", "\(letter.operation.lane)",
          .number(letter.operation.attempts), dashboard.time(letter.since),
          "\(letter.reason)", "\(letter.message)", key: id,
          choice: canAct ? Page.Choice(id: id, label: "Choose \(id)") : nil)
      },
      empty: look.isNarrow ? "No dead letter is as you look for." : "There are no dead letters.",
      form: canAct ? form : nil)
  }

  /// Asks first, and acts when the answer comes back.
  func act(
    _ action: LetterAction, on queue: Queue, _ request: Request
  ) async throws -> Response {
    let form = try await forms.form(of: request)
    let chosen = try await chosen(form, in: queue)
    guard form["confirmed"] == "yes" else {
      return answer(request, question(action, chosen, form, queue))
    }
    if let text = form["question"] {
      guard let question = UUID(uuidString: text) else { throw Refusal.badForm }
      guard answered.answer(question) else { throw Refusal.answeredAlready }
    }
    let (count, error) = await action.perform(on: chosen.ids, in: queue.outbox)
    live.forgetCounts(of: queue.name)
    log(
      "Dead letters were acted on from the dashboard.",
      ["action": "\(action.rawValue)", "outbox": "\(queue.name)", "count": "\(count)"])
    if let error {
      return failure(
        .serviceUnavailable, action.stopped(after: count, of: chosen.ids.count, words(for: error)))
    }
    return redirect(
      to: Look(form).address("\(queue.address)/dead", done: "\(action.rawValue)-\(count)"))
  }

  /// What a form is about: what was ticked, or all that match.
  private struct Chosen {
    var ids: [OperationID]
    var isAll: Bool
  }

  /// - Throws: `Refusal.badForm` where nothing legal was chosen.
  private func chosen(_ form: Form, in queue: Queue) async throws -> Chosen {
    if form["all"] == "yes" {
      guard form["confirmed"] == "yes" else {
        let ids = try await queue.outbox.deadLetterIDs(
          matching: Look(form).filter, limit: LetterAction.maximum)
        return Chosen(ids: ids, isAll: true)
      }
      // Those that the question was about, whatever came meanwhile.
      guard let ids = form["ids"].flatMap(PackedIDs.init)?.ids,
        (1...LetterAction.maximum).contains(ids.count)
      else { throw Refusal.badForm }
      return Chosen(ids: ids, isAll: true)
    }
    let texts = form.all("id")
    let ids = texts.compactMap { UUID(uuidString: $0) }.map(OperationID.init)
    guard !ids.isEmpty, ids.count == texts.count, ids.count <= Self.pageSize else {
      throw Refusal.badForm
    }
    return Chosen(ids: ids, isAll: false)
  }

  private func question(
    _ action: LetterAction, _ chosen: Chosen, _ form: Form, _ queue: Queue
  ) -> Page {
    let look = Look(form)
    let back = look.address("\(queue.address)/dead")
    guard !chosen.ids.isEmpty else {
      return Page(
        title: "Nothing to \(action.rawValue)", place: queue.address,
        lead: "No dead letter is as you look for.")
    }
    var page = Page(title: "\(action.title)?", place: queue.address)
    let button = Page.Button(
      title: "\(action.title) \(Words.number(chosen.ids.count))",
      address: action.address(on: queue), isGrave: action == .discard)
    let about =
      chosen.isAll
      ? [
        Page.Field(name: "all", value: "yes"),
        Page.Field(name: "ids", value: PackedIDs(chosen.ids).text),
      ]
      : chosen.ids.map { Page.Field(name: "id", value: $0.description) }
    let number = Page.Field(name: "question", value: UUID().uuidString.lowercased())
    page.confirmation = Page.Confirmation(
      question: action.question(
        chosen.ids.count, allOf: chosen.isAll ? look : nil, in: queue), detail: action.detail,
      // What was looked for comes along, so that the list that follows is the same one.
      button: button, fields: about + [number] + look.fields, back: back)
    return page
  }
}
