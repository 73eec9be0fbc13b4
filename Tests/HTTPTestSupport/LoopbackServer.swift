// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay
internal import NIOCore
internal import NIOPosix
package import TestSupport

/// A server on loopback that answers as it is told, and remembers what it was sent.
///
/// It listens for as long as somebody holds it. Its answers are bytes, so they can be as wrong as a
/// test wants them.
package final class LoopbackServer: Sendable {
  /// One request, read whole.
  package struct Received: Sendable {
    package let method: String
    package let path: String
    /// By name in lower case.
    package let headers: [String: String]
    package let body: Data
  }

  /// What is done about a request.
  package enum Answer: Sendable {
    /// A whole answer.
    case reply(Int, headers: [(String, String)] = [], body: Data = Data())
    /// A head and the beginning of a body, and nothing more.
    case endless(Int, body: Data = Data())
    /// A head and the beginning of a body that was to be longer, and the end of the connection.
    case cutOff(Int, body: Data = Data())
    /// Nothing, for as long as the client waits.
    case silence
    /// The connection ends properly, without an answer.
    case hangUp
    /// The connection is reset.
    case reset
    /// Bytes that are no HTTP, and the end of the connection.
    case garbage
  }

  /// A line for each request that was answered, so that a test can wait for it.
  package let log = Log()
  /// A line for each connection that has ended.
  package let closed = Log()
  /// Where it listens.
  package let port: Int
  private let channel: any Channel
  private let books: Books

  private final class Books: Sendable {
    let received = Locked<[Received]>([])
  }

  /// Listens on a free port.
  ///
  /// - Parameter answer: What is done about a request, and how many came before it.
  /// - Throws: What SwiftNIO throws where it cannot listen.
  package init(_ answer: @escaping @Sendable (Received, Int) -> Answer) async throws {
    let books = Books()
    let (log, closed) = (log, closed)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.closeFuture.whenComplete { _ in closed.add("closed") }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Conversation(
              answer: { request in
                let count = books.received.withLock { all in
                  all.append(request)
                  return all.count - 1
                }
                return answer(request, count)
              }, done: { log.add("\($0.method) \($0.path)") }))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
    self.books = books
  }

  /// Such as `http://127.0.0.1:4000`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// What came, in order.
  package var received: [Received] { books.received.withLock { $0 } }

  deinit { channel.close(promise: nil) }
}

/// One connection: requests in, bytes out.
private final class Conversation: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: @Sendable (LoopbackServer.Received) -> LoopbackServer.Answer
  private let done: @Sendable (LoopbackServer.Received) -> Void
  private var bytes = Data()

  init(
    answer: @escaping @Sendable (LoopbackServer.Received) -> LoopbackServer.Answer,
    done: @escaping @Sendable (LoopbackServer.Received) -> Void
  ) {
    self.answer = answer
    self.done = done
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += Data(unwrapInboundIn(data).readableBytesView)
    while let request = next() {
      perform(answer(request), context)
      done(request)
    }
  }

  /// The next request that is there whole.
  private func next() -> LoopbackServer.Received? {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ").map(String.init)
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    guard bytes.count >= end.upperBound - bytes.startIndex + length else { return nil }
    let body = Data(bytes[end.upperBound...].prefix(length))
    bytes = Data(bytes[end.upperBound...].dropFirst(length))
    return LoopbackServer.Received(
      method: words.first ?? "", path: words.count > 1 ? words[1] : "", headers: headers,
      body: body)
  }

  private func perform(_ answer: LoopbackServer.Answer, _ context: ChannelHandlerContext) {
    switch answer {
    case .reply(let status, let headers, let body):
      write(status, headers + [("Content-Length", String(body.count))], body, context)
    case .endless(let status, let body):
      write(status, [("Content-Length", String(body.count + 1_000))], body, context)
    case .cutOff(let status, let body):
      write(status, [("Content-Length", String(body.count + 1_000))], body, context)
      context.close(promise: nil)
    case .silence: break
    case .hangUp: context.close(promise: nil)
    case .reset:
      let provider = context.channel as? any SocketOptionProvider
      let channel = context.channel
      provider?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
        channel.close(promise: nil)
      }
    case .garbage:
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "who is there?\r\n\r\n")))
        .whenComplete { [channel = context.channel] _ in channel.close(promise: nil) }
    }
  }

  private func write(
    _ status: Int, _ headers: [(String, String)], _ body: Data, _ context: ChannelHandlerContext
  ) {
    var text = "HTTP/1.1 \(status) Scripted\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    var buffer = ByteBuffer(string: text + "\r\n")
    buffer.writeBytes(body)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }
}
