// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP
internal import NIOCore
internal import NIOWebSocket

/// Makes messages of frames, asks whether the server is there, and says how the connection ended.
///
/// Source: RFC 6455, sections 5 to 7.
final class WebSocketFrames: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let options: JSONRPCClient.Options
  private let events: WebSocketEvents
  /// A message of which more is to come.
  private var partial: (isText: Bool, bytes: ByteBuffer)?
  private var hasEnded = false
  /// Whether something arrived since the last ping.
  private var isAlive = true
  private var timer: Scheduled<Void>?

  init(options: JSONRPCClient.Options, events: WebSocketEvents) {
    self.options = options
    self.events = events
  }

  /// A message, as the frame of a client.
  static func text(_ bytes: Data) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: bytes))
  }

  /// Says good-bye, and closes.
  static func close(_ channel: any Channel) {
    let frame = closing(.normalClosure)
    channel.writeAndFlush(frame).whenComplete { _ in channel.close(promise: nil) }
    // A server that reads nothing never takes the frame.
    channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
  }

  private static func closing(_ code: WebSocketErrorCode) -> WebSocketFrame {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    return WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
  }

  /// Bytes came, be it a part of a frame.
  func heard() { isAlive = true }

  func handlerAdded(context: ChannelHandlerContext) { waitToPing(context) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if hasEnded { return }
    let frame = unwrapInboundIn(data)
    guard frame.maskKey == nil, frame.reservedBits.isEmpty else {
      return violate("A frame of a server is masked or has reserved bits", context)
    }
    switch frame.opcode {
    case .text, .binary:
      guard partial == nil else { return violate("A message within a message", context) }
      partial = (frame.opcode == .text, frame.unmaskedData)
      if frame.fin { finish(context) } else { checkSize(context) }
    case .continuation:
      guard partial != nil else { return violate("A part of no message", context) }
      partial?.bytes.writeImmutableBuffer(frame.unmaskedData)
      if frame.fin { finish(context) } else { checkSize(context) }
    case .ping:
      let pong = WebSocketFrame(
        fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .pong: break
    case .connectionClose: closed(frame.unmaskedData, context)
    default: violate("A frame of an unknown kind", context)
    }
  }

  private func checkSize(_ context: ChannelHandlerContext) {
    let limit = options.maximumMessageSize
    guard (partial?.bytes.readableBytes ?? 0) > limit else { return }
    end(.tooLarge, .messageTooLarge, "A message of more than \(limit) bytes", context)
  }

  private func finish(_ context: ChannelHandlerContext) {
    checkSize(context)
    guard !hasEnded, let (isText, bytes) = partial else { return }
    partial = nil
    if isText, !bytes.withUnsafeReadableBytes(TextCheck.isText) {
      let text = "A text that is not UTF-8. \(Excerpt.of(Data(bytes.readableBytesView)))"
      return end(.unreadable, .dataInconsistentWithMessage, text, context)
    }
    events.received(Data(bytes.readableBytesView))
  }

  private func violate(_ text: String, _ context: ChannelHandlerContext) {
    end(.violation, .protocolError, text, context)
  }

  /// The server said good-bye; some say why in JSON.
  private func closed(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    var data = data
    let code = data.readInteger(as: UInt16.self).map(Int.init)
    let reason = Data(data.readableBytesView)
    let error = JSONRPCConnectionError(
      .closedByServer, closeCode: code ?? 1005,
      details: reason.isEmpty ? nil : Excerpt.of(reason), cause: Self.error(in: reason, options))
    context.writeAndFlush(wrapOutboundOut(Self.closing(.normalClosure)), promise: nil)
    end(error, context)
  }

  /// An error of JSON-RPC in a reason, with a wrapper or without.
  private static func error(
    in reason: Data, _ options: JSONRPCClient.Options
  ) -> JSONRPCError? {
    guard let value = JSONValue(json: reason),
      case .error(let code, let message, let data) = Envelope.error(value["error"] ?? value)
    else { return nil }
    return JSONRPCError(
      code: code, message: message, data: data, method: "connection", catalog: options.catalog)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength:
      let text = "A frame of more than \(options.maximumMessageSize) bytes"
      end(.tooLarge, .messageTooLarge, text, context)
    case let error as NIOWebSocketError: violate("\(error)", context)
    default:
      end(JSONRPCConnectionError(.lost, cause: WebSocketCarrier.mapped(error)), context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(JSONRPCConnectionError(.lost), context)
    context.fireChannelInactive()
  }

  private func end(
    _ reason: JSONRPCConnectionError.Reason, _ code: WebSocketErrorCode, _ details: String,
    _ context: ChannelHandlerContext
  ) {
    if hasEnded { return }
    context.writeAndFlush(wrapOutboundOut(Self.closing(code)), promise: nil)
    end(
      JSONRPCConnectionError(
        reason, closeCode: Int(UInt16(webSocketErrorCode: code)), details: details), context)
  }

  private func end(_ error: JSONRPCConnectionError, _ context: ChannelHandlerContext) {
    guard !hasEnded else { return }
    hasEnded = true
    partial = nil
    timer?.cancel()
    events.ended(error)
    context.close(promise: nil)
  }
}

/// Hears the bytes before they are frames: a long one takes its time over a slow line.
final class WebSocketPulse: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let frames: WebSocketFrames

  init(of frames: WebSocketFrames) { self.frames = frames }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    frames.heard()
    context.fireChannelRead(data)
  }
}

// Whether the server is there.
extension WebSocketFrames {
  private func waitToPing(_ context: ChannelHandlerContext) {
    guard let interval = options.webSocket.pingInterval else { return }
    schedule(interval, context) {
      self.isAlive = false
      let ping = WebSocketFrame(
        fin: true, opcode: .ping, maskKey: .random(), data: ByteBuffer())
      context.writeAndFlush(self.wrapOutboundOut(ping), promise: nil)
      self.waitForPong(context)
    }
  }

  /// Whatever arrives proves as much as the answer itself.
  private func waitForPong(_ context: ChannelHandlerContext) {
    let limit = options.webSocket.pongTimeout
    schedule(limit, context) {
      // While too much waits to be done nothing is read, so nobody knows what has arrived.
      // mainstay:ignore MS204 -- a channel that does not say reads, as each does from the start
      let isRead = (try? context.channel.syncOptions?.getOption(.autoRead)) ?? true
      guard isRead, !self.isAlive else { return self.waitToPing(context) }
      self.end(.silent, .goingAway, "No answer to a ping within \(limit)", context)
    }
  }

  private func schedule(
    _ delay: Duration, _ context: ChannelHandlerContext, _ work: @escaping () -> Void
  ) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(
      in: .nanoseconds(delay.nanosecondsOrMost)
    ) {
      if !self.hasEnded { work() }
    }
  }
}
