// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// Whose token a request goes out with, and how often one is renewed.
@Suite(.ends(withinMinutes: 5)) struct ClientSignInTests {
  /// A client whose time stands still, with a second between two attempts.
  private func client(
    _ transport: ScriptedTransport, _ authorization: HTTPAuthorization, clock: ManualClock
  ) throws -> ResilientClient {
    let address = try #require(URL(string: "https://books.example"))
    return ResilientClient(
      "books", at: address, over: transport, authorization: authorization, clock: clock
    ) { _ in
      Pipeline("books") {
        Retry(maximumAttempts: 3, backoff: .constant(.seconds(1), jitter: .none), clock: clock)
      }
    }
  }

  private func tokens(_ transport: ScriptedTransport) -> [String?] {
    transport.sent.map { $0.headers["authorization"] }
  }

  @Test func `what was refused for one person is not sent again for the next one`() async throws {
    let authorization = HTTPAuthorization(token: "a") { _ in "x" }
    let transport = ScriptedTransport { request, _ in
      guard request.headers["authorization"] == "Bearer a" else { return .json() }
      authorization.signOut()
      authorization.signIn("b")
      return .json("", status: 401)
    }
    let books = try client(transport, authorization, clock: ManualClock())
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.disposition == .needsUser && error?.kind == .unauthorized)
    #expect(error?.mayHaveBeenSent == false, "a request that is refused so was not done")
    #expect(tokens(transport) == ["Bearer a"])
    try await books.post("/a", json: 1)
    #expect(tokens(transport) == ["Bearer a", "Bearer b"])
  }

  @Test(
    arguments: [
      (.notSent, false), (.http(status: 429), false),
      (.http(status: 503, isRepeatable: true), true), (.broken, true),
    ] as [(AppError, Bool)])
  func `what waits for another attempt is not sent for the person who signs in meanwhile`(
    _ failure: AppError, _ isDoubtful: Bool
  ) async throws {
    let (clock, authorization) = (ManualClock(), HTTPAuthorization(token: "a") { _ in "x" })
    let transport = ScriptedTransport { _, _ in
      if let status = failure.httpStatus { return .json("", status: status) }
      throw failure
    }
    let books = try client(transport, authorization, clock: clock)
    let call = await started { try await books.post("/a", json: 1, key: IdempotencyKey()) }
    await clock.waiters(atLeast: 1, within: .seconds(2))
    authorization.signOut()
    authorization.signIn("b")
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.disposition == .needsUser)
    #expect(error?.mayHaveBeenSent == isDoubtful)
    #expect(tokens(transport) == ["Bearer a"])
  }

  @Test func `what waits for another attempt goes on where the same person signs in again`()
    async throws
  {
    let (clock, authorization) = (ManualClock(), HTTPAuthorization(token: "a") { _ in "x" })
    let transport = ScriptedTransport { _, count in
      guard count > 0 else { throw AppError.notSent }
      return .json()
    }
    let books = try client(transport, authorization, clock: clock)
    let call = await started { try await books.post("/a", json: 1) }
    await clock.waiters(atLeast: 1, within: .seconds(2))
    authorization.signIn("b")
    clock.advance(by: .seconds(1))
    _ = try await call.value
    #expect(tokens(transport) == ["Bearer a", "Bearer b"])
  }

  @Test(arguments: [true, false])
  func `what waits for a token is not sent once its person has signed out`(
    comes: Bool
  ) async throws {
    let (asked, gate) = (Log(), Countdown(1))
    let authorization = HTTPAuthorization { _ in
      asked.add("asked")
      await gate.passed()
      return "late"
    }
    let transport = ScriptedTransport(.json())
    let books = try client(transport, authorization, clock: ManualClock())
    let call = await started { try await books.post("/a", json: 1) }
    await asked.lines(atLeast: 1)
    authorization.signOut()
    // Whether the token comes then or never, nobody waits for it any more.
    if comes { gate.count() }
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.disposition == .needsUser && error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
    if !comes { gate.count() }
  }

  @Test func `what waits for a token goes out with that of who has signed in meanwhile`()
    async throws
  {
    let (asked, gate) = (Log(), Countdown(1))
    let authorization = HTTPAuthorization { _ in
      asked.add("asked")
      await gate.passed()
      throw AppError.unauthorized()
    }
    let transport = ScriptedTransport(.json())
    let books = try client(transport, authorization, clock: ManualClock())
    let calls = [
      await started { try await books.post("/a", json: 1) },
      await started { try await books.post("/b", json: 1) },
    ]
    await asked.lines(atLeast: 1)
    authorization.signIn("b")
    // The token that was asked for has not come yet, and nobody waits for it any more.
    for call in calls { _ = try await call.value }
    #expect(tokens(transport) == ["Bearer b", "Bearer b"])
    gate.count()
    _ = try await books.post("/c", json: 1)
    #expect(tokens(transport).last == "Bearer b" && asked.lines.count == 1)
  }

  @Test func `a redirection is not followed for somebody else`() async throws {
    let authorization = HTTPAuthorization(token: "a") { _ in "x" }
    let transport = ScriptedTransport { _, _ in
      authorization.signOut()
      authorization.signIn("b")
      return .json("", status: 307, headers: ["Location": "/b"])
    }
    let books = try client(transport, authorization, clock: ManualClock())
    await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(tokens(transport) == ["Bearer a"])
  }

  @Test(arguments: [nil, "a"])
  func `a service that takes no token has one renewed now and then alone`(
    _ token: String?
  ) async throws {
    let (clock, asked) = (ManualClock(), Log())
    let authorization = HTTPAuthorization(token: token) { old in
      asked.add(old ?? "none")
      return "new \(asked.lines.count)"
    }
    let transport = ScriptedTransport(.json("", status: 401))
    let books = try client(transport, authorization, clock: clock)
    for _ in 1...5 {
      let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
      #expect(error?.kind == .unauthorized && error?.disposition == .needsUser)
    }
    // The first one may be from earlier, and over.
    let first = token.map { [$0] } ?? ["none", "new 1"]
    #expect(asked.lines == first)
    #expect(tokens(transport).last == "Bearer new \(first.count)", "it may be taken yet")
    clock.advance(by: .seconds(30))
    for _ in 1...5 {
      await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    }
    #expect(asked.lines == first + ["new \(first.count)"])
  }

  @Test func `a token that no answer has taken in an outage is renewed once that is over`()
    async throws
  {
    let (clock, asked) = (ManualClock(), Log())
    let isOver = Locked(false)
    let authorization = HTTPAuthorization(token: "a") { old in
      asked.add(old ?? "none")
      return "new \(asked.lines.count)"
    }
    let transport = ScriptedTransport { request, _ in
      switch request.headers["authorization"] {
      case "Bearer new 2": return .json("1")
      case "Bearer new 1" where !isOver.withLock({ $0 }): throw AppError.broken
      default: return .json("", status: 401)
      }
    }
    let books = try client(transport, authorization, clock: clock)
    await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(asked.lines == ["a"])
    isOver.withLock { $0 = true }
    clock.advance(by: .seconds(3_600))
    #expect(try await books.get("/a", as: Int.self) == 1)
    #expect(asked.lines == ["a", "new 1"])
  }

  @Test func `one resource that takes no token leaves those of all others alone`() async throws {
    let (clock, asked) = (ManualClock(), Log())
    let authorization = HTTPAuthorization(token: "a") { _ in
      asked.add("asked")
      return "b"
    }
    let transport = ScriptedTransport { request, _ in
      request.url.path == "/closed" ? .json("", status: 401) : .json("1")
    }
    let books = try client(transport, authorization, clock: clock)
    for _ in 1...5 {
      await #expect(throws: AppError.self) { try await books.get("/closed", as: Int.self) }
      #expect(try await books.get("/open", as: Int.self) == 1)
    }
    #expect(asked.lines.count == 1)
    #expect(tokens(transport).last == "Bearer b")
  }

  @Test func `tokens that are taken are renewed each time that one is over`() async throws {
    let valid = Locked("a")
    let asked = Log()
    let authorization = HTTPAuthorization(token: "a") { old in
      asked.add(old ?? "none")
      let next = "\(old ?? "")+"
      valid.withLock { $0 = next }
      return next
    }
    let transport = ScriptedTransport { request, _ in
      let isValid = request.headers["authorization"] == "Bearer \(valid.withLock { $0 })"
      return .json("1", status: isValid ? 200 : 401)
    }
    let books = try client(transport, authorization, clock: ManualClock())
    for _ in 1...3 {
      #expect(try await books.get("/a", as: Int.self) == 1)
      valid.withLock { $0 = "none of them" }
      #expect(try await books.get("/a", as: Int.self) == 1)
    }
    #expect(asked.lines == ["a", "a+", "a++"])
  }
}
