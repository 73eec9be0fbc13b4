// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension Site {
  /// One operation: what it is, why it waits, and what was tried.
  func operation(_ id: OperationID, of queue: Queue) async throws -> Page {
    let letter = try await queue.outbox.deadLetter(id)
    guard let operation = try await queue.outbox.operation(id) ?? letter?.operation else {
      throw Refusal.unknownPage
    }
    var page = Page(
      title: "\(operation.type.kind)", place: queue.address, lead: operation.id.description,
      live: .outboxes)
    let obstacles =
      letter == nil ? try await queue.outbox.explain(id)?.obstacles ?? [] : []
    let why = letter == nil ? Self.section(on: obstacles) : nil
    // As it is counted: a closed lane or a paused kind holds back what is ready.
    let isHeld = obstacles.contains { obstacle in
      switch obstacle {
      case .lane, .kindPaused: true
      default: false
      }
    }
    let state = operation.state == .ready && isHeld ? .waiting : operation.state
    page.sections = [
      facts(operation, state, letter), why, try await attempts(of: id, in: queue),
    ].compactMap(\.self)
    if let letter, mayAct {
      page.sections.insert(decision(about: letter, in: queue), at: 1)
    }
    if operation.state == .conflicted, mayAct {
      page.sections.insert(decision(aboutConflict: operation, in: queue), at: 1)
    }
    return page
  }

  private func facts(
    _ operation: StoredOperation, _ state: OperationState, _ letter: DeadLetter?
  ) -> Page.Section {
    var section = Page.Section("Facts")
    section.facts = [
      Page.Fact("State", Page.Cell(state.word, tone: state.tone)),
      Page.Fact("Lane", "\(operation.lane)"),
      Page.Fact("Ordering key", "\(operation.orderingKey ?? "–")"),
      Page.Fact("Priority", "\(String(describing: operation.priority))"),
      Page.Fact("Enqueued", dashboard.time(operation.enqueued)),
      Page.Fact("Attempts used", .number(operation.attempts)),
    ]
    if let due = operation.due {
      section.facts.append(Page.Fact("Due", "\(due.formatted(.iso8601))"))
    }
    if let expires = operation.expires {
      section.facts.append(Page.Fact("Expires", "\(expires.formatted(.iso8601))"))
    }
    if let timeout = operation.timeout {
      section.facts.append(Page.Fact("Time limit of a run", "\(timeout.inWords)"))
    }
    if let failure = operation.failure {
      section.facts.append(
        Page.Fact("Last failure", "\(failure.message) (\(failure.code.rawValue))"))
      section.facts += failure.fields.map {
        Page.Fact("Field", "\($0.pointer): \($0.message) (\($0.code))")
      }
    }
    if let letter {
      section.facts.append(Page.Fact("Given up", dashboard.time(letter.since)))
      section.facts.append(Page.Fact("Given up because", "\(letter.message) (\(letter.reason))"))
    }
    if dashboard.showsPayloads {
      let text = operation.isSealed ? "sealed" : Self.shown(operation.payload)
      section.facts.append(Page.Fact("Payload", "\(text)"))
    }
    return section
  }

  private static func section(on obstacles: [Obstacle]) -> Page.Section {
    Page.Section(
      "Why it waits", ["Because"], obstacles.map { Page.Row("\($0.description)") },
      empty: "Nothing is in its way.")
  }

  private func decision(about letter: DeadLetter, in queue: Queue) -> Page.Section {
    let id = letter.id.description
    return Page.Section(
      "What to do", ["Operation", "Kind"],
      [
        Page.Row(
          "\(id)", "\(letter.operation.type.kind)",
          choice: Page.Choice(id: id, label: "Choose \(id)", isChosen: true))
      ], empty: "", form: Page.Actions(buttons: LetterAction.buttons(of: queue, "")))
  }

  private func attempts(of id: OperationID, in queue: Queue) async throws -> Page.Section {
    Page.Section(
      "Attempts", [.number("Number"), "Ended", "Failure", "Code", "Effect"],
      try await queue.outbox.attempts(of: id).map { attempt in
        Page.Row(
          .number(attempt.number), dashboard.time(attempt.ended),
          "\(attempt.failure?.message ?? "–")", "\(attempt.failure?.code.rawValue ?? "–")",
          "\(attempt.effect.rawValue)")
      }, empty: "It was not tried yet.")
  }

  /// A payload as text, without what must not be seen, cut where it is long.
  private static func shown(_ payload: Data) -> String {
    guard let text = String(data: payload, encoding: .utf8) else {
      return "\(payload.count) bytes"
    }
    return String(Redaction.redact(text).prefix(2_000))
  }
}
