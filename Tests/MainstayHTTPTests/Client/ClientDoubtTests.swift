// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What the work that a call is part of, such as a run of an outbox, learns of a refusal that came
/// after an attempt which nobody answered.
@Suite(.ends(withinMinutes: 5)) struct ClientDoubtTests {
  /// A foreign network: it will not change, and nothing was sent.
  private static let foreign = AppError.wire(
    .insecure, wasSent: false, cause: URLError(.serverCertificateUntrusted))

  /// A service whose first attempt loses its connection, and whose second one meets that network.
  private func client() throws -> ResilientClient {
    try MainstayHTTPTests.client(
      ScriptedTransport { _, count in throw count == 0 ? AppError.broken : Self.foreign })
  }

  @Test func `a question leaves no doubt, whichever of its attempts arrived`() async throws {
    let (books, use) = (try client(), NetworkUse())
    let error = await #expect(throws: AppError.self) {
      try await use.during { try await books.get("/a", as: Int.self) }
    }
    #expect(error?.kind == .insecure && error?.disposition == .permanent)
    #expect(error?.leavesDoubt == false)
    #expect(!use.isInDoubt, "and nobody has to be asked what became of it")
  }

  @Test func `a change that may have been made leaves its work in doubt`() async throws {
    let (books, use) = (try client(), NetworkUse())
    let error = await #expect(throws: AppError.self) {
      try await use.during { try await books.post("/a", json: 1, key: IdempotencyKey()) }
    }
    #expect(error?.kind == .insecure && error?.leavesDoubt == true)
    #expect(use.isInDoubt && use.hasBegun, "also where the work throws an error of its own")
  }

  @Test func `a change that was never sent leaves no doubt`() async throws {
    let (clock, gate, asked, use) = (ManualClock(), Countdown(1), Log(), NetworkUse())
    let transport = ScriptedTransport(.json())
    let address = try #require(URL(string: "https://books.example"))
    let authorization = HTTPAuthorization(token: nil) { _ in
      asked.add("refresh")
      await gate.passed()
      throw AppError.unauthorized()
    }
    let books = ResilientClient(
      "books", at: address, over: transport, authorization: authorization
    ) { _ in
      Pipeline("books") {
        Retry(maximumAttempts: 2, backoff: .constant(.seconds(1), jitter: .none), clock: clock)
        Timeout(.seconds(10), clock: clock)
      }
    }
    let call = await started {
      try await use.during { try await books.post("/a", json: 1, key: IdempotencyKey()) }
    }
    await asked.lines(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    await clock.waiters(atLeast: 1, within: .seconds(2))
    gate.count()
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.disposition == .needsUser && error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
    #expect(!use.isInDoubt && !use.hasBegun, "the attempt that took too long waited for a token")
  }

  @Test func `doubt that was there before a call stays`() async throws {
    let (books, use) = (try client(), NetworkUse())
    await use.during {
      NetworkUse.leftInDoubt()
      _ = try? await books.get("/a", as: Int.self)
    }
    #expect(use.isInDoubt)
  }
}
