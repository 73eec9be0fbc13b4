// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// A request that nobody makes who means well.
struct Attack: Sendable, CustomTestStringConvertible {
  var method = HTTPRequest.Method.get
  let path: String
  var headers: [String: String] = [:]
  var body = ""
  let status: HTTPResponse.Status
  let refusal: String

  var testDescription: String { "\(method) \(path) \(headers)" }

  static let all = paths + methods + forms

  private static let paths = [
    "..%2fmainstay", "..%2f..%2fetc%2fpasswd", "%2e%2e/secret", "public/..%2fdashboard.css",
    "public/..%5cdashboard.css", "public/dashboard.css%00.html", "public//etc/passwd",
    "outboxes/..%2forders", "outboxes/orders%2fdead", "outboxes/orders%0d%0aX-Evil:%201",
    "outboxes/%252e%252e", "outboxes/orders/operations/..%2f..%2fevents",
    "outboxes/orders/operations/%27%20OR%201=1", "outboxes/orders/dead?after=..%2f",
    "outboxes/orders?after=%00", "outboxes/orders%00", "errors/..%2f", "errors/%3Cscript%3E",
    "events/../..%2f", "diagnostics/..%2f..%2f", "nowhere", "circuits/x",
    "outboxes/\(String(repeating: "a", count: 4_000))",
  ].map { Attack(path: "/mainstay/\($0)", status: .notFound, refusal: "unknownPage") }

  private static let methods =
    [HTTPRequest.Method.put, .patch, .delete, .options, .trace].flatMap { method in
      ["", "/circuits", "/events", "/outboxes/orders", "/outboxes/orders/dead/discard"].map {
        Attack(
          method: method, path: "/mainstay\($0)", status: .methodNotAllowed,
          refusal: "wrongMethod")
      }
    }
    + [
      "/circuits/reset", "/circuits/isolate", "/circuits/release", "/outboxes/orders/dead/redrive",
      "/outboxes/orders/kinds/pause", "/outboxes/orders/kinds/resume",
      "/outboxes/orders/lanes/resume",
    ].map {
      Attack(path: "/mainstay\($0)", status: .methodNotAllowed, refusal: "wrongMethod")
    }
    + ["", "/events", "/errors", "/diagnostics", "/outboxes/orders/dead"].map {
      Attack(
        method: .post, path: "/mainstay\($0)", status: .methodNotAllowed, refusal: "wrongMethod")
    }

  private static let discard = "/mainstay/outboxes/orders/dead/discard"

  private static let forms: [Attack] = [
    (["Origin": "https://evil.example"], .forbidden, "foreignOrigin"),
    (["Origin": "null"], .forbidden, "foreignOrigin"),
    (["Origin": "http://localhost.evil.example"], .forbidden, "foreignOrigin"),
    (["Origin": "http://localhost:1"], .forbidden, "foreignOrigin"),
    (["Sec-Fetch-Site": "cross-site"], .forbidden, "foreignOrigin"),
    (["Sec-Fetch-Site": "same-site"], .forbidden, "foreignOrigin"),
    (["Sec-Fetch-Site": "none"], .forbidden, "foreignOrigin"),
    (["Content-Type": "text/plain"], .unprocessableContent, "badForm"),
    (["Content-Type": "multipart/form-data; boundary=a"], .unprocessableContent, "badForm"),
    (["Content-Type": "application/json"], .unprocessableContent, "badForm"),
    ([:], .forbidden, "badToken"),
    (["Cookie": "mainstay-dashboard=AAAA"], .forbidden, "badToken"),
  ].map { headers, status, refusal in
    Attack(
      method: .post, path: discard,
      headers: ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 },
      body: "all=yes&count=1&confirmed=yes&token=AAAA", status: status, refusal: refusal)
  }
}

/// Each is refused, told of, and changes nothing.
@Suite(.ends(withinMinutes: 2)) struct AttackTableTests {
  @Test func `every attack is refused, told of, and does nothing`() async throws {
    let outbox = try await brokenOutbox(["a"])
    for attack in Attack.all {
      let log = Log()
      try await serve(Dashboard(outbox, log: log)) { client in
        var headers = Visitor.host
        for (name, value) in attack.headers {
          headers[try #require(HTTPField.Name(name))] = value
        }
        let answer = try await client.execute(
          uri: attack.path, method: attack.method, headers: headers,
          body: ByteBuffer(string: attack.body))
        #expect(answer.status == attack.status, "\(attack.testDescription)")
        #expect(log.lines.count == 1, "\(attack.testDescription)")
        let line = try #require(log.lines.first)
        let end = " peer=127.0.0.1 refusal=\(attack.refusal) untold=0"
        #expect(line.hasPrefix("A request to the dashboard was refused. path=/mainstay"))
        #expect(line.hasSuffix(end), "\(attack.testDescription)")
        // Whatever was sent, it is one short line of plain letters, without its query.
        #expect(line.utf8.count < 350 && !line.contains("?"))
        #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        #expect(answer.header("X-Evil") == nil)
      }
    }
    #expect(try await outbox.snapshot().dead == 1)
    await outbox.shutDown()
  }

  @Test func `a form that drips in is given up`() async throws {
    let (log, clock) = (Log(), ManualClock())
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox, log: log, clock: clock)) { client in
      let socket = try Socket(port: try #require(client.port))
      try socket.send(
        """
        POST /mainstay/outboxes/orders/dead/discard HTTP/1.1\r
        Host: localhost\r
        Content-Type: application/x-www-form-urlencoded\r
        Content-Length: 1000\r
        \r
        token=A
        """)
      // Three watch how everything stands, and one the form.
      await clock.sleepers(atLeast: 4)
      clock.advance(by: .seconds(10))
      #expect(try await socket.read(until: "\r\n").hasPrefix("HTTP/1.1 408"))
    }
    #expect(log.lines.contains { $0.contains("refusal=tooSlow") })
    #expect(try await outbox.snapshot().dead == 1)
    await outbox.shutDown()
  }

  @Test(arguments: [
    (HTTPRequest.Method.post, "", "GET, HEAD"), (.delete, "/public/dashboard.css", "GET, HEAD"),
    (.post, "/events", "GET"), (.get, "/outboxes/orders/dead/discard", "POST"),
    (.options, "/circuits/reset", "POST"),
  ])
  func `a method that a path does not take is answered with those that it takes`(
    method: HTTPRequest.Method, path: String, allowed: String
  ) async throws {
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox)) { client in
      let answer = try await client.execute(
        uri: "/mainstay\(path)", method: method, headers: Visitor.host)
      #expect(answer.status == .methodNotAllowed)
      #expect(answer.header("Allow") == allowed)
    }
    await outbox.shutDown()
  }

  @Test func `an answer to HEAD has no body, and the connection goes on`() async throws {
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox)) { client in
      let socket = try Socket(port: try #require(client.port))
      let heads = [
        ("", 200), ("/circuits", 200), ("/outboxes/orders/dead", 200),
        ("/public/dashboard.js", 200), ("/nowhere", 404), ("/outboxes/orders/dead/discard", 405),
        ("/events", 405),
      ]
      for (path, status) in heads {
        try socket.send("HEAD /mainstay\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let head = try await socket.read(until: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(head)")
      }
      // A body that came unasked would stand before this.
      try socket.get("/mainstay/nowhere")
      #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
      // A stranger is refused in the same way.
      try socket.send("HEAD /mainstay HTTP/1.1\r\nHost: evil.example\r\n\r\n")
      _ = try await socket.read(until: "</html>")
      #expect(try await socket.read(until: "\r\n\r\n").contains("HTTP/1.1 403 "))
      try socket.get("/mainstay")
      #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
    await outbox.shutDown()
  }

  @Test func `a slash too many leads to the same page behind the same gate, or nowhere`()
    async throws
  {
    let router = try await answers(["//mainstay", "/mainstay//circuits", "/mainstay/"])
    for answer in router {
      #expect([.ok, .notFound].contains(answer.status))
      #expect(!answer.text.contains("<script>"))
    }
  }

  private func answers(_ paths: [String]) async throws -> [TestResponse] {
    try await serve(Dashboard()) { client in
      var answers: [TestResponse] = []
      for path in paths {
        answers.append(
          try await client.execute(uri: path, method: .get, headers: Visitor.host))
      }
      return answers
    }
  }
}
