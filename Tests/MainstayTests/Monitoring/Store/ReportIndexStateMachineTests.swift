// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("B42")) struct ReportIndexStateMachineTests {
  private typealias Machine = ReportIndexStateMachine

  private func candidate(
    _ severity: Severity = .error, bytes: Int = 100, trimmed: Int? = nil,
    inMemory reason: ReportStore.DropReason? = nil
  ) -> Machine.Candidate {
    Machine.Candidate(
      id: UUID(), bytes: bytes, trimmedBytes: trimmed, severity: severity, category: "error",
      contentType: "text/plain", memoryReason: reason)
  }

  private func machine(
    count: Int = 100, bytes: Int = 10_000, age: Duration = .seconds(1_000)
  ) -> Machine {
    Machine(.init(maximumCount: count, maximumBytes: bytes, maximumAge: age))
  }

  @Test func `a hundred records, 5 MB and 30 days are kept by default`() throws {
    let settings = try ReportStore.Configuration().checked()
    #expect(settings.maximumCount == 100 && settings.maximumBytes == 5_000_000)
    #expect(settings.maximumAge == .seconds(30 * 86_400))
    let own = Machine.Settings()
    #expect(own.maximumCount == settings.maximumCount && own.maximumBytes == settings.maximumBytes)
    #expect(own.maximumAge == settings.maximumAge)
  }

  @Test func `what has expired leaves first`() {
    var machine = machine(count: 2)
    let old = machine.admit(candidate(.critical), now: .zero)
    _ = machine.admit(candidate(.debug), now: .seconds(500))
    #expect(machine.step(for: candidate(), now: .seconds(1_000)) == .drop([2], .overflow))
    #expect(machine.step(for: candidate(), now: .seconds(1_001)) == .drop([old], .expired))
  }

  @Test func `breadcrumbs go before reports do, those of the mildest first`() {
    var machine = machine(bytes: 1_000)
    _ = machine.admit(candidate(.error, bytes: 400, trimmed: 300), now: .zero)
    let mild = machine.admit(candidate(.info, bytes: 400, trimmed: 100), now: .zero)
    let new = candidate(.error, bytes: 300)
    #expect(machine.step(for: new, now: .zero) == .trim(mild))
    machine.trimmed(mild, bytes: 100)
    #expect(machine.step(for: new, now: .zero) == .fits)
    // The new one is the mildest of those that have something to spare.
    let milder = candidate(.debug, bytes: 600, trimmed: 90)
    #expect(machine.step(for: milder, now: .zero) == .trimCandidate)
  }

  @Test func `the oldest of the mildest leaves, which may be the new one`() {
    var machine = machine(count: 3)
    let severities: [Severity] = [.critical, .error, .error]
    let numbers = severities.map { machine.admit(candidate($0), now: .zero) }
    #expect(machine.step(for: candidate(.error), now: .zero) == .drop([numbers[1]], .overflow))
    #expect(machine.step(for: candidate(.warning), now: .zero) == .refuse(.overflow))
    #expect(machine.step(for: candidate(.critical), now: .zero) == .drop([numbers[1]], .overflow))
  }

  @Test func `what is too large alone is refused, unless it can be trimmed`() {
    let machine = machine(bytes: 1_000)
    #expect(machine.step(for: candidate(bytes: 1_001), now: .zero) == .refuse(.tooLarge))
    #expect(
      machine.step(for: candidate(bytes: 1_001, trimmed: 1_000), now: .zero) == .trimCandidate)
    #expect(
      machine.step(for: candidate(bytes: 2_000, trimmed: 1_001), now: .zero) == .refuse(.tooLarge))
    #expect(machine.step(for: candidate(bytes: 1_000), now: .zero) == .fits)
  }

  @Test func `what is being sent is neither dropped nor counted until it is back`() {
    var machine = machine(count: 1)
    let sending = machine.admit(candidate(.debug), now: .zero)
    machine.beginSending([sending])
    #expect(machine.step(for: candidate(), now: .zero) == .fits)
    _ = machine.admit(candidate(), now: .zero)
    #expect(machine.step(for: nil, now: .zero) == .fits)
    machine.putBack([sending], wasRefused: true)
    #expect(machine.step(for: nil, now: .zero) == .drop([sending], .overflow))
  }

  @Test func `memory is bounded, and says why records had to be there`() {
    var machine = machine(count: 1_000, bytes: 100_000_000)
    for _ in 0..<32 { _ = machine.admit(candidate(inMemory: .noSpace), now: .zero) }
    let first = machine.inMemory[0].number
    let next = candidate(inMemory: .unwritable)
    #expect(machine.step(for: next, now: .zero) == .drop([first], .unwritable))
    #expect(machine.step(for: candidate(), now: .zero) == .fits)
    let large = candidate(bytes: 1_000_001, inMemory: .noSpace)
    #expect(machine.step(for: large, now: .zero) == .refuse(.noSpace))
  }

  @Test func `the next process counts what the ledger had not heard of, once`() {
    var first = machine()
    for _ in 0..<3 { _ = first.admit(candidate(), now: .zero) }
    first.send([1])
    let record = first.persisted  // the process dies here, before the file is gone
    for _ in 0..<2 { _ = first.admit(candidate(), now: .zero) }
    var next = machine()
    let found = first.entries + [entry(1)]
    #expect(next.open(record, isDamaged: false, found: found, damaged: []) == [1])
    #expect(next.ledger.captured == 5 && next.ledger.sent == 1 && next.ledger.pending == 4)
    #expect(next.ledger.isBalanced && next.nextNumber == 6)
    #expect(next.books.inherited == 4 && next.books.since == .init())
    #expect(next.persisted.ledger.pending == 0, "what waits is counted by its files")
  }

  private func entry(_ number: UInt64) -> Machine.Entry {
    Machine.Entry(
      number: number, id: UUID(), birth: .zero, bytes: 100, severity: .error, category: "error",
      contentType: "text/plain")
  }

  private func name(_ number: UInt64, _ id: UUID = UUID()) -> RecordName {
    RecordName(number: number, id: id)
  }

  @Test func `what got its file after the ledger was written is not lost`() {
    var first = machine()
    _ = first.admit(candidate(), now: .zero)
    let waiting = (0..<4).map { _ in candidate(inMemory: .noSpace) }
    let numbers = waiting.map { first.admit($0, now: .zero) }
    let record = first.persisted
    first.moveToDisk(numbers[0])
    first.moveToDisk(numbers[1])
    let damaged = RecordName(number: 4, id: waiting[2].id)
    var next = machine()
    let found = first.entries.filter { !$0.isInMemory }
    #expect(next.open(record, isDamaged: false, found: found, damaged: [damaged]).isEmpty)
    #expect(next.ledger.captured == 5 && next.ledger.isBalanced)
    #expect(next.ledger.pending == 3 && next.ledger.quarantined == 1)
    #expect(next.ledger.dropped(.lost) == 1)
  }

  @Test(.requirement("C22")) func `what may not be sent any more leaves now, or when it is back`() {
    var machine = machine()
    let numbers = (0..<3).map { _ in machine.admit(candidate(), now: .zero) }
    machine.beginSending([numbers[0], numbers[1]])
    #expect(machine.withdraw() == [numbers[2]])
    machine.drop([numbers[2]], .withheld)
    let later = machine.admit(candidate(), now: .zero)
    #expect(machine.entries.filter(\.isWithdrawn).map(\.number) == [numbers[0], numbers[1]])
    machine.send([numbers[0]])
    machine.putBack([numbers[1]], wasRefused: true)
    #expect(machine.entry(numbers[1])?.isWithdrawn == true)
    #expect(machine.entry(later)?.isWithdrawn == false)
    #expect(machine.ledger.sent == 1 && machine.ledger.isBalanced)
  }

  @Test func `a file that could not be read becomes what it says`() {
    var machine = machine()
    var unread = entry(4)
    unread.isUnread = true
    unread.attempts = 1
    _ = machine.open(nil, isDamaged: false, found: [unread], damaged: [])
    var known = unread
    (known.birth, known.bytes, known.trimmedBytes) = (.seconds(-5), 300, 40)
    (known.severity, known.category, known.contentType) = (.critical, "session", "text/html")
    machine.identify(known)
    known.isUnread = false
    #expect(machine.entries == [known])
  }

  @Test func `what is missing is lost, what is damaged is quarantined, and both are counted`() {
    var first = machine()
    for _ in 0..<4 { _ = first.admit(candidate(), now: .zero) }
    _ = first.admit(candidate(inMemory: .noSpace), now: .zero)
    var next = machine()
    let found = first.entries.filter { $0.number <= 2 }
    #expect(next.open(first.persisted, isDamaged: false, found: found, damaged: [name(3)]) == [])
    #expect(next.ledger.quarantined == 1)
    #expect(next.ledger.dropped(.lost) == 2, "one file, and one in memory")
    #expect(next.ledger.captured == 5 && next.ledger.isBalanced)
  }

  @Test func `files without a ledger are all there is to know`() {
    var machine = machine()
    let early = machine.admit(candidate(inMemory: .unwritable), now: .zero)
    let counted = machine.open(
      nil, isDamaged: true, found: [entry(7), entry(5)], damaged: [name(9)])
    #expect(counted.isEmpty)
    #expect(machine.entries.map(\.number) == [5, 7, early])
    #expect(machine.ledger.captured == 4 && machine.ledger.resets == 1)
    #expect(machine.ledger.isBalanced && machine.nextNumber == 10)
    #expect(machine.books.inherited == 2 && machine.books.since.captured == 1)
  }

  @Test func `losses are counted by category, and there are not too many of those`() {
    var machine = machine()
    for number in 0..<20 { machine.refuse(.tooLarge, category: "category \(number)") }
    #expect(machine.ledger.dropped[.tooLarge]?.count == 9)
    #expect(machine.ledger.dropped[.tooLarge]?["other"] == 12)
    #expect(machine.ledger.dropped(.tooLarge) == 20 && machine.ledger.isBalanced)
  }

  @Test func `a service cannot reject more than it was sent`() {
    var machine = machine()
    let numbers = (0..<3).map { _ in machine.admit(candidate(), now: .zero) }
    machine.send([numbers[0]], rejected: .max)
    machine.send([numbers[1]], rejected: .min)
    machine.send([numbers[2], 99], rejected: 0)
    #expect(machine.ledger.sent == 2 && machine.ledger.dropped(.rejected) == 1)
    #expect(machine.ledger.isBalanced)
  }

  @Test(.requirement("A54")) func `a random walk stays within the limits and balances`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var random = SplitMix64(seed: seed)
      var machine = machine(count: 5, bytes: 2_000, age: .seconds(50))
      var now = Duration.zero
      var disk: Set<UInt64> = []
      for _ in 0..<60 {
        now += .seconds(Int.random(in: 0...8, using: &random))
        walk(&machine, &disk, now, &random)
        #expect(machine.ledger.isBalanced)
        let waiting = machine.entries.filter { !$0.isSending }
        #expect(waiting.count <= 5 && waiting.reduce(0) { $0 + $1.bytes } <= 2_000)
        #expect(Set(machine.entries.filter { !$0.isInMemory }.map(\.number)).isSubset(of: disk))
        #expect(Set(machine.settling).isSubset(of: disk))
      }
    }
  }

  /// One event: a record comes, a batch ends, or the process dies between two steps.
  private func walk(
    _ machine: inout Machine, _ disk: inout Set<UInt64>, _ now: Duration,
    _ random: inout SplitMix64
  ) {
    func makeRoom(_ candidate: Machine.Candidate?) -> Machine.Step {
      while true {
        let step = machine.step(for: candidate, now: now)
        switch step {
        case .drop(let numbers, let reason):
          machine.drop(numbers, reason)
          disk.subtract(numbers)
          machine.settled(numbers)
        case .trim(let number):
          machine.trimmed(number, bytes: machine.entry(number)?.trimmedBytes ?? 0)
        default: return step
        }
      }
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5:
      var new = candidate(
        Severity.allCases.randomElement(using: &random) ?? .error,
        bytes: Int.random(in: 1...2_200, using: &random),
        trimmed: Bool.random(using: &random) ? 50 : nil,
        inMemory: Int.random(in: 0..<6, using: &random) == 0 ? .noSpace : nil)
      if makeRoom(new) == .trimCandidate {
        new.bytes = new.trimmedBytes ?? new.bytes
        new.trimmedBytes = nil
      }
      switch makeRoom(new) {
      case .fits:
        let number = machine.admit(new, now: now)
        if new.memoryReason == nil { disk.insert(number) }
      case .refuse(let reason): machine.refuse(reason, category: new.category)
      default: Issue.record("neither fits nor is refused")
      }
    case 5..<7: machine.beginSending(machine.entries.prefix(2).map(\.number))
    case 7:
      machine.putBack(machine.entries.filter(\.isSending).map(\.number), wasRefused: true)
      _ = makeRoom(nil)
    case 8:
      let numbers = machine.entries.filter(\.isSending).map(\.number)
      machine.send(numbers, rejected: Int.random(in: 0...1, using: &random))
      disk.subtract(numbers)
      machine.settled(numbers)
    default:
      // Killed after the ledger was written and before the file was gone, or just so.
      let (captured, inMemory) = (machine.ledger.captured, machine.inMemory.count)
      if Bool.random(using: &random), let first = machine.entries.first, !first.isInMemory {
        machine.send([first.number])
      }
      let found = disk.map { number in machine.entry(number) ?? entry(number) }
      var next = self.machine(count: 5, bytes: 2_000, age: .seconds(50))
      let gone = next.open(machine.persisted, isDamaged: false, found: found, damaged: [])
      disk.subtract(gone)
      next.settled(gone)
      #expect(next.ledger.captured == captured)
      #expect(next.ledger.dropped(.lost) >= inMemory)
      next.putBack(next.entries.map(\.number), wasRefused: false)
      machine = next
      _ = makeRoom(nil)
    }
  }
}
