// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay

/// The forms about what waits for a person: conflicts and what was given up.
struct StandingForms: Sendable {
  let pages: PageRenderer

  private var inventory: Inventory { pages.inventory }
  private var flow: FormFlow { FormFlow(screens: pages.screens) }

  func add(to table: RouteTable) {
    table.add("conflicts/:id", [.post: resolve])
    table.add("dead-letters/:id/redrive", [.post: redrive])
    table.add("dead-letters/:id/discard", [.post: discard])
  }

  @Sendable func resolve(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    let form = try await request.form()
    let choice = try form.conflictChoice()
    let (visit, key) = (
      Visit(request, page: form.page(or: .conflicts)), try form.idempotencyKey()
    )
    return try await flow.answer(visit) { [inventory] in
      let answer = try await inventory.resolve(id, choice, key: key)
      return .unless(answer.isReplay, "“\(answer.item.title)” is settled.")
    }
  }

  @Sendable func redrive(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    let form = try await request.form()
    return try await flow.answer(Visit(request, page: form.page(or: .status))) { [inventory] in
      try await inventory.redrive(id)
      return Screen.Done("It is tried again.")
    }
  }

  @Sendable func discard(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    let form = try await request.form()
    return try await flow.answer(Visit(request, page: form.page(or: .status))) { [inventory] in
      try await inventory.discard(id)
      return Screen.Done("It was discarded.")
    }
  }
}

extension Form {
  /// What a person has decided; a field that was not decided about keeps what is here.
  fileprivate func conflictChoice() throws(AppError) -> ConflictChoice {
    switch self["choice"] {
    case "local": return .local
    case "remote": return .remote
    case "merged":
      let prefix = "field-"
      let remote = names.filter { $0.hasPrefix(prefix) && self[$0] == "remote" }
      return .chosen(remote: remote.map { String($0.dropFirst(prefix.count)) })
    default: throw .badForm("The choice must be local, remote or merged.")
    }
  }
}
