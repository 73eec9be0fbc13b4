// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
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

  @Test(arguments: [AppError.notSent, .http(status: 503), .http(status: 429), .http(status: 422)])
  func `an error says that an earlier attempt may have arrived`(_ later: AppError) async throws {
    let books = try client([.broken, later])
    let error = await #expect(throws: AppError.self) {
      try await books.post("/a", json: 1, key: IdempotencyKey())
    }
    #expect(error?.metadata["http.sent"] == "maybe")
    #expect(error?.httpStatus == later.httpStatus)
    #expect(error?.disposition == later.disposition, "what may be done about it stays")
  }

  @Test func `the breaker of the usual policies can be seen and isolated`() async throws {
    let transport = ScriptedTransport { _, _ in .json("1") }
    let address = try #require(URL(string: "https://books.example/v1/"))
    let books = ResilientClient("books", at: address, over: transport)
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
