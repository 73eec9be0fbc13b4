// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// The photos of twins.
struct PhotoRoutes: Sendable {
  static let maximumBytes = 10 * 1024 * 1024

  let store: UpstreamStore
  let writes: WriteFlow

  func add(to table: RouteTable) {
    table.add("twins/:id/photo", [.get: read, .put: put])
  }

  @Sendable func read(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let (photo, bytes) = try await store.photo(of: try context.twinID())
    return Response(
      status: .ok, headers: [.contentType: photo.type, .eTag: "\"\(photo.bodyHash.text)\""],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  @Sendable func put(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let draft = try WriteDraft(request, context)
    let type = request.headers[.contentType] ?? ""
    guard type.lowercased().hasPrefix("image/") else {
      throw Problem(
        .unsupportedMediaType, "unsupported-media-type", "A photo must be an image",
        "Content-Type must begin with image/.")
    }
    let range = try request.headers[.contentRange].map(ContentRange.init)
    if let range, range.total > Self.maximumBytes {
      throw Problem.tooLarge(maximum: Self.maximumBytes)
    }
    let bytes = try await request.bytes(upTo: Self.maximumBytes)
    guard bytes.count == range.map({ $0.bytes?.count ?? 0 }) ?? bytes.count else {
      throw Problem.badHeader("Content-Range announces another length than the body has.")
    }
    let part = PhotoPart(type: type, bytes: bytes, range: range)
    guard part.total > 0 else { throw Problem.malformedPhoto }
    return try await writes.perform(draft.write(.photo(part), bytes), context)
  }
}

extension Problem {
  fileprivate static let malformedPhoto = Problem(
    .badRequest, "empty-photo", "The photo is empty", "The body must be the bytes of an image.")
}
