// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// Where an answer goes, in whichever version of HTTP.
protocol AnswerOutlet: Sendable {
  typealias Answer = ScriptedHTTPServer.Answer
  typealias Headers = [(name: String, value: String)]

  func raw(_ bytes: ByteBuffer) async
  func informational(_ status: Int, _ headers: Headers) async
  func head(_ answer: Answer, for request: ReceivedRequest) async
  /// Returns whether somebody still listens.
  func body(_ piece: ByteBuffer, _ framing: Answer.Framing) async -> Bool
  func endOfBody(_ framing: Answer.Framing, _ hasBody: Bool) async
  /// Returns whether another request may follow.
  func end(_ answer: Answer, after request: ReceivedRequest) async -> Bool
}

/// HTTP/1.1, written byte for byte.
struct HTTP1Outlet: AnswerOutlet {
  let channel: any Channel

  func raw(_ bytes: ByteBuffer) async { await channel.send(bytes) }

  func informational(_ status: Int, _ headers: Headers) async { await write(status, headers) }

  func head(_ answer: Answer, for request: ReceivedRequest) async {
    var headers = answer.headers
    switch answer.framing {
    case .length where answer.status == 204: break
    case .length: headers.append((name: "Content-Length", value: "\(answer.body.count)"))
    case .declaredLength(let count):
      headers.append((name: "Content-Length", value: "\(count)"))
    case .chunked: headers.append((name: "Transfer-Encoding", value: "chunked"))
    case .untilEnd: headers.append((name: "Connection", value: "close"))
    }
    await write(answer.status, headers)
  }

  private func write(_ status: Int, _ headers: Headers) async {
    var text = "HTTP/1.1 \(status) Scripted\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    await channel.send(ByteBuffer(string: text + "\r\n"))
  }

  func body(_ piece: ByteBuffer, _ framing: Answer.Framing) async -> Bool {
    var bytes = piece
    if case .chunked = framing {
      bytes = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
      bytes.writeImmutableBuffer(piece)
      bytes.writeString("\r\n")
    }
    await channel.send(bytes)
    return channel.isActive
  }

  func endOfBody(_ framing: Answer.Framing, _ hasBody: Bool) async {
    if case .chunked = framing, hasBody { await channel.send(ByteBuffer(string: "0\r\n\r\n")) }
  }

  func end(_ answer: Answer, after request: ReceivedRequest) async -> Bool {
    switch answer.ending {
    // Its head has said so, and nothing else tells the client that it has all.
    case .keepAlive where answer.endsWithConnection: await channel.end(.hangUp)
    case .keepAlive:
      guard request["Connection"]?.lowercased() == "close" else { return true }
      try? await channel.close().get()
    case .silence: return true
    case .finish: await channel.end(.finish)
    case .hangUp, .goAway: await channel.end(.hangUp)
    case .reset, .resetStream: await channel.end(.reset)
    }
    return false
  }
}

extension ScriptedHTTPServer.Answer {
  /// Whether its head says that the body ends with the connection.
  fileprivate var endsWithConnection: Bool {
    framing == .untilEnd && extent != .nothing && raw == nil
  }
}

/// One stream of HTTP/2.
struct HTTP2Outlet: AnswerOutlet {
  let stream: any Channel
  let connection: any Channel

  func raw(_ bytes: ByteBuffer) async { await connection.send(bytes) }

  func informational(_ status: Int, _ headers: Headers) async { await write(status, headers) }

  func head(_ answer: Answer, for request: ReceivedRequest) async {
    var headers = answer.headers
    switch answer.framing {
    case .length where answer.status == 204: break
    case .length: headers.append((name: "content-length", value: "\(answer.body.count)"))
    case .declaredLength(let count):
      headers.append((name: "content-length", value: "\(count)"))
    case .chunked, .untilEnd: break
    }
    await write(answer.status, headers)
  }

  private func write(_ status: Int, _ headers: Headers) async {
    let head = HTTPResponseHead(
      version: .http2, status: HTTPResponseStatus(statusCode: status),
      headers: HTTPHeaders(headers.map { ($0.name, $0.value) }))
    _ = await write(.head(head))
  }

  private func write(_ part: HTTPServerResponsePart) async -> Bool {
    do {
      try await stream.writeAndFlush(part).get()
      return true
    } catch {
      return false
    }
  }

  func body(_ piece: ByteBuffer, _ framing: Answer.Framing) async -> Bool {
    await write(.body(.byteBuffer(piece)))
  }

  func endOfBody(_ framing: Answer.Framing, _ hasBody: Bool) async { _ = await write(.end(nil)) }

  func end(_ answer: Answer, after request: ReceivedRequest) async -> Bool {
    switch answer.ending {
    case .keepAlive, .silence: break
    case .finish, .hangUp: await connection.end(.hangUp)
    case .reset: await connection.end(.reset)
    case .resetStream(let code):
      try? await stream.triggerUserOutboundEvent(StreamReset(code: code)).get()
    case .goAway(let code):
      let frame = HTTP2Frame(
        streamID: .rootStream,
        payload: .goAway(
          lastStreamID: .rootStream, errorCode: HTTP2ErrorCode(networkCode: code),
          opaqueData: nil))
      try? await connection.writeAndFlush(frame).get()
    }
    return false
  }
}

/// A stream is to be reset.
struct StreamReset: Sendable {
  let code: Int
}

/// Stands next to the connection in a stream, and resets it past what speaks on it.
final class StreamEnd: ChannelOutboundHandler {
  typealias OutboundIn = HTTP2Frame.FramePayload
  typealias OutboundOut = HTTP2Frame.FramePayload

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let reset = event as? StreamReset else {
      context.triggerUserOutboundEvent(event, promise: promise)
      return
    }
    let code = HTTP2ErrorCode(networkCode: reset.code)
    context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: promise)
  }
}
