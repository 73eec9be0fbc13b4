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
@Suite(.ends(withinMinutes: 10)) struct HugeFormTests {
  private static let head = """
    POST /mainstay/outboxes/orders/dead/discard HTTP/1.1\r
    Host: localhost\r
    Content-Type: application/x-www-form-urlencoded\r
    Transfer-Encoding: chunked\r
    \r

    """

  /// A part of a body, of 64 KB.
  private static let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"

  /// The first line of the answer to so many parts of a body; nil where the server hung up before
  /// all were sent.
  private static func answer(at port: Int, to chunks: Int) async -> String? {
    do {
      let socket = try Socket(port: port)
      try socket.send(head)
      for _ in 0..<chunks { try socket.send(chunk) }
      return try await socket.read(until: "\r\n")
    } catch {
      return nil
    }
  }

  /// Whether ten seconds passed before all was sent, on a machine that stood still.
  private static func isTooSlow(_ answer: String?) -> Bool {
    answer?.hasPrefix("HTTP/1.1 408") ?? true
  }

  @Test func `a form without a length is refused as soon as it is too large, and told of`()
    async throws
  {
    let outbox = try await brokenOutbox(["a"])
    var log: Log
    var answer: String?
    repeat {
      log = Log()
      answer = try await serve(Dashboard(outbox, log: log)) { client in
        await Self.answer(at: try #require(client.port), to: 5)
      }
    } while Self.isTooSlow(answer) && !Task.isCancelled
    #expect(answer?.hasPrefix("HTTP/1.1 413") == true)
    #expect(
      log.lines == [
        "A request to the dashboard was refused. path=\(AttackTests.discard) peer=127.0.0.1 "
          + "refusal=tooLarge untold=0"
      ])
    #expect(try await outbox.snapshot().dead == 1)
    await outbox.shutDown()
  }

  @Test func `a form without an end is refused, and none of it is kept`() async throws {
    let child = try await BuiltProgram("DashboardChild", ["1"])
    let before = try await child.memory
    var answer: String?
    // 32 MB: what is kept of it would be seen.
    repeat {
      answer = await Self.answer(at: child.port, to: 512)
    } while Self.isTooSlow(answer) && !Task.isCancelled
    #expect(answer?.hasPrefix("HTTP/1.1 413") == true)
    let grown = try await child.memory - before
    #expect(grown < 16_000, "\(grown) kB")
    _ = await child.stop(SIGTERM)
  }
}
