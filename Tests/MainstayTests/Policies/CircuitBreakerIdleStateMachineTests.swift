// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// What of a breaker is of no use once nobody has called for long.
@Suite struct CircuitBreakerIdleTests {
  private typealias Machine = CircuitBreakerStateMachine

  @Test func `failures that did not open it are of no use`() throws {
    var machine = Machine(.init(failureThreshold: 2))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.isPristine(now: .zero) == false)
    #expect(machine.isPristineWhenIdle(now: .zero))
  }

  @Test func `an open breaker is remembered for an hour after its break`() throws {
    var machine = Machine(.init(failureThreshold: 1, firstBreak: .seconds(5)))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(!machine.isPristineWhenIdle(now: .seconds(3_604)))
    #expect(machine.isPristineWhenIdle(now: .seconds(3_605)))
    #expect(!machine.isPristineWhenIdle(now: .seconds(-99)))
  }

  @Test func `a half-open one is while a probe runs, and for an hour`() throws {
    var machine = Machine(
      .init(failureThreshold: 1, permits: 1, required: 2, lease: .seconds(9_000)))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    let probe = try machine.token(at: 10)
    #expect(!machine.isPristineWhenIdle(now: .seconds(9_009)))
    #expect(machine.isPristineWhenIdle(now: .seconds(9_010)), "its lease has passed")
    _ = machine.settle(probe, .success, now: .seconds(20), fraction: 0)
    #expect(machine.state == .halfOpen)
    #expect(!machine.isPristineWhenIdle(now: .seconds(3_619)))
    #expect(machine.isPristineWhenIdle(now: .seconds(3_620)))
  }

  @Test func `one that is held isolated is remembered for ever`() {
    var machine = Machine(.init())
    _ = machine.isolate()
    #expect(!machine.isPristineWhenIdle(now: .seconds(1e9)))
  }
}
