// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import Mainstay
internal import NIOCore
internal import ServiceLifecycle

/// What changes, as server-sent events.
///
/// An event says which parts of the pages are not up to date any more, and nothing else: a page
/// fetches itself anew, through the same gate as ever.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
struct EventStream: Sendable {
  /// How long a browser waits before it comes back, in milliseconds.
  private static let pause = 3_000
  /// How long what was written may wait for its reader.
  static let patience = Duration.seconds(30)
  /// How long a stream goes on.
  ///
  /// So little is written that the buffers between here and a program
  /// that never reads take it for hours, and only who is there opens the next one.
  static let longest = Duration.seconds(600)

  private let live: Live
  private let refusals: RefusalLog
  private let patience: Timeout
  private let timeline: Timeline
  private let head: HTTPRequest
  private let peer: SocketAddress?
  /// Who listens; the stream is written after their request was handled.
  private let visitor = CurrentVisitor.visitor

  init(_ site: Site, _ head: HTTPRequest, from peer: SocketAddress?) {
    (live, refusals) = (site.live, site.refusals)
    (self.head, self.peer) = (head, peer)
    (patience, timeline) = (site.dashboard.patience, site.dashboard.timeline)
  }

  /// - Throws: `Refusal`.
  func open() throws -> Response {
    guard let listener = live.listener() else { throw Refusal.tooManyStreams }
    var headers: HTTPFields = [.contentType: "text/event-stream"]
    // A proxy that gathers an answer before it passes it on would never pass on this one.
    if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        do {
          try await tell(listener, to: &writer)
        } catch {
          listener.leave()
          // The connection is closed with what nobody has read.
          if error is TimedOut { refuse() }
          throw error
        }
        try await writer.finish(nil)
      })
  }

  private func refuse() {
    CurrentVisitor.$visitor.withValue(visitor) {
      refusals.add(.unreadStream, head, from: peer)
    }
  }

  private func tell(
    _ listener: Live.Listener, to writer: inout any ResponseBodyWriter
  ) async throws {
    let end = timeline.now + Self.longest
    try await write("retry: \(Self.pause)\n\n", to: &writer)
    // A page that is open must not keep the program from stopping.
    for await _ in listener.bell.cancelOnGracefulShutdown() {
      guard let news = listener.take() else { break }
      guard timeline.now < end else {
        listener.leave()
        return try await write("event: again\ndata:\n\n", to: &writer)
      }
      try await write(Self.text(news.parts, isBeat: news.isBeat), to: &writer)
    }
  }

  /// - Throws: `TimedOut` where nobody takes it in time.
  private func write(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
    // A writer belongs to no actor, so neither may what calls it.
    try await patience.run { @concurrent in try await writer.write(ByteBuffer(string: text)) }
  }

  private static func text(_ parts: LiveParts, isBeat: Bool) -> String {
    guard !parts.isEmpty else { return isBeat ? ": here\n\n" : "" }
    let names = parts.names.map { "\"\($0)\"" }.joined(separator: ",")
    return "event: change\ndata: {\"parts\":[\(names)]}\n\n"
  }
}
