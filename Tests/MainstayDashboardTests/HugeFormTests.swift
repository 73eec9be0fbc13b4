// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Forms that do not say how long they are.
@Suite(.ends(withinMinutes: 2)) struct HugeFormTests {
  private static let head = """
    POST /mainstay/outboxes/orders/dead/discard HTTP/1.1\r
    Host: localhost\r
    Content-Type: application/x-www-form-urlencoded\r
    Transfer-Encoding: chunked\r
    \r

    """

  /// A part of a body, of 64 KB.
  private static let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"

  @Test func `a form without a length is refused as soon as it is too large, and told of`()
    async throws
  {
    let outbox = try await brokenOutbox(["a"])
    let log = Log()
    try await serve(Dashboard(outbox, log: log)) { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.send(Self.head)
      for _ in 0..<5 { try socket.send(Self.chunk) }
      #expect(try await socket.read(until: "\r\n").hasPrefix("HTTP/1.1 413"))
    }
    #expect(log.lines == ["A request to the dashboard was refused. refusal=tooLarge untold=0"])
    #expect(try await outbox.snapshot().dead == 1)
    await outbox.shutDown()
  }

  @Test func `a form without an end is refused, and none of it is kept`() async throws {
    let child = try await BuiltProgram("DashboardChild", ["1"])
    let before = try await child.memory
    let socket = try Socket(port: child.port)
    try socket.send(Self.head)
    // 32 MB: what is kept of it would be seen.
    for _ in 0..<512 { try socket.send(Self.chunk) }
    #expect(try await socket.read(until: "\r\n").hasPrefix("HTTP/1.1 413"))
    let grown = try await child.memory - before
    #expect(grown < 16_000, "\(grown) kB")
    _ = await child.stop(SIGTERM)
  }
}
