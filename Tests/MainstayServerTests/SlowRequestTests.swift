// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
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

/// Requests that keep a place in the server for as long as they can, over real connections.
@Suite(.ends(withinMinutes: 2)) struct SlowRequestTests {
  private let clock = ManualClock()
  private let log = Log()
  private let metrics = RecordingMetrics()
  private let heard = Countdown(1)
  private let chunk = "5\r\nhello\r\n"

  private func post(_ path: String) -> String {
    "POST /\(path) HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n"
  }

  private func serve(
    idle: Duration = .patience,
    _ test: @escaping @Sendable (_ port: Int) async throws -> Void
  ) async throws {
    let limits = withMetricsFactory(metrics) {
      ConnectionLimits(
        idle: idle, logger: log.logger(), clock: clock)
    }
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.get("books") { _, _ in "a book" }
    router.post("refused") { _, _ -> String in throw HTTPError(.contentTooLarge) }
    router.post("orders") { [heard] request, _ in
      var count = 0
      for try await part in request.body {
        count += part.readableBytes
        heard.count()
      }
      return "\(count) bytes"
    }
    let server = Application(
      router: router, server: .http1(configuration: limits.configuration),
      // One of them is the test's client, which is there from the beginning.
      configuration: ApplicationConfiguration(
        availableConnectionsDelegate: MaximumAvailableConnections(2)))
    try await server.test(.live) { client in try await test(try #require(client.port)) }
  }

  private func expectCut(_ part: String) {
    let path = part == "body" ? " path=/refused" : ""
    #expect(
      log.lines == [
        "A slow request was cut off. part=\(part)\(path) peer=127.0.0.1 untold=0"
      ])
    #expect(metrics.log.lines == ["mainstay.server.cut{part=\(part)} +1"])
  }

  @Test func `a head that drips in is cut off after ten seconds, and its place is free`()
    async throws
  {
    try await serve { [clock] port in
      let slow = try Socket(port: port)
      try slow.send("GET /books HTTP/1.1\r\n")
      await clock.sleepers(atLeast: 1)
      let next = try Socket(port: port)
      try next.send("GET /books HTTP/1.1\r\nHost: shop\r\n\r\n")
      // One byte a second: none of them gives it more time.
      for byte in "X-Slow: ab" {
        try slow.send("\(byte)")
        clock.advance(by: .seconds(1))
      }
      // A byte that nobody has read yet may reset the connection.
      #expect((try? await slow.readAll()) ?? "" == "")
      #expect(try await next.read(until: "a book").hasPrefix("HTTP/1.1 200"))
    }
    expectCut("head")
  }

  @Test func `a body that goes on after it was refused is cut off`() async throws {
    try await serve { [clock, chunk] port in
      let socket = try Socket(port: port)
      try socket.send(post("refused") + chunk)
      #expect(try await socket.read(until: "}").hasPrefix("HTTP/1.1 413"))
      await clock.sleepers(atLeast: 1)
      for _ in 1...10 {
        try socket.send(chunk)
        clock.advance(by: .seconds(1))
      }
      // The bytes that nobody read may reset the connection.
      _ = try? await socket.readAll()
      await log.lines(atLeast: 1)
    }
    expectCut("body")
  }

  @Test func `a body that its handler waits for has the handler's time`() async throws {
    try await serve { [clock, chunk, heard] port in
      let socket = try Socket(port: port)
      try socket.send(post("orders") + chunk)
      await heard.reached()
      clock.advance(by: .seconds(3_600))
      try socket.send(chunk + "0\r\n\r\n")
      #expect(try await socket.read(until: "10 bytes").hasPrefix("HTTP/1.1 200"))
      clock.advance(by: .seconds(3_600))
      try socket.send("GET /books HTTP/1.1\r\nHost: sho")
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(9))
      try socket.send("p\r\n\r\n")
      #expect(try await socket.read(until: "a book").hasPrefix("HTTP/1.1 200"))
      clock.advance(by: .seconds(9))
      try socket.send("GET /books HTTP/1.1\r\nHost: shop\r\n\r\n")
      #expect(try await socket.read(until: "a book").hasPrefix("HTTP/1.1 200"))
    }
    #expect(log.lines.isEmpty)
  }

  /// Sends something, and returns all that comes until the other side has closed.
  ///
  /// A machine that stands still meanwhile sends to one that has closed before, which resets the
  /// connection: that is its end too.
  private func end(of socket: Socket, after text: String = "") async throws -> String {
    do {
      try socket.send(text)
      return try await socket.readAll()
    } catch let failure as Socket.Failure
      where [POSIXErrorCode.ECONNRESET, .EPIPE].map(\.rawValue).contains(failure.code)
    {
      return ""
    }
  }

  @Test func `a connection that says nothing is closed`() async throws {
    try await serve(idle: .milliseconds(200)) { port in
      #expect(try await end(of: Socket(port: port)) == "")
      #expect(try await end(of: Socket(port: port), after: "GET /bo") == "")
      _ = try await end(of: Socket(port: port), after: post("orders"))
    }
    #expect(log.lines.isEmpty)
  }
}
