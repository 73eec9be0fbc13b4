// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@testable import MainstayJSONRPC

/// When a connection is opened, and opened again.
@Suite struct LinkStateMachineTests {
  private func machine(hasRestore: Bool = false) -> LinkStateMachine {
    LinkStateMachine(
      backoff: .exponential(from: .seconds(1), to: .seconds(60), jitter: .none),
      hasRestore: hasRestore)
  }

  private func end(
    _ machine: inout LinkStateMachine, _ connection: Int, at now: Int = 0, isHopeless: Bool = false,
    hint: Duration? = nil
  ) -> LinkStateMachine.Effect? {
    machine.ended(
      connection, isHopeless: isHopeless, hint: hint, now: .seconds(now), fraction: 0.5
    ).effect
  }

  @Test func `the first call opens a connection, the others wait for it`() {
    var machine = machine()
    #expect(machine.status == .disconnected)
    #expect(machine.demand() == .open(1))
    #expect(machine.demand() == nil)
    #expect(machine.opened(1) == nil)
    #expect(machine.status == .connected)
  }

  @Test func `a connection is restored before it is up`() {
    var machine = machine(hasRestore: true)
    _ = machine.demand()
    #expect(machine.opened(1) == .restore(1))
    #expect(machine.status == .reconnecting)
    #expect(machine.restored(1) == true)
    #expect(machine.status == .connected)
  }

  @Test(.requirement("D12")) func `each failure makes the pause longer, until something arrives`() {
    var machine = machine()
    _ = machine.demand()
    #expect(end(&machine, 1) == .wait(until: .seconds(1)))
    #expect(machine.wake(now: .milliseconds(999)) == nil)
    #expect(machine.wake(now: .seconds(1)) == .open(2))
    #expect(end(&machine, 2, at: 1) == .wait(until: .seconds(3)))
    #expect(machine.wake(now: .seconds(3)) == .open(3))
    // Opened, but of no use yet: a server that hangs up at once is not asked faster.
    _ = machine.opened(3)
    #expect(end(&machine, 3, at: 3) == .wait(until: .seconds(7)))
    _ = machine.wake(now: .seconds(7))
    _ = machine.opened(4)
    machine.proved(4)
    #expect(end(&machine, 4, at: 8) == .wait(until: .seconds(9)))
  }

  @Test func `a server that asks for a longer pause gets it`() {
    var machine = machine()
    _ = machine.demand()
    #expect(end(&machine, 1, hint: .seconds(30)) == .wait(until: .seconds(30)))
  }

  @Test func `a server that asks for too long a pause is asked again after five minutes`() {
    var machine = machine()
    _ = machine.demand()
    #expect(end(&machine, 1, hint: .seconds(31_536_000)) == .wait(until: .seconds(300)))
    #expect(machine.wake(now: .seconds(300)) == .open(2))
    #expect(end(&machine, 2, at: 300, hint: .seconds(300)) == .wait(until: .seconds(600)))
  }

  @Test func `who cannot wait gets the next attempt at once`() {
    var machine = machine()
    _ = machine.demand()
    _ = end(&machine, 1)
    #expect(machine.demand() == nil)
    #expect(machine.demand(isUrgent: true) == .open(2))
    #expect(machine.demand(isUrgent: true) == nil)
    // The pause that was left behind wakes nobody, and the next one is as long as it would be.
    #expect(end(&machine, 2) == .wait(until: .seconds(2)))
    #expect(machine.wake(now: .seconds(1)) == nil)
    #expect(machine.wake(now: .seconds(2)) == .open(3))
  }

  @Test func `where a server asks for a pause, who cannot wait is refused`() {
    var machine = machine()
    _ = machine.demand()
    _ = end(&machine, 1, hint: .seconds(30))
    #expect(machine.demand(isUrgent: true) == .refuse)
    #expect(machine.wake(now: .seconds(30)) == .open(2))
    _ = end(&machine, 2, at: 30)
    #expect(machine.demand(isUrgent: true) == .open(3))
  }

  @Test(.requirement("T15", "D14")) func `trying again ends as connected or failed`() {
    var machine = machine()
    _ = machine.demand()
    _ = machine.opened(1)
    _ = end(&machine, 1)
    #expect(machine.status == .reconnecting)
    _ = machine.wake(now: .seconds(100))
    _ = end(&machine, 2)
    #expect(machine.status == .failed)
    _ = machine.wake(now: .seconds(200))
    #expect(machine.status == .failed)
    _ = machine.opened(3)
    #expect(machine.status == .connected)
  }

  @Test func `what is hopeless is tried again when somebody asks, not before`() {
    var machine = machine()
    _ = machine.demand()
    #expect(end(&machine, 1, isHopeless: true) == nil)
    #expect(machine.status == .failed)
    #expect(machine.wake(now: .seconds(1_000)) == nil)
    #expect(machine.demand() == .open(2))
  }

  @Test(arguments: [false, true]) func `the end of what was open is never hopeless`(
    hasRestore: Bool
  ) {
    var machine = machine(hasRestore: hasRestore)
    _ = machine.demand()
    _ = machine.opened(1)
    #expect(end(&machine, 1, isHopeless: true) == .wait(until: .seconds(1)))
    #expect(machine.status == .reconnecting)
    #expect(machine.wake(now: .seconds(1)) == .open(2))
    #expect(end(&machine, 2, at: 1, isHopeless: true) == nil)
  }

  @Test(.requirement("T16", "T19")) func `what comes from an older connection changes nothing`() {
    var machine = machine(hasRestore: true)
    _ = machine.demand()
    _ = end(&machine, 1)
    _ = machine.wake(now: .seconds(5))
    #expect(machine.opened(1) == .drop(1))
    #expect(machine.restored(1) == false)
    let late = machine.ended(1, isHopeless: false, now: .zero, fraction: 0)
    #expect(!late.counts)
    #expect(machine.current == 2)
  }

  @Test func `the end of a connection counts, whether another attempt follows or not`() {
    var machine = machine()
    _ = machine.demand()
    #expect(machine.ended(1, isHopeless: false, now: .zero, fraction: 0).counts)
    _ = machine.wake(now: .seconds(1))
    #expect(machine.ended(2, isHopeless: true, now: .zero, fraction: 0).counts)
  }

  @Test func `a pause of no length is none that a server asks for`() {
    var machine = machine()
    _ = machine.demand()
    #expect(end(&machine, 1, hint: .zero) == .wait(until: .seconds(1)))
    #expect(machine.demand(isUrgent: true) == .open(2))
  }

  @Test(.requirement("D12")) func `what arrives over an older connection proves no newer one`() {
    var machine = machine()
    _ = machine.demand()
    _ = end(&machine, 1)
    _ = machine.wake(now: .seconds(1))
    machine.proved(1)
    #expect(machine.failures == 1)
    #expect(end(&machine, 2) == .wait(until: .seconds(2)))
  }

  @Test(.requirement("D12")) func `a pause grows from the one before it, until something arrives`()
  {
    var machine = LinkStateMachine(
      backoff: .exponential(from: .seconds(1), to: .seconds(60), jitter: .decorrelated),
      hasRestore: false)
    _ = machine.demand()
    // Half of the way from the first to three times the one before.
    #expect(end(&machine, 1) == .wait(until: .seconds(2)))
    _ = machine.wake(now: .seconds(2))
    #expect(end(&machine, 2) == .wait(until: .seconds(3.5)))
    _ = machine.wake(now: .seconds(4))
    _ = machine.opened(3)
    machine.proved(3)
    #expect(end(&machine, 3) == .wait(until: .seconds(2)))
  }

  @Test func `closing drops what there is, and nothing is opened after it`() {
    var machine = machine()
    _ = machine.demand()
    #expect(machine.close() == .drop(1))
    #expect(machine.close() == nil)
    #expect(machine.demand() == nil)
    #expect(machine.opened(1) == .drop(1))
    #expect(machine.status == .disconnected)
  }
}
