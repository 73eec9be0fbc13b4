// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite(.ends(withinMinutes: 2), .requirement("A26")) struct DegradationStateMachineTests {
  typealias NeedID = DegradationPlan.NeedID

  private func machine(
    dwell: Duration = .seconds(5), riseDelay: Duration = .seconds(3)
  ) -> DegradationStateMachine {
    DegradationStateMachine(
      .standard, .init(dwell: dwell, riseDelay: riseDelay), now: .zero)
  }

  @Test func `it falls at once, and rises after a while`() {
    var machine = machine()
    #expect(machine.level == .full && machine.nextWake == nil)
    let fall = machine.update(missing: [.network], now: .seconds(100))
    #expect(fall?.from == .full && fall?.to == .offline && machine.nextWake == nil)
    #expect(machine.update(missing: [], now: .seconds(120)) == nil)
    #expect(machine.level == .offline && machine.nextWake == .seconds(123))
    // Why it was so is told until it is better.
    #expect(machine.reasons.map(\.id) == [.network])
    #expect(machine.wake(now: .seconds(122)) == nil)
    let rise = machine.wake(now: .seconds(123))
    #expect(rise?.from == .offline && rise?.to == .full && machine.reasons.isEmpty)
  }

  @Test func `a level stays for a dwell, down and up`() {
    var machine = machine()
    _ = machine.update(missing: [.camera], now: .seconds(100))
    #expect(machine.update(missing: [.memory], now: .seconds(101)) == nil)
    #expect(machine.level == .limited && machine.nextWake == .seconds(105))
    #expect(machine.wake(now: .seconds(105))?.to == .minimal)
    #expect(machine.update(missing: [], now: .seconds(106)) == nil)
    #expect(machine.nextWake == .seconds(110))
    #expect(machine.wake(now: .seconds(110))?.to == .full)
  }

  @Test func `what was better for a moment only is not offered`() {
    var machine = machine()
    _ = machine.update(missing: [.network], now: .seconds(100))
    _ = machine.update(missing: [], now: .seconds(110))
    #expect(machine.update(missing: [.network], now: .seconds(112)) == nil)
    #expect(machine.nextWake == nil && machine.wake(now: .seconds(200)) == nil)
    // It rises to what was there all the time, and further when that has lasted, too.
    _ = machine.update(missing: [.storage], now: .seconds(200))
    _ = machine.update(missing: [], now: .seconds(202))
    #expect(machine.wake(now: .seconds(203))?.to == .basic)
    #expect(machine.nextWake == .seconds(208))
    #expect(machine.wake(now: .seconds(208))?.to == .full)
  }

  @Test func `who is woken late misses nothing`() {
    var machine = machine()
    _ = machine.update(missing: [.network], now: .seconds(100))
    _ = machine.update(missing: [], now: .seconds(110))
    // Nobody woke it at 113: the rise comes first, and the fall a dwell later.
    let late = machine.update(missing: [.memory], now: .seconds(150))
    #expect(late?.from == .offline && late?.to == .full)
    #expect(machine.nextWake == .seconds(155))
    #expect(machine.wake(now: .seconds(155))?.to == .minimal)
  }

  @Test func `a clock that goes back changes nothing`() {
    var machine = machine()
    _ = machine.update(missing: [.network], now: .seconds(100))
    #expect(machine.update(missing: [], now: .seconds(-50)) == nil)
    #expect(machine.wake(now: .zero) == nil && machine.latest == .seconds(100))
    #expect(machine.wake(now: .seconds(105))?.to == .full)
  }

  @Test func `random facts make one change for each dwell at most, and end where they should`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      let dwell = Duration.milliseconds(Int.random(in: 1...5_000, using: &generator))
      let rise = Duration.milliseconds(Int.random(in: 0...5_000, using: &generator))
      var machine = machine(dwell: dwell, riseDelay: rise)
      var (now, last, missing) = (Duration.zero, Duration?.none, Set<NeedID>())
      var level = machine.level
      for _ in 0..<200 {
        now += .milliseconds(Int.random(in: 0...2_000, using: &generator))
        let change: (from: FeatureLevel, to: FeatureLevel)?
        if Bool.random(using: &generator) {
          let need = DegradationPlan.standard.needs.randomElement(using: &generator)?.id
          if let need, missing.remove(need) == nil { missing.insert(need) }
          change = machine.update(missing: missing, now: now)
        } else {
          change = machine.wake(now: now)
        }
        guard let change else {
          #expect(machine.level == level, "seed \(seed)")
          continue
        }
        #expect(change.from == level && change.to == machine.level, "seed \(seed)")
        #expect(change.from != change.to, "seed \(seed)")
        if let last { #expect(now - last >= dwell, "seed \(seed)") }
        #expect(machine.reasons.isEmpty == (machine.level == .full), "seed \(seed)")
        (last, level) = (now, change.to)
      }
      // Left alone, it comes to rest at what the facts ask for.
      for _ in 0..<10 {
        guard let next = machine.nextWake else { break }
        #expect(machine.wake(now: next) != nil, "seed \(seed)")
      }
      #expect(machine.nextWake == nil, "seed \(seed)")
      #expect(machine.level == DegradationPlan.standard.level(missing: missing), "seed \(seed)")
    }
  }
}
