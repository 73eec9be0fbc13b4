// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension Site {
  /// All that is known at a glance; what was not given is left out.
  func overview() async throws -> Page {
    var page = Page(
      title: "Overview", live: [.outboxes, .circuits, .errors, .connection, .levels])
    var rows: [Page.Row] = []
    for (queue, counts) in try await counted() {
      switch counts {
      case .success(let counts):
        page.tiles.append(tile(counts, of: queue))
        rows.append(row(counts, of: queue))
      case .failure(let error): page.tiles.append(tile(error, of: queue))
      }
    }
    page.tiles += otherTiles
    if !rows.isEmpty { page.sections.append(outboxes(rows)) }
    if !dashboard.circuits.isEmpty { page.sections.append(circuitTable(withActions: false)) }
    if let monitor = dashboard.errors { page.sections.append(errorTable(monitor, atMost: 5)) }
    if page.tiles.isEmpty && dashboard.pipelines.isEmpty {
      page.lead = "This dashboard was given nothing to show."
    }
    return page
  }

  /// All outboxes, by name; they are asked at once, and none keeps the page from the others.
  private func counted() async throws -> [(Queue, Result<OutboxSnapshot, any Error>)] {
    let results = await withTaskGroup(of: (String, Result<OutboxSnapshot, any Error>).self) {
      group in
      for queue in queues {
        group.addTask { [live] in
          do {
            return (queue.name, .success(try await live.countsInTime(of: queue.name).snapshot))
          } catch {
            return (queue.name, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    try Task.checkCancellation()
    return queues.compactMap { queue in results[queue.name].map { (queue, $0) } }
  }

  private func tile(_ error: any Error, of queue: Queue) -> Page.Tile {
    Page.Tile(
      title: queue.name, value: "cannot be read",
      detail: ErrorMapping.current.map(error).message.description, link: queue.address, tone: .bad)
  }

  private func tile(_ counts: OutboxSnapshot, of queue: Queue) -> Page.Tile {
    let age = counts.oldestAge.map { "oldest \(Words.span($0))" } ?? "nothing waits"
    let dead = counts.dead > 0 ? ", \(Words.number(counts.dead)) given up" : ""
    let closed = counts.causes.laneNeedsUser
    let person = closed > 0 ? ", \(Words.number(closed)) in a lane in which a person is needed" : ""
    return Page.Tile(
      title: queue.name, value: Words.plural(counts.pending, "operation", "operations"),
      detail: age + dead + person, link: queue.address,
      tone: counts.dead > 0 ? .bad : closed > 0 ? .warn : .good)
  }

  private var otherTiles: [Page.Tile] {
    var tiles: [Page.Tile] = []
    let circuits = dashboard.circuits
    if !circuits.isEmpty {
      let notClosed = circuits.filter { $0.breaker.state != .closed }
      tiles.append(
        Page.Tile(
          title: "Circuits",
          value: notClosed.isEmpty ? "all closed" : "\(notClosed.count) not closed",
          detail: notClosed.isEmpty
            ? Words.plural(circuits.count, "circuit", "circuits")
            : notClosed.prefix(3).map(\.title).joined(separator: ", "),
          link: "\(root)/circuits", tone: notClosed.isEmpty ? .good : .bad))
    }
    if let monitor = dashboard.errors {
      let recent = monitor.trend(per: .minute).reduce(0, +)
      tiles.append(
        Page.Tile(
          title: "Errors", value: Words.number(recent),
          detail: "in the last hour, \(Words.plural(monitor.groups.count, "group", "groups"))",
          link: "\(root)/errors",
          tone: recent > 0 ? .warn : .good))
    }
    if let current = dashboard.connectivity?.current {
      tiles.append(
        Page.Tile(
          title: "Connection", value: current.standing.rawValue,
          detail: "since \(dashboard.ago(current.since))", link: "\(root)/connection",
          tone: current.standing.tone))
    }
    if let status = dashboard.levels?.status {
      tiles.append(
        Page.Tile(
          title: "Feature level", value: status.level.rawValue,
          detail: status.reasons.first.map { "\($0.reason)" } ?? "nothing is missing",
          link: "\(root)/levels", tone: status.level == .full ? .good : .warn))
    }
    return tiles
  }

  private func outboxes(_ rows: [Page.Row]) -> Page.Section {
    Page.Section(
      "Outboxes",
      [
        "Outbox", .number("Pending"), .number("Ready"), .number("Running"),
        .number("Scheduled"), .number("Blocked"), .number("Waiting"), .number("In conflict"),
        .number("Parked"), .number("Given up"), "Done in",
      ], rows, empty: "There is no outbox.")
  }

  private func row(_ counts: OutboxSnapshot, of queue: Queue) -> Page.Row {
    let dead = Page.Cell.number(
      counts.dead, link: "\(queue.address)/dead", tone: counts.dead > 0 ? .bad : nil)
    return Page.Row(
      Page.Cell(queue.name, link: queue.address), .number(counts.pending), .number(counts.ready),
      .number(counts.running), .number(counts.scheduled), .number(counts.blocked),
      .number(counts.waiting), .number(counts.conflicted), .number(counts.parked), dead,
      "\(counts.estimate?.description ?? "–")", key: queue.name)
  }
}
