// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CapabilityRecheckStateMachineTests {
  private var machine = CapabilityRecheckStateMachine(
    backoff: .exponential(from: .seconds(5), to: .seconds(20), jitter: .none))
  private var random = SplitMix64(seed: 1)

  private static func fails(_ disposition: Disposition) -> CapabilityRegistry.Status {
    .unavailable(
      AppError(
        code: "test.error", kind: .server, disposition: disposition, title: "It failed",
        message: "The test says so."))
  }

  private static let down = fails(.transient())
  private static let asleep = fails(.needsUser)

  private mutating func heard(_ status: CapabilityRegistry.Status, at seconds: Int) {
    machine.heard([.camera: status], now: .seconds(seconds), random: &random)
  }

  private mutating func found(_ status: CapabilityRegistry.Status, at seconds: Int) {
    machine.found(.camera, status, now: .seconds(seconds), random: &random)
  }

  @Test mutating func `what works, and what nobody knows, waits for nothing`() {
    for status in [CapabilityRegistry.Status.available, .unknown, Self.asleep] {
      heard(status, at: 0)
      #expect(machine.nextWake == nil && machine.next(at: .seconds(999)).isEmpty)
    }
  }

  @Test mutating func `each time that it does not work it waits longer, up to a limit`() {
    heard(Self.down, at: 0)
    var now = 0
    for wait in [5, 10, 20, 20] {
      #expect(machine.nextWake == .seconds(now + wait))
      #expect(machine.next(at: .seconds(now + wait - 1)).isEmpty)
      now += wait
      #expect(machine.next(at: .seconds(now)) == [.camera])
      #expect(machine.next(at: .seconds(now)).isEmpty && machine.nextWake == nil, "it runs")
      found(Self.down, at: now)
    }
    _ = machine.next(at: .seconds(now + 20))
    found(.available, at: now + 20)
    #expect(machine.nextWake == nil)
    // It begins anew.
    heard(Self.down, at: 100)
    #expect(machine.nextWake == .seconds(105))
  }

  @Test mutating func `hearing of it again changes no time`() {
    heard(Self.down, at: 0)
    heard(Self.down, at: 3)
    #expect(machine.nextWake == .seconds(5))
    heard(.available, at: 4)
    #expect(machine.nextWake == nil)
  }

  @Test mutating func `a better network is worth a look at once, and short waits again`() {
    heard(Self.down, at: 0)
    _ = machine.next(at: .seconds(5))
    found(Self.down, at: 5)
    machine.improved(now: .seconds(6))
    #expect(machine.next(at: .seconds(6)) == [.camera])
    found(Self.down, at: 6)
    #expect(machine.nextWake == .seconds(11))
  }

  @Test mutating func `what was broken off says nothing, and what needs a person is left`() {
    heard(Self.down, at: 0)
    _ = machine.next(at: .seconds(5))
    found(.unknown, at: 5)
    #expect(machine.nextWake == .seconds(10))
    _ = machine.next(at: .seconds(10))
    found(Self.asleep, at: 10)
    #expect(machine.nextWake == nil)
    found(Self.down, at: 11)
    #expect(machine.nextWake == nil, "nobody looked at it")
  }

  @Test mutating func `a hint counts where it is longer, and no wait is none`() {
    heard(Self.fails(.throttled(retryAfter: .seconds(60))), at: 0)
    #expect(machine.nextWake == .seconds(60))
    machine = CapabilityRecheckStateMachine(backoff: .constant(.zero, jitter: .none))
    heard(Self.down, at: 0)
    #expect(machine.nextWake == CapabilityRecheckStateMachine.shortest)
  }
}
