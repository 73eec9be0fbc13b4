// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix

/// A service on loopback that answers each request with the same small document.
struct EchoServer {
  static func run() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Answering())
        }
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

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let document = ByteBuffer(
    string: #"{"title":"Dune","author":"Frank Herbert","year":1965}"#)

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let headers: HTTPHeaders = [
      "content-type": "application/json", "content-length": "\(document.readableBytes)",
    ]
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))),
      promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(document))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
