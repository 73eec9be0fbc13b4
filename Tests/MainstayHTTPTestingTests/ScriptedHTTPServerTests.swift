// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTPTesting
import TestSupport
import Testing

/// That the server does over HTTP/1.1 what its script says, byte for byte.
@Suite(.ends(withinMinutes: 2)) struct ScriptedHTTPServerTests {
  private typealias Answer = ScriptedHTTPServer.Answer

  private static let request = "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// All that a client hears who asks once.
  private func heard(
    _ answer: Answer, asking request: String = Self.request
  ) async throws -> (text: String, end: Caller.Heard?) {
    let server = try await ScriptedHTTPServer { _, _ in answer }
    let caller = try await Caller(to: server.port)
    try await caller.say(request)
    let end = await caller.end()
    return (caller.text, end)
  }

  @Test func `requests are kept as they came, and answered on one connection`() async throws {
    let server = try await ScriptedHTTPServer { request, earlier in
      .reply(200 + earlier, headers: [("X-Path", request.path)], body: request.body)
    }
    let caller = try await Caller(to: server.port)
    try await caller.say(
      "PUT /a?b=c HTTP/1.1\r\nhOst: localhost\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nhi")
    let first = "HTTP/1.1 200 Scripted\r\nX-Path: /a\r\nContent-Length: 2\r\n\r\nhi"
    #expect(await caller.hear("\r\n\r\nhi") == first)
    try await caller.say("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    try await caller.say("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")
    let second = "HTTP/1.1 201 Scripted\r\nX-Path: /\r\nContent-Length: 3\r\n\r\nabc"
    #expect(await caller.hear("\r\n\r\nabc") == first + second)
    let requests = server.received
    #expect(requests.map(\.method) == ["PUT", "POST"] && requests.map(\.connection) == [0, 0])
    #expect(requests[0].target == "/a?b=c" && requests[0].query == "b=c")
    #expect(requests[0].headers.map(\.name) == ["hOst", "X-A", "x-a", "Content-Length"])
    #expect(requests[0].values(of: "x-A") == ["1", "2"] && requests[0]["HOST"] == "localhost")
    #expect(requests[1].query == nil && requests[1]["host"] == nil)
    #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["hi", "abc"])
    #expect(server.openConnections == 1)
    await server.log.first { $0 == .answered(connection: 0, "POST /") }
    try await caller.close()
    await server.log.first { $0 == .ended(connection: 0) }
    #expect(
      server.log.events == [
        .opened(connection: 0), .asked(connection: 0, "PUT /a?b=c"),
        .answered(connection: 0, "PUT /a?b=c"), .asked(connection: 0, "POST /"),
        .answered(connection: 0, "POST /"), .ended(connection: 0),
      ])
  }

  @Test func `an answer may be cut, and its length may be wrong`() async throws {
    var answer = Answer.reply(200, body: Data("abcdef".utf8))
    let head = "HTTP/1.1 200 Scripted\r\nContent-Length: "
    (answer.extent, answer.ending) = (.bytes(2), .hangUp)
    var (text, end) = try await heard(answer)
    #expect(text == head + "6\r\n\r\nab" && end == .finished)
    (answer.extent, answer.ending) = (.bytes(0), .reset)
    (text, end) = try await heard(answer)
    #expect((head + "6\r\n\r\n").hasPrefix(text) && end == .reset)
    (answer.framing, answer.extent, answer.ending) = (.declaredLength(2), .all, .hangUp)
    (text, _) = try await heard(answer)
    #expect(text == head + "2\r\n\r\nabcdef")
    answer.framing = .declaredLength(900)
    (text, _) = try await heard(answer)
    #expect(text == head + "900\r\n\r\nabcdef")
  }

  @Test func `a body may come in chunks, or end with the connection`() async throws {
    let body = Answer.Body.bytes(Data("abcde".utf8))
    var chunked = Answer.reply(200, streaming: body, framing: .chunked(size: 3))
    chunked.ending = .hangUp
    let first = try await heard(chunked).text
    #expect(first.hasSuffix("chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
    chunked.extent = .bytes(4)
    let second = try await heard(chunked).text
    #expect(second.hasSuffix("3\r\nabc\r\n1\r\nd\r\n"))
    let third = try await heard(.reply(200, streaming: body, framing: .untilEnd))
    #expect(third.text.hasSuffix("Connection: close\r\n\r\nabcde") && third.end == .finished)
    var fourth = Answer.reply(200, body: Data("abcde".utf8))
    fourth.framing = .untilEnd
    let changed = try await heard(fourth)
    #expect(changed.text == third.text && changed.end == .finished)
  }

  @Test func `there may be no answer, or none of HTTP`() async throws {
    #expect(try await heard(.hangUp).text == "")
    #expect(try await heard(.reset).end == .reset)
    #expect(try await heard(.garbage).text == "who is there?\r\n\r\n")
    #expect(try await heard(.nothing(then: .finish)).end == .finished)
    let close = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
    let portal = try await heard(.portal, asking: close).text
    #expect(portal.contains("text/html") && portal.contains("<form"))
    let redirect = try await heard(.redirect(to: "/b", status: 307), asking: close).text
    #expect(redirect.hasPrefix("HTTP/1.1 307 ") && redirect.contains("Location: /b\r\n"))
    let server = try await ScriptedHTTPServer { _, _ in .silence }
    let caller = try await Caller(to: server.port)
    try await caller.say(Self.request)
    await server.log.events(atLeast: 3)
    #expect(caller.heard.isEmpty)
    try await caller.close()
    await server.log.first { $0 == .ended(connection: 0) }
  }

  @Test func `a head answers HEAD, and a 204 has no length`() async throws {
    let head = "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n"
    let answer = Answer.reply(200, body: Data("abc".utf8))
    #expect(
      try await heard(answer, asking: head).text
        == "HTTP/1.1 200 Scripted\r\nContent-Length: 3\r\n\r\n")
    let close = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
    #expect(try await heard(.reply(204), asking: close).text == "HTTP/1.1 204 Scripted\r\n\r\n")
  }

  @Test func `an answer is held until a test lets it go, its body too`() async throws {
    let (gate, bodyGate) = (Gate(), Gate())
    let server = try await ScriptedHTTPServer { _, _ in
      var answer = Answer.reply(200, body: Data("abc".utf8))
      answer.informational = [(status: 103, headers: [(name: "Link", value: "</a>")])]
      (answer.gate, answer.bodyGate) = (gate, bodyGate)
      return answer
    }
    let caller = try await Caller(to: server.port)
    try await caller.say(Self.request)
    await server.log.events(atLeast: 2)
    #expect(caller.heard.isEmpty)
    gate.open()
    let head = "HTTP/1.1 103 Scripted\r\nLink: </a>\r\n\r\nHTTP/1.1 200 Scripted\r\n"
    let heads = head + "Content-Length: 3\r\n\r\n"
    await caller.hear(heads.utf8.count)
    #expect(caller.text == heads)
    bodyGate.open()
    #expect(await caller.hear("abc") == heads + "abc")
  }

  @Test func `a body may drip`() async throws {
    var answer = Answer.reply(200, body: Data("abcd".utf8))
    answer.pace = (bytes: 1, every: .milliseconds(5))
    answer.ending = .hangUp
    let start = ContinuousClock.now
    #expect(try await heard(answer).text.hasSuffix("\r\n\r\nabcd"))
    #expect(start.duration(to: .now) >= .milliseconds(15))
  }

  @Test func `a body is welcome, or is answered before it came`() async throws {
    let server = try await ScriptedHTTPServer(answersBeforeBody: { $0.path == "/early" }) {
      request, _ in .reply(413, body: request.body)
    }
    let caller = try await Caller(to: server.port)
    let rest = "HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    try await caller.say("PUT / " + rest)
    #expect(await caller.hear("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try await caller.say("abc")
    await caller.hear("\r\n\r\nabc")
    let early = try await Caller(to: server.port)
    try await early.say("PUT /early " + rest)
    #expect(await early.hear("\r\n\r\n") == "HTTP/1.1 413 Scripted\r\nContent-Length: 0\r\n\r\n")
    // What comes of the body is nothing of the next request.
    try await early.say("abc" + Self.request)
    await server.log.first { $0 == .answered(connection: 1, "GET /a?b=c") }
    #expect(server.received.map(\.body.count) == [3, 0, 0])
  }

  @Test func `whoever has stopped to send is answered where that is wanted`() async throws {
    let gate = Gate()
    let server = try await ScriptedHTTPServer(answersHalfClosed: true) { _, _ in
      var answer = Answer.reply(200)
      answer.gate = gate
      return answer
    }
    let caller = try await Caller(to: server.port)
    try await caller.say(Self.request)
    try await caller.finish()
    await server.log.events(atLeast: 2)
    gate.open()
    #expect(await caller.end() == .finished)
    #expect(caller.text.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `a body of a pattern is made while it is sent`() async throws {
    let count = 3_000_000
    let server = try await ScriptedHTTPServer { _, _ in
      .reply(200, streaming: .pattern(count: count), framing: .untilEnd)
    }
    let caller = try await Caller(to: server.port)
    try await caller.say(Self.request)
    #expect(await caller.end() == .finished)
    var expected = (0..<251).map { UInt8($0) }
    while expected.count < count { expected += expected }
    #expect(Array(caller.heard.suffix(count)) == Array(expected.prefix(count)))
  }

  @Test func `of a long body the beginning is kept, and all of it is counted`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let caller = try await Caller(to: server.port)
    let length = 20 << 20
    try await caller.say("POST / HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n")
    try await caller.say([UInt8](repeating: 0x61, count: length))
    await caller.hear("\r\n\r\n")
    #expect(server.received.map(\.length) == [length])
    #expect(server.received.map(\.body.count) == [16 << 20])
  }

  @Test func `what is no HTTP is a bad request, and what breaks off is none`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let caller = try await Caller(to: server.port)
    try await caller.say("who is there?\r\n\r\n")
    #expect(await caller.end() != nil)
    #expect(caller.text.hasPrefix("HTTP/1.1 400 "))
    let broken = try await Caller(to: server.port)
    try await broken.say("GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc")
    try await broken.finish()
    #expect(await broken.end() != nil)
    #expect(broken.heard.isEmpty && server.received.isEmpty)
  }

  @Test func `with the server all connections end, those that wait too`() async throws {
    let gate = Gate()
    var server: ScriptedHTTPServer? = try await ScriptedHTTPServer { _, _ in
      await gate.opened()
      return .reply(200)
    }
    let (log, port) = (try #require(server?.log), try #require(server?.port))
    let caller = try await Caller(to: port)
    try await caller.say(Self.request)
    await log.events(atLeast: 2)
    server = nil
    #expect(await caller.end() != nil)
    await log.first { $0 == .ended(connection: 0) }
    // Its script goes on, and answers nobody.
    await log.first { $0 == .answered(connection: 0, "GET /a?b=c") }
  }
}
