// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("P36")) struct PolicyRegistryStateMachineTests {
  private typealias Machine = PolicyRegistryStateMachine<Int, Int>

  /// A list of what is kept, to compare the machine with.
  private struct Kept {
    var key: Int
    var borrowers: Int
    var lastUsed: Int
  }

  @Test func `thousands of random schedules agree with a list`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      if let disagreement = walk(&random) {
        Issue.record("seed \(seed): \(disagreement)")
        return
      }
    }
  }

  /// Returns what the machine and the list do not agree on.
  private func walk(_ random: inout SplitMix64) -> String? {
    let maximumCount = Int.random(in: 1...6, using: &random)
    let idleAfter = Bool.random(using: &random) ? Int.random(in: 1...20, using: &random) : nil
    var machine = Machine(
      .init(maximumCount: maximumCount, idleAfter: idleAfter.map { .seconds($0) }))
    var kept: [Int: Kept] = [:]
    var loans: [(slot: Int, key: Int)] = []
    var unforgettable: Set<Int> = []
    var now = 0
    for _ in 0..<120 {
      let key = Int.random(in: 0..<10, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let isNew = kept[key] == nil
        let before = kept
        guard let loan = use(key, &machine, now, unforgettable) else { return "no loan" }
        guard loan.value == key else { return "\(key) got \(loan.value)" }
        loans.append((loan.slot, key))
        kept = kept.filter { machine.value(of: $0.key) != nil }
        for (gone, entry) in before where kept[gone] == nil {
          guard isNew else { return "\(gone) was forgotten for no new key" }
          guard entry.borrowers == 0 else { return "\(gone) was forgotten while in use" }
          guard !unforgettable.contains(gone) else { return "\(gone) remembers and was forgotten" }
          let isIdle = idleAfter.map { now - entry.lastUsed >= $0 } ?? false
          guard isIdle || before.count >= maximumCount else { return "there was room for \(gone)" }
        }
        kept[key] = Kept(key: key, borrowers: (kept[key]?.borrowers ?? 0) + 1, lastUsed: now)
        let forgettable = kept.values.filter {
          $0.borrowers == 0 && !unforgettable.contains($0.key)
        }
        if isNew, kept.count > maximumCount, !forgettable.isEmpty {
          return "\(kept.count) kept though \(forgettable.map(\.key)) might go"
        }
      case 5..<8:
        guard !loans.isEmpty else { break }
        let loan = loans.remove(at: Int.random(in: 0..<loans.count, using: &random))
        machine.giveBack(loan.slot)
        kept[loan.key]?.borrowers -= 1
      case 8:
        unforgettable.formSymmetricDifference([key])
      default:
        now += Int.random(in: -2...10, using: &random)
        if Bool.random(using: &random) {
          let gone = machine.forgetIdle(now: .seconds(now)) { !unforgettable.contains($0) }
          for key in gone {
            guard let entry = kept.removeValue(forKey: key), entry.borrowers == 0 else {
              return "\(key) was forgotten while in use"
            }
          }
        }
        now = max(now, kept.values.map(\.lastUsed).max() ?? now)
      }
      guard Set(machine.keys) == Set(kept.keys), machine.keys.count == kept.count else {
        return "keeps \(machine.keys) instead of \(kept.keys)"
      }
      for entry in kept.values where machine.borrowers(of: entry.key) != entry.borrowers {
        return "\(entry.key) is in use \(machine.borrowers(of: entry.key)) times"
      }
      guard machine.made - machine.forgotten == machine.count else { return "the ledger is off" }
    }
    return nil
  }

  private func use(
    _ key: Int, _ machine: inout Machine, _ now: Int, _ unforgettable: Set<Int>
  ) -> Machine.Loan? {
    if let loan = machine.borrow(key, now: .seconds(now)) { return loan }
    return machine.insert(key, key, now: .seconds(now)) { !unforgettable.contains($0) }.loan
  }

  @Test func `somebody who was slower gets what was kept first`() {
    var machine = Machine(.init(maximumCount: 2, idleAfter: nil))
    let first = machine.insert(1, 10, now: .zero) { _ in true }
    let second = machine.insert(1, 20, now: .zero) { _ in true }
    #expect(first.loan.value == 10 && second.loan.value == 10)
    #expect(machine.borrowers(of: 1) == 2 && machine.made == 1)
  }

  @Test func `a crowd that must be kept does not hide what may go`() {
    var machine = Machine(.init(maximumCount: 100, idleAfter: nil))
    for key in 0..<100 {
      machine.giveBack(machine.insert(key, key, now: .zero) { $0 >= 90 }.loan.slot)
    }
    // Each search looks at a few of the oldest; those that stay make place for the next search.
    var forgotten = 0
    for key in 100..<110 {
      let insertion = machine.insert(key, key, now: .zero) { $0 >= 90 }
      machine.giveBack(insertion.loan.slot)
      forgotten += insertion.forgotten.count
    }
    #expect(forgotten >= 8 && machine.count <= 102)
  }

  @Test func `a search for room looks at 32 entries and no more`() {
    for (count, expected) in [(3, 3), (32, 32), (40, 32)] {
      var machine = Machine(.init(maximumCount: count, idleAfter: nil))
      for key in 0..<count {
        machine.giveBack(machine.insert(key, key, now: .zero) { _ in false }.loan.slot)
      }
      var looked: [Int] = []
      _ = machine.insert(-1, -1, now: .zero) {
        looked.append($0)
        return false
      }
      #expect(looked == Array(0..<expected))
    }
  }

  @Test func `a use renews, when it begins and when it ends`() {
    var machine = Machine(.init(maximumCount: 9, idleAfter: .seconds(10)))
    let first = machine.insert(1, 1, now: .zero) { _ in true }
    machine.giveBack(first.loan.slot)
    #expect(machine.borrow(1, now: .seconds(8)) != nil)
    machine.giveBack(first.loan.slot)
    #expect(machine.forgetIdle(now: .seconds(17)) { _ in true } == [])
    #expect(machine.borrow(1, now: .seconds(17)) != nil)
    // Meanwhile the clock is read for another key; the first one was in use until then.
    let second = machine.insert(2, 2, now: .seconds(30)) { _ in true }
    machine.giveBack(second.loan.slot)
    #expect(machine.keys == [1, 2])
    machine.giveBack(first.loan.slot)
    #expect(machine.keys == [2, 1])
    #expect(machine.forgetIdle(now: .seconds(39)) { _ in true } == [])
    #expect(machine.forgetIdle(now: .seconds(40)) { _ in true } == [1, 2])
    #expect(machine.count == 0 && machine.forgotten == 2)
  }

  @Test func `what is used now is the last to go`() {
    var machine = Machine(.init(maximumCount: 9, idleAfter: nil))
    for key in 1...3 { _ = machine.insert(key, key, now: .zero) { _ in true } }
    _ = machine.borrow(1, now: .zero)
    #expect(machine.keys == [2, 3, 1])
    _ = machine.borrow(3, now: .zero)
    #expect(machine.keys == [2, 1, 3])
  }

  @Test func `what had to stay is no younger for that`() {
    var machine = Machine(.init(maximumCount: 3, idleAfter: nil))
    for key in 1...3 {
      machine.giveBack(machine.insert(key, key, now: .zero) { _ in false }.loan.slot)
    }
    let fourth = machine.insert(4, 4, now: .zero) { $0 == 2 }
    #expect(fourth.forgotten == [2])
    #expect(machine.keys == [1, 3, 4])
  }

  @Test func `a slot that came free is used again`() {
    var machine = Machine(.init(maximumCount: 2, idleAfter: nil))
    for key in 0..<100 {
      let insertion = machine.insert(key, key, now: .zero) { _ in true }
      #expect(insertion.loan.slot < 2 && insertion.loan.value == key)
      #expect(insertion.forgotten == (key < 2 ? [] : [key - 2]))
      machine.giveBack(insertion.loan.slot)
    }
    #expect(machine.made == 100 && machine.forgotten == 98)
  }

  @Test func `it is told once that more are kept than there should be`() {
    var machine = Machine(.init(maximumCount: 2, idleAfter: nil))
    let began = (1...4).map { key in
      machine.insert(key, key, now: .zero) { _ in false }.beganToOverflow
    }
    #expect(began == [false, false, true, false])
    let again = machine.insert(3, 3, now: .zero) { _ in false }
    #expect(!again.beganToOverflow && again.forgotten.isEmpty)
  }

  @Test func `nobody uses what is not kept`() {
    var machine = Machine(.init(maximumCount: 2, idleAfter: nil))
    #expect(machine.borrowers(of: 1) == 0 && machine.value(of: 1) == nil)
    #expect(machine.borrow(1, now: .zero) == nil)
    let loan = machine.insert(1, 10, now: .zero) { _ in true }.loan
    #expect(machine.borrowers(of: 1) == 1 && machine.value(of: 1) == 10)
    machine.giveBack(loan.slot)
    #expect(machine.borrowers(of: 1) == 0)
  }

  @Test(.requirement("P12")) func `extreme readings are survived`() {
    var machine = Machine(.init(maximumCount: 2, idleAfter: .seconds(1)))
    for now in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero] {
      _ = machine.insert(1, 1, now: now) { _ in true }
      _ = machine.forgetIdle(now: now) { _ in true }
    }
    #expect(machine.count == 1)
  }
}
