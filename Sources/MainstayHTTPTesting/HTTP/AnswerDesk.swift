// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// What all connections of a server have in common.
struct AnswerDesk: Sendable {
  typealias Answer = ScriptedHTTPServer.Answer

  let log: EventLog<ScriptedHTTPServer.Event>
  let book: RequestBook
  let isEarly: @Sendable (ReceivedRequest) -> Bool
  let answer: @Sendable (ReceivedRequest, Int) async -> Answer

  /// Speaks HTTP/1.1 on a connection; on its event loop.
  func beginHTTP1(on channel: any Channel, _ number: Int) throws {
    let inbox = Inbox<ReceivedRequest>(limit: RequestReader.maximumBody)
    inbox.whenThereIsRoom { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    let task = Task {
      let outlet = HTTP1Outlet(channel: channel)
      while let request = await inbox.take() {
        guard await perform(request, to: outlet) else { return }
      }
      await channel.end(.hangUp)
    }
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
    try pipeline.addHandler(
      RequestReader(inbox, connection: number, isEarly: isEarly) { task.cancel() })
  }

  /// Speaks what the client wants by ALPN.
  func beginByNegotiation(on channel: any Channel, _ number: Int) {
    channel.configureHTTP2SecureUpgrade(
      h2ChannelConfigurator: { channel in
        channel.eventLoop.makeCompletedFuture { try beginHTTP2(on: channel, number) }
      },
      http1ChannelConfigurator: { channel in
        channel.eventLoop.makeCompletedFuture { try beginHTTP1(on: channel, number) }
      }
    ).whenFailure { _ in channel.close(promise: nil) }
  }

  private func beginHTTP2(on channel: any Channel, _ number: Int) throws {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    // A script may be wrong about both.
    configuration.contentLengthValidation = .disabled
    configuration.headerBlockValidation = .disabled
    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
      mode: .server, connectionConfiguration: configuration, streamConfiguration: .init()
    ) { stream in
      stream.eventLoop.makeCompletedFuture { try beginStream(stream, of: channel, number) }
    }
  }

  private func beginStream(
    _ stream: any Channel, of connection: any Channel, _ number: Int
  ) throws {
    let inbox = Inbox<ReceivedRequest>(limit: RequestReader.maximumBody)
    let task = Task {
      guard let request = await inbox.take() else { return }
      _ = await perform(request, to: HTTP2Outlet(stream: stream, connection: connection))
    }
    let pipeline = stream.pipeline.syncOperations
    try pipeline.addHandler(StreamEnd())
    try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
    try pipeline.addHandler(
      RequestReader(inbox, connection: number, isEarly: isEarly) { task.cancel() })
  }

  /// Does what the script says about a request.
  ///
  /// - Returns: Whether another one may follow on the connection.
  private func perform(_ request: ReceivedRequest, to outlet: any AnswerOutlet) async -> Bool {
    let words = "\(request.method) \(request.target)"
    let earlier = book.add(request)
    log.add(.asked(connection: request.connection, words))
    let answer = await answer(request, earlier)
    await answer.gate?.opened()
    if let raw = answer.raw {
      await outlet.raw(ByteBuffer(bytes: raw))
    } else if answer.extent != .nothing {
      await send(answer, request, to: outlet)
    }
    let goesOn = await outlet.end(answer, after: request)
    log.add(.answered(connection: request.connection, words))
    return goesOn
  }

  private func send(
    _ answer: Answer, _ request: ReceivedRequest, to outlet: any AnswerOutlet
  ) async {
    for (status, headers) in answer.informational {
      await outlet.informational(status, headers)
    }
    await outlet.head(answer, for: request)
    await answer.bodyGate?.opened()
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let limit =
      if case .bytes(let count) = answer.extent { max(count, 0) } else { Int.max }
    if hasBody {
      var pieces = BodyPieces(answer, upTo: limit)
      while let piece = pieces.next(), !Task.isCancelled {
        guard await outlet.body(piece, answer.framing) else { return }
        if let pause = answer.pace?.every, pieces.hasMore { try? await Task.sleep(for: pause) }
      }
    }
    if answer.extent == .all { await outlet.endOfBody(answer.framing, hasBody) }
  }
}

/// A body in the pieces in which it is sent.
private struct BodyPieces {
  private let body: ScriptedHTTPServer.Answer.Body
  private let count: Int
  private let size: Int
  private var position = 0
  /// A piece begins somewhere in the first 251 bytes.
  private static let pattern = ByteBuffer(bytes: (0..<maximumSize + 251).map { UInt8($0 % 251) })
  private static let maximumSize = 1 << 16

  init(_ answer: ScriptedHTTPServer.Answer, upTo limit: Int) {
    body = answer.body
    count = min(body.count, limit)
    var size = Self.maximumSize
    if case .chunked(let chunk) = answer.framing { size = min(size, max(chunk, 1)) }
    if let pace = answer.pace { size = min(size, max(pace.bytes, 1)) }
    self.size = size
  }

  var hasMore: Bool { position < count }

  mutating func next() -> ByteBuffer? {
    guard hasMore else { return nil }
    let end = min(position + size, count)
    defer { position = end }
    switch body {
    case .bytes(let data):
      let start = data.startIndex
      return ByteBuffer(bytes: data[(start + position)..<(start + end)])
    case .pattern:
      return Self.pattern.getSlice(at: position % 251, length: end - position)
    }
  }
}
