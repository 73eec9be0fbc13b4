// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

/// What can be done about dead letters.
enum LetterAction: String, CaseIterable, Sendable {
  case redrive, discard

  var title: String {
    switch self {
    case .redrive: "Redrive"
    case .discard: "Discard"
    }
  }

  func question(_ count: Int) -> String {
    let letters = count == 1 ? "1 dead letter" : "\(count) dead letters"
    return switch self {
    case .redrive: "Give \(letters) another try?"
    case .discard: "Discard \(letters)? What they were to do is never done."
    }
  }

  /// - Returns: Whether it was still there.
  func perform(on id: OperationID, in outbox: Outbox) async throws -> Bool {
    switch self {
    case .redrive: try await outbox.redrive(id)
    case .discard: try await outbox.discard(id)
    }
  }
}

extension Site {
  /// What was given up, in pages that are found by their first operation however many there are.
  func deadLetters(of queue: Queue, _ request: Request) async throws -> Page {
    let letters = try await queue.outbox.deadLetters(
      after: Self.start(request), limit: Self.pageSize)
    var page = Page(title: "Dead letters of \(queue.name)", lead: "What was given up.")
    let canAct = !dashboard.isReadOnly
    let buttons = LetterAction.allCases.map { action in
      Page.Button(title: "\(action.title) chosen", address: address(of: action, on: queue))
    }
    page.sections = [
      Page.Section(
        "Dead letters", ["Operation", "Kind", "Since", "Reason", "Message"],
        letters.map { letter in
          let id = letter.id.description
          return Page.Row(
            Page.Cell(id, link: "\(queue.address)/operations/\(id)"),
            "\(letter.operation.type.kind)", "\(letter.since.formatted(.iso8601))",
            "\(letter.reason)", "\(letter.message)",
            choice: canAct ? Page.Choice(id: id, label: "Choose \(id)") : nil)
        }, empty: "There are no dead letters.",
        form: canAct ? Page.Actions(buttons: buttons) : nil)
    ]
    if letters.count == Self.pageSize, let last = letters.last {
      page.next = "\(queue.address)/dead?after=\(last.id)"
    }
    return page
  }

  private func address(of action: LetterAction, on queue: Queue) -> String {
    "\(queue.address)/dead/\(action.rawValue)"
  }

  /// Asks first, and acts when the answer comes back.
  func act(
    _ action: LetterAction, on queue: Queue, _ request: Request
  ) async throws -> Response {
    let form = try await forms.form(of: request)
    let texts = form.all("id")
    let ids = texts.compactMap { UUID(uuidString: $0) }.map(OperationID.init)
    guard !ids.isEmpty, ids.count == texts.count, ids.count <= Self.pageSize else {
      throw Refusal.badForm
    }
    guard form["confirmed"] == "yes" else {
      var page = Page(title: "\(action.title)?")
      page.confirmation = Page.Confirmation(
        question: action.question(ids.count),
        button: Page.Button(title: action.title, address: address(of: action, on: queue)),
        ids: ids.map(\.description), back: "\(queue.address)/dead")
      return answer(request, page)
    }
    var count = 0
    for id in ids where try await action.perform(on: id, in: queue.outbox) { count += 1 }
    dashboard.logger.notice(
      "Dead letters were acted on from the dashboard.",
      metadata: ["action": "\(action.rawValue)", "outbox": "\(queue.name)", "count": "\(count)"])
    return redirect(to: "\(queue.address)/dead?done=\(action.rawValue)-\(count)")
  }
}
