// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Mainstay
internal import MainstayOutbox

extension Site {
  /// What waits in an outbox: by state, by kind, over time, and one by one.
  func operations(of queue: Queue, _ request: Request) async throws -> Page {
    let look = Look(request)
    let start = try Self.start(request)
    let counts = try await live.counts(of: queue.name)
    let found = try await found(look, counts, of: queue, after: start)
    var page = Page(
      title: queue.name, place: queue.address, lead: "Operations that are not finished.",
      live: .outboxes)
    page.tiles = tiles(counts.snapshot, of: queue)
    page.search = look.search(counts.tally, withStates: true)
    page.sections = [list(found.found, counts, of: queue)]
    if !look.isNarrow {
      page.sections.insert(overTime(queue), at: 0)
      page.sections.insert(kindTable(counts, of: queue), at: 1)
    } else if let kind = look.filter.kind {
      // Among all of them it may have found no room.
      page.sections.insert(kindTable(counts, of: queue, only: kind), at: 0)
    }
    if let lanes = laneTable(counts, of: queue) { page.sections.insert(lanes, at: 0) }
    page.next = found.next.map { look.address(queue.address, after: $0) }
    return page
  }

  private func tiles(_ counts: OutboxSnapshot, of queue: Queue) -> [Page.Tile] {
    let held = counts.pending - counts.ready - counts.running
    let parts = [
      (counts.scheduled, "scheduled"), (counts.blocked, "blocked"), (counts.waiting, "waiting"),
      (counts.conflicted, "in conflict"), (counts.parked, "parked"),
    ].filter { $0.0 > 0 }.map { "\(Words.number($0.0)) \($0.1)" }
    return [
      Page.Tile(
        title: "Ready", value: Words.number(counts.ready),
        detail: counts.estimate.map { "done in \($0)" } ?? "no estimate yet"),
      Page.Tile(
        title: "Running", value: Words.number(counts.running),
        detail: counts.oldestAge.map { "oldest of all that waits \(Words.span($0))" }
          ?? "nothing waits"),
      Page.Tile(
        title: "Held back", value: Words.number(held),
        detail: parts.isEmpty ? "nothing is in the way" : parts.joined(separator: ", "),
        tone: counts.conflicted + counts.parked + counts.causes.laneNeedsUser > 0 ? .warn : nil),
      Page.Tile(
        title: "Given up", value: Words.number(counts.dead), detail: "dead letters",
        link: "\(queue.address)/dead", tone: counts.dead > 0 ? .bad : .good),
    ]
  }

  private func overTime(_ queue: Queue) -> Page.Section {
    let points = live.points(of: queue.name)
    var section = Page.Section("Over time")
    let states = Plot(
      "By state", of: points,
      [
        ("ready", { $0.ready }), ("running", { $0.running }), ("held back", { $0.held }),
        ("given up", { $0.dead }),
      ])
    let frequent = (points.last?.kinds ?? [:]).sorted { one, other in
      (other.value, one.key.rawValue) < (one.value, other.key.rawValue)
    }.prefix(5).map(\.key)
    let kinds =
      frequent.isEmpty
      ? nil
      : Plot(
        "By kind", of: points,
        frequent.map { kind in (kind.rawValue, { $0.count(of: kind) }) })
    section.plots = [states, kinds].compactMap(\.self)
    if section.plots.isEmpty {
      section.note = "There is nothing to draw yet: it begins in a moment."
    }
    return section
  }

  private func list(
    _ found: [StoredOperation], _ counts: Sample.Queue, of queue: Queue
  ) -> Page.Section {
    Page.Section(
      "Operations",
      ["Operation", "Kind", "Lane", "State", .number("Attempts used"), "Enqueued", "Last failure"],
      found.map { operation in
        let state = counts.state(of: operation)
        return Page.Row(
          Page.Cell(
            operation.id.short, link: "\(queue.address)/operations/\(operation.id)"),
          "\(operation.type.kind)", "\(operation.lane)",
          Page.Cell(state.word, tone: state.tone),
          .number(operation.attempts), dashboard.time(operation.enqueued),
          "\(operation.failure?.message ?? "–")", key: operation.id.description)
      }, empty: "No operation is as you look for.")
  }
}

extension OperationID {
  /// The end, which differs from operation to operation; the beginning is a time.
  var short: String { "…\(description.suffix(12))" }
}

extension OperationState {
  var word: String {
    switch self {
    case .leased: "running"
    case .conflicted: "in conflict"
    case .dead: "dead letter"
    default: rawValue
    }
  }

  var tone: Page.Tone? {
    switch self {
    case .ready, .leased: .good
    case .conflicted, .parked: .warn
    case .dead: .bad
    case .scheduled, .blocked, .waiting: nil
    }
  }
}

/// What somebody looks for in an outbox, as an address or a form says it.
struct Look: Sendable {
  /// How long a text to look for may be.
  private static let maximumText = 200

  let filter: OperationFilter

  /// The search is a form, too: a browser writes its spaces as plus signs.
  init(_ request: Request) { self.init(Form(request.uri.query ?? "")) }

  init(_ form: Form) { self.init { form[$0] } }

  private init(_ field: (String) -> String?) {
    func text(_ name: String) -> String? {
      field(name).map { String($0.prefix(Self.maximumText)) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    filter = OperationFilter(
      text: text("text") ?? "", kind: text("kind").map(OperationKind.init(rawValue:)),
      lane: text("lane").map(Lane.init(rawValue:)),
      state: text("state").flatMap(OperationState.init(rawValue:)))
  }

  /// Whether only some are looked for.
  var isNarrow: Bool { filter != OperationFilter() }

  var fields: [Page.Field] {
    [
      ("text", filter.text), ("kind", filter.kind?.rawValue ?? ""),
      ("lane", filter.lane?.rawValue ?? ""), ("state", filter.state?.rawValue ?? ""),
    ].filter { !$0.1.isEmpty }.map { Page.Field(name: $0.0, value: $0.1) }
  }

  /// What is looked for, for a person who is asked about all of it.
  var words: [String] {
    [
      filter.kind.map { "of the kind “\($0)”" }, filter.lane.map { "in the lane “\($0)”" },
      filter.text.isEmpty ? nil : "with the text “\(filter.text)”",
    ].compactMap(\.self)
  }

  /// The address of a list of what is looked for, from its beginning or from somewhere on.
  ///
  /// - Parameters:
  ///   - path: Where the list is.
  ///   - place: After which operation it begins.
  ///   - notice: What was done just now, which the list says.
  /// - Returns: The address.
  func address(_ path: String, after place: SearchPlace? = nil, done notice: String? = nil)
    -> String
  {
    let start =
      place.map { place in
        ["after=\(place.id)\(place.number.map { "~\($0)" } ?? "")"]
      } ?? []
    let end = notice.map { ["done=\($0)"] } ?? []
    let parts = start + fields.map { "\($0.name)=\(Site.escaped($0.value))" } + end
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
  }

  /// The form, with the kinds and lanes that there are.
  func search(_ tally: [OperationTally], withStates: Bool) -> Page.Search {
    var choices = [
      Self.choices("kind", "Kind", tally.map(\.kind.rawValue), filter.kind?.rawValue),
      Self.choices("lane", "Lane", tally.map(\.lane.rawValue), filter.lane?.rawValue),
    ]
    if withStates {
      choices.append(
        Page.Search.Choices(
          "state", "State", OperationState.allCases.filter { $0 != .dead }.map(\.rawValue),
          chosen: filter.state?.rawValue))
    }
    return Page.Search(text: filter.text, choices: choices)
  }

  /// What is looked for stands among the first ones also where nothing of it is left: the form
  /// would say otherwise that it looks for any, and do so the next time.
  private static func choices(
    _ name: String, _ title: String, _ all: [String], _ chosen: String?
  ) -> Page.Search.Choices {
    let first = Set(all).sorted().prefix(100)
    let values = Set(first).union(chosen.map { [$0] } ?? []).sorted()
    return Page.Search.Choices(name, title, values, chosen: chosen)
  }
}
