// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Twins, and the effects of writes on them.
struct TwinRoutes: Sendable {
  static let maximumBytes = 65_536

  let store: UpstreamStore
  let writes: WriteFlow

  func add(to table: RouteTable) {
    table.add("twins", [.get: changes])
    table.add("twins/:id", [.get: read, .put: put, .delete: delete])
    table.add("effects/:key", [.get: effect])
  }

  @Sendable func changes(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let query = request.uri.queryParameters
    var limit = 500
    if let text = query.get("limit") {
      guard let number = Int(text), (1...1000).contains(number) else {
        throw Problem.badAddress("`limit` must be a whole number from 1 to 1000.")
      }
      limit = number
    }
    let cursor = query.get("since").flatMap { $0.isEmpty ? nil : $0 }
    return try .json(try await store.changes(since: cursor, limit: limit))
  }

  @Sendable func read(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let twin = try await store.present(try context.twinID())
    return try .json(twin, headers: [.eTag: twin.tag])
  }

  @Sendable func put(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let draft = try WriteDraft(request, context)
    let bytes = try await request.bytes(upTo: Self.maximumBytes)
    let fields = try JSON.decode(TwinRequest.self, from: bytes).fields
    return try await writes.perform(draft.write(.put(fields, draft.precondition), bytes), context)
  }

  @Sendable func delete(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let draft = try WriteDraft(request, context)
    let bytes = try await request.bytes(upTo: Self.maximumBytes)
    return try await writes.perform(draft.write(.delete(draft.precondition), bytes), context)
  }

  @Sendable func effect(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    guard let effect = await store.effect(of: try context.part("key")) else {
      throw Problem.notFound("No write with this key was applied.")
    }
    return try .json(effect)
  }
}
