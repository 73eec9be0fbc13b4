// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What requests carry, and what streams and caches make of answers.
@Suite struct ClientBodyTests {
  @Test(.requirement("D10")) func `a body is made anew for each attempt`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("from a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bodies: [(HTTPMessageBody, String, String)] = [
      (.bytes(Data("bytes".utf8)), "bytes", "application/octet-stream"),
      (
        .form(["a b": "c&d", "e": "ü"]), "a%20b=c%26d&e=%C3%BC", "application/x-www-form-urlencoded"
      ),
      (.file(file, contentType: "text/plain"), "from a file", "text/plain"),
      (.stream { HTTPByteStream(Data("parts".utf8)) }, "parts", "application/octet-stream"),
      (.json(["a": 1]), #"{"a":1}"#, "application/json"),
    ]
    for (body, content, type) in bodies {
      let received = Locked<[String]>([])
      let transport = ScriptedTransport { request, count in
        let text = try await request.content()
        received.withLock { $0.append(text) }
        if count == 0 { throw AppError.broken }
        return .json()
      }
      _ = try await client(transport).send(ResilientClient.Request(.put, "/a", body: body))
      #expect(received.withLock { $0 } == [content, content])
      #expect(transport.sent.first?.headers["content-type"] == type)
    }
  }

  @Test(.requirement("D10"), arguments: [0, 1])
  func `a file that changes meanwhile is not sent as two contents`(_ change: Int) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("first".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = ScriptedTransport { request, _ in
      // Before it is read, or between two attempts.
      if change == 0 { try Data("newer".utf8).write(to: file) }
      _ = try await request.content()
      try Data("other".utf8).write(to: file)
      throw AppError.broken
    }
    let request = ResilientClient.Request(
      .post, "/a", body: .file(file), key: IdempotencyKey("one"))
    let error = await #expect(throws: AppError.self) { try await client(transport).send(request) }
    #expect(error?.details?.contains("The file has changed") == true)
    #expect(error?.mayHaveBeenSent == true)
    #expect(transport.sent.count == 1)
    // Another request may send what the file has become.
    let later = ScriptedTransport { request, _ in
      .json("\"\(try await request.content())\"")
    }
    let answer = try await client(later).send(request)
    #expect(
      String(decoding: answer.body, as: UTF8.self) == "\"\(change == 0 ? "newer" : "other")\"")
  }

  private struct Order: Encodable {
    let shop = "north", price = 5, note = "no milk", items = ["b": 1, "a": 2], at = 7
  }

  @Test func `a value has the same bytes in each process, so that a service knows a repetition`()
    async throws
  {
    let transport = ScriptedTransport(.json())
    let shop = try client(transport)
    let body = HTTPMessageBody.json(Order())
    _ = try await shop.send(ResilientClient.Request(.put, "/orders/1", body: body))
    try await shop.post("/orders", json: Order(), key: IdempotencyKey())
    for request in transport.sent {
      let text = #"{"at":7,"items":{"a":2,"b":1},"note":"no milk","price":5,"shop":"north"}"#
      #expect(try await request.content() == text)
    }
    #expect(transport.sent.count == 2)
  }

  @Test(.requirement("D10")) func `what can be read once is sent once`() async throws {
    let transport = ScriptedTransport { request, _ in
      _ = try await request.content()
      throw AppError.broken
    }
    let books = try client(transport)
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.put, "/a", body: body))
    }
    #expect(error?.disposition == .unknownOutcome)
    #expect(transport.sent.count == 1)
  }

  /// The answer to the first request, or why there is none; a success to any other.
  private static func script(_ failure: AppError) -> ScriptedTransport {
    ScriptedTransport { request, count in
      _ = try await request.content()
      if count > 0 { return .json() }
      if let status = failure.httpStatus { return .json("", status: status) }
      throw failure
    }
  }

  private static let harmless = [
    AppError.notSent, .http(status: 408), .http(status: 425), .http(status: 429),
  ]

  @Test(arguments: harmless)
  func `what was read once is not sent again empty where the service has not got it`(
    _ failure: AppError
  ) async throws {
    let transport = Self.script(failure)
    let books = try client(transport)
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.post, "/a", body: body))
    }
    #expect(error?.code == failure.code)
    #expect(error?.httpStatus == failure.httpStatus)
    #expect(transport.sent.count == 1)
  }

  @Test(.ends(withinMinutes: 5), arguments: harmless)
  func `the usual policies do not wait for an attempt that has nothing left to send`(
    _ failure: AppError
  ) async throws {
    let transport = Self.script(failure)
    let address = try #require(URL(string: "https://books.example"))
    // Nobody moves its time on, so a pause before another attempt would not end.
    let books = ResilientClient("books", at: address, over: transport, clock: ManualClock())
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.post, "/a", body: body))
    }
    #expect(error?.code == failure.code)
    #expect(transport.sent.count == 1)
  }

  @Test func `what can be read once and was not read yet goes out with the next attempt`()
    async throws
  {
    let received = Locked<[String]>([])
    let transport = ScriptedTransport { request, count in
      if count == 0 { throw AppError.notSent }
      let text = try await request.content()
      received.withLock { $0.append(text) }
      return .json()
    }
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    _ = try await client(transport).send(ResilientClient.Request(.post, "/a", body: body))
    #expect(received.withLock { $0 } == ["x"])
  }

  @Test func `another request does not send what was read once`() async throws {
    let transport = ScriptedTransport { request, _ in
      _ = try await request.content()
      return .json()
    }
    let books = try client(transport)
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    let request = ResilientClient.Request(.post, "/a", body: body)
    _ = try await books.send(request)
    let error = await #expect(throws: AppError.self) { try await books.send(request) }
    #expect(error?.kind == .defect)
    #expect(error?.disposition == .permanent)
    #expect(error?.mayHaveBeenSent == false)
    #expect(transport.sent.count == 1)
  }

  @Test func `a question whose body can be read once follows no redirection without it`()
    async throws
  {
    let transport = ScriptedTransport { request, count in
      _ = try await request.content()
      return count == 0 ? .json("", status: 307, headers: ["Location": "/b"]) : .json()
    }
    let books = try client(transport)
    let query = try #require(HTTPVerb("QUERY"))
    let body = HTTPMessageBody.once(HTTPByteStream(Data("x".utf8)))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(query, "/a", body: body))
    }
    #expect(error?.httpStatus == 307)
    #expect(transport.sent.count == 1)
  }

  /// A clock on which pauses between attempts end at once, and nothing else ever does.
  private struct HastyClock: Clock {
    private let clock = ManualClock()

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      if now.duration(to: deadline) < .seconds(1) { return }
      try await clock.sleep(until: deadline)
    }
  }

  @Test(.ends(withinMinutes: 5))
  func `what fetches the body of a request that is sent once is repeated all the same`()
    async throws
  {
    let source = ScriptedTransport { _, count in
      count == 0 ? .json("", status: 503) : .json("part")
    }
    let address = try #require(URL(string: "https://source.example"))
    let parts = ResilientClient("source", at: address, over: source, clock: HastyClock())
    let isRead = Locked(false)
    let stream = AsyncThrowingStream<Data, any Error> {
      if isRead.withLock({ $0 }) { return nil }
      let part = try await parts.send(ResilientClient.Request(.get, "/part"))
      isRead.withLock { $0 = true }
      return part.body
    }
    let received = Locked<[String]>([])
    let upload = ScriptedTransport { request, _ in
      let text = try await request.content()
      received.withLock { $0.append(text) }
      return .json()
    }
    let body = HTTPMessageBody.once(HTTPByteStream(stream))
    _ = try await client(upload).send(ResilientClient.Request(.post, "/copy", body: body))
    #expect(received.withLock { $0 } == ["part"])
    #expect(source.sent.count == 2)
  }

  @Test(.requirement("C10")) func `a file that is not there is an error before anything is sent`()
    async throws
  {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    let body = HTTPMessageBody.file(URL(fileURLWithPath: "/nowhere/at/all"))
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.post, "/a", body: body))
    }
    #expect(error?.kind == .notFound)
    #expect(error?.disposition == .permanent)
    #expect(transport.sent.isEmpty)
  }

  /// Begins to read by a client that nobody has afterwards.
  private static func reading(
    _ transport: ScriptedTransport
  ) async throws -> HTTPByteStream.AsyncIterator {
    var settings = ResilientClient.Settings()
    settings.streamSilence = nil
    let books = try client(transport, settings: settings)
    return try await books.stream(ResilientClient.Request(.get, "/a")).body.makeAsyncIterator()
  }

  @Test func `who reads a stream holds its client, and whoever stops lets go of it`() async throws {
    weak var held: ScriptedTransport?
    func read() async throws {
      var parts: HTTPByteStream.AsyncIterator
      do {
        let transport = ScriptedTransport(.json("one"))
        held = transport
        parts = try await Self.reading(transport)
      }
      #expect(held != nil)
      #expect(try await parts.next() == Data("one".utf8))
    }
    try await read()
    #expect(held == nil)
  }

  @Test(.requirement("D6")) func `a stream that is silent for too long is ended`() async throws {
    let (parts, source) = AsyncThrowingStream<Data, any Error>.makeStream()
    let transport = ScriptedTransport { _, _ in
      HTTPReply(status: 200, headers: [:], body: HTTPByteStream(parts))
    }
    let clock = ManualClock()
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    let response = try await books.stream(ResilientClient.Request(.get, "/a"))
    source.yield(Data("one".utf8))
    var iterator = response.body.makeAsyncIterator()
    #expect(try await iterator.next() == Data("one".utf8))
    let waiting = clock.sleeperCount
    async let end: Void = {
      await clock.sleepers(atLeast: waiting + 1)
      clock.advance(by: .seconds(30))
    }()
    let error = await #expect(throws: AppError.self) { try await iterator.next() }
    #expect(error?.kind == .timeout)
    await end
  }

  @Test(.requirement("C10")) func `the service is asked whether what is kept is still right`()
    async throws
  {
    let transport = ScriptedTransport { request, count in
      switch count {
      case 0: return .json(#"["Dune"]"#, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"])
      case 1: return .json("", status: 304, headers: ["ETag": "\"1\""])
      default: throw AppError.broken
      }
    }
    let cache = ResponseCache("books", of: .everybody, in: MemoryCacheStore())
    let books = try client(transport, cache: cache)
    for _ in 0..<2 {
      let titles = try await books.cached("/books", as: [String].self)
      #expect(titles.value == ["Dune"])
      #expect(titles.freshness.isFresh)
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
    let stale = try await books.cached("/books", as: [String].self)
    #expect(stale.value == ["Dune"])
    #expect(!stale.freshness.isFresh)
    await #expect(throws: AppError.self) { try await books.cached("/others", as: [String].self) }
  }

  @Test(
    .requirement("C10", "O39"),
    arguments: [
      // What the answer says, for how long it is given stale by a policy that allows 100 seconds.
      ("max-age=10", 100), ("max-age=10, stale-if-error=30", 30),
      ("max-age=10, stale-if-error=9999", 100), ("max-age=10, stale-if-error=0", nil),
      ("max-age=10, stale-if-error=30, must-revalidate", nil),
      ("no-cache, stale-if-error=30", nil), ("no-store, max-age=10", nil),
    ] as [(String, Int64?)])
  func `where the service fails, its own word bounds how long it is answered for`(
    directives: String, seconds: Int64?
  ) async throws {
    let transport = ScriptedTransport { _, count in
      guard count == 0 else { throw AppError.broken }
      return .json(#"["Dune"]"#, headers: ["Cache-Control": directives])
    }
    let clock = ManualClock()
    let cache = ResponseCache(
      "books", of: .everybody, in: MemoryCacheStore(clock: clock),
      policy: CachePolicy(staleIfError: .within(.seconds(100))))
    let books = try client(transport, attempts: 1, cache: cache)
    func ask() async throws -> CachedValue<[String]> { try await books.cached("/books") }
    #expect(try await ask().freshness == .fresh)
    clock.advance(by: .seconds(10))
    if let seconds {
      clock.advance(by: .seconds(seconds))
      let stale = try await ask()
      #expect(stale.value == ["Dune"] && !stale.freshness.isFresh)
      clock.advance(by: .nanoseconds(1))
    }
    await #expect(throws: AppError.self) { try await ask() }
  }

  @Test(.requirement("C10")) func `what a 304 does not say stays as it was`() async throws {
    let transport = ScriptedTransport { request, count in
      switch count {
      case 0:
        return .json(
          "[1]", headers: ["ETag": "\"1\"", "Cache-Control": "max-age=10, stale-if-error=30"])
      case 1: return .json("", status: 304, headers: ["Cache-Control": "max-age=20"])
      default: throw AppError.broken
      }
    }
    let clock = ManualClock()
    let cache = ResponseCache("books", of: .everybody, in: MemoryCacheStore(clock: clock))
    let books = try client(transport, attempts: 1, cache: cache)
    func ask() async throws -> CachedValue<[Int]> { try await books.cached("/a") }
    _ = try await ask()
    clock.advance(by: .seconds(10))
    #expect(try await ask().freshness == .fresh)
    clock.advance(by: .seconds(50))
    #expect(try await !ask().freshness.isFresh)
    clock.advance(by: .nanoseconds(1))
    await #expect(throws: AppError.self) { try await ask() }
  }

  @Test(.requirement("C10")) func `without a cache each call asks`() async throws {
    let transport = ScriptedTransport { _, _ in .json("[1]") }
    let books = try client(transport)
    for _ in 0..<2 { #expect(try await books.cached("/a", as: [Int].self).value == [1]) }
    #expect(transport.sent.count == 2)
  }
}
