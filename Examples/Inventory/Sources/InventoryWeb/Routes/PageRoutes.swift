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
  /// is shown, or `item` of which item alone.
  @Sendable func status(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let asked = try Form((request.uri.query ?? "").utf8, path: request.uri.path)
    let (found, links) = try await letters(asked)
    let standing = try await pages.standing()
    var letters: [LetterView] = []
    for letter in found {
      letters.append(LetterView(letter, title: await title(of: letter.item)))
    }
    var waiting: [WaitingView] = []
    for operation in try await inventory.waiting(limit: WaitingView.maximum) {
      waiting.append(WaitingView(operation, title: await title(of: operation.item)))
    }
    let page = StatusPage(
      standing.status, waiting: waiting, letters: letters, links: links,
      opening: inventory.opening, changes: inventory.levels.controller.history)
    return await pages.draw(.status, "Status", page, standing, for: Visit(request))
  }

  /// What was given up, as far as a page shows it.
  private func letters(
    _ asked: Form
  ) async throws -> (found: [DeadLetterDocument], links: LetterPages.Links) {
    if asked.has("item") {
      guard let item = UUID(uuidString: asked["item"]) else {
        throw AppError.badAddress("`item` must be the id of an item.")
      }
      let found = try await inventory.deadLetters(about: item)
      return (found, LetterPages.Links(all: LetterPages.all))
    }
    let part = try LetterPart(asked, usual: LetterPages.length)
    let letterPages = LetterPages(asked, part)
    let found = try await inventory.deadLetters(after: part.after, limit: part.limit)
    var links = LetterPages.Links(older: letterPages.older)
    // Asked for apart: the queue knows where its lists ended, also once that letter has gone, so
    // they have to end where the pages do.
    if let last = found.last?.id,
      try await !inventory.deadLetters(after: last, limit: 1).isEmpty
    {
      links.newer = letterPages.newer(after: last)
    }
    return (found, links)
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
