// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import NIOCore

/// Scans, items and their photos.
struct ItemRoutes: Sendable {
  let inventory: Inventory

  func add(to table: RouteTable) {
    table.add("api/scans", [.post: scan])
    table.add("api/items", [.get: list, .post: create])
    table.add("api/items/:id", [.get: read, .patch: edit, .delete: delete])
    table.add("api/items/:id/photo", [.get: photo, .put: setPhoto])
  }

  private struct Scan: Decodable {
    let barcode: String
  }

  @Sendable func scan(_ request: Request, _ context: VisitContext) async throws -> Response {
    let key = try request.idempotencyKey()
    let scan = try DocumentReading.read(Scan.self, try await request.bytes())
    return .accepted(try await inventory.scan(scan.barcode, key: key))
  }

  @Sendable func create(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let key = try request.idempotencyKey()
    let draft = try ItemDraft(json: try await request.bytes())
    return .accepted(try await inventory.add(draft, key: key))
  }

  @Sendable func list(_ request: Request, _ context: VisitContext) async throws -> Response {
    let query = request.uri.queryParameters
    var limit = 50
    if let text = query.get("limit") {
      guard let number = Int(text), (1...200).contains(number) else {
        throw AppError.badAddress("`limit` must be a whole number from 1 to 200.")
      }
      limit = number
    }
    let after = query.get("after").flatMap { $0.isEmpty ? nil : $0 }
    return try .json(
      try await inventory.store.items(query: query.get("query"), limit: limit, after: after))
  }

  @Sendable func read(_ request: Request, _ context: VisitContext) async throws -> Response {
    let item = try await inventory.store.item(try context.id())
    return try .json(item, headers: [.eTag: item.tag])
  }

  @Sendable func edit(_ request: Request, _ context: VisitContext) async throws -> Response {
    let (id, key, version) = try (
      context.id(), request.idempotencyKey(), request.expectedVersion()
    )
    let patch = try ItemPatch(json: try await request.bytes())
    return .accepted(try await inventory.edit(id, patch, ifVersion: version, key: key))
  }

  @Sendable func delete(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let (id, key, version) = try (
      context.id(), request.idempotencyKey(), request.expectedVersion()
    )
    return .accepted(try await inventory.delete(id, ifVersion: version, key: key))
  }

  @Sendable func photo(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    guard let photo = try await inventory.store.photo(of: try context.id()) else {
      throw AppError.unknownAddress
    }
    return Response(
      status: .ok, headers: [.contentType: photo.type, .xContentTypeOptions: "nosniff"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: photo.bytes)))
  }

  @Sendable func setPhoto(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let (id, key) = try (context.id(), request.idempotencyKey())
    let bytes = try await request.bytes(upTo: ItemPhoto.maximumBytes, orSay: .photoTooLarge)
    return .accepted(try await inventory.setPhoto(bytes, of: id, key: key))
  }
}
