// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// A client from its request to the script that serves it.
final class WebSocketVisit: Sendable {
  private let number: Int
  private let log: EventLog<WebSocketServer.Event>
  private let receive: @Sendable (ReceivedRequest) -> WebSocketServer.Reception
  private let serve: @Sendable (WebSocketServer.Connection) async -> Void
  private let decision = Locked<WebSocketServer.Reception?>(nil)

  init(
    number: Int, log: EventLog<WebSocketServer.Event>,
    receive: @escaping @Sendable (ReceivedRequest) -> WebSocketServer.Reception,
    serve: @escaping @Sendable (WebSocketServer.Connection) async -> Void
  ) {
    self.number = number
    self.log = log
    self.receive = receive
    self.serve = serve
  }

  /// Waits for the request; on the event loop.
  func begin(on channel: any Channel) throws {
    let desk = NIOLoopBound(WebSocketReception(self), eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      // It takes whatever a client says, so that a test sees it.
      maxFrameSize: WebSocketConversation.maximumBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        guard case .accept(let subprotocol) = self.decide(head) else {
          return channel.eventLoop.makeSucceededFuture(nil)
        }
        let headers = subprotocol.map { HTTPHeaders([("Sec-WebSocket-Protocol", $0)]) }
        return channel.eventLoop.makeSucceededFuture(headers ?? HTTPHeaders())
      },
      upgradePipelineHandler: { channel, head in
        channel.pipeline.syncOperations.removeHandler(desk.value).flatMapThrowing {
          try self.open(channel, head)
        }
      })
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false,
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }),
      withErrorHandling: false)
    try channel.pipeline.syncOperations.addHandler(desk.value)
  }

  private func request(
    _ head: HTTPRequestHead, _ body: ByteBuffer = ByteBuffer(), _ length: Int = 0
  ) -> ReceivedRequest {
    var request = ReceivedRequest(
      method: head.method.rawValue, target: head.uri,
      headers: head.headers.map { .init(name: $0.name, value: $0.value) }, connection: number)
    (request.body, request.length) = (Data(body.readableBytesView), length)
    return request
  }

  private func decide(
    _ head: HTTPRequestHead, _ body: ByteBuffer = ByteBuffer(), _ length: Int = 0
  ) -> WebSocketServer.Reception {
    if let known = decision.withLock({ $0 }) { return known }
    let reception = receive(request(head, body, length))
    decision.withLock { $0 = reception }
    return reception
  }

  /// The client has its WebSocket.
  private func open(_ channel: any Channel, _ head: HTTPRequestHead) throws {
    let connection = WebSocketServer.Connection(
      number: number, request: request(head), channel: channel)
    let task = NIOLoopBoundBox(Task<Void, Never>?.none, eventLoop: channel.eventLoop)
    try channel.pipeline.syncOperations.addHandler(
      WebSocketConversation(connection, log) { task.value?.cancel() })
    log.add(.opened(connection: number))
    task.value = Task { [serve] in
      await serve(connection)
      await connection.scriptEnded()
      // A client that does not answer must not keep it.
      channel.eventLoop.scheduleTask(in: .seconds(10)) {
        channel.triggerUserOutboundEvent(WireEvent.hangUp, promise: nil)
      }
    }
  }

  /// The client gets no WebSocket; on the event loop.
  ///
  /// - Parameters:
  ///   - head: The head of its request.
  ///   - body: What is kept of the body.
  ///   - length: How many bytes that had.
  ///   - channel: Its connection.
  func refuse(
    _ head: HTTPRequestHead, _ body: ByteBuffer, of length: Int, on channel: any Channel
  ) {
    log.add(.refused(connection: number))
    switch decide(head, body, length) {
    case .accept: answer(426, [(name: "Upgrade", value: "websocket")], "", channel)
    case .refuse(let status, let headers, let body): answer(status, headers, body, channel)
    case .silence: break
    case .hangUp: channel.triggerUserOutboundEvent(WireEvent.hangUp, promise: nil)
    case .reset: channel.triggerUserOutboundEvent(WireEvent.reset, promise: nil)
    }
  }

  private func answer(
    _ status: Int, _ headers: [(name: String, value: String)], _ body: String,
    _ channel: any Channel
  ) {
    var text = "HTTP/1.1 \(status) Scripted\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if status != 101 { text += "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n" }
    let bytes = ByteBuffer(string: "\(text)\r\n\(body)")
    channel.triggerUserOutboundEvent(WireEvent.bytes(bytes)).whenComplete { _ in
      guard status != 101 else { return }
      channel.close(promise: nil)
    }
  }
}

/// Sees the requests that do not become a WebSocket.
private final class WebSocketReception: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let visit: WebSocketVisit
  private var head: HTTPRequestHead?
  /// The beginning of the body, of at most 16 MiB.
  private var body = ByteBuffer()
  private var length = 0

  init(_ visit: WebSocketVisit) { self.visit = visit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let part):
      length += part.readableBytes
      let room = RequestReader.maximumBody - body.readableBytes
      body.writeBytes(part.readableBytesView.prefix(room))
    case .end:
      guard let head else { return }
      self.head = nil
      visit.refuse(head, body, of: length, on: context.channel)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // That somebody gets no WebSocket is told as an error, before the request comes.
    guard !(error is NIOWebSocketUpgradeError) else { return }
    context.close(promise: nil)
  }
}
