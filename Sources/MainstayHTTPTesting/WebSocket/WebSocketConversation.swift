// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOCore
internal import NIOWebSocket

/// What a client says: frames in, messages out.
final class WebSocketConversation: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  /// Of a frame, and of a message.
  static let maximumBytes = 64 << 20

  private let connection: WebSocketServer.Connection
  private let log: EventLog<WebSocketServer.Event>
  private let ended: () -> Void
  /// The message that has begun.
  private var opcode: WebSocketOpcode?
  private var fragments = ByteBuffer()

  init(
    _ connection: WebSocketServer.Connection, _ log: EventLog<WebSocketServer.Event>,
    ended: @escaping () -> Void
  ) {
    self.connection = connection
    self.log = log
    self.ended = ended
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if frame.maskKey == nil { violated("a frame is not masked") }
    if frame.rsv1 || frame.rsv2 || frame.rsv3 { violated("a reserved bit is set") }
    let payload = frame.unmaskedData
    switch frame.opcode {
    case .text, .binary:
      if opcode != nil { violated("a message begins inside another one") }
      (opcode, fragments) = (frame.opcode, payload)
      if frame.fin { endMessage(context) }
    case .continuation:
      guard opcode != nil else {
        violated("nothing goes on that has begun")
        return
      }
      fragments.writeImmutableBuffer(payload)
      if fragments.readableBytes > Self.maximumBytes {
        violated("a message has more than \(Self.maximumBytes) bytes")
        context.channel.triggerUserOutboundEvent(WireEvent.hangUp, promise: nil)
      } else if frame.fin {
        endMessage(context)
      }
    case .ping:
      log.add(.pinged(connection: connection.number, Array(payload.readableBytesView)))
      if connection.state.withLock({ $0.answersPings }) {
        send(.init(opcode: 10, Array(payload.readableBytesView)), context)
      }
    case .pong: log.add(.ponged(connection: connection.number, Array(payload.readableBytesView)))
    case .connectionClose: closed(payload, context)
    default: violated("the opcode \(frame.opcode) has no meaning")
    }
  }

  private func endMessage(_ context: ChannelHandlerContext) {
    defer { (opcode, fragments) = (nil, ByteBuffer()) }
    let message: WebSocketServer.Message
    if opcode == .binary {
      message = .binary(Array(fragments.readableBytesView))
    } else if let text = String(validating: fragments.readableBytesView, as: UTF8.self) {
      message = .text(text)
    } else {
      violated("a text is no UTF-8")
      return
    }
    log.add(.received(connection: connection.number, message))
    if connection.inbox.add(message, cost: fragments.readableBytes) {
      context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
    }
  }

  private func closed(_ payload: ByteBuffer, _ context: ChannelHandlerContext) {
    var rest = payload
    let code = rest.readInteger(as: UInt16.self).map(Int.init)
    log.add(
      .closed(connection: connection.number, code: code, reason: String(buffer: rest)))
    let (isAnswered, isAnswer) = connection.state.withLock { state in
      defer {
        state.hasHeardClose = true
        if state.answersClose { state.hasSentClose = true }
      }
      return (state.answersClose, state.hasSentClose)
    }
    // Only now, since a script that ends with the messages closes what nobody has closed.
    connection.inbox.finish()
    guard isAnswered else { return }
    let channel = context.channel
    guard !isAnswer else {
      channel.close(promise: nil)
      return
    }
    let answer = WebSocketServer.Frame.close(code: code).bytes
    channel.triggerUserOutboundEvent(WireEvent.bytes(answer)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  private func send(_ frame: WebSocketServer.Frame, _ context: ChannelHandlerContext) {
    context.channel.triggerUserOutboundEvent(WireEvent.bytes(frame.bytes), promise: nil)
  }

  private func violated(_ what: String) {
    log.add(.violated(connection: connection.number, what))
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.inbox.finish()
    ended()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOWebSocketError { violated("\(error)") }
    context.channel.triggerUserOutboundEvent(WireEvent.hangUp, promise: nil)
  }
}
