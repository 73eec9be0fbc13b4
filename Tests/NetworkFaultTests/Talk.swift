// SPDX-License-Identifier: Apache-2.0

import Mainstay
import NIOCore
import NIOPosix

/// A connection on which a test says and hears bytes.
final class Talk: Sendable {
  /// What was heard.
  enum Heard: Sendable, Equatable {
    case bytes(Int)
    case finished
    case reset
  }

  private let channel: any Channel
  private let heard: AsyncStream<Heard>
  private let count: Count

  private final class Count: Sendable {
    private let bytes = Locked(0)
    var value: Int { bytes.withLock { $0 } }
    func add(_ more: Int) { bytes.withLock { $0 += more } }
  }

  /// Connects to a port of loopback.
  init(to port: Int) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Heard.self)
    heard = stream
    let count = Count()
    self.count = count
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Ear { heard in
              if case .bytes(let more) = heard { count.add(more) }
              continuation.yield(heard)
            })
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  deinit { channel.close(promise: nil) }

  /// How many bytes came so far.
  var received: Int { count.value }

  func say(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text))
  }

  /// Says nothing more, and goes on listening.
  func finish() async throws { try await channel.close(mode: .output) }

  func close() async throws { try await channel.close() }

  /// Returns once so many bytes have come, or the connection has ended.
  func hear(_ bytes: Int) async {
    if received >= bytes { return }
    for await heard in heard {
      guard case .bytes = heard, received < bytes else { return }
    }
  }

  /// How the connection ends.
  func end() async -> Heard? {
    for await heard in heard where heard == .finished || heard == .reset { return heard }
    return nil
  }
}

private final class Ear: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let tell: (Talk.Heard) -> Void
  private var hasEnded = false

  init(_ tell: @escaping (Talk.Heard) -> Void) { self.tell = tell }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    tell(.bytes(unwrapInboundIn(data).readableBytes))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { end(.finished) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(.reset)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { end(.finished) }

  private func end(_ heard: Talk.Heard) {
    guard !hasEnded else { return }
    hasEnded = true
    tell(heard)
  }
}
