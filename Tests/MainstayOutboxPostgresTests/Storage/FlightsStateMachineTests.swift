// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutboxPostgres
import TestSupport
import Testing

/// When statements leave that several callers share.
@Suite(.requirement("O29")) struct FlightsStateMachineTests {
  /// A statement that has departed and left nobody behind.
  private func departed(maximum: Int = 2) -> FlightsStateMachine {
    var flights = FlightsStateMachine(maximum: maximum)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.departed(1, waiting: 0) == .waits)
    return flights
  }

  @Test func `one leaves at once, and the next when that is answered`() {
    var flights = departed()
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.arrived(waiting: 2) == .waits, "somebody looks after it already")
    #expect(flights.answered(1, waiting: 2) == 2)
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .leaves(3))
  }

  @Test func `whoever comes before one departs goes along, however many they are`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.arrived(waiting: 99) == .waits)
    #expect(flights.departed(1, waiting: 0) == .waits)
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.answered(1, waiting: 99) == nil, "the open one takes them along")
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .leaves(3))
  }

  @Test func `those whom one could not carry have another one, or are looked after`() {
    var flights = FlightsStateMachine(maximum: 2)
    #expect(flights.arrived(waiting: 1) == .leaves(1))
    #expect(flights.departed(1, waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.departed(2, waiting: 99) == .waits, "as many are on their way as may be")
    #expect(flights.answered(2, waiting: 1) == 3)
    #expect(flights.answered(1, waiting: 1) == nil)
    #expect(flights.departed(3, waiting: 1) == .watches(3))
  }

  @Test func `a second one leaves where as many wait as are worth it, and no third one`() {
    var flights = departed()
    #expect(flights.arrived(waiting: FlightsStateMachine.enough - 1) == .watches(1))
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .waits)
    #expect(flights.answered(2, waiting: 9) == 3)
  }

  @Test func `while one is late, others leave without it`() {
    var flights = departed()
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.watched(1, waiting: 1) == .leaves(2))
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .leaves(3), "it is late already")
    #expect(flights.departed(3, waiting: 0) == .waits)
    #expect(flights.arrived(waiting: 1) == .waits)
    #expect(flights.answered(1, waiting: 0) == nil)
    #expect(flights.arrived(waiting: 1) == .watches(3), "nothing is late any more")
  }

  @Test func `where one is late and another one open, none opens beside it`() {
    var flights = departed()
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.watched(1, waiting: 99) == .waits)
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.answered(2, waiting: 1) == 3)
  }

  @Test func `one that was answered in time is not late, and the one after it is looked after`() {
    var flights = departed()
    #expect(flights.arrived(waiting: 1) == .watches(1))
    #expect(flights.answered(1, waiting: 1) == 2)
    #expect(flights.departed(2, waiting: 0) == .waits)
    #expect(flights.watched(1, waiting: 1) == .watches(2))
    #expect(flights.watched(2, waiting: 0) == .waits, "nobody waits for it")
    #expect(flights.arrived(waiting: 1) == .watches(2))
    #expect(flights.answered(2, waiting: 0) == nil)
    #expect(flights.watched(2, waiting: 0) == .waits)
    #expect(flights.arrived(waiting: 1) == .leaves(3))
  }

  @Test func `one that has departed before opens none beside the open one`() {
    var flights = departed(maximum: 3)
    #expect(flights.arrived(waiting: FlightsStateMachine.enough) == .leaves(2))
    #expect(flights.departed(1, waiting: 99) == .waits)
  }

  @Test func `where one may be on its way, none leaves beside it, however late it is`() {
    var flights = departed(maximum: 0)
    #expect(flights.arrived(waiting: 99) == .waits)
    #expect(flights.watched(1, waiting: 99) == .waits)
    #expect(flights.answered(1, waiting: 99) == 2)
  }

  /// Nobody is forgotten: while somebody waits, a statement is open, or one is on its way.
  @Test(arguments: UInt64(1)...20) func `whoever waits is taken along in the end`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var flights = FlightsStateMachine(maximum: Int.random(in: 1...3, using: &random))
    var waiting = 0
    var (open, away, watched): ([Int], [Int], [Int]) = ([], [], [])
    func heed(_ action: FlightsStateMachine.Action) {
      switch action {
      case .waits: break
      case .leaves(let flight): open.append(flight)
      case .watches(let flight): watched.append(flight)
      }
    }
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        waiting += 1
        heed(flights.arrived(waiting: waiting))
      case 4, 5:
        guard let flight = open.popLast() else { continue }
        away.append(flight)
        waiting -= min(waiting, Int.random(in: 1...100, using: &random))
        heed(flights.departed(flight, waiting: waiting))
      case 6:
        guard !away.isEmpty else { continue }
        let flight = away.remove(at: Int.random(in: away.indices, using: &random))
        if let next = flights.answered(flight, waiting: waiting) { open.append(next) }
      default:
        if let flight = watched.popLast() { heed(flights.watched(flight, waiting: waiting)) }
      }
      #expect(open.count <= 1)
      #expect(waiting == 0 || !open.isEmpty || !away.isEmpty)
    }
  }
}
