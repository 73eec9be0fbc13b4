// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What an error says of a request that never went out, whatever ended the call.
@Suite(.ends(withinMinutes: 5)) struct ClientUnsentTests {
  private let clock = ManualClock()
  private let gate = Countdown(1)
  private let asked = Log()

  /// A client whose service takes no token, and whose next token is not there before the gate is
  /// open.
  private func client(
    token: String?, attempts: Int
  ) throws -> (books: ResilientClient, transport: ScriptedTransport) {
    let transport = ScriptedTransport(.json("", status: 401))
    let address = try #require(URL(string: "https://books.example"))
    let (gate, asked, clock) = (gate, asked, clock)
    let authorization = HTTPAuthorization(token: token) { _ in
      asked.add("refresh")
      await gate.passed()
      throw AppError.notSent
    }
    let books = ResilientClient(
      "books", at: address, over: transport, authorization: authorization
    ) { _ in
      Pipeline("books") {
        Retry(
          maximumAttempts: attempts, backoff: .constant(.seconds(1), jitter: .none), clock: clock)
        Timeout(.seconds(10), clock: clock)
      }
    }
    return (books, transport)
  }

  @Test(arguments: [nil, "old"])
  func `a limit that passes while a token is waited for leaves no doubt`(
    _ token: String?
  ) async throws {
    let (books, transport) = try client(token: token, attempts: 1)
    let call = await started { try await books.post("/a", json: 1, key: IdempotencyKey()) }
    await asked.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await call.value }
    gate.count()
    #expect(error?.kind == .timeout)
    #expect(error?.mayHaveBeenSent == false && error?.leavesDoubt == false)
    #expect(transport.sent.count == (token == nil ? 0 : 1), "a sign-in that is not taken is none")
  }

  @Test func `a later attempt that was not sent has no doubt of an earlier one`() async throws {
    let (books, _) = try client(token: nil, attempts: 2)
    let call = await started { try await books.post("/a", json: 1, key: IdempotencyKey()) }
    await asked.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    await clock.waiters(atLeast: 1, within: .seconds(2))
    gate.count()
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.kind == .offline)
    #expect(error?.metadata["http.sent"] == "no")
  }

  @Test func `what a breaker refuses was not sent`() async throws {
    let transport = ScriptedTransport(.json())
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    let hold = try #require(books.circuits.values.first).isolate()
    defer { hold.end() }
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: 1) }
    #expect(error?.kind == .rejected && error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
  }

  @Test func `the break of a circuit is waited for where it ends soon`() async throws {
    let transport = ScriptedTransport(.json("1"))
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport, clock: clock)
    let breaker = try #require(books.circuits.values.first)
    breaker.open(for: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(error?.kind == .rejected && transport.sent.isEmpty)
    breaker.open(for: .seconds(1))
    let call = await started { try await books.get("/a", as: Int.self) }
    await clock.waiters(atLeast: 1, within: .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await call.value == 1)
  }

  @Test func `what was refused on the device has not been sent`() {
    let refused: [AppError] = [
      Rejection(policy: "books", reason: .circuitOpen).appError,
      Rejection(policy: "books", reason: .deadlineTooClose).appError,
      .validation("It is too long.", field: "/a"), .decoding(CancellationError()),
      AppError(
        code: "outbox.full", kind: .storageFull, disposition: .needsUser, title: "Full",
        message: "There is no room."),
    ]
    #expect(refused.map(\.mayHaveBeenSent) == [false, false, false, true, false])
    let foreign = Rejection(
      policy: "books", reason: .foreignError, cause: AppError.Network.timeout.appError)
    #expect(foreign.appError.mayHaveBeenSent, "it stands for what a call ended with")
    #expect(AppError.http(status: 422).mayHaveBeenSent)
  }
}
