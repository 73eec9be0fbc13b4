// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import NIOCore

/// A server of HTTP/1.1 and HTTP/2 on loopback that answers as a script says, and remembers what it
/// was sent.
///
/// Its answers can be as wrong as a test wants them. It listens for as long as somebody holds it;
/// with it, all its connections end.
///
/// ```swift
/// let server = try await ScriptedHTTPServer { request, earlier in
///   earlier == 0 ? .reply(503, headers: [("Retry-After", "1")]) : .reply(200)
/// }
/// ```
public final class ScriptedHTTPServer: Sendable {
  /// What happened on a connection; the first has the number 0.
  public enum Event: Sendable, Hashable {
    /// A client has come.
    case opened(connection: Int)
    /// A request was taken in, such as `POST /orders`.
    case asked(connection: Int, String)
    /// All has been done about a request that its answer says.
    case answered(connection: Int, String)
    /// A connection is over.
    case ended(connection: Int)
  }

  /// Where it listens.
  public let port: Int
  /// What happened on its connections.
  public let log: EventLog<Event>

  private let listener = Listener()
  private let book: RequestBook
  private let isSecure: Bool

  /// Listens.
  ///
  /// - Parameters:
  ///   - port: The port on loopback; the default, 0, is a free one.
  ///   - tls: Who the server is, for `https`; the default, nil, is `http`.
  ///   - http2: Whether it offers HTTP/2 besides, which needs `tls:`; the default is false.
  ///   - answersHalfClosed: Whether a client is answered that has stopped to send; the default is
  ///     false: its connection ends then, since most clients do that when they go.
  ///   - isEarly: Whether a request is answered before its body was read, by its head; what comes
  ///     of the body then is read and dropped. It runs on the thread of the connection, so it must
  ///     not wait. The default is never.
  ///   - answer: What is done about a request, and how many came before it. Those of one connection
  ///     of HTTP/1.1 are answered one after the other. The script may wait, such as for a ``Gate``.
  /// - Throws: ``ServerFailure``, or what SwiftNIO throws where it cannot listen.
  public init(
    port: Int = 0, tls: CertificateAuthority.Identity? = nil, http2: Bool = false,
    answersHalfClosed: Bool = false,
    answersBeforeBody isEarly: @escaping @Sendable (ReceivedRequest) -> Bool = { _ in false },
    _ answer: @escaping @Sendable (ReceivedRequest, Int) async -> Answer
  ) async throws {
    let log = EventLog<Event>()
    let book = RequestBook()
    (self.log, self.book) = (log, book)
    isSecure = tls != nil
    let desk = AnswerDesk(log: log, book: book, isEarly: isEarly, answer: answer)
    let speaksHTTP2 = http2 && tls != nil
    self.port = try await listener.listen(
      port: port, tls: tls, protocols: speaksHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"],
      isHalfOpen: answersHalfClosed
    ) { channel, number in
      log.add(.opened(connection: number))
      channel.closeFuture.whenComplete { _ in log.add(.ended(connection: number)) }
      if speaksHTTP2 {
        desk.beginByNegotiation(on: channel, number)
      } else {
        try desk.beginHTTP1(on: channel, number)
      }
    }
  }

  deinit { shutDown() }

  /// Such as `http://127.0.0.1:4000`; `https://localhost:4000` with a certificate.
  public var origin: String {
    isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
  }

  /// What came, in order, also what is not answered yet.
  ///
  /// The last 10,000 requests at least are kept; of their bodies, the last 64 MiB.
  public var received: [ReceivedRequest] { book.requests }

  /// How many connections are open.
  public var openConnections: Int { listener.openConnections }

  /// Ends all connections without a word, and refuses others.
  public func shutDown() { listener.shutDown() }
}

/// The requests that came.
final class RequestBook: Sendable {
  private struct State {
    var requests: [ReceivedRequest] = []
    var count = 0
    /// How many bytes the bodies have, from this request on.
    var bytes = 0
    var firstWithBody = 0
  }

  private let state = Locked(State())

  var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  /// Keeps a request.
  ///
  /// - Returns: How many came before it.
  func add(_ request: ReceivedRequest) -> Int {
    state.withLock { state in
      state.requests.append(request)
      state.bytes += request.body.count
      while state.bytes > 64 << 20, state.firstWithBody < state.requests.count - 1 {
        state.bytes -= state.requests[state.firstWithBody].body.count
        state.requests[state.firstWithBody].body = Data()
        state.firstWithBody += 1
      }
      if state.requests.count > 20_000 {
        state.bytes -= state.requests.prefix(10_000).map(\.body.count).reduce(0, +)
        state.requests.removeFirst(10_000)
        state.firstWithBody = max(state.firstWithBody - 10_000, 0)
      }
      state.count += 1
      return state.count - 1
    }
  }
}
