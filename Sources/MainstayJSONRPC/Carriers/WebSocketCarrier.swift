// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayAsyncHTTPClient
internal import MainstayHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket

/// Carries messages over one WebSocket at a time.
///
/// Source: RFC 6455.
final class WebSocketCarrier: Carrier {
  private struct State {
    var connection = 0
    /// What is not a WebSocket yet.
    var opening: (any Channel)?
    var channel: (any Channel)?
  }

  private static let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  private let address: WebSocketAddress
  private let options: JSONRPCClient.Options
  private let tls: NIOSSLContext?
  private let state = Locked(State())

  init(_ url: URL, _ options: JSONRPCClient.Options) throws(ConfigurationError) {
    let address = WebSocketAddress(url)
    self.address = address
    self.options = options
    do {
      let (trust, identity) = (options.webSocket.trust, options.webSocket.identity)
      let context = { try identity?.context(trust, Self.context) ?? Self.context(trust) }
      tls = try address.isSecure ? context() : nil
    } catch {
      // mainstay:ignore MS205 -- it says which option, and what is legal
      throw ConfigurationError(
        subject: "JSONRPCClient",
        violations: [
          ConfigurationError.Violation(
            option: "webSocket.trust", value: "a text", rule: "it must be certificates in PEM")
        ])
    }
  }

  private static func context(_ trust: JSONRPCClient.WebSocket.Trust) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["http/1.1"]
    if case .roots(let pem) = trust {
      let roots = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
      guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
      configuration.trustRoots = .certificates(roots)
    }
    return try NIOSSLContext(configuration: configuration)
  }

  func open(_ connection: Int, for core: ClientCore) {
    state.withLock { $0 = State(connection: connection) }
    let patience = TimeAmount.nanoseconds(options.webSocket.openTimeout.nanosecondsOrMost)
    // For all of it: connecting, TLS and the handshake.
    let due = NIODeadline.now() + patience
    let (address, options, tls) = (address, options, tls)
    let opened: @Sendable (any Channel) -> Void = { [weak core] channel in
      guard let core else { return WebSocketFrames.close(channel) }
      self.keep(channel, as: connection)
      core.opened(connection)
    }
    let order = order(of: connection)
    let events = WebSocketEvents(
      opened: opened,
      received: { [weak core] bytes in
        order.after(bytes: bytes.count) { [weak core] in
          core?.received(bytes, over: connection)
        }
      },
      ended: { [weak core] error in
        self.forget(connection)
        // What came before the end is read before it.
        order.after { [weak core] in core?.ended(connection, error) }
      })
    ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(patience)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          self.begin(channel, as: connection)
          if let tls {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: address.serverName))
          }
          try WebSocketOpening.add(
            to: channel, address: address, options: options, due: due, events: events)
        }
      }
      .connect(host: address.host, port: address.port)
      .whenFailure { error in
        events.ended(JSONRPCConnectionError(.unreachable, cause: Self.mapped(error)))
      }
  }

  /// The order of the messages of a connection; while too much of it waits, the socket is not read,
  /// so that the server waits as well.
  private func order(of connection: Int) -> MessageOrder {
    let (limit, isTooLarge) = options.maximumMessageSize.multipliedReportingOverflow(by: 2)
    return MessageOrder(limit: isTooLarge ? .max : limit) { [weak self] order in
      guard let channel = self?.channel(of: connection) else { return }
      // What holds by then counts: two turns may come in any order.
      channel.eventLoop.execute { _ = channel.setOption(.autoRead, value: !order.isFull) }
    }
  }

  /// An error of the libraries below, as what it means.
  static func mapped(_ error: any Error) -> AppError { mapping.map(error) }

  /// Keeps what is to become a connection, so that it need not be waited for once it is dropped.
  private func begin(_ channel: any Channel, as connection: Int) {
    state.withLock { state in
      if state.connection == connection { state.opening = channel }
    }
  }

  /// A connection that was dropped in the meantime is closed.
  private func keep(_ channel: any Channel, as connection: Int) {
    let isWanted = state.withLock { state in
      guard state.connection == connection else { return false }
      state.opening = nil
      state.channel = channel
      return true
    }
    if !isWanted { WebSocketFrames.close(channel) }
  }

  private func forget(_ connection: Int) {
    state.withLock { state in
      if state.connection == connection { (state.opening, state.channel) = (nil, nil) }
    }
  }

  private func channel(of connection: Int) -> (any Channel)? {
    state.withLock { $0.connection == connection ? $0.channel : nil }
  }

  func send(_ message: OutgoingMessage, over connection: Int, for core: ClientCore) {
    guard let channel = channel(of: connection), channel.isActive else {
      return core.returned(message.bundle, by: connection)
    }
    let bundle = message.bundle
    channel.writeAndFlush(WebSocketFrames.text(message.bytes)).whenSuccess { [weak core] in
      core?.written(bundle)
    }
  }

  func reply(_ bytes: Data, over connection: Int) {
    channel(of: connection)?.writeAndFlush(WebSocketFrames.text(bytes), promise: nil)
  }

  /// A WebSocket cannot take anything back.
  func giveUp(_ bundle: CallsStateMachine.Bundle) {}

  func drop(_ connection: Int) {
    let dropped = state.withLock { state -> State? in
      guard state.connection == connection else { return nil }
      defer { state = State(connection: -1) }
      return state
    }
    dropped?.opening?.close(promise: nil)
    if let channel = dropped?.channel { WebSocketFrames.close(channel) }
  }
}

/// What happens on one connection; it ends once.
struct WebSocketEvents: Sendable {
  let opened: @Sendable (any Channel) -> Void
  let received: @Sendable (Data) -> Void
  let ended: @Sendable (JSONRPCConnectionError) -> Void
}

/// Where a WebSocket is opened.
struct WebSocketAddress: Sendable {
  let isSecure: Bool
  let host: String
  let port: Int
  /// Path and query, as they are asked for.
  let target: String
  /// The address without what may be a secret, for errors.
  let shown: String

  init(_ url: URL) {
    isSecure = url.scheme?.lowercased() == "wss"
    host = (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    port = url.port ?? (isSecure ? 443 : 80)
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let path = parts?.percentEncodedPath ?? ""
    target = (path.isEmpty ? "/" : path) + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
    shown = "\(isSecure ? "wss" : "ws")://\(host):\(port)\(path)"
  }

  /// The value of `Host`.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The name that the certificate must have; nil for a number, which is compared by itself.
  var serverName: String? {
    (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
  }
}

extension Duration {
  /// In nanoseconds, cut to what fits.
  var nanosecondsOrMost: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? Int64.max / 4 : min(sum, Int64.max / 4)
  }
}
