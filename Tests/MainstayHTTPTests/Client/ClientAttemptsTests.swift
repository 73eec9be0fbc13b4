// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What the error of a call says of all its attempts, and not of the last one alone.
@Suite struct ClientAttemptsTests {
  private func client(_ failures: [AppError]) throws -> ResilientClient {
    try MainstayHTTPTests.client(
      ScriptedTransport { _, count in
        let failure = failures[min(count, failures.count - 1)]
        if let status = failure.httpStatus { return .json("", status: status) }
        throw failure
      })
  }

  @Test(arguments: [
    AppError.notSent, .http(status: 503, isRepeatable: true), .http(status: 429),
    .http(status: 422),
  ])
  func `an error says that an earlier attempt may have arrived`(_ later: AppError) async throws {
    let books = try client([.broken, later])
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(error?.metadata["http.sent"] == "maybe")
    #expect(error?.httpStatus == later.httpStatus)
    #expect(error?.disposition == later.disposition, "what may be done about it stays")
  }

  @Test(arguments: [500, 503, 504])
  func `a service that failed may have done what a later attempt could not ask for`(
    _ status: Int
  ) async throws {
    let books = try client([.http(status: status, isRepeatable: true), .notSent])
    let keyed = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(keyed?.metadata["http.sent"] == "maybe" && keyed?.mayHaveBeenSent == true)
    #expect(keyed?.disposition == .transient(), "what may be done about it stays")
    let question = await #expect(throws: AppError.self) {
      try await client([.http(status: status, isRepeatable: true), .notSent]).get(
        "/a", as: Int.self)
    }
    #expect(question?.mayHaveBeenSent == false, "a question has no effect")
  }

  @Test func `an answer to a question says nothing of an earlier attempt`() async throws {
    let error = await #expect(throws: AppError.self) {
      try await client([.timeout(), .http(status: 404)]).get("/a", as: Int.self)
    }
    #expect(error?.httpStatus == 404 && error?.metadata["http.sent"] == nil)
  }

  @Test(arguments: ["https://books.example", "http://localhost:8080", "http://127.0.0.1"])
  func `work learns whether somebody beyond this device has answered it`(
    _ origin: String
  ) async throws {
    let address = try #require(URL(string: origin))
    for (status, isAnswer) in [(200, true), (404, true), (511, false)] {
      let books = ResilientClient(
        "books", at: address, over: ScriptedTransport(.json("1", status: status))
      ) { _ in Pipeline("books") {} }
      let use = NetworkUse()
      _ = try? await use.during { try await books.get("/a", as: Int.self) }
      #expect(use.isAnswered == (isAnswer && origin.hasPrefix("https")))
    }
  }

  @Test func `work learns whether a change was made, or may have been`() async throws {
    func hasBegun(_ request: ResilientClient.Request, _ failures: [AppError]) async throws -> Bool {
      let transport = ScriptedTransport { _, count in
        guard count < failures.count else { return .json("1", status: 201) }
        if let status = failures[count].httpStatus { return .json("", status: status) }
        throw failures[count]
      }
      let books = try MainstayHTTPTests.client(transport)
      let use = NetworkUse()
      _ = try? await use.during { try await books.send(request) }
      return use.hasBegun
    }
    var search = ResilientClient.Request(.post, "/search", body: .json(1))
    let order = search
    search.isRepeatable = true
    #expect(try await hasBegun(order, []))
    #expect(try await hasBegun(order, [.broken]), "it may have arrived")
    #expect(try await !hasBegun(order, [.http(status: 422)]))
    #expect(try await !hasBegun(search, []))
    #expect(try await !hasBegun(ResilientClient.Request(.get, "/a"), []))
  }

  @Test func `a service that failed may have done what its breaker refuses to repeat`() async throws
  {
    let address = try #require(URL(string: "https://books.example"))
    let transport = ScriptedTransport(.json("", status: 504))
    let books = ResilientClient("books", at: address, over: transport) { _ in
      Pipeline("books") {
        Retry(maximumAttempts: 2, backoff: .none)
        CircuitBreaker("books", .consecutiveFailures(1), breakFor: .seconds(600))
      }
    }
    let error = await #expect(throws: AppError.self) { try await books.put("/a", json: 1) }
    #expect(error?.kind == .rejected)
    #expect(error?.metadata["http.sent"] == "maybe" && error?.mayHaveBeenSent == true)
    #expect(transport.sent.count == 1)
  }

  @Test func `a failure that a service answers with itself stays what it is`() async throws {
    let books = try client([.http(status: 504, isRepeatable: true)])
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(error?.httpStatus == 504 && error?.metadata["http.sent"] == nil)
  }

  @Test(
    arguments: ["If-Match", "If-None-Match", "If-Unmodified-Since"],
    [AppError.broken, .http(status: 504, isRepeatable: true)])
  func `a change that may have been made before is not told as somebody else's`(
    _ condition: String, _ earlier: AppError
  ) async throws {
    var request = ResilientClient.Request(.put, "/a", body: .json(1))
    request.headers[condition] = "*"
    let error = await #expect(throws: AppError.self) {
      try await client([earlier, .http(status: 412)]).send(request)
    }
    let unknown = AppError.http(status: 500, isRepeatable: false)
    #expect(error?.disposition == .unknownOutcome && error?.kind == unknown.kind)
    #expect(error?.httpStatus == 412 && error?.mayHaveBeenSent == true)
    #expect(error?.title.string() == unknown.title.string())
    #expect(error?.message.string() == unknown.message.string())
    #expect(error?.actions.map(\.id) == unknown.actions.map(\.id))
  }

  @Test(
    arguments: [
      ([.http(status: 412)], "If-Match"), ([.broken, .http(status: 412)], nil),
      ([.notSent, .http(status: 412)], "If-Match"),
      ([.http(status: 429), .http(status: 412)], "If-Match"),
    ]
      as [([AppError], String?)])
  func `a change that nobody can have made before is told as somebody else's`(
    _ answers: [AppError], _ condition: String?
  ) async throws {
    var request = ResilientClient.Request(.put, "/a", body: .json(1))
    if let condition { request.headers[condition] = "*" }
    let error = await #expect(throws: AppError.self) {
      try await client(answers).send(request)
    }
    #expect(error?.kind == .conflict && error?.disposition == .needsUser)
  }

  @Test(arguments: [nil, IdempotencyKey()])
  func `what was answered was sent, whatever becomes of the rest of the answer`(
    _ key: IdempotencyKey?
  ) async throws {
    let transport = ScriptedTransport { _, _ in
      let body = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: AppError.notSent) }
      return HTTPReply(status: 201, headers: [:], body: HTTPByteStream(body))
    }
    let books = try MainstayHTTPTests.client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: key)
    }
    #expect(error?.mayHaveBeenSent == true)
    #expect(error?.disposition == (key == nil ? .unknownOutcome : .transient()))
    #expect(transport.sent.count == (key == nil ? 1 : 3))
  }

  @Test func `the breaker of the usual policies can be seen and isolated`() async throws {
    let transport = ScriptedTransport { _, _ in .json("1") }
    let address = try #require(URL(string: "https://books.example/v1/"))
    let books = ResilientClient("books", at: address, over: transport, clock: ManualClock())
    let breaker = try #require(books.circuits["https://books.example"])
    #expect(breaker.name == "books https://books.example")
    #expect(try await books.get("/a", as: Int.self) == 1)
    let hold = breaker.isolate()
    await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(transport.sent.count == 1)
    hold.end()
    #expect(try await books.get("/a", as: Int.self) == 1)
  }

  @Test func `policies of an app's own have no circuit that the client shows`() throws {
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: ScriptedTransport(.json("1"))) { _ in
      Pipeline("books") { CircuitBreaker("own") }
    }
    #expect(books.circuits.isEmpty)
  }

  @Test func `where no attempt was sent the error says so`() async throws {
    let books = try client([.notSent])
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(error?.metadata["http.sent"] == "no")
  }

  @Test func `a question has no effect, whichever of its attempts arrived`() async throws {
    let books = try client([.broken, .http(status: 404)])
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(error?.httpStatus == 404 && error?.metadata["http.sent"] == nil)
  }
}
