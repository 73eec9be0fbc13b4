// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay
import NIOCore
import ServiceLifecycle

/// What changes, as server-sent events.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
struct EventRoutes: Sendable {
  let inventory: Inventory

  func add(to table: RouteTable) { table.add("events", [.get: events]) }

  @Sendable func events(
    _ request: Request, _ context: BasicRequestContext
  ) async throws -> Response {
    var last: UInt64?
    if let text = request.headers[.lastEventID] {
      guard let id = UInt64(text) else {
        throw AppError.badHeader("Last-Event-ID", "the id of an earlier event")
      }
      last = id
    }
    let events = inventory.events(after: last)
    let first = try JSONEncoder.inventory.encode(try await inventory.status())
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        // How things stand now comes first, without an id: it is no change.
        try await writer.write(Self.block(name: "status", id: nil, data: first))
        // A page that is open must not keep the program from stopping.
        for await event in events.cancelOnGracefulShutdown() {
          try await writer.write(
            Self.block(name: event.name.rawValue, id: event.id, data: event.data))
        }
        try await writer.finish(nil)
      })
  }

  /// One event; the document has no line breaks, so it is one line of data.
  private static func block(name: String, id: UInt64?, data: Data) -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: \(name)\n")
    if let id { buffer.writeString("id: \(id)\n") }
    buffer.writeString("data: ")
    buffer.writeBytes(data)
    buffer.writeString("\n\n")
    return buffer
  }
}
