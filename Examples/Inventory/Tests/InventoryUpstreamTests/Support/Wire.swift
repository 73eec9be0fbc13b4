// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// A connection on which a test writes bytes itself, to see what really comes back.
enum Wire {
  /// Sends bytes, and returns all that comes until the server closes the connection.
  ///
  /// With `isOver`, the server is told that no more bytes will come.
  static func exchange(
    _ pieces: [[UInt8]], port: Int, isOver: Bool = false
  ) async throws -> [UInt8] {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "localhost", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      for piece in pieces { try await outbound.write(ByteBuffer(bytes: piece)) }
      if isOver { outbound.finish() }
      var received: [UInt8] = []
      do {
        for try await buffer in inbound { received += buffer.readableBytesView }
      } catch let error as IOError where error.errnoCode == ECONNRESET {
        // A connection may be closed hard too.
      }
      return received
    }
  }

  static func exchange(_ text: String, port: Int, isOver: Bool = false) async throws -> String {
    let bytes = try await exchange([Array(text.utf8)], port: port, isOver: isOver)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A request that asks the server to close the connection after its answer.
  static func request(_ line: String, _ headers: [String] = [], _ body: String = "") -> String {
    let all = ["Host: localhost", "Connection: close", "Content-Length: \(body.utf8.count)"]
    return ([line + " HTTP/1.1"] + all + headers).joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  /// A request whose body comes in pieces of unannounced length.
  static func chunked(_ line: String, _ headers: [String], _ body: [[UInt8]]) -> [[UInt8]] {
    let all = ["Host: localhost", "Connection: close", "Transfer-Encoding: chunked"]
    let head = ([line + " HTTP/1.1"] + all + headers).joined(separator: "\r\n") + "\r\n\r\n"
    let chunks = body.map { chunk in
      Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + Array("\r\n".utf8)
    }
    return [Array(head.utf8)] + chunks + [Array("0\r\n\r\n".utf8)]
  }
}
