// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// What a client writes into a log.
@Suite(.ends(withinMinutes: 2)) struct JSONRPCLoggingTests {
  @Test(.requirement("D28", "D35")) func `requests, answers and errors have method and id`()
    async throws
  {
    let server = try await Service.answering { request in
      request["method"]?.string == "wrong"
        ? Service.error(-32601, "no such method", to: request) : Service.echo(request)
    }
    let client = try Service.client(server)
    let log = Log()
    let logger = log.logger { "\($0.level) \($0.message)\($0.pairs(without: "duration"))" }
    // On return it listens.
    let writing = await started { await client.log(to: logger) }
    _ = try await client.call("right", .array([.string("secret")]))
    _ = await client.outcome("wrong")
    client.close()
    try await writing.value
    #expect(
      log.lines == [
        "info connected connection=1", "debug requested id=1 method=right",
        "debug answered id=1 method=right", "debug requested id=2 method=wrong",
        "error failed disposition=permanent error.code=rpc.32601 id=2 method=wrong",
      ])
  }
}
