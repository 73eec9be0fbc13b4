// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CaptureStateMachineTests {
  typealias Machine = CaptureStateMachine<Int, String>

  private func sighting(
    _ key: Int, operation: String? = nil, wantsTrace: Bool = false,
    at second: Int
  ) -> Machine.Sighting {
    Machine.Sighting(
      key: key, operation: operation, wantsTrace: wantsTrace, now: .seconds(second),
      date: Date(timeIntervalSince1970: Double(second)))
  }

  private func machine(_ count: Int? = 1, groups: Int = 10) -> Machine {
    let limit = count.map { FloodGate.Limit(count: $0, window: .seconds(60)) }
    return Machine(.init(limit: limit, maximumGroups: groups))
  }

  @Test(.requirement("B41")) func `similar failures are grouped, and told once`() {
    var machine = machine()
    #expect(machine.capture(sighting(1, at: 0)).fate == .told(after: nil, takesTrace: false))
    #expect(machine.capture(sighting(1, at: 2)).fate == .suppressed)
    #expect(machine.capture(sighting(2, at: 3)).fate == .told(after: nil, takesTrace: false))
    #expect(machine.groups.entry(1)?.count == 2 && machine.groups.entry(2)?.count == 1)
    #expect(machine.losses == [.suppressed: 1])
    #expect(machine.trends.total == 3)
    let date = Date(timeIntervalSince1970: 2)
    #expect(
      machine.capture(sighting(1, at: 60)).fate
        == .told(after: .init(count: 1, first: date, last: date), takesTrace: false))
    let group = machine.groups.entry(1)
    #expect(group?.firstSeen == Date(timeIntervalSince1970: 0))
    #expect(group?.lastSeen == Date(timeIntervalSince1970: 60))
  }

  @Test func `critical ones have a share of their own, and the last word is told in any case`() {
    var machine = machine()
    func capture(_ second: Int, isCritical: Bool, isLastWord: Bool = false) -> Machine.Fate {
      var sighting = sighting(1, at: second)
      (sighting.isCritical, sighting.isLastWord) = (isCritical, isLastWord)
      return machine.capture(sighting).fate
    }
    let told = Machine.Fate.told(after: nil, takesTrace: false)
    #expect([0, 1].map { capture($0, isCritical: false) } == [told, .suppressed])
    #expect([2, 3].map { capture($0, isCritical: true) } == [told, .suppressed])
    machine.update(1) { entry in
      entry.keep("mild", isCritical: false)
      entry.keep("critical", isCritical: true)
      #expect(entry.sample == "critical" && entry.suppressed?.count == 2)
    }
    let closings = machine.close(at: nil).closings
    #expect(closings.map(\.sample) == ["mild", "critical"])
    #expect(closings.map(\.suppressed.count) == [1, 1])
    // A milder last word leaves the others to those who may be told of them.
    for isCritical in [false, true] { #expect(capture(4, isCritical: isCritical) == .suppressed) }
    let date = Date(timeIntervalSince1970: 4)
    let one = ErrorReport.Suppressed(count: 1, first: date, last: date)
    #expect(
      capture(5, isCritical: false, isLastWord: true) == .told(after: one, takesTrace: false))
    #expect(capture(4, isCritical: false) == .suppressed)
    #expect(
      capture(6, isCritical: true, isLastWord: true)
        == .told(after: .init(count: 2, first: date, last: date), takesTrace: false))
    #expect(machine.losses == [.suppressed: 5] && machine.close(at: nil).closings.isEmpty)
  }

  @Test func `what a dropped one carried is told, what is counted beside those dropped is not`() {
    var machine = machine()
    func carry(_ second: Int, isCritical: Bool = false) -> ErrorReport.Suppressed? {
      var sighting = sighting(1, at: second)
      (sighting.isCritical, sighting.isLastWord) = (isCritical, isCritical)
      guard case .told(let suppressed, _) = machine.capture(sighting).fate else { return nil }
      return suppressed
    }
    _ = carry(0)
    #expect(machine.discard(1, isCritical: false, carrying: nil) == nil)
    #expect(machine.capture(sighting(1, at: 1)).fate == .suppressedUnheard)
    #expect(carry(60) == nil, "nobody was told of the one before")
    machine.update(1) { $0.keep("mild", isCritical: false) }
    #expect(machine.capture(sighting(1, at: 61)).fate == .suppressed)
    #expect(carry(120)?.count == 1)
    let one = machine.groups.entry(1)?.lastSeen
    let owed = one.map { ErrorReport.Suppressed(count: 1, first: $0, last: $0) }
    #expect(machine.discard(1, isCritical: false, carrying: owed) == .seconds(186))
    #expect(machine.capture(sighting(1, at: 121)).fate == .suppressedUnheard)
    // A last word takes along what is owed; dropped as well, it leaves that to the milder ones.
    #expect(carry(122, isCritical: true)?.count == 1)
    #expect(machine.discard(1, isCritical: true, carrying: owed) == .seconds(186))
    let (closings, next) = machine.close(at: .seconds(130))
    #expect(closings.map(\.sample) == ["mild"] && closings.map(\.suppressed.count) == [1])
    #expect(next == nil && machine.close(at: nil).closings.isEmpty)
    #expect(machine.losses == [.suppressed: 3])
  }

  @Test(.requirement("B43")) func `a stack is taken once for each group and minute`() {
    var machine = machine(nil)
    let traced = [0, 30, 59, 60, 119, 120].map { second in
      let sighting = sighting(1, wantsTrace: true, at: second)
      return machine.capture(sighting).fate == .told(after: nil, takesTrace: true)
    }
    #expect(traced == [true, false, false, true, false, true])
    let other = machine.capture(sighting(2, wantsTrace: true, at: 120))
    #expect(other.fate == .told(after: nil, takesTrace: true))
  }

  @Test(.requirement("A46")) func `an operation is asked for until it is known by its kept name`() {
    var machine = machine()
    #expect(machine.capture(sighting(1, operation: "save", at: 0)).asksForOperation == true)
    machine.update(1) { $0.count(operation: "save") }
    #expect(machine.capture(sighting(1, operation: "save", at: 1)).asksForOperation == false)
    #expect(machine.capture(sighting(1, operation: "a@b.de", at: 2)).asksForOperation == true)
    machine.update(1) { $0.count(operation: "<email>") }
    #expect(machine.capture(sighting(1, operation: "a@b.de", at: 2)).asksForOperation == true)
    #expect(machine.groups.entry(1)?.operations.map(\.count) == [2, 1])
  }

  @Test func `what is left out is counted by its reason, and nothing else is`() {
    var machine = machine()
    #expect(machine.losses.isEmpty)
    machine.drop(.ownFailure)
    machine.drop(.ownFailure)
    machine.drop(.shutDown)
    _ = machine.capture(sighting(1, at: 0))
    #expect(machine.losses == [.ownFailure: 2, .shutDown: 1])
  }

  @Test func `a group knows when it was seen, also where the clock is set back`() {
    var machine = machine()
    for second in [120, 180, 60, 90] { _ = machine.capture(sighting(1, at: second)) }
    let group = machine.groups.entry(1)
    #expect(group?.firstSeen == Date(timeIntervalSince1970: 60))
    #expect(group?.lastSeen == Date(timeIntervalSince1970: 90))
    #expect(group?.reading == .seconds(90) && group?.count == 4)
    #expect(group?.trends.counts(per: .minute, until: 3).suffix(3) == [2, 1, 1])
    #expect(machine.trends.counts(per: .minute, until: 3).suffix(3) == [2, 1, 1])
  }

  @Test func `nobody asks for the operation of what was done during none`() {
    var machine = machine()
    let answers = [0, 1].map { machine.capture(sighting(1, at: $0)) }
    #expect(answers.map(\.fate) == [.told(after: nil, takesTrace: false), .suppressed])
    #expect(answers.map(\.asksForOperation) == [false, false])
  }

  @Test func `a stack is taken where it is wanted, and a reading beyond all sums is no trap`() {
    var machine = machine(nil)
    let readings = [Duration.seconds(Int64.min), .seconds(Int64.max), .seconds(Int64.max) * 10]
    for reading in readings {
      for (wantsTrace, takesTrace) in [(false, false), (true, true)] {
        let sighting = Machine.Sighting(
          key: 1, wantsTrace: wantsTrace, now: reading, date: Date(timeIntervalSince1970: 0))
        #expect(machine.capture(sighting).fate == .told(after: nil, takesTrace: takesTrace))
      }
    }
  }

  @Test func `a date has a minute, also before 1970 and beyond all calendars`() {
    let minutes: [(Double, Int)] = [
      (0, 0), (59, 0), (60, 1), (61, 1), (3_600, 60), (-1, -1), (-60, -1), (-61, -2),
      (.infinity, 0), (-.infinity, 0), (.nan, 0), (1e300, 4_300_000_000), (-1e300, -1_100_000_000),
    ]
    for (second, minute) in minutes {
      #expect(Date(timeIntervalSince1970: second).wallMinute == minute, "\(second)")
    }
    for date in [Date.distantPast, .distantFuture] {
      #expect(abs(date.wallMinute - Int(date.timeIntervalSince1970 / 60)) <= 1)
    }
  }

  @Test func `a random walk counts every capture exactly once`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...4, using: &random)
      var machine = machine(Int.random(in: 1...3, using: &random), groups: capacity)
      var (captured, told, second) = (0, 0, 0)
      for _ in 0..<50 {
        second += [0, 1, 30, -20].randomElement(using: &random) ?? 0
        let key = Int.random(in: 0..<6, using: &random)
        captured += 1
        if Int.random(in: 0..<9, using: &random) == 0 {
          machine.drop(.ownFailure)
          continue
        }
        if case .told = machine.capture(sighting(key, at: second)).fate { told += 1 }
        #expect(machine.groups.count <= capacity, "seed \(seed)")
        #expect(captured == told + machine.losses.values.reduce(0, +), "seed \(seed)")
        #expect(machine.trends.total == told + (machine.losses[.suppressed] ?? 0), "seed \(seed)")
      }
    }
  }
}
