// SPDX-License-Identifier: Apache-2.0

import MainstayOutboxPostgres
import TestSupport
import Testing

/// When statements leave that several callers share.
@Suite(.requirement("O29")) struct FlightsStateMachineTests {
  @Test func `one leaves at once, and the next when that is answered`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.arrived(waiting: 2) == .waits, "somebody looks after it already")
    #expect(flights.answered(1, waiting: 2) == 2)
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .leaves(3))
  }

  @Test func `a second one leaves where as many wait as are worth it, and no third one`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: FlightsStateMachine.enough - 1) == .watches(1))
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .waits)
    #expect(flights.answered(2, waiting: 9) == 3)
  }

  @Test func `while one is late, others leave without it`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.watched(1, waiting: 1) == .leaves(2))
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .leaves(3), "it is late already")
    #expect(flights.arrived(waiting: 1) == .waits)
    #expect(flights.answered(1, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .watches(3), "nothing is late any more")
  }

  @Test func `one that was answered in time is not late, and the one after it is looked after`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.answered(1, waiting: 1) == 2)
    #expect(flights.watched(1, waiting: 1) == .watches(2))
    #expect(flights.watched(2, waiting: 0) == .waits, "nobody waits for it")
    #expect(flights.arrived(waiting: 1) == .watches(2))
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.watched(2, waiting: 0) == .waits)
    #expect(flights.arrived(waiting: 1) == .leaves(3))
  }

  @Test func `where one may be on its way, none leaves beside it, however late it is`() {
    var flights = FlightsStateMachine(maximum: 0)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: 99) == .waits)
    #expect(flights.watched(1, waiting: 99) == .waits)
    #expect(flights.answered(1, waiting: 99) == 2)
  }
}
