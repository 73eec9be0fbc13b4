// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Runs that a breaker admits as a whole, and the calls in them behind the same breaker.
@Suite struct CircuitBreakerRunTests {
  private let clock = ManualClock()

  private func breaker(
    failures: Int = 1, halfOpen: CircuitBreaker.HalfOpen = .init(lease: .seconds(86_400))
  ) -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(failures), breakJitter: 0, halfOpen: halfOpen, clock: clock)
  }

  @Test func `the calls of a run that is the only probe are let through`() async throws {
    let breaker = breaker()
    breaker.open(for: .zero)
    let run = try breaker.admit()
    #expect(throws: Rejection.self) { try breaker.admit().succeed() }
    try await run.surrounding {
      for _ in 1...2 { try await breaker.run { #expect(breaker.state == .halfOpen) } }
      let outcome = await breaker.outcome { () -> Outcome<Int, any Error> in .success(1) }
      #expect((try? outcome.get()) == 1)
      try breaker.admit().succeed()
      async let inChild: Void = breaker.run {}
      try await inChild
    }
    #expect(breaker.state == .halfOpen, "the run says how it went")
    run.succeed()
    #expect(breaker.state == .closed)
  }

  @Test func `a failed run counts once, whatever fails in it`() async throws {
    let breaker = breaker(failures: 3)
    for number in 1...3 {
      #expect(breaker.state == .closed)
      let run = try breaker.admit()
      await run.surrounding {
        try? await breaker.run {}
        for _ in 1...number { try? await breaker.run { throw BreakerBench.down } }
      }
      run.fail(BreakerBench.down)
    }
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    clock.advance(by: .seconds(5))
    let probe = try breaker.admit()
    await probe.surrounding { try? await breaker.run { throw BreakerBench.down } }
    #expect(breaker.state == .halfOpen)
    probe.fail(BreakerBench.down)
    #expect(breaker.state == .open(retryAfter: .seconds(10)))
  }

  @Test func `a call that succeeds in a run takes nothing back that others have counted`()
    async throws
  {
    let breaker = breaker(failures: 2)
    try breaker.admit().fail()
    let run = try breaker.admit()
    try await run.surrounding { try await breaker.run {} }
    run.fail()
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `calls of another breaker count by themselves`() async throws {
    let (breaker, inner) = (breaker(), breaker())
    let run = try breaker.admit()
    await run.surrounding { try? await inner.run { throw BreakerBench.down } }
    run.succeed()
    #expect(inner.state == .open(retryAfter: .seconds(5)) && breaker.state == .closed)
  }

  @Test func `a run inside of another one hides nothing of it`() async throws {
    let (breaker, inner) = (breaker(), breaker())
    breaker.open(for: .zero)
    let run = try breaker.admit()
    let other = try inner.admit()
    try await run.surrounding {
      try await other.surrounding { try await breaker.run {} }
    }
    other.succeed()
    run.succeed()
    #expect(breaker.state == .closed)
  }

  @Test func `once the breaker has opened meanwhile, calls of a run are like all others`()
    async throws
  {
    let breaker = breaker()
    let run = try breaker.admit()
    await run.surrounding {
      breaker.open()
      await #expect(throws: Rejection.self) { try await breaker.run {} }
      clock.advance(by: .seconds(5))
      // The run is of an earlier state: this is the probe.
      try? await breaker.run {}
    }
    #expect(breaker.state == .closed)
    run.fail()
    #expect(breaker.state == .closed, "it is stale")
  }

  @Test func `a task that outlives its run counts by itself`() async throws {
    let breaker = breaker()
    let gate = BreakerBench.Gate()
    let run = try breaker.admit()
    let task = await run.surrounding {
      Task {
        await gate.pass()
        try? await breaker.run { throw BreakerBench.down }
      }
    }
    run.succeed()
    gate.open()
    await task.value
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
  }
}
