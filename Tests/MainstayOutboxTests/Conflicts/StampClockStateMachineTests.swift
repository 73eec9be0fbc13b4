// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
@testable import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("C21")) struct StampClockStateMachineTests {
  private typealias Stamp = HybridLogicalClock.Stamp

  private static func date(_ milliseconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  private static func machine(
    node: UInt64 = 1, after reservation: StampClock.Reservation? = nil
  ) -> StampClockStateMachine {
    StampClockStateMachine(
      clock: HybridLogicalClock(node: .init(rawValue: node)), block: 1000, installation: "here",
      after: reservation)
  }

  /// Asks until there is an answer, saving what is asked for.
  private static func stamp(
    _ machine: inout StampClockStateMachine, _ milliseconds: Int,
    _ saved: inout [StampClock.Reservation]
  ) -> Stamp? {
    for _ in 0..<3 {
      switch machine.stamp(at: date(milliseconds)) {
      case .use(let stamp): return stamp
      case .save(let reservation):
        saved.append(reservation)
        machine.saved(reservation)
      }
    }
    return nil
  }

  @Test func `the first stamp waits until a block is reserved`() {
    var machine = Self.machine()
    guard case .save(let reservation) = machine.stamp(at: Self.date(5000)) else {
      Issue.record("it gave a stamp that nobody reserved")
      return
    }
    #expect(reservation.end.milliseconds == 6000 && reservation.end.counter == 0)
    #expect(reservation.end.node.rawValue == 1 && reservation.installation == "here")
    #expect(machine.clock.latest == nil)
    machine.saved(reservation)
    guard case .use(let stamp) = machine.stamp(at: Self.date(5000)) else {
      Issue.record("it does not use what is reserved")
      return
    }
    #expect(stamp.milliseconds == 5000)
  }

  @Test func `a block lasts until its end, and not longer`() {
    var machine = Self.machine()
    var saved: [StampClock.Reservation] = []
    _ = Self.stamp(&machine, 5000, &saved)
    #expect(Self.stamp(&machine, 5999, &saved)?.milliseconds == 5999)
    #expect(saved.count == 1)
    #expect(Self.stamp(&machine, 6000, &saved)?.milliseconds == 6000)
    #expect(saved.map(\.end.milliseconds) == [6000, 7000])
  }

  @Test func `what was received moves the clock only within what is reserved`() throws {
    var machine = Self.machine()
    let remote = try #require(
      Stamp(milliseconds: 5500, counter: 0, node: .init(rawValue: 2)))
    guard case .save(let reservation) = machine.receive(remote, at: Self.date(5000)) else {
      Issue.record("it gave a stamp that nobody reserved")
      return
    }
    machine.saved(reservation)
    guard case .use(.accepted(let stamp)) = machine.receive(remote, at: Self.date(5000)) else {
      Issue.record("it does not use what is reserved")
      return
    }
    #expect(stamp.milliseconds == 5500 && stamp.counter == 1)
  }

  @Test func `a stamp that is refused needs no reservation`() throws {
    var machine = Self.machine()
    let remote = try #require(
      Stamp(milliseconds: 5_000_000, counter: 0, node: .init(rawValue: 2)))
    guard case .use(.refused) = machine.receive(remote, at: Self.date(5000)) else {
      Issue.record("it was not refused at once")
      return
    }
    #expect(machine.clock.latest == nil)
  }

  @Test func `a clock that starts again goes on after its reservation`() {
    var machine = Self.machine()
    var saved: [StampClock.Reservation] = []
    let before = Self.stamp(&machine, 5000, &saved)
    var again = Self.machine(after: saved.last)
    let after = Self.stamp(&again, 3000, &saved)
    #expect(after?.milliseconds == 6000 && after?.counter == 0)
    #expect(before.flatMap { before in after.map { before < $0 } } == true)
    // The time of day is behind, so it takes a millisecond more, not another block.
    #expect(saved.last?.end.milliseconds == 6001)
  }

  @Test func `a thousand crashes drive it a second ahead, not a thousand`() {
    var saved: [StampClock.Reservation] = []
    var last: Stamp?
    for _ in 0..<1000 {
      var machine = Self.machine(after: saved.last)
      let stamp = Self.stamp(&machine, 5000, &saved)
      if let last, let stamp { #expect(last < stamp) }
      last = stamp
    }
    #expect((6990...7000).contains(last?.milliseconds ?? 0))
  }

  @Test func `a reservation of another identity is void`() {
    var machine = Self.machine()
    var saved: [StampClock.Reservation] = []
    _ = Self.stamp(&machine, 5000, &saved)
    machine.adopt(.init(rawValue: 9))
    #expect(machine.reserved == 0)
    machine.saved(saved[0])
    #expect(machine.reserved == 0)
    #expect(Self.stamp(&machine, 5000, &saved)?.node.rawValue == 9)
    #expect(saved.count == 2)
    // It may lie on the disk now, in the place of that one.
    machine.saved(saved[0])
    #expect(Self.stamp(&machine, 5000, &saved)?.node.rawValue == 9)
    #expect(saved.count == 3 && saved[2].end.node.rawValue == 9)
  }

  @Test func `saves that come back in another order take nothing back`() {
    var machine = Self.machine()
    var saved: [StampClock.Reservation] = []
    _ = Self.stamp(&machine, 5000, &saved)
    _ = Self.stamp(&machine, 6000, &saved)
    let reserved = machine.reserved
    machine.saved(saved[0])
    #expect(machine.reserved == reserved)
  }

  @Test func `a reservation of nothing is harmless`() throws {
    let nothing = try #require(Stamp(milliseconds: 0, counter: 0, node: .init(rawValue: 1)))
    var machine = Self.machine(after: .init(end: nothing, installation: "here"))
    var saved: [StampClock.Reservation] = []
    #expect(Self.stamp(&machine, 5000, &saved)?.milliseconds == 5000)
  }

  /// Law 2: survives restarts and clocks that go backwards.
  @Test func `stamps rise through random crashes and clocks that jump`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      var disk: StampClock.Reservation?
      var machine = Self.machine()
      var (now, last) = (1_000_000, Stamp?.none)
      for _ in 0..<80 {
        now += Int.random(in: -2000...3000, using: &generator)
        if Int.random(in: 0..<6, using: &generator) == 0 { machine = Self.machine(after: disk) }
        asking: for _ in 0..<3 {
          switch machine.stamp(at: Self.date(now)) {
          case .use(let stamp):
            if let last { #expect(last < stamp, "seed \(seed)") }
            last = stamp
            break asking
          case .save(let reservation):
            if reservation.replaces(disk) { disk = reservation }
            // The process dies before it knows that the disk has it.
            guard Int.random(in: 0..<5, using: &generator) > 0 else { break asking }
            machine.saved(reservation)
          }
        }
      }
    }
  }
}
