// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Breakers of keys that are never asked for again.
@Suite struct PolicyRegistryIdleTests {
  private let clock = ManualClock()

  private func fail(_ registry: PolicyRegistry<Int, CircuitBreaker>, _ key: Int) async {
    _ = try? await registry.run(key) { throw BreakerBench.down }
  }

  @Test func `a crowd of keys that failed once each is forgotten after the idle time`()
    async throws
  {
    let clock = clock
    let registry = PolicyRegistry("hosts", maximumCount: 1_000, clock: clock) { (key: Int) in
      CircuitBreaker("\(key)", clock: clock)
    }
    for key in 0..<1_100 { await fail(registry, key) }
    #expect(registry.statistics.count == 1_100, "all of them count a failure")
    clock.advance(by: .seconds(3_600))
    for key in 2_000..<2_040 { try await registry.run(key) {} }
    #expect(registry.statistics.count <= 1_000)
    registry.forgetIdle()
    #expect(registry.statistics.count == 40)
  }

  @Test func `a breaker whose break goes on, or ended less than an hour ago, stays`() async throws {
    let clock = clock
    let registry = PolicyRegistry("hosts", clock: clock) { (key: Int) in
      CircuitBreaker(
        "\(key)", .consecutiveFailures(1), breakFor: .seconds(7_200 * key), breakJitter: 0,
        clock: clock)
    }
    for key in 1...2 { await fail(registry, key) }
    clock.advance(by: .seconds(7_200 + 3_599))
    #expect(registry.forgetIdle() == 0)
    clock.advance(by: .seconds(1))
    #expect(registry.forgetIdle() == 1)
    #expect(registry.keys == [2])
    clock.advance(by: .seconds(7_200))
    #expect(registry.forgetIdle() == 1)
  }
}
