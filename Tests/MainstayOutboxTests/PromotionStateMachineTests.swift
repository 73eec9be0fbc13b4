// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import TestSupport
import Testing

/// When a drainer looks for what is due.
@Suite(.requirement("O4", "O29")) struct PromotionStateMachineTests {
  /// One that has looked at zero, and learnt in which time something is due.
  private func looked(_ wait: Duration? = nil, isShort: Bool = false) -> PromotionStateMachine {
    var machine = PromotionStateMachine()
    machine.asks(at: .zero)
    machine.found(wait)
    machine.claimed(isShort ? 1 : 2, of: 2)
    return machine
  }

  @Test func `it looks first, and again where it was not answered`() {
    var machine = PromotionStateMachine()
    #expect(machine.looks(at: .zero) && machine.due == nil)
    #expect(machine.isShort, "before the first claim there may be places for everything")
    machine.asks(at: .zero)
    #expect(!machine.looks(at: .zero))
    machine.failed()
    #expect(machine.looks(at: .zero))
  }

  @Test func `while all places are taken, work alone has it look at nothing`() {
    var machine = looked()
    machine.heard(.work)
    #expect(!machine.looks(at: .milliseconds(999)) && !machine.mustLookAgain)
    // Until a claim shows that there are places for what has a time.
    machine.claimed(0, of: 1)
    #expect(machine.mustLookAgain && machine.looks(at: .zero))
    machine.asks(at: .zero)
    #expect(!machine.mustLookAgain && !machine.looks(at: .zero))
  }

  @Test func `work has it look within a second, also while all places are taken`() {
    var machine = PromotionStateMachine()
    machine.asks(at: .seconds(1))
    machine.found(nil)
    machine.claimed(1, of: 1)
    #expect(machine.nextLook == nil)
    machine.heard(.work)
    #expect(machine.nextLook == .seconds(2))
    #expect(!machine.looks(at: .milliseconds(1_999)))
    #expect(machine.looks(at: .seconds(2)))
    machine.asks(at: .seconds(2))
    machine.found(.seconds(60))
    #expect(machine.nextLook == .seconds(62))
    machine.heard(.work)
    #expect(machine.nextLook == .seconds(3))
  }

  @Test func `where there are places, work has it look before the next claim`() {
    var machine = looked(isShort: true)
    #expect(!machine.looks(at: .zero) && machine.isShort)
    machine.heard(.work)
    #expect(machine.looks(at: .zero))
  }

  @Test func `a time that somebody sets has it look, however busy it is`() {
    var machine = looked()
    machine.heard(.times)
    #expect(machine.looks(at: .zero) && !machine.mustLookAgain)
    machine.asks(at: .zero)
    // What comes while the store is asked may be unknown to its answer.
    machine.heard(.times)
    machine.found(nil)
    #expect(machine.looks(at: .zero))
  }

  @Test func `it looks when the time comes that it was told, counted from its question`() {
    var machine = looked(.milliseconds(300))
    #expect(machine.due == .milliseconds(300))
    #expect(!machine.looks(at: .milliseconds(299)) && machine.looks(at: .milliseconds(300)))
    machine.asks(at: .milliseconds(300))
    machine.found(.seconds(9))
    #expect(machine.due == .milliseconds(9300) && !machine.looks(at: .milliseconds(301)))
    machine.asks(at: .milliseconds(400))
    machine.found(nil)
    #expect(machine.due == nil)
    machine.found(.seconds(Int64.max))
    #expect(machine.due.map { $0 > .seconds(3600) } == true, "no wait is too long")
  }

  @Test func `a second after the last look it looks in any case`() {
    let machine = looked(.seconds(60))
    #expect(!machine.looks(at: .milliseconds(999)) && machine.looks(at: .seconds(1)))
  }
}
