// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTPTesting
import NIOCore
import NIOPosix
import NIOSSL

/// A client that knows no protocol: a test says and hears bytes.
final class Caller: Sendable {
  /// What was heard.
  enum Heard: Sendable, Equatable {
    case bytes([UInt8])
    case finished
    case reset
  }

  let log: EventLog<Heard>
  private let channel: any Channel

  /// Connects to a port of loopback.
  init(
    to port: Int, trusting authority: CertificateAuthority? = nil, protocols: [String] = []
  ) async throws {
    let log = EventLog<Heard>(keeping: 1_000_000)
    self.log = log
    let tls = try authority.map { authority in
      var settings = TLSConfiguration.makeClientConfiguration()
      settings.trustRoots = .file(authority.file.path)
      settings.applicationProtocols = protocols
      return try NIOSSLContext(configuration: settings)
    }
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls {
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
          }
          try pipeline.addHandler(Ear { log.add($0) })
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  deinit { channel.close(promise: nil) }

  /// All that came so far.
  var heard: [UInt8] {
    log.events.flatMap { event in
      if case .bytes(let bytes) = event { bytes } else { [UInt8]() }
    }
  }

  /// All that came so far, as text.
  var text: String { String(decoding: heard, as: UTF8.self) }

  func say(_ text: String) async throws { try await say(Array(text.utf8)) }

  func say(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  /// Says nothing more, and goes on listening.
  func finish() async throws { try await channel.close(mode: .output) }

  func close() async throws { try await channel.close() }

  /// Hears nothing more.
  func stopListening() async throws { try await channel.setOption(.autoRead, value: false).get() }

  /// Hears again.
  func listen() async throws { try await channel.setOption(.autoRead, value: true).get() }

  /// Returns once so many bytes have come, or the connection has ended.
  func hear(_ count: Int) async {
    var left = count
    if left <= 0 { return }
    await log.first { event in
      guard case .bytes(let bytes) = event else { return true }
      left -= bytes.count
      return left <= 0
    }
  }

  /// Returns once a text has come, or the connection has ended.
  ///
  /// - Returns: All that came so far.
  @discardableResult
  func hear(_ text: String) async -> String {
    var all = ""
    await log.first { event in
      guard case .bytes(let bytes) = event else { return true }
      all += String(decoding: bytes, as: UTF8.self)
      return all.contains(text)
    }
    return all
  }

  /// How the connection ends.
  func end() async -> Heard? { await log.first { $0 == .finished || $0 == .reset } }
}

private final class Ear: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let tell: (Caller.Heard) -> Void
  private var hasEnded = false

  init(_ tell: @escaping (Caller.Heard) -> Void) { self.tell = tell }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    tell(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { end(.finished) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(.reset)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { end(.finished) }

  private func end(_ heard: Caller.Heard) {
    guard !hasEnded else { return }
    hasEnded = true
    tell(heard)
  }
}
