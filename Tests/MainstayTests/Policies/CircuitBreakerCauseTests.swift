// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What a refusal says about the failure that opened the breaker.
@Suite(.ends(withinMinutes: 5)) struct CircuitBreakerCauseTests {
  private typealias Bench = BreakerBench

  private let clock = ManualClock()
  private let events = EventRecorder()

  private func breaker(observer: (any PolicyObserver)? = nil) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(2), breakJitter: 0, clock: clock, observer: observer)
  }

  private func refusal(of breaker: CircuitBreaker) async throws -> Rejection {
    try #require(await #expect(throws: Rejection.self) { try await breaker.run {} })
  }

  @Test(arguments: [false, true])
  func `a refusal has the failure that opened the breaker as its cause`(
    isHeard: Bool
  ) async throws {
    let breaker = breaker(observer: isHeard ? events : nil)
    _ = await Bench.call(breaker, throwing: Bench.down)
    _ = await Bench.call(breaker, throwing: POSIXError(.ECONNREFUSED))
    let refusal = try await refusal(of: breaker)
    let expected = ErrorMapping.current.map(POSIXError(.ECONNREFUSED))
    #expect((refusal.cause as? AppError)?.code == expected.code)
    let shown = ErrorMapping.current.map(refusal)
    #expect(shown.disposition == .rejected(retryAfter: .seconds(5)))
    #expect(shown.cause(as: AppError.self)?.code == expected.code)
    #expect(shown.description.contains(expected.code.rawValue))
  }

  @Test func `one that meets a probe has it as well, and one by hand has none`() async throws {
    let breaker = breaker()
    for _ in 1...2 { _ = await Bench.call(breaker, throwing: Bench.down) }
    clock.advance(by: .seconds(5))
    let probe = try breaker.admit()
    let probing = try await refusal(of: breaker)
    #expect(probing.reason == .circuitProbing)
    #expect((probing.cause as? AppError)?.code == Bench.down.code)
    probe.succeed()
    breaker.open()
    #expect(try await refusal(of: breaker).cause == nil)
    let isolation = breaker.isolate()
    #expect(try await refusal(of: breaker).cause == nil)
    isolation.end()
  }

  @Test func `outcomes and time limits are causes as well`() async throws {
    let breaker = breaker()
    let pipeline = Pipeline("catalog") { breaker }
    for _ in 1...2 {
      _ = await pipeline.outcome { () async throws -> Int in
        try await Timeout(.seconds(1), clock: clock).run {
          clock.advance(by: .seconds(1))
          try await clock.sleep(until: .init(offset: .seconds(100)))
          return 1
        }
      }
    }
    let cause = try #require(try await refusal(of: breaker).cause as? AppError)
    #expect(cause.kind == .timeout)
  }

  @Test(.requirement("D35")) func `the event of the opening has the failure and its code`()
    async throws
  {
    let breaker = breaker(observer: events)
    for _ in 1...2 { _ = await Bench.call(breaker, throwing: Bench.down) }
    let opened = try #require(events.events.first { $0.cause != nil })
    guard case .circuitOpened = opened.what else {
      Issue.record("\(opened.what)")
      return
    }
    #expect(opened.cause?.code == Bench.down.code)
  }

  @Test func `what a breaker keeps of a failure holds nothing that belongs to others`()
    async throws
  {
    let breaker = breaker()
    weak var released: Payload?
    do {
      let payload = Payload()
      released = payload
      let failure = AppError(
        code: "test.failed", kind: .server, disposition: .transient(), title: "Failed",
        message: "It failed.", underlying: [Holding(payload: payload)])
      for _ in 1...2 { _ = await Bench.call(breaker, throwing: failure) }
    }
    #expect(try await refusal(of: breaker).cause != nil)
    #expect(released == nil)
  }

  private final class Payload: Sendable {}

  private struct Holding: Error {
    let payload: Payload
  }
}
