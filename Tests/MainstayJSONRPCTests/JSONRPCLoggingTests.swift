// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport
import Testing

/// A log that keeps its lines, metadata sorted by name.
private struct Lines: LogHandler {
  let log: Log
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(_ log: Log) { self.log = log }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let values = (event.metadata ?? [:]).filter { $0.key != "duration" }
      .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
    log.add("\(event.level) \(event.message)" + values.joined())
  }
}

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
    let logger = Logger(label: "test") { _ in Lines(log) }
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
