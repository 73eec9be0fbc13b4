// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// How long what has a long body is waited for by the usual policies.
@Suite struct ClientTransferTests {
  private let clock = ManualClock()
  private let log = Log()
  /// Each turn lets one part go or come.
  private let turns: AsyncStream<Void>
  private let turn: AsyncStream<Void>.Continuation

  init() { (turns, turn) = AsyncStream.makeStream() }

  private func uploads(
    settings: ResilientClient.Settings = .init(), _ script: @escaping ScriptedTransport.Script
  ) throws -> (ResilientClient, ScriptedTransport) {
    let transport = ScriptedTransport(script)
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient(
      "books", at: address, over: transport, settings: settings, clock: clock)
    return (books, transport)
  }

  /// A body of so many parts.
  private static func photo(_ parts: Int) -> HTTPMessageBody {
    .stream { HTTPByteStream(inParts: Data(count: parts * 65_536)) }
  }

  /// Takes the parts of a request, one at each turn.
  private func taken() -> ScriptedTransport.Script {
    { [log, turns] request, _ in
      guard case .stream(let stream) = request.body else { return .json("", status: 400) }
      var turns = turns.makeAsyncIterator()
      for try await _ in stream {
        log.add("part")
        guard await turns.next() != nil else { throw CancellationError() }
      }
      return .json()
    }
  }

  @Test(.ends(withinMinutes: 5)) func `a long body has the time that it needs while its parts go`()
    async throws
  {
    let (books, transport) = try uploads(taken())
    let call = Task {
      try await books.send(ResilientClient.Request(.post, "/photos", body: Self.photo(20)))
    }
    for part in 1...20 {
      await log.lines(atLeast: part)
      clock.advance(by: .seconds(25))
      turn.yield()
    }
    #expect(try await call.value.status == 200)
    #expect(transport.sent.count == 1)
  }

  @Test(.ends(withinMinutes: 5)) func `a long body whose parts stop to go ends after a silence`()
    async throws
  {
    let (books, transport) = try uploads(taken())
    let call = Task {
      try await books.send(ResilientClient.Request(.post, "/photos", body: Self.photo(20)))
    }
    await log.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.mayHaveBeenSent == true)
    #expect(error?.metadata["policy.limit"] == Duration.seconds(30).inSeconds.description)
    #expect(transport.sent.count == 1)
  }

  @Test(.ends(withinMinutes: 5)) func `a transfer that always goes on ends at its limit`()
    async throws
  {
    var settings = ResilientClient.Settings()
    settings.transferLimit = .seconds(60)
    let (books, transport) = try uploads(settings: settings, taken())
    let call = Task {
      try await books.send(ResilientClient.Request(.post, "/photos", body: Self.photo(20)))
    }
    for part in 1...3 {
      await log.lines(atLeast: part)
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(20))
      if part < 3 { turn.yield() }
    }
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.metadata["policy.limit"] == Duration.seconds(60).inSeconds.description)
    #expect(transport.sent.count == 1)
  }

  @Test(.ends(withinMinutes: 5)) func `a question that is said to have a long answer waits for it`()
    async throws
  {
    let (books, _) = try uploads { [log, turns] _, _ in
      let parts = AsyncThrowingStream<Data, any Error> { [log, turns] in
        var turns = turns.makeAsyncIterator()
        log.add("asked")
        return await turns.next().map { Data("1".utf8) }
      }
      return HTTPReply(status: 200, headers: [:], body: HTTPByteStream(parts))
    }
    var request = ResilientClient.Request(.get, "/report")
    request.isTransfer = true
    let call = Task { [request] in try await books.send(request) }
    for part in 1...5 {
      await log.lines(atLeast: part)
      clock.advance(by: .seconds(25))
      turn.yield()
    }
    turn.finish()
    #expect(try await call.value.body == Data("11111".utf8))
  }

  @Test(.ends(withinMinutes: 5), arguments: [true, false])
  func `a long answer that is kept is waited for as well`(_ hasCache: Bool) async throws {
    let transport = ScriptedTransport { [log, turns] _, _ in
      let parts = AsyncThrowingStream<Data, any Error> { [log, turns] in
        var turns = turns.makeAsyncIterator()
        log.add("asked")
        return await turns.next().map { Data("1".utf8) }
      }
      return HTTPReply(status: 200, headers: [:], body: HTTPByteStream(parts))
    }
    let address = try #require(URL(string: "https://books.example"))
    let store = MemoryCacheStore(clock: clock)
    let books = ResilientClient(
      "books", at: address, over: transport,
      cache: hasCache ? ResponseCache("books", of: .everybody, in: store) : nil, clock: clock)
    let call = Task { try await books.cached("/catalogue", as: Int.self, isTransfer: true) }
    for part in 1...5 {
      await log.lines(atLeast: part)
      clock.advance(by: .seconds(25))
      turn.yield()
    }
    turn.finish()
    #expect(try await call.value == CachedValue(11_111, .fresh))
    #expect(transport.sent.count == 1)
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: ResilientClient.Request
    let isTransfer: Bool

    init(
      _ name: String, _ body: HTTPMessageBody?, isTransfer: Bool, says said: Bool? = nil
    ) {
      testDescription = name
      var request = ResilientClient.Request(body == nil ? .get : .put, "/a", body: body)
      request.isTransfer = said
      (self.request, self.isTransfer) = (request, isTransfer)
    }
  }

  static let kinds = [
    Kind("no body", nil, isTransfer: false),
    Kind("64 KiB", .bytes(Data(count: 65_536)), isTransfer: false),
    Kind("more", .bytes(Data(count: 65_537)), isTransfer: true),
    Kind("parts", .stream { HTTPByteStream(Data("a".utf8)) }, isTransfer: true),
    Kind("parts once", .once(HTTPByteStream(Data("a".utf8))), isTransfer: true),
    Kind("a question that says so", nil, isTransfer: true, says: true),
    Kind("a long body that does not", .bytes(Data(count: 65_537)), isTransfer: false, says: false),
  ]

  @Test(arguments: kinds) func `what is short has the limits that it had`(_ kind: Kind) async throws
  {
    let left = Locked<(attempt: Duration?, longest: Duration?)>((nil, nil))
    let (books, _) = try uploads { _, _ in
      left.withLock { $0 = (Deadline.remaining, Patience.current?.longestRemaining) }
      return .json()
    }
    _ = try await books.send(kind.request)
    #expect(left.withLock { $0.attempt } == .seconds(10))
    #expect(left.withLock { $0.longest } == (kind.isTransfer ? .seconds(600) : nil))
  }

  @Test(.ends(withinMinutes: 5))
  func `what is short ends within 30 seconds, with the waits between its attempts`() async throws {
    func failing(retryAfter: Int) throws -> (ResilientClient, ScriptedTransport) {
      try uploads { _, count in
        count > 0
          ? .json("1") : .json("", status: 503, headers: ["Retry-After": "\(retryAfter)"])
      }
    }
    let (books, asked) = try failing(retryAfter: 30)
    await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(asked.sent.count == 1, "nobody waits for what would come too late")
    let (others, askedAgain) = try failing(retryAfter: 27)
    let call = Task { try await others.get("/a", as: Int.self) }
    // Up to a tenth is added to the wait, and 30 seconds is the limit itself.
    let wait = Duration.seconds(27)..<(.seconds(30))
    while !clock.waits.contains(where: wait.contains), !Task.isCancelled { await Task.yield() }
    clock.advance(by: .milliseconds(29_800))
    #expect(try await call.value == 1)
    #expect(askedAgain.sent.count == 2)
  }

  @Test func `a service is told how long a transfer may take in all`() async throws {
    var settings = ResilientClient.Settings()
    settings.deadlineField = "Timeout-Milliseconds"
    let (books, transport) = try uploads(settings: settings) { _, _ in .json() }
    for body in [HTTPMessageBody.bytes(Data("a".utf8)), Self.photo(1)] {
      _ = try await books.send(ResilientClient.Request(.put, "/a", body: body))
    }
    #expect(transport.sent.map { $0.headers["timeout-milliseconds"] } == ["10000", "600000"])
  }

  @Test func `failed transfers open the breaker of all calls`() async throws {
    let (books, transport) = try uploads { _, _ in .json("", status: 503) }
    for _ in 1...5 {
      let request = ResilientClient.Request(.post, "/photos", body: Self.photo(2))
      await #expect(throws: AppError.self) { try await books.send(request) }
    }
    #expect(books.circuits.values.allSatisfy { $0.state != .closed })
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(error?.kind == .rejected)
    #expect(transport.sent.count == 5)
  }
}
