// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct BulkheadStateMachineTests {
  private func machine(
    limit: Int = 1, queue: Int = 3, order: Bulkhead.Order = .fifo, waiters: Int = 3
  ) -> BulkheadStateMachine {
    var machine = BulkheadStateMachine(.init(limit: limit, queue: queue, order: order))
    for _ in 0..<limit { _ = machine.takeIfFree() }
    for second in 0..<waiters {
      _ = machine.wait(now: .seconds(second), atMost: .seconds(10))
    }
    return machine
  }

  @Test func `it counts those who run`() {
    var machine = BulkheadStateMachine(.init(limit: 2))
    #expect(machine.takeIfFree() == 1)
    #expect(machine.takeIfFree() == 2)
    #expect(machine.takeIfFree() == nil)
    #expect(machine.wait(now: .zero, atMost: .seconds(1)) == .full)
    #expect(machine.giveBackIfNobodyWaits() == true)
    #expect(machine.wait(now: .zero, atMost: .seconds(1)) == .granted)
    #expect(machine.running == 2)
  }

  @Test(.requirement("P32")) func `a permit goes straight to who has waited longest`() {
    var machine = machine()
    #expect(machine.giveBackIfNobodyWaits() == false)
    #expect(machine.giveBack(now: .seconds(3)) == 0)
    #expect(machine.takeIfFree() == nil)
    #expect(machine.giveBack(now: .seconds(100)) == 1)
    #expect(machine.waiters == [2])
  }

  @Test(.requirement("P32")) func `under overload it goes to who came last, else to the oldest`() {
    var machine = machine(order: .lifoUnderOverload)
    #expect(!machine.isOverloaded(now: .milliseconds(4_999)))
    #expect(machine.isOverloaded(now: .seconds(5)))
    #expect(machine.giveBack(now: .milliseconds(4_999)) == 0)
    // The oldest is now the second one, which has waited since 1 s.
    #expect(machine.giveBack(now: .seconds(6)) == 2)
    #expect(machine.waiters == [1])
  }

  @Test(.requirement("P12")) func `a clock that goes back makes nobody younger`() {
    var machine = machine(order: .lifoUnderOverload)
    #expect(machine.setLimit(1, now: .seconds(8)) == [])
    _ = machine.leave(2)
    #expect(machine.wait(now: .seconds(9), atMost: .seconds(10)) == .waits(3))
    #expect(machine.isOverloaded(now: .seconds(-50)))
    #expect(machine.giveBack(now: .seconds(-50)) == 3)
  }

  @Test(.requirement("P31")) func `who has its permit does not leave, who has left gets none`() {
    var machine = machine()
    #expect(machine.giveBack(now: .zero) == 0)
    #expect(machine.leave(0) == false)
    #expect(machine.leave(1) == true)
    #expect(machine.leave(1) == false)
    #expect(machine.leave(99) == false)
    #expect(machine.giveBack(now: .zero) == 2)
    #expect(machine.giveBackIfNobodyWaits() == true)
    #expect(machine.running == 0)
  }

  @Test(.requirement("P37")) func `a lower limit lets calls finish, a higher one lets waiters in`()
  {
    var machine = machine(limit: 3)
    #expect(machine.setLimit(1, now: .zero) == [])
    #expect(machine.running == 3)
    #expect(machine.giveBack(now: .zero) == nil)
    #expect(machine.giveBack(now: .zero) == nil)
    #expect(machine.giveBack(now: .zero) == 0)
    #expect(machine.running == 1)
    #expect(machine.setLimit(9, now: .zero) == [1, 2])
    #expect(machine.running == 3 && machine.waiting == 0)
  }

  @Test func `places of those who left are used again`() {
    var machine = machine(queue: 2, waiters: 2)
    for _ in 0..<1_000 {
      guard case .full = machine.wait(now: .zero, atMost: .seconds(1)) else {
        Issue.record("there was a third place")
        return
      }
      let last = machine.waiters[1]
      #expect(machine.leave(last) == true)
      #expect(machine.wait(now: .zero, atMost: .seconds(1)) == .waits(last + 1))
    }
    #expect(machine.waiters == [0, 1_001])
  }

  @Test(.requirement("P32")) func `who leaves from the middle of a long line moves nobody`() {
    var machine = machine(queue: 200, waiters: 200)
    let left = (0..<200).filter { $0 % 3 != 0 && $0 != 199 }
    for id in left { #expect(machine.leave(UInt64(id)) == true) }
    let stayed = (0..<200).filter { !left.contains($0) }.map(UInt64.init)
    #expect(machine.waiters == stayed)
    for id in stayed.prefix(40) { #expect(machine.giveBack(now: .zero) == id) }
    #expect(machine.wait(now: .zero, atMost: .seconds(1)) == .waits(200))
    #expect(machine.leave(stayed[50]) == true)
    #expect(machine.leave(stayed[50]) == false)
    #expect(machine.leave(stayed[0]) == false)
    for id in stayed[40...] + [200] where id != stayed[50] {
      #expect(machine.giveBack(now: .zero) == id)
    }
    #expect(machine.waiting == 0 && machine.running == 1)
  }

  @Test func `without further settings it does what the policy does by default`() throws {
    let policy = try Bulkhead.Configuration(name: "catalog", limit: 3).checked(named: "catalog")
    let settings = BulkheadStateMachine.Settings(limit: 3)
    #expect(settings.limit == policy.limit && settings.queue == policy.queue)
    #expect(settings.maximumWait == policy.maximumWait && settings.order == policy.order)
  }

  @Test(.requirement("P32")) func `one who has waited long is overload, an empty line is none`() {
    var machine = machine(queue: 1, waiters: 1)
    #expect(!machine.isOverloaded(now: .milliseconds(4_999)))
    #expect(machine.isOverloaded(now: .seconds(5)))
    #expect(machine.leave(0) == true)
    #expect(!machine.isOverloaded(now: .seconds(99)))
  }

  @Test(.requirement("P12")) func `time that a granted permit has seen has passed for all`() {
    var machine = machine(order: .lifoUnderOverload, waiters: 2)
    #expect(machine.giveBack(now: .seconds(100)) == 1)
    #expect(machine.giveBack(now: .seconds(100)) == 0)
    // The clock went back; the new waiter begins at 100 s all the same.
    #expect(machine.wait(now: .zero, atMost: .seconds(10)) == .waits(2))
    #expect(!machine.isOverloaded(now: .milliseconds(104_999)))
    #expect(machine.isOverloaded(now: .seconds(105)))
  }

  @Test func `those who left from a long line take up little memory`() {
    for count in [33, 34, 500] {
      var machine = machine(queue: count, waiters: count)
      // The oldest and the newest stay, so that nothing goes at the ends.
      for id in 1..<count - 1 {
        #expect(machine.leave(UInt64(id)) == true)
        #expect(machine.placeCount <= max(32, 2 * machine.waiting), "\(machine.waiting) wait")
      }
      #expect(machine.waiters == [0, UInt64(count - 1)])
      #expect(machine.giveBack(now: .zero) == 0)
      #expect(machine.giveBack(now: .zero) == UInt64(count - 1))
      #expect(machine.placeCount == 0)
    }
  }
}
