// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// Streams of events that are opened and not read: they give up their places.
@Suite(.ends(withinMinutes: 10)) struct UnreadStreamTests {
  /// Lets little wait for a reader, so that a test need not write for hours.
  private final class LittleRoom: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let isFull: Flag

    init(_ isFull: Flag) { self.isFull = isFull }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      context.fireChannelWritabilityChanged()
      // Now whoever writes next waits.
      if !context.channel.isWritable { isFull.raise() }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      let options = context.channel.syncOptions
      try? options?.setOption(.socketOption(.so_sndbuf), value: 4_096)
      try? options?.setOption(.writeBufferWaterMark, value: .init(low: 1_024, high: 4_096))
    }
  }

  /// A dashboard that is served, and what a test does to it.
  private struct Scene {
    let monitor = ErrorMonitor()
    let log = Log()
    let clock = ManualClock()
    /// Somebody has been written more than they read.
    let isFull = Flag()
    let dashboard: Dashboard

    init(places: Int) {
      var dashboard = Dashboard(
        visitor: { _ in Dashboard.Visitor("ada") }, logger: log.logger(), clock: clock)
      dashboard.errors = monitor
      dashboard.maximumStreams = places
      // What happens is told when the test says so.
      dashboard.sampleInterval = .seconds(86_400)
      self.dashboard = dashboard
    }

    /// Something happens, and who reads is told.
    func tell(_ live: Live, _ reader: Socket) async throws {
      monitor.capture(AppError.Network.offline, during: "Load")
      await live.sample()
      #expect(try await reader.read(until: "}\n\n").contains("errors"))
    }

    func serve(_ test: @escaping @Sendable (Live, Int) async throws -> Void) async throws {
      let router = Router(context: LiveContext.self)
      let live = dashboard.mounted(on: router)
      let server = Application(
        router: router,
        server: .http1(
          configuration: .init(additionalChannelHandlers: [LittleRoom(isFull)])))
      try await server.test(.live) { client in
        // One looks, and one says that it is there.
        await clock.sleepers(atLeast: 2)
        try await test(live, try #require(client.port))
      }
    }
  }

  private func open(_ port: Int, room: Int32? = nil) async throws -> (Socket, head: String) {
    let socket = try Socket(port: port, room: room)
    try socket.get("/mainstay/events")
    return (socket, try await socket.read(until: "\r\n\r\n"))
  }

  @Test func `a stream that is not read ends after 30 seconds, and one that is read goes on`()
    async throws
  {
    let scene = Scene(places: 2)
    try await scene.serve { live, port in
      let (deaf, _) = try await open(port, room: 1_024)
      let (reader, _) = try await open(port)
      // News that come while a writer stands still are put together: nobody knows how many it
      // takes until what is written to the one that does not read waits.
      while !scene.isFull.isRaised, !Task.isCancelled { try await scene.tell(live, reader) }
      try await scene.tell(live, reader)
      // Beside the beat somebody waits for 30 seconds at most.
      await scene.clock.waiters(atLeast: 2, within: .seconds(30))
      #expect(live.count == 2)
      #expect(try await open(port).head.hasPrefix("HTTP/1.1 503"))
      // In steps: the reader may have its news before the server knows that they are written, and
      // the last write to the other one may begin late.
      repeat {
        scene.clock.advance(by: .seconds(15))
        try await scene.tell(live, reader)
      } while scene.log.lines.count < 2 && !Task.isCancelled
      #expect(scene.log.lines.last?.contains("refusal=unreadStream") == true)
      #expect(scene.log.lines.last?.hasSuffix(" visitor=ada") == true)
      #expect(live.count == 1)
      // Its place is free, and the connection is closed.
      #expect(try await open(port).head.hasPrefix("HTTP/1.1 200"))
      _ = try? await deaf.readAll()
      try await scene.tell(live, reader)
    }
  }

  @Test func `a stream ends after ten minutes, and tells the page to open the next one`()
    async throws
  {
    let scene = Scene(places: 1)
    try await scene.serve { live, port in
      let (reader, _) = try await open(port)
      _ = try await reader.read(until: "retry: 3000\n\n")
      scene.clock.advance(by: .seconds(15))
      #expect(try await reader.read(until: ": here\n\n").hasSuffix(": here\n\n"))
      // In steps: the server may hear later than the reader that something is written, and no
      // write may seem to take 30 seconds.
      for seconds in Array(repeating: 29, count: 20) + [4] {
        scene.clock.advance(by: .seconds(seconds))
        try await scene.tell(live, reader)
      }
      scene.clock.advance(by: .seconds(1))
      scene.monitor.capture(AppError.Network.offline, during: "Load")
      await live.sample()
      #expect(try await reader.read(until: "0\r\n\r\n").contains("event: again\ndata:\n\n"))
      #expect(live.count == 0)
      #expect(try await open(port).head.hasPrefix("HTTP/1.1 200"))
      #expect(scene.log.lines.isEmpty)
    }
  }
}
