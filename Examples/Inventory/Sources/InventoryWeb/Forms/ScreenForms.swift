// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import MainstayUI

/// The forms about what the person sees: errors, toasts, and questions to the service.
struct ScreenForms: Sendable {
  let pages: PageRenderer

  private var inventory: Inventory { pages.inventory }

  func add(to table: RouteTable) {
    table.add("screen/errors/:id/:action", [.post: choose])
    table.add("screen/toasts/:id/dismiss", [.post: dismiss])
    table.add("screen/toasts/:id/choose", [.post: act])
    table.add("screen/toasts/:id/hold", [.post: hold])
    table.add("screen/toasts/:id/release", [.post: release])
    table.add("items/:id/questions/:feature", [.post: ask])
  }

  @Sendable func choose(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let actions = [RecoveryAction.retry, .checkOutcome, .dismiss]
    guard let action = actions.first(where: { $0.id.rawValue == context.parameters.get("action") })
    else {
      throw AppError.unknownAddress
    }
    let (id, visit) = (try context.id(), Visit(request, page: try await request.form().page))
    // What is not shown any more was chosen before, or was put away: nothing is left to do.
    let screen = await pages.screens.screen(visit.screen)
    await screen.waiting { await screen.errors.choose(action, for: id) }
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func dismiss(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let (id, visit) = (try context.id(), Visit(request, page: try await request.form().page))
    await pages.screens.screen(visit.screen).toasts.dismiss(id)
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func act(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let (id, visit) = (try context.id(), Visit(request, page: try await request.form().page))
    let screen = await pages.screens.screen(visit.screen)
    await screen.waiting { await screen.toasts.choose(id) }
    return Response.seeOther(visit.page).known(as: visit)
  }

  @Sendable func hold(_ request: Request, _ context: VisitContext) async throws -> Response {
    let id = try context.id()
    await pages.screens.screen(Visit(request).screen).toasts.hold(id)
    return Response(status: .noContent)
  }

  @Sendable func release(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    await pages.screens.screen(Visit(request).screen).toasts.release(id)
    return Response(status: .noContent)
  }

  @Sendable func ask(_ request: Request, _ context: VisitContext) async throws -> Response {
    let id = try context.id()
    guard let feature = context.parameters.get("feature").flatMap(Question.Feature.init) else {
      throw AppError.unknownAddress
    }
    let visit = Visit(request, page: try await request.form().page(or: .item(id)))
    let question = Question(item: id, feature: feature)
    await pages.screens.screen(visit.screen).ask(question) { [inventory] in
      try await inventory.answer(question)
    }
    return Response.seeOther(visit.page).known(as: visit)
  }
}

extension Inventory {
  /// Asks the service, unless it is known that nobody would answer.
  fileprivate func answer(_ question: Question) async throws(AppError) -> FeatureAnswer {
    let item = try await store.item(question.item)
    let status = try await status()
    let name = question.feature.rawValue
    let standing = status.features.first { $0.name == name }
    if standing?.available == false {
      throw .unavailable(standing?.reason, isPortal: status.connectivity.state == .portal)
    }
    return try await client.feature(name, subject: item.title)
  }
}

extension AppError {
  fileprivate static func unavailable(_ reason: String?, isPortal: Bool) -> AppError {
    AppError(
      code: "web.feature-unavailable", kind: isPortal ? .portal : .rejected,
      disposition: .rejected(), title: "This can’t be asked now",
      message: LocalizableText(verbatim: reason ?? "What it needs is missing."),
      suggestion: "Try again when the service can be reached.")
  }
}
