// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// A WebSocket server on loopback that does on each connection what a script says.
///
/// It speaks RFC 6455, and breaks it where the script asks for that. It listens for as long as
/// somebody holds it; with it, all its connections end and the tasks of their scripts are
/// cancelled.
///
/// ```swift
/// let server = try await WebSocketServer { connection in
///   for await message in connection.messages { await connection.send(message) }
/// }
/// ```
public final class WebSocketServer: Sendable {
  /// Where it listens.
  public let port: Int
  /// What happened on its connections.
  public let log: EventLog<Event>

  private let listener = Listener()
  private let isSecure: Bool

  /// Listens.
  ///
  /// - Parameters:
  ///   - port: The port on loopback; the default, 0, is a free one.
  ///   - tls: Who the server is, for `wss`; the default, nil, is `ws`.
  ///   - receive: What becomes of a request for a WebSocket; it runs on the thread of the
  ///     connection, so it must not wait. The default accepts all.
  ///   - serve: What is done on a connection. As soon as it returns, the connection is closed with
  ///     1000 where it is open still. Its task is cancelled once the client is gone.
  /// - Throws: ``ServerFailure``, or what SwiftNIO throws where it cannot listen.
  public init(
    port: Int = 0, tls: CertificateAuthority.Identity? = nil,
    receive: @escaping @Sendable (ReceivedRequest) -> Reception = { _ in .accept() },
    _ serve: @escaping @Sendable (Connection) async -> Void
  ) async throws {
    let log = EventLog<Event>()
    self.log = log
    isSecure = tls != nil
    self.port = try await listener.listen(port: port, tls: tls) { channel, number in
      let visit = WebSocketVisit(number: number, log: log, receive: receive, serve: serve)
      channel.closeFuture.whenComplete { _ in log.add(.ended(connection: number)) }
      try visit.begin(on: channel)
    }
  }

  deinit { shutDown() }

  /// Such as `ws://127.0.0.1:4000`; `wss://localhost:4000` with a certificate.
  public var origin: String {
    isSecure ? "wss://localhost:\(port)" : "ws://127.0.0.1:\(port)"
  }

  /// How many connections are open.
  public var openConnections: Int { listener.openConnections }

  /// Ends all connections without a word, and refuses others.
  public func shutDown() { listener.shutDown() }
}

extension WebSocketServer {
  /// What becomes of a request for a WebSocket.
  public enum Reception: Sendable {
    /// It becomes one, with a subprotocol or without.
    case accept(subprotocol: String? = nil)
    /// It is answered by HTTP instead. Status 101 is legal, and agrees to nothing.
    case refuse(status: Int, headers: [(name: String, value: String)] = [], body: String = "")
    /// Nobody answers, for as long as the client waits.
    case silence
    /// The connection ends properly, without an answer.
    case hangUp
    /// The connection is reset.
    case reset

    /// The page to sign in with which a network answers in the place of the service.
    public static let portal = Reception.refuse(
      status: 200, headers: [(name: "Content-Type", value: "text/html; charset=utf-8")],
      body: "<html><body><form action=\"/login\">Sign in to this network</form></body></html>")

    /// The service is there and asks to be left alone.
    ///
    /// - Parameter seconds: For how long.
    /// - Returns: A refusal with status 503.
    public static func unavailable(retryAfter seconds: Int) -> Reception {
      .refuse(status: 503, headers: [(name: "Retry-After", value: "\(seconds)")])
    }
  }

  /// What happened on a connection; the first has the number 0.
  public enum Event: Sendable, Hashable {
    /// A client got its WebSocket.
    case opened(connection: Int)
    /// A client got something else.
    case refused(connection: Int)
    /// A message came, whole.
    case received(connection: Int, Message)
    /// A ping came.
    case pinged(connection: Int, [UInt8])
    /// A pong came.
    case ponged(connection: Int, [UInt8])
    /// A close frame came; nil where it has no code.
    case closed(connection: Int, code: Int?, reason: String)
    /// A client has broken RFC 6455.
    case violated(connection: Int, String)
    /// A connection is over, for whatever reason.
    case ended(connection: Int)
  }

  /// A message, whole.
  public enum Message: Sendable, Hashable {
    /// Text.
    case text(String)
    /// Bytes.
    case binary([UInt8])
  }
}
