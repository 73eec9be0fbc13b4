// SPDX-License-Identifier: Apache-2.0

import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// Messages that are read beside the loop of their connection.
@Suite(.ends(withinMinutes: 2)) struct JSONRPCLongMessageTests {
  @Test func `what comes with a long message is read in its order, and before the end`()
    async throws
  {
    let long = JSONValue.string(String(repeating: "x", count: 1_000_000))
    @Sendable func push(_ method: String, _ value: JSONValue) -> String {
      Service.text([
        "jsonrpc": .string("2.0"), "method": .string(method), "params": .array([value]),
      ])
    }
    let server = try await WebSocketServer { connection in
      for await message in connection.messages {
        await connection.send(push("long", long))
        await connection.send(push("short", .null))
        await connection.send(Service.result(long, to: message.json ?? .null))
        return await connection.close(code: 1000, reason: "")
      }
    }
    let client = try Service.client(server)
    var pushes = client.pushes.makeAsyncIterator()
    #expect(try await client.call("read") == long)
    #expect(await pushes.next()?.method == "long")
    #expect(await pushes.next()?.method == "short")
  }
}
