// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Mainstay
internal import MainstayOutbox

extension Site {
  /// How many operations a search looks at for one page, so that none takes for ever.
  static let searchLimit = 5_000

  /// The operations that are not finished, and not given up.
  func operations(of queue: Queue, _ request: Request) async throws -> Page {
    let parameters = request.uri.queryParameters
    let text = String((parameters["text"] ?? "").prefix(200))
    let state = parameters["state"].flatMap { OperationState(rawValue: String($0)) }
    let found = try await search(queue, text, state, after: Self.start(request))
    var page = Page(title: queue.name, lead: "Operations that are not finished.")
    page.search = Page.Search(
      text: text,
      states: OperationState.allCases.map {
        Page.Search.State(name: $0.rawValue, isChosen: $0 == state)
      })
    page.sections = [
      try await summary(of: queue),
      Page.Section(
        "Operations", ["Operation", "Kind", "State", "Attempts", "Enqueued", "Last failure"],
        found.operations.map { row($0, of: queue) }, empty: "No operation is as you look for."),
    ]
    page.next = found.last.map { last in
      "\(queue.address)?after=\(last)&text=\(Self.escaped(text))&state=\(state?.rawValue ?? "")"
    }
    return page
  }

  private func search(
    _ queue: Queue, _ text: String, _ state: OperationState?, after start: OperationID?
  ) async throws -> (operations: [StoredOperation], last: OperationID?) {
    var (found, last, looked) = ([StoredOperation](), start, 0)
    while looked < Self.searchLimit {
      let part = try await queue.outbox.operations(after: last, limit: 200)
      for operation in part {
        last = operation.id
        guard state == nil || operation.state == state, Self.matches(operation, text) else {
          continue
        }
        found.append(operation)
        if found.count == Self.pageSize { return (found, last) }
      }
      guard part.count == 200 else { return (found, nil) }
      looked += part.count
    }
    return (found, last)
  }

  private static func matches(_ operation: StoredOperation, _ text: String) -> Bool {
    guard !text.isEmpty else { return true }
    return [
      operation.id.description, operation.type.kind.rawValue, operation.orderingKey ?? "",
      operation.lane.rawValue, operation.failure?.message ?? "",
    ].contains { $0.localizedCaseInsensitiveContains(text) }
  }

  private func row(_ operation: StoredOperation, of queue: Queue) -> Page.Row {
    Page.Row(
      Page.Cell(
        operation.id.description, link: "\(queue.address)/operations/\(operation.id)"),
      "\(operation.type.kind)", "\(operation.state.rawValue)", "\(operation.attempts)",
      "\(operation.enqueued.formatted(.iso8601))", "\(operation.failure?.message ?? "–")")
  }

  /// One operation: why it waits, and what was tried.
  func operation(_ id: OperationID, of queue: Queue) async throws -> Page {
    let letter = try await queue.outbox.deadLetter(id)
    guard let operation = try await queue.outbox.operation(id) ?? letter?.operation else {
      throw Refusal.unknownPage
    }
    var page = Page(title: "\(operation.type.kind)", lead: operation.id.description)
    var facts: [Page.Row] = [
      Page.Row("State", "\(letter == nil ? operation.state.rawValue : "dead letter")"),
      Page.Row("Lane", "\(operation.lane)"),
      Page.Row("Ordering key", "\(operation.orderingKey ?? "–")"),
      Page.Row("Enqueued", "\(operation.enqueued.formatted(.iso8601))"),
    ]
    if let letter { facts.append(Page.Row("Given up because", "\(letter.message)")) }
    if dashboard.showsPayloads {
      let text = operation.isSealed ? "sealed" : Self.shown(operation.payload)
      facts.append(Page.Row("Payload", "\(text)"))
    }
    let obstacles = try await queue.outbox.explain(id)?.obstacles ?? []
    page.sections = [
      Page.Section("Facts", ["What", "Value"], facts),
      Page.Section(
        "Why it waits", ["Because"], obstacles.map { Page.Row("\($0.description)") },
        empty: letter == nil ? "Nothing is in its way." : "It was given up."),
      Page.Section(
        "Attempts", ["Number", "Ended", "Failure", "Effect"],
        try await queue.outbox.attempts(of: id).map { attempt in
          Page.Row(
            "\(attempt.number)", "\(attempt.ended.formatted(.iso8601))",
            "\(attempt.failure?.message ?? "–")", "\(attempt.effect.rawValue)")
        }, empty: "It was not tried yet."),
    ]
    return page
  }

  /// A payload as text, without what must not be seen, cut where it is long.
  private static func shown(_ payload: Data) -> String {
    guard let text = String(data: payload, encoding: .utf8) else {
      return "\(payload.count) bytes"
    }
    return String(Redaction.redact(text).prefix(2_000))
  }

  /// How many operations stand where, with a way to the dead letters.
  func summary(of queue: Queue) async throws -> Page.Section {
    let counts = try await queue.outbox.snapshot()
    let dead = Page.Cell(
      "\(counts.dead)", link: "\(queue.address)/dead", tone: counts.dead > 0 ? "bad" : nil)
    return Page.Section(
      "\(queue.name): where operations stand",
      ["Pending", "Ready", "Running", "Scheduled", "Blocked", "Conflicted", "Dead letters"],
      [
        Page.Row(
          Page.Cell("\(counts.pending)", link: queue.address), "\(counts.ready)",
          "\(counts.running)", "\(counts.scheduled)", "\(counts.blocked)",
          "\(counts.conflicted)", dead)
      ])
  }
}
