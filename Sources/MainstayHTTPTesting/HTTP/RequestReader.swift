// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Reads requests whole, or their heads where those are answered early.
final class RequestReader: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  /// How many bytes of a body are kept; what is beyond is read and dropped.
  static let maximumBody = 16 << 20

  private let inbox: Inbox<ReceivedRequest>
  private let connection: Int
  private let isEarly: (ReceivedRequest) -> Bool
  private let ended: () -> Void
  /// The request whose body comes; nil once it was handed on.
  private var request: ReceivedRequest?

  init(
    _ inbox: Inbox<ReceivedRequest>, connection: Int,
    isEarly: @escaping (ReceivedRequest) -> Bool, ended: @escaping () -> Void
  ) {
    self.inbox = inbox
    self.connection = connection
    self.isEarly = isEarly
    self.ended = ended
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      let request = ReceivedRequest(
        method: head.method.rawValue, target: head.uri,
        headers: head.headers.map { .init(name: $0.name, value: $0.value) },
        connection: connection)
      if isEarly(request) {
        hand(request, context)
      } else {
        self.request = request
        expect(request, head, context)
      }
    case .body(let bytes):
      request?.length += bytes.readableBytes
      let room = Self.maximumBody - (request?.body.count ?? 0)
      request?.body.append(contentsOf: bytes.readableBytesView.prefix(room))
    case .end:
      guard let request else { return }
      self.request = nil
      hand(request, context)
    }
  }

  /// A client may wait to hear that its body is welcome (RFC 9110 section 10.1.1).
  private func expect(
    _ request: ReceivedRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    guard request["Expect"]?.lowercased() == "100-continue", head.version.major == 1 else {
      return
    }
    let welcome = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
    context.channel.triggerUserOutboundEvent(WireEvent.bytes(welcome), promise: nil)
  }

  private func hand(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
    if inbox.add(request, cost: request.body.count + 1_000) {
      context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // What was asked before is answered yet.
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { inbox.finish() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    inbox.finish()
    ended()
    context.fireChannelInactive()
  }

  /// Says so where somebody speaks something else, such as TLS; one who breaks off hears nothing.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let channel = context.channel
    guard let error = error as? HTTPParserError, error != .invalidEOFState else {
      channel.close(promise: nil)
      return
    }
    let answer = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    channel.triggerUserOutboundEvent(WireEvent.bytes(ByteBuffer(string: answer))).whenComplete {
      _ in channel.close(promise: nil)
    }
  }
}
