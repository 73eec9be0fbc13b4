// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import Metrics
import NIOCore
import TestSupport
import Testing

/// Answers whose readers are slow, or do not read at all, over real connections.
@Suite(.ends(withinMinutes: 5)) struct UnreadAnswerTests {
  private static let part = 65_536
  private static let parts = 16

  /// Lets little wait for a reader, so that a test need not write much.
  private final class LittleRoom: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func handlerAdded(context: ChannelHandlerContext) {
      let options = context.channel.syncOptions
      try? options?.setOption(.socketOption(.so_sndbuf), value: 4_096)
      try? options?.setOption(.writeBufferWaterMark, value: .init(low: 1_024, high: 4_096))
    }
  }

  private let clock = ManualClock()
  private let log = Log()
  private let metrics = RecordingMetrics()
  private let bulkhead = Bulkhead("requests", limit: 1)

  private func serve(
    _ test: @escaping @Sendable (_ port: Int) async throws -> Void
  ) async throws {
    let limits = withMetricsFactory(metrics) {
      ConnectionLimits(idle: .patience, logger: log.logger(), clock: clock)
    }
    var connections = limits.configuration
    let watch = connections.additionalChannelHandlers
    connections.additionalChannelHandlers = { watch() + [LittleRoom()] }
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: LoadSheddingMiddleware(LoadShedding(bulkhead)))
    router.get("book") { _, _ in "a book" }
    let page = String(repeating: "x", count: Self.part)
    router.get("pages") { _, _ in
      // It has no end: what can be written before the channel says that it is full has no bound.
      Response(
        status: .ok,
        body: ResponseBody { writer in
          while true { try await writer.write(ByteBuffer(string: page)) }
        })
    }
    router.get("whole") { _, _ in
      ByteBuffer(string: String(repeating: page, count: Self.parts) + "end")
    }
    let server = Application(router: router, server: .http1(configuration: connections))
    try await server.test(.live) { client in try await test(try #require(client.port)) }
  }

  private func ask(_ path: String, _ port: Int, room: Int32? = nil) throws -> Socket {
    let socket = try Socket(port: port, room: room)
    try socket.get(path)
    return socket
  }

  @Test func `an answer that is not read is cut off, and its permit is free`() async throws {
    try await serve { [clock, log, bulkhead] port in
      let deaf = try ask("/pages?token=secret", port, room: 1_024)
      // Somebody sleeps for the head of a request already.
      while bulkhead.running == 0, !Task.isCancelled { await Task.yield() }
      let early = try await ask("/book", port).read(until: "\r\n")
      #expect(early.hasPrefix("HTTP/1.1 503"))
      // What still finds room on the way to it counts as read, and has more time.
      while log.lines.isEmpty, !Task.isCancelled {
        clock.advance(by: .seconds(30))
        await Task.yield()
      }
      while bulkhead.running > 0, !Task.isCancelled { await Task.yield() }
      #expect(try await ask("/book", port).read(until: "a book").hasPrefix("HTTP/1.1 200"))
      #expect(((try? await deaf.readAll()) ?? "").hasSuffix("0\r\n\r\n") == false)
    }
    #expect(
      log.lines == [
        "A slow request was cut off. part=answer path=/pages peer=127.0.0.1 untold=0"
      ])
    #expect(metrics.log.lines == ["mainstay.server.cut{part=answer} +1"])
  }

  @Test func `an answer that is read slowly is sent whole, however long that takes`() async throws {
    try await serve { [clock] port in
      let slow = try ask("/whole", port, room: 1_024)
      await clock.sleepers(atLeast: 1)
      for _ in 0..<4 {
        #expect(try await slow.read(count: 3 * Self.part) == 3 * Self.part)
        clock.advance(by: .seconds(30))
        // Its time has begun anew.
        await clock.sleepers(atLeast: 1)
      }
      #expect(try await slow.read(until: "end").hasSuffix("xend"))
    }
    #expect(log.lines.isEmpty)
  }
}
