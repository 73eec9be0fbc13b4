// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// A connection that ends over one of several calls: nobody knows over which.
@Suite(.ends(withinMinutes: 3)) struct JSONRPCSharedEndTests {
  /// A server whose first connection ends as a script says, once two requests are there.
  private func failingOnce(
    _ end: @escaping @Sendable (WebSocketServer.Connection) async -> Void
  ) async throws -> WebSocketServer {
    try await WebSocketServer { connection in
      var isSecond = false
      for await message in connection.messages {
        if connection.number > 0 {
          await connection.send(Service.echo(message.json ?? .null))
        } else if isSecond {
          await end(connection)
          return await connection.ended()
        }
        isSecond = true
      }
    }
  }

  private func outcomes(
    of client: JSONRPCClient
  ) async throws -> [Result<JSONValue, AppError>] {
    let read = await client.begun("read")
    let write = await client.begun("write")
    return [try await read.value, try await write.value]
  }

  @Test(arguments: ["too large", "no UTF-8", "a violation"])
  func `what ends a connection over one call is no answer to the others`(what: String)
    async throws
  {
    let server = try await failingOnce { connection in
      switch what {
      case "too large": await connection.send(String(repeating: "x", count: 2_000))
      case "no UTF-8": await connection.send(frame: .init(opcode: 1, [0xff]))
      default: await connection.send(frame: .init(opcode: 3))
      }
    }
    let client = try Service.client(server) { options in
      options.maximumMessageSize = 1_000
      options.isRepeatable = { $0 == "read" }
    }
    let outcomes = try await outcomes(of: client)
    #expect(outcomes.map { $0.connectionError?.reason } == [.lost, .lost])
    #expect(outcomes.map { $0.error?.disposition } == [.transient(), .unknownOutcome])
    // What happened is told all the same.
    #expect(outcomes.allSatisfy { $0.connectionError?.details?.isEmpty == false })
    #expect(try await client.call("read") == .null)
  }

  @Test func `what a server says as it closes is the answer to no one of several calls`()
    async throws
  {
    let reason = #"{"code":-32001,"message":"too old"}"#
    let server = try await failingOnce { await $0.close(code: 1000, reason: reason) }
    let entry = JSONRPCErrorCatalog.Entry(
      -32001, "TooOld", meaning: "The node is too old.", disposition: .permanent)
    let client = try Service.client(server) { options in
      options.catalog = .standard.merging(JSONRPCErrorCatalog([entry]))
      options.isRepeatable = { $0 == "read" }
    }
    let outcomes = try await outcomes(of: client)
    #expect(outcomes.map { $0.connectionError?.reason } == [.closedByServer, .closedByServer])
    #expect(outcomes.map { $0.error?.disposition } == [.transient(), .unknownOutcome])
    #expect(outcomes.allSatisfy { $0.serverError?.code == -32001 })
  }
}
