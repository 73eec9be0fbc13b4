// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What an ``AdaptiveLimit`` learns from calls whose deadline is nearly over when their turn comes.
@Suite struct AdaptiveLimitDeadlineTests {
  private let clock = ManualClock()
  private let patience = ManualClock()

  static let kinds: [AdaptiveLimit.Kind] = [
    .aimd(initial: 2, maximum: 2), .vegas(initial: 2, maximum: 2),
    .gradient2(initial: 2, maximum: 2),
  ]

  /// A limit that knows a service which answers in 200 ms.
  private func limit(_ kind: AdaptiveLimit.Kind) async throws -> AdaptiveLimit {
    let limit = AdaptiveLimit("catalog", kind, queue: 100, clock: clock, seed: 1)
    for _ in 1...20 { try await limit.run { clock.advance(by: .milliseconds(200)) } }
    #expect(limit.limit == 2)
    return limit
  }

  @Test(arguments: kinds) func `a queue under a deadline is no overload of the service`(
    kind: AdaptiveLimit.Kind
  ) async throws {
    let limit = try await limit(kind)
    let (gate, clock, patience) = (BreakerBench.Gate(), clock, patience)
    let held = await started(2) { _ in
      try await limit.run {
        await gate.pass()
        // What it took says nothing, since nothing was found.
        throw AppError.http(status: 404)
      }
    }
    await gate.arrivals(atLeast: 2)
    let catalog = Pipeline("catalog") {
      Deadline(.seconds(2), clock: clock)
      limit
    }
    let late = await started(10) { _ in
      try await catalog.run { try await untilCancelled(patience) }
    }
    // Each waits for its turn and its deadline.
    await clock.waiters(atLeast: 20)
    clock.advance(by: .milliseconds(1_950))
    gate.open()
    for call in held { await #expect(throws: AppError.self) { try await call.value } }
    await patience.sleepers(atLeast: 2)
    clock.advance(by: .milliseconds(50))
    for call in late { await #expect(throws: (any Error).self) { try await call.value } }
    #expect(limit.limit == 2 && limit.running == 0 && limit.waiting == 0)
  }

  @Test func `under overload who came last may be served first`() async throws {
    let limit = AdaptiveLimit(
      "catalog", .aimd(initial: 1, maximum: 1), queue: 10, maximumWait: .seconds(2),
      order: .lifoUnderOverload, clock: clock)
    let (gate, served) = (BreakerBench.Gate(), Log())
    let held = await started { try await limit.run { await gate.pass() } }
    let old = await started { try await limit.run { served.add("old") } }
    await clock.waiters(atLeast: 1)
    clock.advance(by: .seconds(1))
    let new = await started { try await limit.run { served.add("new") } }
    #expect(limit.waiting == 2)
    gate.open()
    for call in [held, old, new] { try await call.value }
    #expect(served.lines == ["new", "old"])
    #expect(limit.configuration.order == .lifoUnderOverload)
    let data = try JSONEncoder().encode(limit.configuration)
    let read = try JSONDecoder().decode(AdaptiveLimit.Configuration.self, from: data)
    #expect(read == limit.configuration)
  }

  @Test(arguments: kinds) func `a service that hangs is one, under the same deadline`(
    kind: AdaptiveLimit.Kind
  ) async throws {
    let limit = try await limit(kind)
    let (clock, patience) = (clock, patience)
    let catalog = Pipeline("catalog") {
      Deadline(.seconds(2), clock: clock)
      limit
    }
    let call = Task { try await catalog.run { try await untilCancelled(patience) } }
    await clock.waiters(atLeast: 1)
    await patience.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    await #expect(throws: TimedOut.self) { try await call.value }
    #expect(limit.limit == 1)
  }
}
