// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayJSONRPC
import TestSupport
import Testing

/// A transport that answers as a script says.
private struct ScriptedTransport: HTTPTransport {
  struct Answer: Sendable {
    var status = 200
    var headers: HTTPHeaderFields = ["Content-Type": "application/json"]
    var body = ""
  }

  let answer: @Sendable (JSONValue) async throws -> Answer

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    guard case .bytes(let bytes) = transmission.body, let request = JSONValue(json: bytes) else {
      throw URLError(.badURL)
    }
    let answer = try await answer(request)
    return HTTPReply(
      status: answer.status, headers: answer.headers, body: HTTPByteStream(Data(answer.body.utf8)))
  }
}

/// Calls over HTTP, where the body is looked at before the status.
@Suite(.ends(withinMinutes: 2)) struct JSONRPCOverHTTPTests {
  private typealias Answer = ScriptedTransport.Answer

  private func client(
    _ scheme: String = "http", isRepeatable: Bool = false, size: Int = 16_000_000,
    _ answer: @escaping @Sendable (JSONValue) async throws -> Answer
  ) throws -> JSONRPCClient {
    var options = JSONRPCClient.Options()
    options.timeout = .patience
    options.maximumMessageSize = size
    options.isRepeatable = { _ in isRepeatable }
    return try JSONRPCClient(
      http: Service.address("\(scheme)://127.0.0.1:1337/"), over: ScriptedTransport(answer: answer),
      options: options)
  }

  @Test func `a call is answered`() async throws {
    let client = try client { Answer(body: Service.echo($0)) }
    #expect(try await client.call("a", .array([.integer(1)])) == .array([.integer(1)]))
    #expect(client.status == .connected)
  }

  @Test func `an answer to another call is told as what came in the place of one`() async throws {
    let client = try client { _ in Answer(body: #"{"jsonrpc":"2.0","result":"odd","id":"x"}"#) }
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .missing)
    #expect(outcome.connectionError?.details?.contains(#""result":"odd""#) == true)
  }

  @Test(.requirement("D4", "D9", "T19")) func `an error inside a 400 is an error of the server`()
    async throws
  {
    let client = try client {
      Answer(status: 400, body: Service.error(3122, "The fee is too small", to: $0))
    }
    let outcome = await client.outcome("submit")
    #expect(outcome.serverError?.code == 3122)
    #expect(outcome.serverError?.message == "The fee is too small")
    #expect(outcome.error?.code == "jsonrpc.3122")
    #expect(outcome.error?.httpStatus == nil)
    #expect(client.status == .connected)
  }

  @Test func `an error without an id belongs to its exchange`() async throws {
    let client = try client { _ in
      Answer(
        status: 400,
        body: #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?","data":[1]},"id":null}"#)
    }
    let outcomes = await client.batch([JSONRPCRequest("a"), JSONRPCRequest("b")])
    #expect(outcomes.map { $0.serverError?.code } == [-32700, -32700])
    #expect(outcomes[1].serverError?.data == .array([.integer(1)]))
  }

  @Test func `an error without an id takes nothing from calls that are answered`() async throws {
    let client = try client { request in
      let error = #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"?"},"id":null}"#
      return Answer(body: "[\(error),\((request.array?[1]).map(Service.echo) ?? "")]")
    }
    let outcomes = await client.batch([
      JSONRPCRequest("a"), JSONRPCRequest("b", .array([.integer(1)])),
    ])
    #expect(outcomes[0].serverError?.code == -32600)
    #expect(try outcomes[1].get() == .array([.integer(1)]))
  }

  @Test func `a result without an id is that of no call`() async throws {
    let client = try client { _ in Answer(body: #"[{"jsonrpc":"2.0","result":1,"id":null}]"#) }
    let outcomes = await client.batch([JSONRPCRequest("a"), JSONRPCRequest("b")])
    #expect(outcomes.map { $0.connectionError?.reason } == [.unreadable, .unreadable])
    #expect(outcomes.map { $0.error?.disposition } == [.unknownOutcome, .unknownOutcome])
    let own = await client.batch([JSONRPCRequest("a", id: .null), JSONRPCRequest("b")])
    #expect(try own[0].get() == .integer(1))
    #expect(own[1].connectionError?.reason == .missing)
  }

  @Test(.requirement("D2", "T19")) func `what is no answer is classified by its status`()
    async throws
  {
    let rows: [(Int, String, String, Bool, ErrorKind, Disposition)] = [
      (503, "text/plain", "busy", true, .server, .transient()),
      (503, "text/plain", "busy", false, .server, .unknownOutcome),
      (401, "application/json", #"{"error":"no token"}"#, false, .unauthorized, .needsUser),
      (
        404, "application/json", #"{"error":{"code":404,"message":"x"}}"#, true, .notFound,
        .permanent
      ),
      (500, "text/html", "<html>", true, .server, .transient()),
      (200, "text/html", "<html>sign in", false, .portal, .transient()),
      (302, "text/html", "", false, .portal, .transient()),
      (200, "application/json", "{", true, .decoding, .permanent),
      (200, "application/json", "", true, .decoding, .permanent),
      (
        200, "application/json", #"{"jsonrpc":"2.0","result":1,"id":"other"}"#, true, .decoding,
        .permanent
      ),
      (204, "application/json", "", false, .decoding, .unknownOutcome),
    ]
    for (status, type, body, isRepeatable, kind, disposition) in rows {
      let client = try client(isRepeatable: isRepeatable) { _ in
        Answer(status: status, headers: ["Content-Type": type], body: body)
      }
      let error = await client.outcome("a").error
      #expect(error?.kind == kind, "\(status) \(body)")
      #expect(error?.disposition == disposition, "\(status) \(body)")
    }
  }

  @Test(arguments: ["http", "https"])
  func `an answer that is called a page is an answer`(scheme: String) async throws {
    let page: HTTPHeaderFields = ["Content-Type": "text/html; charset=UTF-8"]
    let client = try client(scheme) { Answer(headers: page, body: Service.echo($0)) }
    #expect(try await client.call("pay", .array([.integer(1)])) == .array([.integer(1)]))
    #expect(client.status == .connected)
    let refusing = try self.client(scheme) {
      Answer(headers: page, body: Service.error(3122, "The fee is too small", to: $0))
    }
    #expect(await refusing.outcome("pay").serverError?.code == 3122)
    let silent = try self.client(scheme) { _ in Answer(headers: page) }
    try await silent.notify("a")
    // Nobody signs in with nothing: the service has answered, and may have done its work.
    #expect(await silent.outcome("pay").error?.disposition == .unknownOutcome)
  }

  @Test func `a long answer that is called a page has an unknown outcome`() async throws {
    let client = try client(size: 1_000) {
      Answer(
        headers: ["Content-Type": "text/html"],
        body: Service.result(.string(String(repeating: "x", count: 2_000)), to: $0))
    }
    let outcome = await client.outcome("pay")
    #expect(outcome.connectionError?.reason == .tooLarge)
    #expect(outcome.error?.disposition == .unknownOutcome)
  }

  @Test(arguments: ["http", "https"], [200, 303, 307, 511])
  func `over TLS a page in the place of an answer leaves the outcome unknown`(
    scheme: String, status: Int
  ) async throws {
    for isRepeatable in [true, false] {
      let client = try client(scheme, isRepeatable: isRepeatable) { _ in
        Answer(status: status, headers: ["Content-Type": "text/html"], body: "<html>sign in")
      }
      let error = await client.outcome("pay").error
      #expect(error?.kind == .portal)
      // Nobody but the service, or who stands before it, can have answered.
      let mayHaveArrived = scheme == "https"
      #expect(error?.mayHaveBeenSent == mayHaveArrived)
      let isUnknown = mayHaveArrived && !isRepeatable
      #expect(error?.disposition == (isUnknown ? .unknownOutcome : .transient()))
      #expect(client.status == .failed)
    }
  }

  @Test func `a wait that the service asks for is kept`() async throws {
    let client = try client { _ in
      Answer(status: 429, headers: ["Retry-After": "9", "Content-Type": "text/plain"], body: "no")
    }
    #expect(await client.outcome("a").error?.disposition == .throttled(retryAfter: .seconds(9)))
  }

  @Test func `an answer that is too large is refused`() async throws {
    let client = try client(size: 1_000) {
      Answer(body: Service.result(.string(String(repeating: "x", count: 2_000)), to: $0))
    }
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .tooLarge)
    #expect(outcome.error?.disposition == .unknownOutcome)
  }

  @Test func `bytes that are no UTF-8 are refused, and told`() async throws {
    struct Raw: HTTPTransport {
      func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
        HTTPReply(
          status: 200, headers: ["Content-Type": "application/json"],
          body: HTTPByteStream(Data([0x22, 0xff, 0x22])))
      }
    }
    let client = try JSONRPCClient(
      http: Service.address("http://127.0.0.1/"), over: Raw())
    let outcome = await client.outcome("a")
    #expect(outcome.connectionError?.reason == .unreadable)
    #expect(outcome.connectionError?.details?.contains("expected UTF-8") == true)
  }

  @Test func `a request that did not leave is transient, another one has an unknown outcome`()
    async throws
  {
    for (wasSent, isRepeatable, disposition) in [
      (false, false, Disposition.transient()), (true, true, .transient()),
      (true, false, .unknownOutcome),
    ] {
      let client = try client(isRepeatable: isRepeatable) { _ in
        throw AppError.offline().adding(metadata: ["http.sent": wasSent ? "maybe" : "no"])
      }
      let outcome = await client.outcome("a")
      #expect(outcome.error?.disposition == disposition)
      #expect(outcome.error?.kind == .offline)
      #expect(client.status == .failed)
    }
  }

  @Test func `notifications need no answer, and take any`() async throws {
    for answer in [Answer(status: 202), Answer(status: 204), Answer(body: "ok")] {
      let client = try client { _ in answer }
      try await client.notify("a")
    }
    let refusing = try client { _ in Answer(status: 403) }
    await #expect(throws: AppError.self) { try await refusing.notify("a") }
  }

  @Test func `a batch is one request, answered in any order`() async throws {
    let exchanges = Countdown(1)
    let client = try client { request in
      exchanges.count()
      let answers = (request.array ?? []).filter { $0["id"] != nil }.map(Service.echo)
      return Answer(body: "[\(answers.reversed().joined(separator: ","))]")
    }
    let requests = (0..<5).map {
      JSONRPCRequest("a", .array([.integer($0)]), isNotification: $0 == 2)
    }
    let outcomes = await client.batch(requests)
    await exchanges.reached()
    for (number, outcome) in outcomes.enumerated() {
      #expect(try outcome.get() == (number == 2 ? .null : .array([.integer(number)])))
    }
  }

  @Test func `a call that is stopped stops its exchange`() async throws {
    let begun = Countdown(1)
    let stopped = Countdown(1)
    let client = try client { _ in
      begun.count()
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      await withTaskCancellationHandler {
        for await _ in stream {}
      } onCancel: {
        stopped.count()
        continuation.finish()
      }
      throw CancellationError()
    }
    let task = await client.begun("a")
    await begun.reached()
    task.cancel()
    #expect(try await task.value.error?.disposition == .cancelled)
    await stopped.reached()
  }
}
