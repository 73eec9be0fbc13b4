// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Asks a server for a WebSocket, and reads why where it refuses.
///
/// Source: RFC 6455, section 4.
final class WebSocketOpening: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private enum State {
    case waiting
    case refusing(HTTPResponseHead, ByteBuffer)
    /// The server agreed, and its answer has not ended yet.
    case agreed
    /// Bytes of frames that come before the pipeline is ready are kept.
    case turning([NIOAny])
    case ended
  }

  private static let bodyLimit = 64_000

  private let address: WebSocketAddress
  private let options: JSONRPCClient.Options
  private let due: NIODeadline
  private let events: WebSocketEvents
  private let turn: NIOWebSocketClientUpgrader
  private let key = NIOWebSocketClientUpgrader.randomRequestKey()
  private let speakers: [any RemovableChannelHandler]
  private var state = State.waiting
  private var alarm: Scheduled<Void>?

  private init(
    address: WebSocketAddress, options: JSONRPCClient.Options, due: NIODeadline,
    events: WebSocketEvents, speakers: [any RemovableChannelHandler]
  ) {
    self.address = address
    self.options = options
    self.due = due
    self.events = events
    self.speakers = speakers
    // It checks what the server answers to the key; nothing else of it is used.
    turn = NIOWebSocketClientUpgrader(
      requestKey: key,
      upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
  }

  /// Puts all that is needed into the pipeline of a new connection.
  static func add(
    to channel: any Channel, address: WebSocketAddress, options: JSONRPCClient.Options,
    due: NIODeadline, events: WebSocketEvents
  ) throws {
    let writer = HTTPRequestEncoder()
    let reader = ByteToMessageHandler(
      HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    let opening = WebSocketOpening(
      address: address, options: options, due: due, events: events,
      speakers: [writer, reader])
    try channel.pipeline.syncOperations.addHandlers([writer, reader, opening])
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { ask(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    ask(context)
    context.fireChannelActive()
  }

  private func ask(_ context: ChannelHandlerContext) {
    guard alarm == nil else { return }
    alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
      let limit = self.options.webSocket.openTimeout
      self.end(
        JSONRPCConnectionError(
          .unreachable, details: "No answer within \(limit)", cause: AppError.timeout()),
        context)
    }
    var headers = HTTPHeaders(options.headers.all.map { ($0.name, $0.value) })
    headers.replaceOrAdd(name: "Host", value: address.authority)
    headers.replaceOrAdd(name: "Connection", value: "Upgrade")
    headers.replaceOrAdd(name: "Upgrade", value: "websocket")
    headers.replaceOrAdd(name: "Sec-WebSocket-Version", value: "13")
    headers.replaceOrAdd(name: "Sec-WebSocket-Key", value: key)
    if let subprotocol = options.webSocket.subprotocol {
      headers.replaceOrAdd(name: "Sec-WebSocket-Protocol", value: subprotocol)
    }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: address.target, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .turning(let kept): state = .turning(kept + [data])
    case .waiting:
      guard case .head(let head) = unwrapInboundIn(data) else { return }
      if head.status == .switchingProtocols {
        check(head, context)
      } else {
        state = .refusing(head, ByteBuffer())
      }
    case .agreed: if case .end = unwrapInboundIn(data) { turnAround(context) }
    case .refusing(let head, var body):
      switch unwrapInboundIn(data) {
      case .head: break
      case .body(var part):
        let room = max(0, Self.bodyLimit - body.readableBytes)
        if let piece = part.readSlice(length: min(room, part.readableBytes)) {
          body.writeImmutableBuffer(piece)
        }
        state = .refusing(head, body)
      case .end: end(refusal(head, body), context)
      }
    case .ended: break
    }
  }

  private func check(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
    let agreed = head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    guard agreed, turn.shouldAllowUpgrade(upgradeResponse: head) else {
      return end(
        JSONRPCConnectionError(.refused, details: "Status 101 without what must come with it"),
        context)
    }
    let offered = head.headers[canonicalForm: "sec-websocket-protocol"].first.map(String.init)
    if let offered, offered != options.webSocket.subprotocol {
      return end(
        JSONRPCConnectionError(.refused, details: "A subprotocol that nobody asked for"), context)
    }
    state = .agreed
  }

  /// From now on nothing is HTTP any more.
  private func turnAround(_ context: ChannelHandlerContext) {
    state = .turning([])
    let removals = speakers.map { context.pipeline.syncOperations.removeHandler($0) }
    EventLoopFuture.andAllSucceed(removals, on: context.eventLoop).assumeIsolated()
      .whenComplete { _ in self.finish(context) }
  }

  /// From here on there are frames.
  private func finish(_ context: ChannelHandlerContext) {
    guard case .turning(let kept) = state else { return }
    state = .ended
    alarm?.cancel()
    let frames = WebSocketFrames(options: options, events: events)
    do {
      try context.pipeline.syncOperations.addHandlers([
        WebSocketFrameEncoder(), WebSocketPulse(of: frames),
        ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: options.maximumMessageSize)),
        frames,
      ])
    } catch {
      events.ended(JSONRPCConnectionError(.lost, cause: WebSocketCarrier.mapped(error)))
      return context.close(promise: nil)
    }
    events.opened(context.channel)
    for data in kept { context.fireChannelRead(data) }
    context.fireChannelReadComplete()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    switch state {
    // A page without a length ends with the connection.
    case .refusing(let head, let body): end(refusal(head, body), context)
    case .waiting, .agreed, .turning:
      end(JSONRPCConnectionError(.lost, details: "before it was open"), context)
    case .ended: break
    }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(JSONRPCConnectionError(.unreachable, cause: WebSocketCarrier.mapped(error)), context)
  }

  private func end(_ error: JSONRPCConnectionError, _ context: ChannelHandlerContext) {
    if case .ended = state { return }
    state = .ended
    alarm?.cancel()
    events.ended(error)
    context.close(promise: nil)
  }

  /// Why there is no WebSocket, as an error of HTTP: 401, 404, 503 with its `Retry-After`.
  private func refusal(_ head: HTTPResponseHead, _ body: ByteBuffer) -> JSONRPCConnectionError {
    let status = Int(head.status.code)
    let headers = HTTPHeaderFields(head.headers.map { HTTPHeaderFields.Field($0.name, $0.value) })
    let reply = HTTPReply(status: status, headers: headers, body: HTTPByteStream(Data()))
    guard !HTTPCarrier.isPortal(reply) else {
      let portal = AppError.portal().adding(metadata: ["http.status": String(status)])
      return JSONRPCConnectionError(.refused, details: "A page answered", cause: portal)
    }
    let error = HTTPError(
      status: status, method: "GET", url: address.shown, headers: headers.byName,
      body: Data(body.readableBytesView))
    return JSONRPCConnectionError(.refused, details: "Status \(status)", cause: error)
  }
}
