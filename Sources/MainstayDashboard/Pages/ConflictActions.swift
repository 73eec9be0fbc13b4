// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

/// How an operator ends a conflict that nobody else ends.
enum ConflictAction: String, CaseIterable, Sendable {
  case accept, resend

  var title: String {
    switch self {
    case .accept: "Accept the other side"
    case .resend: "Send again"
    }
  }

  var question: String {
    switch self {
    case .accept: "Drop this operation? What the other side has stands."
    case .resend: "Send this operation once more, as it was?"
    }
  }

  var detail: String {
    switch self {
    case .accept: "This cannot be taken back."
    case .resend:
      "It gets a new idempotency key, and all its attempts. It may end in conflict again."
    }
  }

  func address(on queue: Queue) -> String { "\(queue.address)/conflicts/\(rawValue)" }

  /// - Returns: What kept it from being done, in a sentence; nil where nothing did.
  func perform(on id: OperationID, in outbox: Outbox) async throws(OutboxError) -> String? {
    let result: SendingAgain =
      switch self {
      case .accept: try await outbox.acceptRemote(id) ? .putBack : .notInConflict
      case .resend: try await outbox.sendAgain(id)
      }
    return switch result {
    case .putBack: nil
    case .notInConflict: "The operation is in no conflict any more."
    case .needsDecision:
      "Both sides changed the same, or it may be done already: only the app can put both together."
    }
  }
}

extension Site {
  /// What can be done about an operation that is in conflict.
  func decision(aboutConflict operation: StoredOperation, in queue: Queue) -> Page.Section {
    let id = operation.id.description
    let buttons = ConflictAction.allCases.map { action in
      Page.Button(
        title: action.title, address: action.address(on: queue), isGrave: action == .accept)
    }
    return Page.Section(
      "What to do", ["Operation", "Kind"],
      [
        Page.Row(
          "\(id)", "\(operation.type.kind)",
          choice: Page.Choice(id: id, label: "Choose \(id)", isChosen: true))
      ], empty: "", form: Page.Actions(buttons: buttons))
  }

  /// Asks first, and acts when the answer comes back.
  func act(_ action: ConflictAction, on queue: Queue, _ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let texts = form.all("id")
    guard texts.count == 1, let id = texts.first.flatMap({ UUID(uuidString: $0) }) else {
      throw Refusal.badForm
    }
    let operation = OperationID(id)
    guard form["confirmed"] == "yes" else {
      return answer(request, question(action, operation, queue))
    }
    let refusal: String?
    do {
      refusal = try await action.perform(on: operation, in: queue.outbox)
    } catch {
      return failure(.serviceUnavailable, words(for: error))
    }
    if let refusal { return failure(.conflict, refusal) }
    live.forgetCounts(of: queue.name)
    log(
      "A conflict was ended from the dashboard.",
      [
        "action": "\(action.rawValue)", "outbox": "\(queue.name)", "operation": "\(operation)",
      ])
    return redirect(to: queue.address)
  }

  private func question(_ action: ConflictAction, _ id: OperationID, _ queue: Queue) -> Page {
    var page = Page(title: "\(action.title)?", place: queue.address)
    page.confirmation = Page.Confirmation(
      question: action.question, detail: action.detail,
      button: Page.Button(
        title: action.title, address: action.address(on: queue), isGrave: action == .accept),
      fields: [Page.Field(name: "id", value: id.description)],
      back: "\(queue.address)/operations/\(id)")
    return page
  }
}
