// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

@Suite struct ResilientClientTests {
  /// No answer, until the wait for it is cancelled.
  private static func nothing() async throws -> HTTPReply {
    let (silence, _) = AsyncStream<Void>.makeStream()
    for await _ in silence {}
    throw CancellationError()
  }

  private struct Book: Codable, Equatable, Sendable {
    var title: String
  }

  @Test(.requirement("E4", "D31")) func `a call in one line asks and decodes`() async throws {
    let transport = ScriptedTransport(.json(#"{"title":"Dune"}"#))
    let books = try client(transport)
    let book = try await books.get("/books/\(1)", as: Book.self)
    #expect(book == Book(title: "Dune"))
    let sent = try #require(transport.sent.first)
    #expect(sent.verb == .get)
    #expect(sent.url.absoluteString == "https://books.example/v1/books/1")
    #expect(sent.headers["accept"] == "application/json")
  }

  @Test(.requirement("D31", "D33", "A42")) func `two failures and a success are three attempts`()
    async throws
  {
    let transport = ScriptedTransport { _, count in
      if count < 2 { throw AppError.broken }
      return .json(#"{"title":"Dune"}"#)
    }
    #expect(try await client(transport).get("/a", as: Book.self).title == "Dune")
    #expect(transport.sent.count == 3)
  }

  @Test(
    .requirement("D10", "A54"),
    arguments: [AppError.broken, .notSent, .http(status: 503, isRepeatable: true)])
  func `what must not be repeated is sent again only where it was certainly not sent`(
    _ failure: AppError
  ) async throws {
    let transport = ScriptedTransport { _, count in
      if count > 0 { return .json() }
      if failure.httpStatus != nil { return .json("", status: 503) }
      throw failure
    }
    let books = try client(transport)
    if failure.mayHaveBeenSent {
      let error = await #expect(throws: AppError.self) {
        try await books.post("/a", json: Book(title: "Dune"))
      }
      #expect(error?.disposition == .unknownOutcome)
      #expect(transport.sent.count == 1)
    } else {
      try await books.post("/a", json: Book(title: "Dune"))
      #expect(transport.sent.count == 2)
    }
  }

  @Test(.requirement("D10"))
  func `policies that repeat everything do not repeat what may have arrived`()
    async throws
  {
    let transport = ScriptedTransport { _, _ in throw AppError.broken }
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport) { _ in
      Pipeline("books") {
        Retry(maximumAttempts: 5, backoff: .none, retryIf: .anythingButCancellation)
      }
    }
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: Book(title: "Dune"))
    }
    #expect(error?.disposition == .unknownOutcome)
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("D10")) func `the key of an effect lets it be repeated, and stays the same`()
    async throws
  {
    let transport = ScriptedTransport { _, count in
      if count < 2 { throw AppError.broken }
      return .json()
    }
    let key = IdempotencyKey()
    try await client(transport).post("/a", json: Book(title: "Dune"), key: key)
    #expect(
      transport.sent.map { $0.headers["idempotency-key"] } == [
        key.rawValue, key.rawValue, key.rawValue,
      ])
    for request in transport.sent {
      #expect(try await request.content() == #"{"title":"Dune"}"#)
    }
  }

  @Test(.requirement("D10")) func `the key that is active in the task is used`() async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    let key = IdempotencyKey()
    try await key.active { _ = try await books.post("/a", json: Book(title: "Dune")) }
    #expect(transport.sent.first?.headers["Idempotency-Key"] == key.rawValue)
  }

  @Test(.requirement("D10")) func `a question does not go by the key that is active in the task`()
    async throws
  {
    let transport = ScriptedTransport(.json(#"{"title":"Dune"}"#))
    let books = try client(transport)
    let key = IdempotencyKey()
    _ = try await key.active { try await books.get("/a", as: Book.self) }
    _ = try await books.send(ResilientClient.Request(.get, "/a", key: key))
    #expect(transport.sent.map { $0.headers["Idempotency-Key"] } == [nil, key.rawValue])
  }

  @Test(.requirement("D10")) func `a hedge sends no copy of what must not be repeated`()
    async throws
  {
    let gate = Countdown(1)
    let transport = ScriptedTransport { _, _ in
      await gate.passed()
      return .json()
    }
    let clock = ManualClock()
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport) { _ in
      Pipeline("books") {
        Hedge(after: .fixed(.milliseconds(10)), safety: .safeToRepeat, clock: clock)
      }
    }
    async let answer = books.post("/a", json: Book(title: "Dune"))
    await transport.log.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(10))
    gate.count()
    _ = try await answer
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("D6", "D10")) func `a time limit leaves the outcome of a write unknown`()
    async throws
  {
    let transport = ScriptedTransport { _, _ in
      try await Self.nothing()
    }
    let clock = ManualClock()
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    let answer = Task { try await books.post("/a", json: Book(title: "Dune")) }
    await transport.log.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await answer.value }
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.kind == .timeout)
    #expect(transport.sent.count == 1)
  }

  @Test(
    .requirement("B17", "E1", "E14", "T19"),
    arguments: [400, 403, 404, 409, 422, 429, 418, 500, 502])
  func `the status is looked at before the body`(_ status: Int) async throws {
    let transport = ScriptedTransport(.json(#"{"title":"Dune"}"#, status: status))
    let books = try client(transport, attempts: 1)
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Book.self) }
    #expect(error?.httpStatus == status)
    #expect(error?.code.rawValue == "http.\(status)")
  }

  @Test(.requirement("E27")) func `errors of fields come with their places`() async throws {
    let problem = #"{"title":"No","errors":[{"pointer":"/title","detail":"It is too long."}]}"#
    let transport = ScriptedTransport(
      .json(problem, status: 422, headers: ["Content-Type": "application/problem+json"]))
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: Book(title: "Dune"))
    }
    #expect(error?.field?.description == "/title")
    #expect(error?.disposition == .permanent)
  }

  @Test(
    .requirement("C7", "T20"),
    arguments: [("http", HTTPVerb.get), ("http", .post), ("https", .get), ("https", .post)])
  func `a page where JSON was wanted is a portal`(
    _ scheme: String, _ verb: HTTPVerb
  ) async throws {
    let address = try #require(URL(string: "\(scheme)://books.example"))
    let books = ResilientClient("books", at: address, over: ScriptedTransport(.page())) { _ in
      Pipeline("books") {}
    }
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(verb, "/a"))
    }
    #expect(error?.kind == .portal)
    // Over TLS nobody but the service can have answered, and it may have done what it was asked.
    let isUnknown = scheme == "https" && verb == .post
    #expect(error?.disposition == (isUnknown ? .unknownOutcome : .transient()))
  }

  @Test(.requirement("E14")) func `a page is an answer where it is wanted, and so is no content`()
    async throws
  {
    var page = ResilientClient.Request(.get, "/a")
    page.accept = "text/html"
    let pages = try client(ScriptedTransport(.page()))
    #expect(try await pages.send(page).status == 200)
    // Others name it among the fields.
    var named = ResilientClient.Request(.get, "/a")
    named.headers["Accept"] = "Text/HTML"
    #expect(try await pages.send(named).status == 200)
    named.headers["Accept"] = "text/*;q=0.8, application/json"
    #expect(try await pages.send(named).status == 200)
    var settings = ResilientClient.Settings()
    settings.headers = ["Accept": "*/*"]
    let everything = try client(ScriptedTransport(.page()), settings: settings)
    #expect(try await everything.send(ResilientClient.Request(.get, "/a")).status == 200)
    named.headers["Accept"] = "application/json"
    named.accept = "text/html"
    let refused = named
    await #expect(throws: AppError.self) { try await pages.send(refused) }
    for status in [201, 204] {
      let empty = HTTPReply(
        status: status, headers: ["Content-Type": "text/html"], body: HTTPByteStream(Data()))
      let books = try client(ScriptedTransport(empty))
      #expect(try await books.post("/a", json: 1).status == status)
    }
  }

  @Test(.requirement("D6", "D10"))
  func `a time limit after a failed head leaves the outcome unknown`()
    async throws
  {
    let transport = ScriptedTransport { _, _ in
      HTTPReply(
        status: 503, headers: [:],
        body: HTTPByteStream(AsyncThrowingStream<Data, any Error> { _ in }))
    }
    let clock = ManualClock()
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    let answer = Task { try await books.post("/a", json: Book(title: "Dune")) }
    await transport.log.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await answer.value }
    #expect(error?.disposition == .unknownOutcome)
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("D5")) func `an answer that is something else keeps what it was about`()
    async throws
  {
    let transport = ScriptedTransport(.json(#"{"name":"Dune"}"#))
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.get("/a?token=secret", as: Book.self)
    }
    #expect(error?.kind == .decoding)
    #expect(error?.metadata["http.url"] == "https://books.example/v1/a")
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("D5"), arguments: [nil, 11])
  func `an answer that is too long is given up`(_ length: Int?) async throws {
    let transport = ScriptedTransport { _, _ in
      let parts = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data(repeating: 0x20, count: 6))
        continuation.yield(Data(repeating: 0x20, count: 5))
        continuation.finish()
      }
      return HTTPReply(status: 200, headers: [:], body: HTTPByteStream(parts, length: length))
    }
    var settings = ResilientClient.Settings()
    settings.maximumAnswer = 10
    let books = try client(transport, settings: settings)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/a"))
    }
    #expect(error?.kind == .decoding)
    #expect(error?.details?.contains("10 bytes") == true)
    settings.maximumAnswer = 11
    let enough = try client(transport, settings: settings)
    #expect(try await enough.send(ResilientClient.Request(.get, "/a")).body.count == 11)
  }

  @Test(arguments: [(HTTPVerb.head, 200), (.get, 204), (.get, 304)])
  func `an answer without a body may name any length`(
    _ verb: HTTPVerb, _ status: Int
  ) async throws {
    let transport = ScriptedTransport { _, _ in
      let nothing = AsyncThrowingStream<Data, any Error> { $0.finish() }
      return HTTPReply(
        status: status, headers: ["Content-Length": "50000000"],
        body: HTTPByteStream(nothing, length: 50_000_000))
    }
    let books = try client(transport)
    var request = ResilientClient.Request(verb, "/a")
    if status == 304 { request.headers = ["If-None-Match": "\"1\""] }
    let response = try await books.send(request)
    #expect(response.headers["content-length"] == "50000000")
    #expect(response.body.isEmpty)
    #expect(try await books.stream(request).body.length == 0)
  }

  @Test(.requirement("E12", "E35")) func `a cancellation is one, and is not repeated`() async throws
  {
    let transport = ScriptedTransport { _, _ in throw CancellationError() }
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.get("/a", as: Book.self)
    }
    #expect(error?.isCancellation == true)
    #expect(transport.sent.count == 1)
  }

  @Test(.requirement("E14")) func `what is gone already is removed`() async throws {
    for status in [204, 404, 410] {
      try await client(ScriptedTransport(.json("", status: status))).delete("/a")
    }
    let books = try client(ScriptedTransport(.json("", status: 403)))
    await #expect(throws: AppError.self) { try await books.delete("/a") }
  }

  @Test(.requirement("D28"))
  func `each request is told of, with nothing that is anybody's business`()
    async throws
  {
    let seen = Locked<[HTTPExchange]>([])
    let transport = ScriptedTransport { _, count in
      switch count {
      case 0: throw AppError.broken
      case 1: return .json("", status: 503)
      default: return .json(headers: ["X-Request-Id": "r-1"])
      }
    }
    let books = try client(transport) { exchange in seen.withLock { $0.append(exchange) } }
    _ = try await books.send(ResilientClient.Request(.get, "/a?token=secret"))
    let all = seen.withLock { $0 }
    #expect(all.map(\.attempt) == [1, 2, 3])
    #expect(all.map(\.status) == [nil, 503, 200])
    #expect(all.last?.requestID == "r-1")
    #expect(all.allSatisfy { !$0.description.contains("secret") })
    #expect(
      all.first?.description == "GET https://books.example/v1/a: no answer, network.timeout")
    #expect(all.first?.origin.description == "https://books.example")
  }

  @Test(.requirement("D28", "T18"), arguments: [false, true])
  func `a request that a time limit ended is told as one that nobody answered`(
    _ isGivenUp: Bool
  ) async throws {
    let seen = Locked<[HTTPExchange]>([])
    let clock = ManualClock()
    let transport = ScriptedTransport { _, _ in try await Self.nothing() }
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient(
      "books", at: address, over: transport,
      onExchange: { exchange in seen.withLock { $0.append(exchange) } }
    ) { _ in
      Pipeline("books") { Timeout(.seconds(10), disposition: .unknownOutcome, clock: clock) }
    }
    let answer = Task { try await books.post("/a", json: Book(title: "Dune")) }
    await transport.log.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    if isGivenUp { answer.cancel() } else { clock.advance(by: .seconds(10)) }
    let error = await #expect(throws: AppError.self) { try await answer.value }
    #expect(error?.isCancellation == isGivenUp)
    let all = seen.withLock { $0 }
    #expect(all.map { $0.error?.kind } == [isGivenUp ? .cancelled : .timeout])
    #expect(all.first?.error?.isCancellation == isGivenUp)
  }

  @Test(.requirement("D6")) func `the service is told how long its answer is waited for`()
    async throws
  {
    let clock = ManualClock()
    let transport = ScriptedTransport(.json())
    let address = try #require(URL(string: "https://books.example"))
    var settings = ResilientClient.Settings()
    settings.deadlineField = "X-Time-Left"
    let books = ResilientClient(
      "books", at: address, over: transport, settings: settings, clock: clock)
    _ = try await books.send(ResilientClient.Request(.get, "/a"))
    #expect(transport.sent.first?.headers["X-Time-Left"] == "10000")
  }
}
