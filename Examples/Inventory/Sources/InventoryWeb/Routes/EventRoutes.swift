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
  let screens: Screens

  /// Something to tell; nil for a change of the visitor's own screen.
  private typealias News = InventoryEvent?

  func add(to table: RouteTable) { table.add("events", [.get: events]) }

  @Sendable func events(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    var last: UInt64?
    if let text = request.headers[.lastEventID] {
      guard let id = UInt64(text) else {
        throw AppError.badHeader("Last-Event-ID", "the id of an earlier event")
      }
      last = id
    }
    let events = inventory.events(after: last)
    let changes = await ScreenID(request).asyncMap { await screens.changes(of: $0) }
    let first = try JSONEncoder.inventory.encode(try await inventory.status())
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        // How things stand now comes first, without an id: it is no change.
        try await writer.write(Self.block(name: "status", id: nil, data: first))
        let (all, news) = AsyncStream.makeStream(
          of: News.self, bufferingPolicy: .bufferingNewest(256))
        async let _: Void = Self.pass(events, on: news)
        async let _: Void = Self.pass(changes, on: news)
        for await one in all {
          try await writer.write(
            one.map { Self.block(name: $0.name.rawValue, id: $0.id, data: $0.data) }
              ?? Self.block(name: "screen", id: nil, data: Data("{}".utf8)))
        }
        try await writer.finish(nil)
      })
  }

  /// Passes the events on, and ends with them.
  private static func pass(
    _ events: AsyncStream<InventoryEvent>, on news: AsyncStream<News>.Continuation
  ) async {
    // A page that is open must not keep the program from stopping.
    for await event in events.cancelOnGracefulShutdown() { news.yield(event) }
    news.finish()
  }

  /// Passes the changes of a screen on, where there is one.
  private static func pass(
    _ changes: AsyncStream<Void>?, on news: AsyncStream<News>.Continuation
  ) async {
    guard let changes else { return }
    for await _ in changes { news.yield(nil) }
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

extension Optional {
  fileprivate func asyncMap<T>(_ transform: (Wrapped) async -> T) async -> T? {
    guard let self else { return nil }
    return await transform(self)
  }
}
