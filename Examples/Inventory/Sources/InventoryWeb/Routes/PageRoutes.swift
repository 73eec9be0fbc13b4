// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay

/// The pages that can be read.
struct PageRoutes: Sendable {
  let pages: PageRenderer

  private var inventory: Inventory { pages.inventory }

  func add(to table: RouteTable) {
    table.add("", [.get: list])
    table.add("conflicts", [.get: conflicts])
    table.add("status", [.get: status])
    table.add("errors", [.get: errors])
    table.add("help", [.get: help])
  }

  @Sendable func list(_ request: Request, _ context: VisitContext) async throws -> Response {
    let asked = try Form((request.uri.query ?? "").utf8, path: request.uri.path)
    return try await pages.list(asked, for: Visit(request))
  }

  @Sendable func conflicts(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let standing = try await pages.standing()
    return await pages.draw(
      .conflicts, "Changed in two places", ConflictsPage(standing.conflicts), standing,
      for: Visit(request))
  }

  /// How everything stands; `after` says where what was given up begins, and `limit` how much of it
  /// is shown.
  @Sendable func status(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let asked = try Form((request.uri.query ?? "").utf8, path: request.uri.path)
    let part = try LetterPart(asked, usual: LetterPages.length)
    let letterPages = LetterPages(asked, part)
    let standing = try await pages.standing()
    let found = try await inventory.deadLetters(after: part.after, limit: part.limit)
    var letters: [LetterView] = []
    for letter in found {
      letters.append(LetterView(letter, title: await title(of: letter.item)))
    }
    // Asked for apart: the queue knows where its lists ended, also once that letter has gone, so
    // they have to end where the pages do.
    var newer: String?
    if let last = found.last?.id,
      try await !inventory.deadLetters(after: last, limit: 1).isEmpty
    {
      newer = letterPages.newer(after: last)
    }
    var waiting: [WaitingView] = []
    for operation in try await inventory.waiting(limit: WaitingView.maximum) {
      waiting.append(WaitingView(operation, title: await title(of: operation.item)))
    }
    let page = StatusPage(
      standing.status, waiting: waiting, letters: letters, older: letterPages.older,
      newer: newer, opening: inventory.opening, changes: inventory.levels.controller.history)
    return await pages.draw(.status, "Status", page, standing, for: Visit(request))
  }

  /// The title of an item; nil where it is gone.
  private func title(of item: UUID?) async -> String? {
    guard let item else { return nil }
    return try? await inventory.store.item(item).title
  }

  /// What went wrong; `span` says how far back the trends go.
  @Sendable func errors(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let asked = try Form((request.uri.query ?? "").utf8, path: request.uri.path)
    let span = TrendSpan(rawValue: asked["span"]) ?? .minutes
    let groups = ErrorsPage(inventory.errorGroups(over: span), over: span)
    return await pages.draw(
      .errors, "Errors", groups, try await pages.standing(), for: Visit(request))
  }

  @Sendable func help(_ request: Request, _ context: VisitContext) async throws -> Response {
    await pages.draw(.help, "Help", HelpPage(), try await pages.standing(), for: Visit(request))
  }
}
