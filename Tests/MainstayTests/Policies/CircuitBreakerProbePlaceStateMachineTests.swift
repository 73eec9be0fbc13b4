// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Places for probes, and the number of breaks in a row at its bounds.
@Suite struct CircuitBreakerProbePlaceTests {
  private typealias Machine = CircuitBreakerStateMachine

  @Test func `places are free only while probes are needed`() throws {
    var machine = Machine(.init(failureThreshold: 1, permits: 3, required: 1))
    #expect(machine.freePlaces == nil)
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.freePlaces == nil)
    _ = try machine.token(at: 60)
    #expect(machine.freePlaces == 2)
    _ = try machine.token(at: 60)
    _ = try machine.token(at: 60)
    #expect(machine.freePlaces == 0)
    _ = machine.setMode(.metricsOnly)
    #expect(machine.freePlaces == nil)
    _ = machine.setMode(.enabled)
    #expect(machine.freePlaces == 3)
  }

  @Test(.requirement("P6", "P18")) func `the number of breaks in a row stays at its bound`() throws
  {
    var machine = Machine(.init(failureThreshold: 1))
    let memory = Machine.Memory(nextBreak: .seconds(5), breaks: .max, remainingBreak: .zero)
    _ = machine.restore(memory, now: .zero)
    let probe = try machine.token(at: 0)
    _ = machine.settle(probe, .failure, now: .zero, fraction: 0)
    #expect(machine.unanswered?.breaksInARow == .max)
  }

  @Test func `only a break that refuses is shown`() {
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.forceOpen(for: .seconds(5), now: .seconds(1), fraction: 0)
    #expect(machine.openBreak == .init(epoch: 1, from: .seconds(1), until: .seconds(6)))
    for mode in [CircuitBreaker.Mode.metricsOnly, .disabled] {
      _ = machine.setMode(mode)
      #expect(machine.openBreak == nil)
    }
    _ = machine.setMode(.enabled)
    _ = machine.isolate()
    #expect(machine.openBreak == nil)
  }

  @Test func `a closed breaker remembers no break`() {
    var machine = Machine(.init())
    let memory = machine.memory(now: .zero)
    #expect(memory.breaks == 0)
  }
}
