// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("B42")) struct ReportIndexLimitsStateMachineTests {
  private typealias Machine = ReportIndexStateMachine

  private func candidate(
    _ severity: Severity = .error, bytes: Int = 100, trimmed: Int? = nil,
    inMemory reason: ReportStore.DropReason? = nil
  ) -> Machine.Candidate {
    Machine.Candidate(
      id: UUID(), bytes: bytes, trimmedBytes: trimmed, severity: severity, category: "error",
      contentType: "text/plain", memoryReason: reason)
  }

  private func entry(_ number: UInt64, _ severity: Severity = .error) -> Machine.Entry {
    Machine.Entry(
      number: number, id: UUID(), birth: .zero, bytes: 100, severity: severity, category: "error",
      contentType: "text/plain")
  }

  /// A machine with records of its own.
  private func machine(
    _ candidates: [Machine.Candidate], count: Int = 100, bytes: Int = 1_000,
    age: Duration = .seconds(1_000)
  ) -> Machine {
    var machine = Machine(.init(maximumCount: count, maximumBytes: bytes, maximumAge: age))
    for candidate in candidates { _ = machine.admit(candidate, now: .zero) }
    return machine
  }

  @Test func `it keeps as many records and bytes as the settings say`() {
    let two = [candidate(), candidate()]
    #expect(machine(two, count: 3).step(for: candidate(), now: .zero) == .fits)
    #expect(machine(two, count: 2).step(for: nil, now: .zero) == .fits)
    #expect(machine(two, count: 2).step(for: candidate(), now: .zero) == .drop([1], .overflow))
    #expect(machine(two, bytes: 300).step(for: candidate(), now: .zero) == .fits)
    #expect(machine(two, bytes: 200).step(for: nil, now: .zero) == .fits)
    #expect(machine(two, bytes: 299).step(for: candidate(), now: .zero) == .drop([1], .overflow))
    #expect(machine(two).bytes == 200)
  }

  @Test func `memory has room for a million bytes, and the folder's limits hold there too`() {
    let half = candidate(bytes: 500_000, trimmed: 10, inMemory: .noSpace)
    let large = machine([half], bytes: 9_000_000)
    #expect(large.step(for: half, now: .zero) == .fits)
    let more = candidate(bytes: 500_001, inMemory: .noSpace)
    let first = Machine.firstInMemory
    #expect(large.step(for: more, now: .zero) == .drop([first], .noSpace), "it is not trimmed")
    let whole = candidate(bytes: 1_000_000, inMemory: .noSpace)
    #expect(machine([], bytes: 9_000_000).step(for: whole, now: .zero) == .fits)
    let full = machine([candidate()], count: 1)
    let waiting = candidate(inMemory: .noSpace)
    #expect(full.step(for: waiting, now: .zero) == .drop([1], .overflow))
  }

  @Test func `what gains nothing is not trimmed, and where records are too many none is`() {
    let (equal, spare) = (candidate(bytes: 400, trimmed: 400), candidate(bytes: 400, trimmed: 90))
    let heavy = machine([equal, candidate(bytes: 400)])
    #expect(heavy.step(for: equal, now: .zero) == .drop([1], .overflow))
    #expect(heavy.step(for: spare, now: .zero) == .trimCandidate)
    let spared = machine([spare, spare])
    #expect(spared.step(for: spare, now: .zero) == .trim(1), "of equals the oldest")
    #expect(machine([spare], count: 1).step(for: candidate(), now: .zero) == .drop([1], .overflow))
    var trimmed = machine([spare, candidate(bytes: 600)])
    #expect(trimmed.entries.allSatisfy { !$0.isUnread })
    // It came out longer than was promised, and is not trimmed for ever.
    trimmed.trimmed(1, bytes: 95)
    #expect(trimmed.step(for: candidate(bytes: 900), now: .zero) == .drop([1], .overflow))
  }

  @Test func `as many leave as are too many, a hundred at a time`() {
    func opened(_ records: Int, count: Int) -> Machine {
      var machine = machine([], count: count, bytes: 1_000_000)
      let found = (1...UInt64(records)).map { entry($0, .critical) }
      _ = machine.open(nil, isDamaged: false, found: found, damaged: [])
      return machine
    }
    #expect(opened(5, count: 2).step(for: nil, now: .zero) == .drop([1, 2, 3], .overflow))
    let new = candidate(.critical)
    #expect(opened(5, count: 2).step(for: new, now: .zero) == .drop([1, 2, 3, 4], .overflow))
    let many = opened(250, count: 100)
    #expect(many.step(for: nil, now: .zero) == .drop(Array(1...100), .overflow))
    #expect(many.step(for: nil, now: .seconds(1_001)) == .drop(Array(1...100), .expired))
  }

  @Test func `numbers of files and of records in memory never meet`() {
    #expect(Machine.lastNumber > 1 << 32)
    #expect(Machine.lastNumber < Machine.firstInMemory)
    let machine = machine([candidate(inMemory: .noSpace), candidate()])
    #expect(machine.entries.map(\.number) == [Machine.firstInMemory, 1])
    #expect(machine.inMemory.map(\.number) == [Machine.firstInMemory])
  }

  @Test func `a record that comes back waits, and knows how often it was put off`() {
    var machine = machine([candidate(), candidate()])
    machine.beginSending([1, 2])
    machine.putBack([1], wasRefused: true)
    machine.putBack([2], wasRefused: false)
    machine.putBack([1], wasRefused: true)
    #expect(machine.entries.map(\.attempts) == [2, 0])
    #expect(machine.entries.map(\.isSending) == [false, false])
  }

  @Test func `files that left are settled one by one, and those in memory have none`() {
    var machine = machine((0..<4).map { _ in candidate() } + [candidate(inMemory: .noSpace)])
    machine.quarantine(1)
    machine.drop([2], .overflow)
    machine.send([3, Machine.firstInMemory])
    machine.quarantine(77)
    #expect(machine.settling == [1, 2, 3] && machine.entries.map(\.number) == [4])
    machine.settled([2])
    #expect(machine.settling == [1, 3])
    let ledger = machine.ledger
    #expect(ledger.quarantined == 1 && ledger.sent == 2 && ledger.dropped(.overflow) == 1)
    #expect(ledger.captured == 5 && ledger.isBalanced && machine.persisted.ledger.pending == 0)
  }

  @Test func `each file is counted once, whatever became of it meanwhile`() {
    var first = machine((0..<3).map { _ in candidate() })
    let waiting = (0..<2).map { _ in candidate(inMemory: .noSpace) }
    let numbers = waiting.map { first.admit($0, now: .zero) }
    let record = first.persisted
    _ = first.admit(candidate(), now: .zero)  // 4, which the ledger has not heard of
    first.moveToDisk(numbers[0])  // 5
    var next = machine([])
    let found = first.entries.filter { [1, 4, 5].contains($0.number) }  // 3 is missing
    let damaged = [RecordName(number: 2, id: UUID())]
    #expect(next.open(record, isDamaged: false, found: found, damaged: damaged).isEmpty)
    #expect(next.ledger.captured == 6 && next.ledger.pending == 3 && next.ledger.quarantined == 1)
    #expect(next.ledger.dropped(.lost) == 2 && next.ledger.isBalanced)
    #expect(next.settling == [2] && next.nextNumber == 6 && next.ledger.resets == 0)
  }

  @Test func `a folder without a file is new, and a clean one has lost nothing`() {
    var new = machine([])
    #expect(new.open(nil, isDamaged: false, found: [], damaged: []).isEmpty)
    #expect(new.ledger == ReportStore.Ledger() && new.nextNumber == 1)
    let first = machine([candidate()])
    var next = machine([])
    _ = next.open(first.persisted, isDamaged: false, found: first.entries, damaged: [])
    #expect(next.ledger == first.ledger && next.ledger.dropped.isEmpty)
    var gone = ReportStore.Ledger()
    (gone.captured, gone.sent) = (3, 3)
    let record = LedgerRecord(next: 4, settling: [9], inMemory: [], ledger: gone)
    var found = machine([])
    _ = found.open(record, isDamaged: false, found: [entry(2)], damaged: [])
    #expect(found.ledger.captured == 4 && found.ledger.isBalanced, "it was there all the time")
    #expect(found.nextNumber == 10, "a number that is being settled is not used again")
  }

  @Test func `what was withdrawn on its way is found as withdrawn`() {
    var first = machine([candidate(), candidate()])
    first.beginSending([1])
    #expect(first.withdraw() == [2])
    first.drop([2], .withheld)
    var next = machine([])
    _ = next.open(first.persisted, isDamaged: false, found: [entry(1)], damaged: [])
    #expect(next.entries.map(\.isWithdrawn) == [true] && next.persisted.withdrawn == [1])
    next.drop([1], .withheld)
    #expect(next.persisted.withdrawn.isEmpty && next.ledger.isBalanced)
  }

  @Test func `what was refused before the folder was opened is counted beside what is there`() {
    var old = ReportStore.Ledger()
    old.captured = 2
    old.drop(.overflow, in: "session", count: 2)
    var machine = machine([])
    machine.refuse(.overflow, category: "error")
    machine.refuse(.tooLarge, category: "error")
    let record = LedgerRecord(next: 3, settling: [], inMemory: [], ledger: old)
    _ = machine.open(record, isDamaged: false, found: [], damaged: [])
    let ledger = machine.ledger
    #expect(ledger.captured == 4 && ledger.isBalanced)
    #expect(ledger.dropped == [.overflow: ["session": 2, "error": 1], .tooLarge: ["error": 1]])
  }

  @Test func `the books tell what happened since, and the ledger all of it`() {
    var old = ReportStore.Ledger()
    (old.captured, old.sent, old.quarantined) = (9, 2, 3)
    (old.failedRequests, old.resets) = (5, 6)
    old.drop(.overflow, in: "error", count: 2)
    old.drop(.expired, in: "session")
    var machine = machine([])
    let record = LedgerRecord(next: 10, settling: [], inMemory: [], ledger: old)
    _ = machine.open(record, isDamaged: true, found: [entry(1)], damaged: [])
    for _ in 0..<4 { _ = machine.admit(candidate(), now: .zero) }
    machine.send([10])
    machine.quarantine(11)
    machine.drop([12], .overflow)
    machine.requestFailed()
    machine.requestFailed()
    machine.refuse(.tooLarge, category: "error")
    let (ledger, since) = (machine.ledger, machine.books.since)
    #expect(ledger.captured == 14 && ledger.sent == 3 && ledger.quarantined == 4)
    #expect(ledger.failedRequests == 7 && ledger.resets == 7 && ledger.pending == 2)
    #expect(ledger.dropped[.overflow] == ["error": 3] && ledger.dropped[.expired] == ["session": 1])
    #expect(ledger.isBalanced && machine.books.inherited == 1)
    #expect(since.captured == 5 && since.sent == 1 && since.quarantined == 1 && since.pending == 1)
    #expect(since.failedRequests == 2 && since.resets == 0 && since.isBalanced)
    #expect(since.dropped == [.overflow: ["error": 1], .tooLarge: ["error": 1]])
  }
}
