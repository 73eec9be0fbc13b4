// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayJSONRPC
import TestSupport
import Testing

/// Calls to servers that others wrote, over HTTP and WebSocket.
@Suite(.ends(withinMinutes: 5)) struct JSONRPCPeerTests {
  private func clients(_ peers: Peers, path: String = "") throws -> [JSONRPCClient] {
    var options = JSONRPCClient.Options()
    options.timeout = .patience
    options.webSocket.openTimeout = .patience
    options.webSocket.pingInterval = nil
    options.isRepeatable = { _ in true }
    return [
      try JSONRPCClient(http: peers.http, over: AsyncHTTPClientTransport(), options: options),
      try JSONRPCClient(http: peers.http, over: URLSessionTransport(), options: options),
      try JSONRPCClient(webSocket: peers.webSocket.appending(path: path), options: options),
    ]
  }

  @Test(.requirement("D4", "D9")) func `calls, errors and batches are understood`() async throws {
    let peers = try await Peers()
    for client in try clients(peers) {
      let difference = JSONValue.object(["minuend": .integer(9), "subtrahend": .integer(4)])
      #expect(try await client.call("subtract", difference) == .integer(5))
      let large = JSONValue.array([.number(.init(UInt64.max))])
      #expect(try await client.call("double", large).wholeDigits == "36893488147419103230")
      let failed = await client.outcome("fail")
      #expect(failed.serverError?.code == 3122)
      #expect(failed.serverError?.message == "The fee is too small")
      let fee = failed.serverError?.data?["minimumRequiredFee"]?.wholeDigits
      #expect(fee == "18446744073709551617")
      #expect(await client.outcome("nothing").serverError?.code == -32601)
      #expect(await client.outcome("subtract").serverError?.code == -32602)
      try await client.notify("echo", .array([.integer(1)]))
      let outcomes = await client.batch([
        JSONRPCRequest("echo", .array([.integer(1)])),
        JSONRPCRequest("echo", .array([.integer(2)]), isNotification: true),
        JSONRPCRequest("fail"), JSONRPCRequest("echo", .array([.string("ä")])),
      ])
      #expect(try outcomes[0].get() == .array([.integer(1)]))
      #expect(outcomes[2].serverError?.code == 3122)
      #expect(try outcomes[3].get() == .array([.string("ä")]))
      #expect(client.status == .connected)
    }
  }

  @Test func `a server that speaks first, and one that closes with a code`() async throws {
    let peers = try await Peers()
    let client = try clients(peers, path: "push")[2]
    var pushes = client.pushes.makeAsyncIterator()
    _ = try await client.call("echo")
    #expect(
      await pushes.following()
        == JSONRPCPush(method: "hello", params: .object(["first": .bool(true)])))
    let left = await client.outcome("leave")
    #expect(left.connectionError?.reason == .closedByServer)
    #expect(left.connectionError?.closeCode == 1012)
    #expect(left.connectionError?.details?.contains("restarting") == true)
    #expect(left.error?.disposition == .transient())
    #expect(try await client.call("echo") == .object([:]))
  }

  @Test func `many calls at once keep to themselves`() async throws {
    let peers = try await Peers()
    for client in try clients(peers) {
      let tasks = await started(200) { number in
        await client.outcome("double", .array([.integer(number)]))
      }
      for (number, task) in tasks.enumerated() {
        #expect(try await task.value.get() == .integer(2 * number))
      }
    }
  }

  @Test func `problem details of others are read`() async throws {
    let peers = try await Peers()
    let url = peers.http.appending(path: "problem")
    var options = JSONRPCClient.Options()
    options.timeout = .patience
    let client = try JSONRPCClient(http: url, over: AsyncHTTPClientTransport(), options: options)
    let outcome = await client.outcome("a")
    let error: HTTPError = try #require(outcome.error?.cause())
    #expect(error.status == 403)
    #expect(error.problem?.title == "Not enough credit")
    #expect(error.problem?.extensions["balance"] == .integer(30))
    #expect(outcome.error?.kind == .denied)
  }
}
