// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A server of WebSockets on loopback that answers each call with the same result.
struct RPCServer {
  static func run() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let upgrader = NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Calling())
        }
      })
    let channel = try await ServerBootstrap(group: group)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.pipeline.configureHTTPServerPipeline(
          withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
      }
      .bind(host: "127.0.0.1", port: 0).get()
    // Who started it reads the port, and ends it by closing its input.
    print(channel.localAddress?.port ?? 0)
    fflush(nil)
    while readLine() != nil {}
    try await channel.close()
    try await group.shutdownGracefully()
  }
}

/// Answers calls whose id is a number, without reading the rest of them.
private final class Calling: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      let call = String(buffer: frame.unmaskedData)
      let digits = call.firstRange(of: #""id":"#).map {
        call[$0.upperBound...].prefix { $0.isNumber }
      }
      let answer = #"{"jsonrpc":"2.0","id":\#(digits ?? "null"),"result":{"slot":1,"id":"a"}}"#
      context.writeAndFlush(
        wrapOutboundOut(
          WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: answer))), promise: nil)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }
}
