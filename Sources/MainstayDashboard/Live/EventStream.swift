// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// What changes, as server-sent events.
///
/// An event says which parts of the pages are not up to date any more, and nothing else: a page
/// fetches itself anew, through the same gate as ever.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
enum EventStream {
  /// How long a browser waits before it comes back, in milliseconds.
  private static let pause = 3_000

  /// - Throws: `Refusal`.
  static func open(_ live: Live) throws -> Response {
    guard let listener = live.listener() else { throw Refusal.tooManyStreams }
    var headers: HTTPFields = [.contentType: "text/event-stream"]
    // A proxy that gathers an answer before it passes it on would never pass on this one.
    if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        try await writer.write(ByteBuffer(string: "retry: \(pause)\n\n"))
        // A page that is open must not keep the program from stopping.
        for await _ in listener.bell.cancelOnGracefulShutdown() {
          guard let news = listener.take() else { break }
          try await writer.write(ByteBuffer(string: text(news.parts, isBeat: news.isBeat)))
        }
        try await writer.finish(nil)
      })
  }

  private static func text(_ parts: LiveParts, isBeat: Bool) -> String {
    guard !parts.isEmpty else { return isBeat ? ": here\n\n" : "" }
    let names = parts.names.map { "\"\($0)\"" }.joined(separator: ",")
    return "event: change\ndata: {\"parts\":[\(names)]}\n\n"
  }
}
