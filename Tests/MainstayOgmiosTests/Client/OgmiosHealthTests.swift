// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTPTesting
import MainstayOgmios
import MainstayTesting
import TestSupport
import Testing

/// That one endpoint without an answer keeps nobody from the health of the next one.
@Suite(.ends(withinMinutes: 4)) struct OgmiosHealthTests {
  /// A server that takes connections and says nothing on them.
  private func silent() async throws -> WebSocketServer {
    try await WebSocketServer(receive: { _ in .silence }) { _ in }
  }

  /// The next endpoint is waited for as long as the machine needs; the first one for no time.
  private func letTimePass(_ clock: ManualClock, waitingFor server: WebSocketServer) async {
    await server.log.first { $0 == .refused(connection: 0) }
    await clock.waiters(atLeast: 1)
    clock.advance(by: .patience)
  }

  @Test func `an endpoint that hangs keeps nobody from the health of the next one`()
    async throws
  {
    let clock = ManualClock()
    let (deaf, server) = (try await silent(), try await OgmiosServer())
    let watched = try Watched([deaf.origin, server.socketAddress], clock: clock)
    async let health = watched.client.health()
    await letTimePass(clock, waitingFor: deaf)
    #expect(try await health.endpoint == server.socketAddress)
    #expect(watched.log.lines == ["failed timeout"])
    // It may be slow and well.
    let status = watched.client.status.endpoints[0]
    #expect(status.connection == .reconnecting && !status.isResting)
  }

  @Test func `where all endpoints hang that is said`() async throws {
    let clock = ManualClock()
    let deaf = [try await silent(), try await silent()]
    let client = try Watched(deaf.map(\.origin), clock: clock).client
    async let error = failure { try await client.health() }
    for server in deaf { await letTimePass(clock, waitingFor: server) }
    #expect(await error?.kind == .timeout)
    #expect(await error?.endpoint == client.status.endpoints[1].name)
  }

  @Test(arguments: [200, 404])
  func `an endpoint with another page keeps nobody from the health of the next one`(
    status: Int
  ) async throws {
    let gateway = try await WebSocketServer(receive: { _ in
      .refuse(status: status, headers: [], body: "<html>")
    }) { _ in }
    let server = try await OgmiosServer()
    let client = try Watched([gateway.origin, server.socketAddress]).client
    #expect(try await client.health().endpoint == server.socketAddress)
    let standing = client.status.endpoints[0]
    #expect(standing.connection == .disconnected && standing.breaker == .closed)
  }
}
