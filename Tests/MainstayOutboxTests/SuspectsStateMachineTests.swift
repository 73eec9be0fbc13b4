// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayTesting
import Testing

/// Who waits for whom where operations have lost their last run.
@Suite struct SuspectsStateMachineTests {
  private let patience = SuspectsStateMachine.patience
  private let longPatience = SuspectsStateMachine.longPatience

  /// One that was told of a suspect when it asked at zero, and what it asked for.
  private func suspecting(
    _ turn: SuspectsStateMachine.Turn
  ) -> SuspectsStateMachine {
    var machine = SuspectsStateMachine()
    machine.claimed(turn, isExclusive: true, at: .zero)
    return machine
  }

  @Test func `where nobody lost a run, everything begins`() {
    var machine = SuspectsStateMachine()
    #expect(machine.turn(besides: [], at: .zero) == .alone)
    machine.claimed(.alone, isExclusive: false, at: .zero)
    #expect(machine.turn(besides: [.zero], at: .seconds(1)) == .others)
    #expect(machine.nextLook(besides: [.zero], at: .seconds(1)) == nil)
  }

  @Test func `one that runs alone keeps the others waiting for its patience, and no longer`() {
    let machine = suspecting(.alone)
    let early = patience - .nanoseconds(1)
    #expect(machine.turn(besides: [.zero], at: early) == .nothing)
    #expect(machine.nextLook(besides: [.zero], at: early) == patience)
    #expect(machine.turn(besides: [.zero], at: patience) == .passing)
    #expect(machine.turn(besides: [], at: early) == .alone, "it has ended")
  }

  @Test func `a long run that is none keeps the others waiting no longer either`() {
    var machine = SuspectsStateMachine()
    let long = Duration.zero
    #expect(machine.turn(besides: [long], at: .seconds(20)) == .others)
    machine.claimed(.others, isExclusive: true, at: .seconds(20))
    #expect(machine.turn(besides: [long], at: .seconds(20)) == .nothing)
    #expect(machine.nextLook(besides: [long], at: .seconds(20)) == patience)
    #expect(machine.turn(besides: [long], at: patience) == .passing)
  }

  @Test func `who is passed by begins once the others have ended, after ten minutes at most`() {
    var machine = suspecting(.alone)
    machine.claimed(.passing, isExclusive: false, at: patience)
    let end = patience + longPatience
    // Each run takes a minute, and there is always one more.
    let young = end - .seconds(40)
    #expect(machine.turn(besides: [young], at: end - .nanoseconds(1)) == .passing)
    #expect(machine.nextLook(besides: [young], at: end - .seconds(1)) == end)
    #expect(machine.turn(besides: [young], at: end) == .others)
    machine.claimed(.others, isExclusive: true, at: end)
    #expect(machine.turn(besides: [young], at: end) == .nothing)
    #expect(machine.nextLook(besides: [young], at: end) == young + longPatience)
    // All have ended: one is tried, and the others wait for that anew.
    #expect(machine.turn(besides: [], at: end + .seconds(20)) == .alone)
    machine.claimed(.alone, isExclusive: true, at: end + .seconds(20))
    let begun = end + .seconds(20)
    #expect(machine.turn(besides: [begun], at: begun) == .nothing)
    #expect(machine.turn(besides: [begun], at: begun + patience) == .passing)
  }

  @Test func `a run of ten minutes counts no more`() {
    let machine = suspecting(.alone)
    #expect(machine.turn(besides: [.zero], at: longPatience - .nanoseconds(1)) == .passing)
    #expect(machine.turn(besides: [.zero], at: longPatience) == .alone)
    #expect(machine.nextLook(besides: [.zero], at: longPatience) == nil)
  }

  @Test func `where there is nobody to be passed by, it begins anew with each long run`() {
    var machine = SuspectsStateMachine()
    machine.claimed(.passing, isExclusive: false, at: patience)
    let end = patience + longPatience
    machine.claimed(.others, isExclusive: false, at: end)
    #expect(machine.turn(besides: [end - patience], at: end) == .passing)
  }

  /// By whatever runs, however long: each wait of either side is over in time.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `nobody waits for ever, whatever runs`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var machine = SuspectsStateMachine()
    var (now, runs): (Duration, [(start: Duration, end: Duration)]) = (.zero, [])
    var (hasWaited, others) = (Duration.zero, Duration.zero)
    for _ in 0..<4000 {
      now += .seconds(1)
      runs.removeAll { $0.end <= now }
      let starts = runs.map(\.start)
      let turn = machine.turn(besides: starts, at: now)
      // Up to four places, and there is always a suspect and something else.
      var begins = 0
      switch turn {
      case .alone:
        machine.claimed(.alone, isExclusive: true, at: now)
        (begins, hasWaited, others) = (runs.count < 4 ? 1 : 0, .zero, .zero)
      case .others: machine.claimed(.others, isExclusive: true, at: now)
      case .passing:
        machine.claimed(.passing, isExclusive: false, at: now)
        (begins, others) = (4 - runs.count, .zero)
      case .nothing: break
      }
      for _ in 0..<max(begins, 0) {
        let long = Int.random(in: 0..<10, using: &generator) == 0
        let length = Int.random(in: long ? 100...9000 : 1...90, using: &generator)
        runs.append((now, now + .seconds(length)))
      }
      hasWaited += .seconds(1)
      others += .seconds(1)
      #expect(hasWaited <= longPatience * 2 + patience * 2, "a suspect at \(now)")
      // Unless other suspects begin, each of which is tried once.
      #expect(others <= longPatience + patience * 2, "another one at \(now)")
    }
  }
}
