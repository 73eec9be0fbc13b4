// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What fails at another host, where a service has sent a request on to.
@Suite struct ClientElsewhereTests {
  private let clock = ManualClock()
  private let recorder = EventRecorder()
  private let breaker: CircuitBreaker
  private let cooldown: Cooldown

  init() {
    breaker = CircuitBreaker("books", .consecutiveFailures(1), clock: clock)
    cooldown = Cooldown("books", clock: clock)
  }

  /// A client of a service that has its files at another host.
  private func client(
    attempts: Int, files: @escaping @Sendable () async throws -> HTTPReply
  ) throws -> (ResilientClient, ScriptedTransport) {
    let transport = ScriptedTransport { request, _ in
      if request.url.host == "files.example" { return try await files() }
      return .json("", status: 302, headers: ["Location": "https://files.example/1"])
    }
    let address = try #require(URL(string: "https://books.example"))
    var settings = ResilientClient.Settings()
    settings.redirections = .anywhere(maximum: 3)
    let books = ResilientClient("books", at: address, over: transport, settings: settings) {
      [clock, recorder, breaker, cooldown] _ in
      Pipeline("books", clock: clock) {
        Retry(maximumAttempts: attempts, backoff: .none, clock: clock)
        cooldown
        breaker
        Timeout(.seconds(10), clock: clock, observer: recorder)
      }
    }
    return (books, transport)
  }

  static let failures: [(Int, AppError)] = [
    (503, .http(status: 503, isRepeatable: true)), (429, .http(status: 429)), (0, .broken),
  ]

  @Test(arguments: failures)
  func `another host's failure is repeated, and none of the service's`(
    _ status: Int, _ expected: AppError
  ) async throws {
    let (books, transport) = try client(attempts: 3) {
      guard status > 0 else { throw expected }
      return .json("", status: status)
    }
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/files/1"))
    }
    #expect(error?.disposition == expected.disposition)
    #expect(error?.code == expected.code)
    #expect(transport.sent.compactMap(\.url.host) == Self.ways(3))
    #expect(breaker.state == .closed)
    #expect(cooldown.remaining == nil)
  }

  private static func ways(_ count: Int) -> [String] {
    (0..<count).flatMap { _ in ["books.example", "files.example"] }
  }

  @Test func `another host that never answers is none of the service's failures`() async throws {
    let (patience, began) = (ManualClock(), Countdown(1))
    let (books, _) = try client(attempts: 1) {
      began.count()
      try await patience.sleep(for: .seconds(60))
      return .json()
    }
    let call = Task { try await books.send(ResilientClient.Request(.get, "/files/1")) }
    await began.reached()
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: AppError.self) { try await call.value }
    #expect(error?.kind == .timeout)
    let timeOuts = recorder.events.filter { if case .timedOut = $0.what { true } else { false } }
    #expect(timeOuts.count == 1)
    #expect(breaker.state == .closed)
  }

  @Test func `for the policies of a caller it is a failure like any other`() async throws {
    let (books, _) = try client(attempts: 1) { .json("", status: 503) }
    let own = CircuitBreaker("own", .consecutiveFailures(1), clock: clock)
    await #expect(throws: AppError.self) {
      try await own.run { try await books.send(ResilientClient.Request(.get, "/files/1")) }
    }
    #expect(own.state != .closed)
  }

  @Test func `a failure of the service itself counts`() async throws {
    let transport = ScriptedTransport(.json("", status: 503))
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("books", at: address, over: transport) { [breaker] _ in
      Pipeline("books") { breaker }
    }
    await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(breaker.state != .closed)
  }
}
