// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Policies that are taken out of a registry by hand.
@Suite struct PolicyRegistryForgetTests {
  private let clock = ManualClock()

  private func breakers() -> PolicyRegistry<String, CircuitBreaker> {
    let clock = clock
    return PolicyRegistry("hosts", maximumCount: 2, idleAfter: nil, clock: clock) {
      CircuitBreaker($0, .consecutiveFailures(1), clock: clock)
    }
  }

  @Test func `what is forgotten by hand is gone, whatever it remembers`() async throws {
    let registry = breakers()
    _ = try? await registry.run("down") { throw BreakerBench.down }
    let open = registry.kept("down")
    let taken = registry.forget("down")
    #expect(open != nil && taken === open)
    #expect(registry.forget("down") == nil)
    #expect(registry.statistics.count == 0 && registry.statistics.forgotten == 1)
    #expect(try await registry.run("down") { 1 } == 1)
    #expect(registry.statistics.count == 1 && registry.keys == ["down"])
  }

  @Test func `a call on its way ends well, and the next one gets another policy`() async throws {
    let registry = breakers()
    let gate = BreakerBench.Gate()
    let calls = await started(2) { _ in try await registry.run("a") { await gate.pass() } }
    await gate.arrivals(atLeast: 2)
    let old = registry.forget("a")
    #expect(old != nil && registry.keys.isEmpty && registry.statistics.count == 0)
    try await registry.run("a") {}
    try await registry.run("b") {}
    #expect(registry.kept("a") != nil && registry.kept("a") !== old)
    gate.open()
    for call in calls { try await call.value }
    // Its place is free again, and the thread of uses is whole.
    #expect(registry.keys == ["a", "b"])
    for key in ["c", "d", "c"] { try await registry.run(key) {} }
    #expect(registry.keys == ["d", "c"])
    let statistics = registry.statistics
    #expect(statistics.made == 5 && statistics.forgotten == 3 && statistics.count == 2)
    #expect(registry.forgetIdle() == 0)
  }
}
