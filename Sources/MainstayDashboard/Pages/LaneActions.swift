// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hummingbird
internal import Logging
internal import Mainstay
internal import MainstayOutbox

/// A lane that holds back what is ready, and why.
struct ClosedLane: Sendable, Equatable {
  let lane: Lane
  let cause: LaneClosure.Cause

  var why: String {
    switch cause {
    case .paused: "it is paused"
    case .needsUser: "a person is needed, such as to sign in"
    case .throttled: "it rests, as the other side asked"
    }
  }
}

extension Sample.Queue {
  /// Where an operation stands, by the rule by which operations are counted.
  ///
  /// One that is ready waits while its lane is closed or its kind is paused.
  func state(of operation: StoredOperation) -> OperationState {
    let isHeld =
      paused.contains(operation.type.kind) || closed.contains { $0.lane == operation.lane }
    return operation.state == .ready && isHeld ? .waiting : operation.state
  }
}

extension Site {
  /// How many pages of a store are read at most for one of a list.
  private static let maximumLooks = 40

  static let lanesToResume = "lanes/resume"

  /// A page of what is looked for.
  ///
  /// A store does not search by closed lanes and paused kinds: what these hold back is left out, or
  /// picked out, here.
  func found(
    _ look: Look, _ counts: Sample.Queue, of queue: Queue, after start: SearchPlace?
  ) async throws -> SearchPage<StoredOperation> {
    var filter = look.filter
    let holdsBack = !counts.closed.isEmpty || !counts.paused.isEmpty
    guard let state = filter.state, holdsBack, state == .ready || state == .waiting else {
      return try await queue.outbox.operations(
        matching: filter, after: start, limit: Self.pageSize)
    }
    if state == .waiting { filter.state = nil }
    var found: [StoredOperation] = []
    var place = start
    for _ in 0..<Self.maximumLooks {
      let page = try await queue.outbox.operations(
        matching: filter, after: place, limit: Self.pageSize - found.count)
      found += page.found.filter { counts.state(of: $0) == state }
      place = page.next
      if place == nil || found.count == Self.pageSize { break }
    }
    return SearchPage(found: found, next: place)
  }

  /// Which lanes hold something back, why, and what can be done; nil where none does.
  func laneTable(_ counts: Sample.Queue, of queue: Queue) -> Page.Section? {
    guard !counts.closed.isEmpty else { return nil }
    let room = Self.maximumRows
    let button = Page.Button(
      title: "Resume chosen", address: "\(queue.address)/\(Self.lanesToResume)")
    return Page.Section(
      "Closed lanes", ["Lane", "Closed because", .number("Ready, and held back")],
      counts.closed.prefix(room).map { closed in
        let name = closed.lane.rawValue
        let held = counts.tally.filter { $0.lane == closed.lane && $0.state == .ready }
        let choice = Page.Choice(id: name, label: "Choose \(name)")
        return Page.Row(
          Page.Cell(name, link: "\(queue.address)?lane=\(Self.escaped(name))"),
          Page.Cell(closed.why, tone: closed.cause == .needsUser ? .bad : .warn),
          .number(held.reduce(0) { $0 + $1.count }), key: name, choice: mayAct ? choice : nil)
      }, empty: "",
      note: counts.closed.count > room
        ? "\(room) of \(Words.number(counts.closed.count)) lanes." : nil,
      form: mayAct ? Page.Actions(buttons: [button]) : nil)
  }

  /// Asks first, and resumes lanes when the answer comes back.
  func resumeLanes(of queue: Queue, _ request: Request) async throws -> Response {
    let form = try await forms.form(of: request)
    let named = Set(form.all("id")).sorted()
    guard (1...Self.maximumRows).contains(named.count) else { throw Refusal.badForm }
    let closed = Set(try await queue.outbox.closedLanes().map(\.lane))
    let chosen = named.map(Lane.init(rawValue:)).filter(closed.contains)
    guard !chosen.isEmpty else {
      let lead = "What you chose is open already."
      return answer(
        request, Page(title: "Nothing to resume", place: queue.address, lead: lead))
    }
    guard form["confirmed"] == "yes" else { return answer(request, question(chosen, queue)) }
    var (done, failure): ([Lane], OutboxError?) = ([], nil)
    do throws(OutboxError) {
      for lane in chosen {
        try await queue.outbox.resume(lane)
        done.append(lane)
      }
    } catch {
      failure = error
    }
    live.forgetCounts(of: queue.name)
    log(
      "Lanes of an outbox were resumed from the dashboard.",
      ["outbox": "\(queue.name)", "lanes": "\(done.map { Redaction.redact($0.rawValue) })"])
    guard let failure else { return redirect(to: "\(queue.address)?done=lanes-\(done.count)") }
    let all = Words.plural(chosen.count, "lane was", "lanes were")
    return self.failure(
      .serviceUnavailable,
      "At least \(Words.number(done.count)) of \(all) resumed; then it stopped. "
        + words(for: failure))
  }

  private func question(_ chosen: [Lane], _ queue: Queue) -> Page {
    var page = Page(title: "Resume?", place: queue.address)
    let names = chosen.map { "“\($0)”" }.joined(separator: ", ")
    page.confirmation = Page.Confirmation(
      question: "Resume \(names) in \(queue.name)?",
      detail: "What waits there is started, by all processes that use this outbox. Where the other "
        + "side refuses again, the lane is closed again.",
      button: Page.Button(
        title: "Resume", address: "\(queue.address)/\(Self.lanesToResume)"),
      fields: chosen.map { Page.Field(name: "id", value: $0.rawValue) }, back: queue.address)
    return page
  }
}
