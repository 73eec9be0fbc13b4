// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// Where requests go: redirections and sign-ins.
@Suite struct ClientWayTests {
  @Test(.requirement("E14"), arguments: [301, 302, 303, 307, 308])
  func `a redirection within the origin is followed`(_ status: Int) async throws {
    let transport = ScriptedTransport { _, count in
      count == 0 ? .json("", status: status, headers: ["Location": "../v2/b"]) : .json()
    }
    let response = try await client(transport).send(ResilientClient.Request(.get, "/a"))
    #expect(response.url.absoluteString == "https://books.example/v2/b")
    #expect(transport.sent.map(\.verb) == [.get, .get])
  }

  @Test(
    .requirement("E14"), arguments: [(303, HTTPVerb.get), (302, .get), (307, .post), (308, .post)])
  func `what becomes of a POST is up to the status`(
    _ status: Int, _ verb: HTTPVerb
  ) async throws {
    let transport = ScriptedTransport { _, count in
      count == 0 ? .json("", status: status, headers: ["Location": "/b"]) : .json()
    }
    try await client(transport).post("/a", json: ["a": 1])
    #expect(transport.sent.map(\.verb) == [.post, verb])
    let content = try await transport.sent[1].content()
    #expect(content == (verb == .post ? #"{"a":1}"# : ""))
  }

  @Test(
    .requirement("E14"),
    arguments: [
      "https://other.example/", "http://books.example/", "ftp://books.example/", "//other.example",
      "https://books.example:444/",
    ])
  func `a redirection elsewhere is not followed`(_ location: String) async throws {
    let transport = ScriptedTransport(.json("", status: 302, headers: ["Location": location]))
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.httpStatus == 302)
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("D10", "A54"), arguments: [AppError.notSent, .http(status: 429)])
  func `a change that was answered by see other is not made again, whatever comes there`(
    _ failure: AppError
  ) async throws {
    let transport = ScriptedTransport { _, count in
      if count == 0 { return .json("", status: 303, headers: ["Location": "/b"]) }
      if let status = failure.httpStatus { return .json("", status: status) }
      throw failure
    }
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.mayHaveBeenSent == true)
    #expect(transport.sent.map(\.verb) == [.post, .get])
  }

  @Test(arguments: [AppError.notSent, .http(status: 404)])
  func `a change with a key that was answered by see other may have had its effect`(
    _ failure: AppError
  ) async throws {
    let transport = ScriptedTransport { transmission, _ in
      if transmission.verb == .post { return .json("", status: 303, headers: ["Location": "/b"]) }
      if let status = failure.httpStatus { return .json("", status: status) }
      throw failure
    }
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(error?.metadata["http.sent"] == "maybe")
    #expect(error?.mayHaveBeenSent == true)
  }

  @Test(.requirement("D10", "A54"))
  func `a change answered by see other is not made again where a portal comes next`()
    async throws
  {
    let transport = ScriptedTransport { _, count in
      let location = count == 0 ? "/b" : "https://login.example/"
      return .json("", status: count == 0 ? 303 : 302, headers: ["Location": location])
    }
    let address = try #require(URL(string: "http://books.example"))
    let books = ResilientClient("books", at: address, over: transport) { _ in
      Pipeline("books") { Retry(maximumAttempts: 3, backoff: .none) }
    }
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.kind == .portal)
    #expect(error?.disposition == .unknownOutcome)
    #expect(transport.sent.map(\.verb) == [.post, .get])
  }

  @Test(.requirement("E14")) func `another port of the host is another service`() async throws {
    let transport = ScriptedTransport { _, count in
      count == 0
        ? .json("", status: 302, headers: ["Location": "https://books.example:8443/b"]) : .json()
    }
    var settings = ResilientClient.Settings()
    settings.redirections = .anywhere(maximum: 2)
    let books = try client(
      transport, settings: settings, authorization: HTTPAuthorization(token: "t") { _ in "u" })
    _ = try await books.send(ResilientClient.Request(.get, "/a"))
    #expect(transport.sent.map { $0.headers.contains("authorization") } == [true, false])
  }

  @Test(.requirement("E13")) func `the effect that a call is about is none of the sign-in's`()
    async throws
  {
    let seen = Locked<[IdempotencyKey?]>([])
    let authorization = HTTPAuthorization { _ in
      seen.withLock { $0.append(IdempotencyKey.current) }
      return "token"
    }
    let books = try client(ScriptedTransport(.json()), authorization: authorization)
    try await books.post("/a", json: 1, key: IdempotencyKey())
    #expect(seen.withLock { $0 } == [nil])
  }

  @Test(.requirement("E13")) func `a token that could end its field is not sent`() async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(
      transport, authorization: HTTPAuthorization(token: "t\r\nX: y") { _ in "u" })
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.kind == .configuration)
    #expect(transport.sent.isEmpty)
  }

  @Test(.requirement("C7", "T20")) func `one from a connection that anybody can read is a portal`()
    async throws
  {
    let transport = ScriptedTransport(
      .json("", status: 302, headers: ["Location": "https://login.example/"]))
    let address = try #require(URL(string: "http://books.example"))
    let books = ResilientClient("books", at: address, over: transport) { _ in Pipeline("p") {} }
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.kind == .portal)
  }

  @Test(.requirement("E14")) func `a circle of redirections ends`() async throws {
    let transport = ScriptedTransport(.json("", status: 302, headers: ["Location": "/v1/a"]))
    let books = try client(transport, attempts: 1)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.httpStatus == 302)
    #expect(transport.sent.count == 6)
  }

  @Test(.requirement("E14")) func `what belongs to the first host goes to no other`() async throws {
    let transport = ScriptedTransport { _, count in
      count == 0
        ? .json("", status: 302, headers: ["Location": "https://other.example/b"]) : .json()
    }
    var settings = ResilientClient.Settings()
    settings.redirections = .anywhere(maximum: 2)
    let books = try client(
      transport, settings: settings, authorization: HTTPAuthorization(token: "t") { _ in "u" })
    var request = ResilientClient.Request(.get, "/a", key: IdempotencyKey())
    request.headers = ["Cookie": "c=1", "X-Kept": "1"]
    _ = try await books.send(request)
    let fields = transport.sent.map { sent in
      ["authorization", "cookie", "idempotency-key", "x-kept"].map { sent.headers.contains($0) }
    }
    #expect(fields == [[true, true, true, true], [false, false, false, true]])
    try await #require(throws: AppError.self) {
      let writes = try client(
        ScriptedTransport(.json("", status: 307, headers: ["Location": "https://other.example/b"])),
        settings: settings)
      try await writes.post("/a", json: 1)
    }
  }

  @Test(.requirement("E13", "B7")) func `one sign-in serves all that were refused`() async throws {
    let refused = Countdown(10)
    let asked = Log()
    let transport = ScriptedTransport { request, _ in
      guard request.headers["authorization"] == "Bearer old" else { return .json() }
      refused.count()
      await refused.passed()
      return .json("", status: 401)
    }
    let authorization = HTTPAuthorization(token: "old") { old in
      asked.add(old ?? "none")
      return "new"
    }
    let books = try client(transport, authorization: authorization)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10 {
        group.addTask { try await books.send(ResilientClient.Request(.get, "/a")).status }
      }
      for try await status in group { #expect(status == 200) }
    }
    #expect(asked.lines == ["old"])
    #expect(transport.sent.count == 20)
  }

  @Test(.requirement("E13")) func `a sign-in goes on where all who wait for it have left`()
    async throws
  {
    let transport = ScriptedTransport(.json())
    let (asked, gate) = (Log(), Countdown(1))
    let authorization = HTTPAuthorization(token: nil) { _ in
      asked.add("asked")
      await gate.passed()
      // What renews the token may do so once.
      try Task.checkCancellation()
      return "new"
    }
    let books = try client(transport, authorization: authorization)
    let waiting = Task { try await books.send(ResilientClient.Request(.get, "/a")) }
    await asked.lines(atLeast: 1)
    waiting.cancel()
    let error = await #expect(throws: AppError.self) { try await waiting.value }
    #expect(error?.isCancellation == true)
    let next = await started { try await books.send(ResilientClient.Request(.get, "/a")).status }
    gate.count()
    #expect(try await next.value == 200)
    #expect(asked.lines.count == 1)
    #expect(transport.sent.map { $0.headers["authorization"] } == ["Bearer new"])
  }

  @Test(.requirement("D10"))
  func `what must not be repeated is not repeated below either, except where it only looks`()
    async throws
  {
    let transport = ScriptedTransport { request, _ in
      request.verb == .post ? .json("", status: 303, headers: ["Location": "/b"]) : .json()
    }
    let books = try client(transport)
    var request = ResilientClient.Request(.get, "/a")
    request.isRepeatable = false
    _ = try await books.send(request)
    try await books.post("/a", json: 1)
    #expect(transport.sent.map(\.verb) == [.get, .post, .get])
    #expect(transport.sent.map(\.isRepeatable) == [false, false, true])
  }

  @Test(.requirement("E13")) func `a new token that is not taken either needs the user`()
    async throws
  {
    let transport = ScriptedTransport(.json("", status: 401))
    let books = try client(
      transport, authorization: HTTPAuthorization(token: "a") { _ in "b" })
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.kind == .unauthorized)
    #expect(error?.disposition == .needsUser)
    #expect(transport.sent.map { $0.headers["authorization"] } == ["Bearer a", "Bearer b"])
  }

  @Test(.requirement("E13")) func `without a person who signs in nothing is sent`() async throws {
    let transport = ScriptedTransport(.json())
    let count = Locked(0)
    let authorization = HTTPAuthorization { _ in
      count.withLock { $0 += 1 }
      throw HTTPError(status: 400, method: "POST", url: "https://login.example/token")
    }
    let books = try client(transport, authorization: authorization)
    for _ in 0..<3 {
      let error = await #expect(throws: AppError.self) {
        try await books.post("/a", json: 1)
      }
      #expect(error?.disposition == .needsUser)
    }
    #expect(count.withLock { $0 } == 1)
    #expect(transport.sent.isEmpty)
    authorization.signIn("token")
    try await books.post("/a", json: 1)
    #expect(transport.sent.first?.headers["authorization"] == "Bearer token")
    authorization.signOut()
    await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(count.withLock { $0 } == 2)
  }

  @Test(.requirement("E13")) func `once something has changed a token is asked for again`()
    async throws
  {
    let transport = ScriptedTransport(.json())
    let asked = Log()
    let authorization = HTTPAuthorization { old in
      asked.add(old ?? "none")
      guard asked.lines.count > 1 else { throw AppError.unauthorized() }
      return "token"
    }
    let books = try client(transport, authorization: authorization)
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.disposition == .needsUser)
    authorization.askAgain()
    try await books.post("/a", json: 1)
    // What is there stays.
    authorization.askAgain()
    try await books.post("/a", json: 1)
    #expect(asked.lines == ["none", "none"])
    #expect(transport.sent.map { $0.headers["authorization"] } == ["Bearer token", "Bearer token"])
  }

  @Test(.requirement("E13")) func `a sign-in that failed for a moment is tried again`() async throws
  {
    let transport = ScriptedTransport(.json())
    let count = Locked(0)
    let authorization = HTTPAuthorization { _ in
      if count.withLock({
        $0 += 1; return $0
      }) == 1 {
        throw AppError.broken
      }
      return "token"
    }
    try await client(transport, authorization: authorization).post("/a", json: 1)
    #expect(transport.sent.count == 1)
  }

  /// A sign-in that fails so at its first call, and goes well from then on.
  private static func signIn(failing failure: any Error) -> HTTPAuthorization {
    let count = Locked(0)
    return HTTPAuthorization { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number > 1 else { throw failure }
      return "token"
    }
  }

  private static let doubtful: [any Error] = [
    HTTPError(status: 503, method: "POST", url: "https://login.example/token"),
    AppError.broken.with(disposition: .unknownOutcome),
  ]

  @Test(arguments: [HTTPVerb.get, .post], [0, 1])
  func `a sign-in of which nobody knows what became is tried again before anything is sent`(
    _ verb: HTTPVerb, _ failure: Int
  ) async throws {
    let transport = ScriptedTransport(.json())
    let authorization = Self.signIn(failing: Self.doubtful[failure])
    _ = try await client(transport, authorization: authorization)
      .send(ResilientClient.Request(verb, "/a"))
    #expect(transport.sent.map { $0.headers["authorization"] } == ["Bearer token"])
  }

  @Test func `a payment that waited for a sign-in in vain was certainly not sent`() async throws {
    let transport = ScriptedTransport(.json())
    let authorization = HTTPAuthorization { _ in throw Self.doubtful[0] }
    let books = try client(transport, attempts: 1, authorization: authorization)
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.disposition == .transient())
    #expect(error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
  }

  @Test func `a sign-in whose error nobody has classified is tried again at the next request`()
    async throws
  {
    struct Odd: Error {}
    let transport = ScriptedTransport(.json())
    let books = try client(transport, authorization: Self.signIn(failing: Odd()))
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.disposition == .unclassified)
    #expect(error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
    try await books.post("/a", json: 1)
    #expect(transport.sent.count == 1)
  }
}
