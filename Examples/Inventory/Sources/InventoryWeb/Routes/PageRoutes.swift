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

  @Sendable func status(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let standing = try await pages.standing()
    var letters: [LetterView] = []
    for letter in try await inventory.deadLetters() {
      letters.append(LetterView(letter, title: await title(of: letter.item)))
    }
    var waiting: [WaitingView] = []
    for operation in try await inventory.waiting(limit: WaitingView.maximum) {
      waiting.append(WaitingView(operation, title: await title(of: operation.item)))
    }
    let page = StatusPage(
      standing.status, waiting: waiting, letters: letters, opening: inventory.opening,
      changes: inventory.levels.controller.history)
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
