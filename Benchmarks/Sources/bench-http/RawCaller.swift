// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// What SwiftNIO alone does: frames out, frames in, and nobody reads them.
struct RawCaller {
  let port: Int

  /// Makes so many round trips, with some of them under way at once.
  func run(_ count: Int, concurrency: Int) async throws {
    let done = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
    let upgrader = NIOWebSocketClientUpgrader(
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Asking(count: count, concurrency: concurrency, done: done))
        }
      })
    let port = port
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let asking = Upgrading(port: port)
          let bound = NIOLoopBound(asking, eventLoop: channel.eventLoop)
          try channel.pipeline.syncOperations.addHTTPClientHandlers(
            withClientUpgrade: (
              upgraders: [upgrader],
              completionHandler: { context in
                context.channel.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
              }
            ))
          try channel.pipeline.syncOperations.addHandler(asking)
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    try await done.futureResult.get()
    try await channel.close()
  }
}

/// Asks for a WebSocket.
private final class Upgrading: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let port: Int

  init(port: Int) { self.port = port }

  func channelActive(context: ChannelHandlerContext) {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/",
      headers: ["Host": "127.0.0.1:\(port)", "Content-Length": "0"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }
}

/// Sends the next call for each answer.
private final class Asking: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let count: Int
  private let concurrency: Int
  private let done: EventLoopPromise<Void>
  private var sent = 0
  private var answered = 0

  init(count: Int, concurrency: Int, done: EventLoopPromise<Void>) {
    self.count = count
    self.concurrency = concurrency
    self.done = done
  }

  func handlerAdded(context: ChannelHandlerContext) {
    for _ in 0..<min(concurrency, count) { ask(context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard unwrapInboundIn(data).opcode == .text else { return }
    answered += 1
    if answered == count { return done.succeed() }
    if sent < count { ask(context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { done.fail(error) }

  func channelInactive(context: ChannelHandlerContext) {
    done.fail(ChannelError.eof)
    context.fireChannelInactive()
  }

  private func ask(_ context: ChannelHandlerContext) {
    sent += 1
    let call = #"{"jsonrpc":"2.0","method":"queryNetwork/tip","id":\#(sent)}"#
    let frame = WebSocketFrame(
      fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: call))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }
}
