// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport

/// A server on loopback that speaks HTTP/2 over TLS, and ends each request with a reason.
///
/// It listens for as long as somebody holds it.
final class SecureServer: Sendable {
  let port: Int
  private let channel: any Channel

  /// Listens on a free port, as whom the certificate is for.
  init(as certificate: Certificate, ending: Ending) async throws {
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: try certificate.chain().map { .certificate($0) },
      privateKey: .privateKey(
        try NIOSSLPrivateKey(file: certificate.key.path(), format: .pem)))
    settings.applicationProtocols = ["h2"]
    let context = try NIOSSLContext(configuration: settings)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { connection in
        connection.eventLoop.makeCompletedFuture {
          try connection.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          _ = try connection.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
          ) { stream in
            stream.eventLoop.makeCompletedFuture {
              try stream.pipeline.syncOperations.addHandler(StreamEnder(ending))
            }
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  enum Ending: Sendable {
    /// The stream of the request is reset.
    case reset(HTTP2ErrorCode)
    /// The connection ends for all its streams; none of them was worked on.
    case goAway(HTTP2ErrorCode)
  }
}

private final class StreamEnder: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let ending: SecureServer.Ending

  init(_ ending: SecureServer.Ending) { self.ending = ending }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .headers = unwrapInboundIn(data) else { return }
    switch ending {
    case .reset(let code): context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
    case .goAway(let code):
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(lastStreamID: .rootStream, errorCode: code, opaqueData: nil))
      context.channel.parent?.writeAndFlush(frame, promise: nil)
    }
  }
}

/// A server on loopback that answers whatever it is sent as a service without TLS does.
final class PlainServer: Sendable {
  let port: Int
  private let channel: any Channel

  init() async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { connection in
        connection.eventLoop.makeCompletedFuture {
          try connection.pipeline.syncOperations.addHandler(PlainAnswer())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }
}

private final class PlainAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let answer = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
  }
}

/// A certificate that signed itself, made by the program `openssl`; its files go away with it.
final class Certificate: Sendable {
  private let folder: URL

  var file: URL { folder.appending(path: "certificate.pem") }
  var key: URL { folder.appending(path: "key.pem") }

  /// Makes one for the name of a host.
  init(for host: String) async throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "certificate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let end = try await BuiltProgram.run(
      fromPath: "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", key.path(), "-out", file.path(), "-days", "2", "-subj", "/CN=\(host)",
        "-addext", "subjectAltName=DNS:\(host)",
      ])
    guard end.status == 0 else { throw Unmade(complaint: end.errors) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func chain() throws -> [NIOSSLCertificate] {
    try NIOSSLCertificate.fromPEMFile(file.path())
  }

  struct Unmade: Error {
    let complaint: String
  }
}
