// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import TestSupport
import Testing

/// What a client that others wrote makes of what servers of ours say: jsonrpcclient over httpx and
/// over websockets.
@Suite(.requirement("D4", "D9"), .ends(withinMinutes: 5)) struct ForeignClientTests {
  private static let fee = #"{"minimumRequiredFee":18446744073709551617,"path":["ä"]}"#

  /// The answer to one request, or to all of a batch; nil where nobody waits for one.
  @Sendable private static func answer(_ message: JSONValue) -> String? {
    guard let requests = message.array else { return answerOne(message) }
    let answers = requests.compactMap(answerOne)
    return answers.isEmpty ? nil : "[" + answers.joined(separator: ",") + "]"
  }

  private static func answerOne(_ request: JSONValue) -> String? {
    guard request["id"] != nil else { return nil }
    let params = request["params"]
    switch request["method"]?.string {
    case "subtract":
      let (left, right) = (params?["minuend"]?.integer ?? 0, params?["subtrahend"]?.integer ?? 0)
      return Service.result(.integer(left - right), to: request)
    case "echo": return Service.echo(request)
    case "fail":
      let error = JSONValue.object([
        "code": .integer(3122), "message": .string("The fee is too small"),
        "data": JSONValue(json: Data(fee.utf8)) ?? .null,
      ])
      return Service.text([
        "jsonrpc": .string("2.0"), "error": error, "id": request["id"] ?? .null,
      ])
    default: return Service.error(-32601, "Method not found", to: request)
    }
  }

  private static func post(_ request: ReceivedRequest) -> ScriptedHTTPServer.Answer {
    let json = [(name: "Content-Type", value: "application/json")]
    guard let message = JSONValue(json: request.body), let text = answer(message) else {
      return .reply(204)
    }
    // As Ogmios does it: each error is a 400.
    let hasFailed = JSONValue(json: Data(text.utf8))?["error"] != nil
    return .reply(hasFailed ? 400 : 200, headers: json, body: Data(text.utf8))
  }

  /// What it saw of calls, whatever carried them.
  private func check(_ seen: JSONValue) throws {
    #expect(seen["named"] == (try json(#"{"id":"a","result":5}"#)))
    #expect(seen["large"] == (try json(#"{"id":1,"result":[18446744073709551617,"ä"]}"#)))
    let failure = #""code":3122,"message":"The fee is too small","data":\#(Self.fee)"#
    #expect(seen["failed"] == (try json(#"{"id":2,\#(failure)}"#)))
    #expect(seen["unknown"]?["code"]?.integer == -32601)
    #expect(seen["silence"] == .string(""))
    #expect(seen["after"] == (try json(#"{"id":4,"result":[2]}"#)))
    #expect(seen["batch"] == (try json(#"[{"id":5,"result":[1]},{"id":6,\#(failure)}]"#)))
  }

  private func json(_ text: String) throws -> JSONValue {
    try #require(JSONValue(json: Data(text.utf8)))
  }

  @Test(arguments: [false, true]) func `calls, errors and batches over HTTP`(
    isSecure: Bool
  ) async throws {
    let authority = isSecure ? try await CertificateAuthority() : nil
    let server = try await ScriptedHTTPServer(
      tls: try await authority?.identity(), http2: isSecure
    ) { request, _ in Self.post(request) }
    let seen = try await ForeignClient.run("calls", at: server.origin, trusting: authority)
    try check(seen)
    #expect(seen["statuses"] == (try json("[200,200,400,400,204,200,200]")))
    // With TLS both agree on HTTP/2.
    #expect(seen["versions"] == (try json(isSecure ? #"["HTTP/2"]"# : #"["HTTP/1.1"]"#)))
  }

  @Test(arguments: [false, true]) func `calls, errors and batches over a WebSocket`(
    isSecure: Bool
  ) async throws {
    let authority = isSecure ? try await CertificateAuthority() : nil
    let server = try await WebSocketServer(tls: try await authority?.identity()) { connection in
      for await message in connection.messages {
        guard let text = message.json.flatMap(Self.answer) else { continue }
        await connection.send(text)
      }
    }
    try check(try await ForeignClient.run("calls", at: server.origin, trusting: authority))
    await server.log.first { if case .closed(_, let code, _) = $0 { code == 1000 } else { false } }
    #expect(!server.log.events.contains { if case .violated = $0 { true } else { false } })
  }

  @Test(arguments: ["http", "ws", "https", "wss"]) func `questions to Ogmios`(
    scheme: String
  ) async throws {
    let isSecure = scheme.hasSuffix("s") && scheme != "ws"
    let authority = isSecure ? try await CertificateAuthority() : nil
    var settings = OgmiosServer.Settings()
    settings.tls = try await authority?.identity()
    let server = try await OgmiosServer(settings: settings)
    let epoch = "queryLedgerState/epoch"
    // The first one is answered, and the second one fails.
    server.inject(
      .text(#"{"jsonrpc":"2.0","method":"\#(epoch)","result":512,"id":2}"#), into: epoch)
    server.inject(.failure(.init(2001, "Another era", data: Self.fee)), into: epoch)
    let address = scheme.hasPrefix("ws") ? server.socketAddress : server.httpAddress
    let seen = try await ForeignClient.run("ogmios", at: address, trusting: authority)
    let tip = server.ledger.tip
    #expect(seen["tip"]?["id"] == .string("tip"))
    #expect(seen["tip"]?["result"]?["id"] == .string(tip.id))
    #expect(seen["epoch"] == (try json(#"{"id":2,"result":512}"#)))
    let failure = #"{"id":3,"code":2001,"message":"Another era","data":\#(Self.fee)}"#
    #expect(seen["failed"] == (try json(failure)))
    let id = OgmiosLedger.transactionID(of: "84a0")
    #expect(seen["sent"]?["result"]?["transaction"]?["id"] == .string(id))
    #expect(seen["again"]?["code"]?.integer == 3117)
    #expect(seen["unknown"]?["code"]?.integer == -32600)
    #expect(seen["batch"]?["error"]?["code"]?.integer == -32600)
    if scheme.hasPrefix("ws") {
      #expect(seen["heights"] == (try json(#"{"x":9,"y":9,"z":9}"#)))
    } else {
      #expect(seen["health"] == (try json(#"[200,"connected"]"#)))
      #expect(seen["statuses"] == (try json("[200,200,400,200,400,400,400]")))
    }
  }

  @Test func `problem details are read`() async throws {
    var problem = ProblemDetails(
      type: "https://example.com/problems/title", title: "The book can’t be kept", status: 422,
      detail: "It has no title.", instance: "/books/7")
    problem.extensions["balance"] = .number(.init(UInt64.max))
    problem.fieldErrors = [.init(pointer: "/title", detail: "The title is missing.")]
    let body = problem.encoded
    let server = try await ScriptedHTTPServer { _, _ in
      .reply(
        422, headers: [("Content-Type", ProblemDetails.contentType), ("Retry-After", "7")],
        body: body)
    }
    let seen = try await ForeignClient.run("problem", at: server.origin)
    #expect(seen["status"]?.integer == 422)
    #expect(seen["type"]?.string == "application/problem+json")
    #expect(seen["retryAfter"]?.string == "7")
    #expect(seen["hasFailed"] == .bool(true))
    #expect(
      seen["known"]
        == (try json(
          #"{"type":"https://example.com/problems/title","title":"The book can’t be kept","#
            + #""status":422,"detail":"It has no title.","instance":"/books/7"}"#)))
    #expect(
      seen["extensions"]
        == (try json(
          #"{"balance":18446744073709551615,"errors":[{"pointer":"/title","#
            + #""detail":"The title is missing."}]}"#)))
  }

  @Test func `who is not trusted is told nothing`() async throws {
    let (authority, other) = (try await CertificateAuthority(), try await CertificateAuthority())
    let server = try await OgmiosServer(
      settings: {
        var settings = OgmiosServer.Settings()
        settings.tls = try await authority.identity()
        return settings
      }())
    await #expect(throws: ForeignClient.Failed.self) {
      try await ForeignClient.run("ogmios", at: server.httpAddress, trusting: other)
    }
    #expect(server.calls.isEmpty)
  }
}
