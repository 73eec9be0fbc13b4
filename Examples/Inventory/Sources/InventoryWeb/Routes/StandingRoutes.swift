// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay

/// How everything stands: status, conflicts, dead letters, errors and diagnostics.
struct StandingRoutes: Sendable {
  let inventory: Inventory
  let writes: KeyedWrites

  func add(to table: RouteTable) {
    table.add("api/status", [.get: status])
    table.add("api/conflicts", [.get: conflicts])
    table.add("api/conflicts/:id/resolution", [.post: resolve])
    table.add("api/dead-letters", [.get: deadLetters])
    table.add("api/dead-letters/:id", [.delete: writes.once(discard)])
    table.add("api/dead-letters/:id/redrive", [.post: writes.once(redrive)])
    table.add("api/errors", [.get: errors])
    table.add("api/errors/log", [.get: errorLog])
    table.add("api/diagnostics", [.get: diagnostics])
  }

  @Sendable func status(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    try .json(try await inventory.status())
  }

  @Sendable func conflicts(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    try .json(["conflicts": try await inventory.store.conflicts()])
  }

  private struct Decision: Decodable {
    let choice: String
    let fields: [String: JSONValue]?
  }

  @Sendable func resolve(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let (id, key) = try (context.id(), request.idempotencyKey())
    let decision = try DocumentReading.read(Decision.self, try await request.bytes())
    let choice: ConflictChoice =
      switch decision.choice {
      case "local": .local
      case "remote": .remote
      case "merged": .merged(try ItemPatch(decision.fields ?? [:], at: "/fields"))
      default:
        throw AppError.validation(
          "The choice must be local, remote or merged.", field: "/choice")
      }
    return .accepted(try await inventory.resolve(id, choice, key: key))
  }

  @Sendable func deadLetters(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let part = try LetterPart(Form((request.uri.query ?? "").utf8, path: request.uri.path))
    let letters = try await inventory.deadLetters(after: part.after, limit: part.limit)
    let isLast = letters.count < part.limit
    return try .json(
      LetterList(deadLetters: letters, next: isLast ? nil : letters.last?.id.text))
  }

  /// A part of what was given up.
  private struct LetterList: Encodable {
    let deadLetters: [DeadLetterDocument]
    /// What the next question has as `after`; nil at the end.
    let next: String?
  }

  @Sendable func redrive(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    try await inventory.redrive(id)
    return try .json(["id": id.uuidString.lowercased()], .accepted)
  }

  @Sendable func discard(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    try await inventory.discard(id)
    return try .json(["id": id.uuidString.lowercased()], .accepted)
  }

  @Sendable func errors(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    try .json(["groups": inventory.errorGroups()])
  }

  @Sendable func errorLog(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    .file(
      try await inventory.errorLog(), "inventory-errors.jsonl", type: "application/jsonl")
  }

  @Sendable func diagnostics(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    .file(
      try await inventory.diagnostics().encoded(), "inventory-diagnostics.json",
      type: "application/json")
  }
}
