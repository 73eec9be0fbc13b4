// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The service of a ``LedgerBook`` on a port; it listens for as long as somebody holds it.
package final class LedgerServer: Sendable {
  /// Where it listens; 0 where that is a path.
  package let port: Int
  private let ledger: Ledger
  private let channels: [any Channel]

  /// Listens.
  ///
  /// - Parameters:
  ///   - host: The address; the default is loopback.
  ///   - port: The port; the default, 0, is a free one.
  ///   - path: Where it listens besides, for tests that reach it without a network; nil, the
  ///     default, for nowhere.
  /// - Throws: What SwiftNIO throws where it cannot listen.
  package init(host: String = "127.0.0.1", port: Int = 0, path: String? = nil) async throws {
    let ledger = Ledger()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // An answer is sent also to whoever has stopped to wait for it.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let visit = Visit(ledger)
          try channel.pipeline.syncOperations.addHandler(Door(visit))
          // A request that breaks off gets no answer: a 400 would be the word of the service.
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: false)
          try channel.pipeline.syncOperations.addHandler(Desk(ledger, visit))
        }
      }
    let channel = try await bootstrap.bind(host: host, port: port).get()
    var channels = [channel]
    if let path { channels.append(try await bootstrap.bind(unixDomainSocketPath: path).get()) }
    self.channels = channels
    self.port = channel.localAddress?.port ?? 0
    self.ledger = ledger
  }

  /// Such as `http://127.0.0.1:4000`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// What it knows of the requests that it got.
  package var book: LedgerBook { ledger.book }

  /// Behaves otherwise from now on.
  package func set(_ manner: LedgerManner) { ledger.set(manner) }

  deinit {
    for channel in channels { channel.close(promise: nil) }
  }
}

/// How it stands with the client of a connection.
private final class Visit: Sendable {
  private let ledger: Ledger
  private let state = Locked((isWaiting: false, hasLeft: false))

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// The client waits for an answer.
  func asked() { state.withLock { $0.isWaiting = true } }

  /// The answer is there.
  ///
  /// - Returns: Whether the client has gone before it.
  func answered() -> Bool {
    state.withLock { state in
      state.isWaiting = false
      return state.hasLeft
    }
  }

  /// The client sends nothing more.
  func left() {
    let isEarly = state.withLock { state in
      defer { state.hasLeft = true }
      return state.isWaiting && !state.hasLeft
    }
    if isEarly { ledger.departed() }
  }
}

/// Sees at once that a client has left; those behind it are told when they have answered.
private final class Door: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let visit: Visit

  init(_ visit: Visit) { self.visit = visit }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { visit.left() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    visit.left()
    context.fireChannelInactive()
  }
}

/// One connection.
private final class Desk: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let ledger: Ledger
  private let visit: Visit
  private var head: HTTPRequestHead?

  init(_ ledger: Ledger, _ visit: Visit) {
    self.ledger = ledger
    self.visit = visit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      let request = Ledger.Request(
        method: head.method.rawValue,
        path: head.uri.prefix { $0 != "?" }.split(separator: "/").map(String.init),
        headers: Dictionary(
          head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }))
      let (channel, ledger, visit) = (context.channel, ledger, visit)
      visit.asked()
      ledger.perform(request) { answer in
        channel.eventLoop.execute {
          let isLate = visit.answered()
          if isLate { ledger.answeredLate() }
          Self.send(answer, on: channel, head.isKeepAlive && !isLate)
        }
      }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
  }

  private static func send(
    _ answer: Ledger.Answer, on channel: any Channel, _ isKeptAlive: Bool
  ) {
    var headers = HTTPHeaders(answer.headers.map { ($0.0, $0.1) })
    if answer.status != 204 {
      headers.add(name: "Content-Length", value: String(answer.body.count))
    }
    if !isKeptAlive { headers.add(name: "Connection", value: "close") }
    let status = HTTPResponseStatus(statusCode: answer.status)
    channel.write(
      HTTPServerResponsePart.head(.init(version: .http1_1, status: status, headers: headers)),
      promise: nil)
    if !answer.body.isEmpty {
      channel.write(
        HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: answer.body))), promise: nil)
    }
    channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
      if !isKeptAlive { channel.close(promise: nil) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
