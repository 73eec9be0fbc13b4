// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The rows of an in-memory store, and what each call does to them.
struct InMemoryState {
  struct StoredRow {
    var operation: StoredOperation
    /// The token of the lease, while one is held.
    var token: Int64?
    var isUnreadable = false
    var conflict: (remote: Data?, fields: [FieldConflict], since: Date)?
    /// When it counts as enqueued, by its priority; in milliseconds.
    var rank: Int64 = 0
    /// When it may run at the earliest.
    var start: Date?
    /// How long it was meant to wait when its due time was set, in milliseconds.
    var wait: Int64 = 0
    /// Keys are the same where their bytes are, as in a file; to Swift, texts that look alike are.
    var uniqueKey: Data?
    var orderingKey: Data? { operation.orderingBytes }
    var isHeld = false

    /// Whether it has not expired, or may have had its effect all the same.
    func isWanted(at date: Date) -> Bool {
      guard let expires = operation.expires, operation.effect.isSafe else { return true }
      return expires.milliseconds > date.milliseconds
    }

    mutating func giveBack() {
      operation.state = .ready
      operation.effect = .sentUnknown
      token = nil
    }
  }

  let limits: StoreLimits
  var rows = InMemoryRows()
  var dead = InMemoryLetters()
  var closed: [Lane: (cause: LaneClosure.Cause, until: Date?, wait: Int64)] = [:]
  /// Until when lanes rest, whatever else closes them.
  var rests: [Lane: (until: Date, wait: Int64)] = [:]
  /// The kinds of which nothing is leased.
  var paused: Set<OperationKind> = []
  /// What the last claim has parked for want of a worker.
  var unknown: [PayloadType: Int] = [:]
  /// How many rows, and runs of rows that are alike, the last claim has looked at.
  var looks = 0
  /// The latest time of day that anything was written at, since the clock was last found set back;
  /// in milliseconds.
  private var latestDate: Int64 = .min
  /// The last token of each row that is there, or is a dead letter.
  private(set) var tokens: [Int64: Int64] = [:]
  /// The ranks of dead letters.
  var ranks: [Int64: Int64] = [:]
  private var receipts: [[String]: OutboxReceipt] = [:]
  var needs = InMemoryNeeds()
  var enqueued = 0
  var lastRow: Int64 = 0

  /// The last runs that did not end an operation.
  var attempts: [Int64: [OperationAttempt]] = [:]
  /// What the other side was last known to have, by record.
  var latest: [Data: Data] = [:]
  /// How operations ended, by the numbers of their ends, and what has which number.
  private var outcomes: [OperationID: (value: StoredOutcome, number: Int)] = [:]
  private var ended: [Int: OperationID] = [:]
  /// The number of the last end, and of the last one that was forgotten.
  private var ends = (last: 0, forgotten: 0)
  private var pageEnds = PageEnds()

  init(limits: StoreLimits) { self.limits = limits }

  /// The record that an operation changes.
  static func record(of operation: StoredOperation) -> Data {
    operation.orderingKey.map(record(keyed:)) ?? Data("operation \(operation.id)".utf8)
  }

  static func record(keyed key: String) -> Data { Data("key \(key)".utf8) }

  mutating func keepOutcome(
    of id: OperationID, _ reason: OutboxReceipt.Reason, _ output: Data?, at date: Date
  ) {
    guard limits.maximumOutcomes > 0 else { return }
    if let earlier = outcomes[id] { ended[earlier.number] = nil }
    ends.last += 1
    ended[ends.last] = id
    let outcome = StoredOutcome(
      reason: reason, output: output, ended: Date(milliseconds: date.milliseconds))
    outcomes[id] = (outcome, ends.last)
    while outcomes.count > limits.maximumOutcomes {
      ends.forgotten += 1
      if let first = ended.removeValue(forKey: ends.forgotten) { outcomes[first] = nil }
    }
  }

  func outcome(of id: OperationID) -> StoredOutcome? { outcomes[id]?.value }

  func row(of id: OperationID) -> (key: Int64, value: StoredRow)? {
    rows.index.ids[id].flatMap { number in rows[number].map { (number, $0) } }
  }

  /// The number of an operation or dead letter that is there; nil where neither is.
  func number(of id: OperationID) -> Int64? { rows.index.ids[id] ?? dead.ids[id] }

  /// Those of some numbers that stand behind another one, which may have gone meanwhile.
  ///
  /// - Parameters:
  ///   - numbers: The numbers.
  ///   - id: The other one; nil for all of them.
  ///   - limit: How many at most.
  ///   - element: What has a number.
  /// - Returns: Those that stand behind it, in order.
  mutating func page<Element: Identifiable>(
    of numbers: SortedSet<Int64>, after id: OperationID?, limit: Int,
    _ element: (InMemoryState, Int64) -> Element?
  ) -> [Element] where Element.ID == OperationID {
    let first = id.flatMap { number(of: $0) ?? pageEnds.number(of: $0) } ?? 0
    let page = numbers.elements(after: first).prefix(max(limit, 0)).compactMap { number in
      element(self, number).map { (number: number, value: $0) }
    }
    if let last = page.last { pageEnds.note(last.value.id, last.number) }
    return page.map(\.value)
  }

  var ledger: OutboxLedger {
    var ledger = OutboxLedger()
    ledger.enqueued = enqueued
    ledger.pending = rows.count
    ledger.dead = dead.count
    ledger.receipts = receipts.values.sorted {
      ($0.kind, $0.reason.rawValue) < ($1.kind, $1.reason.rawValue)
    }
    return ledger
  }

  func snapshot(at date: Date) -> OutboxSnapshot {
    var snapshot = OutboxSnapshot()
    for row in rows.values {
      let operation = row.operation
      snapshot.count(
        operation.state, 1, for: operation.waitingCause, in: closure(of: operation.lane, at: date),
        isPaused: paused.contains(operation.type.kind))
      snapshot.bytes += operation.payload.count
    }
    snapshot.dead = dead.count
    let first = rows.sorted.first { _ in true }
    snapshot.oldestAge = (first?.value.operation.enqueued).map {
      .milliseconds(max(date.milliseconds - $0.milliseconds, 0))
    }
    if snapshot.blocked > 0 { snapshot.following = following(at: date) }
    return snapshot
  }

  func isOpen(_ lane: Lane, at date: Date, trying tried: Set<Lane> = []) -> Bool {
    guard let cause = closure(of: lane, at: date) else { return true }
    return cause == .needsUser && tried.contains(lane) && !rests(lane, at: date)
  }

  /// The strongest cause for which a lane is closed; nil where it is open.
  private func closure(of lane: Lane, at date: Date) -> LaneClosure.Cause? {
    if let closure = closed[lane], isClosed(lane, at: date) { return closure.cause }
    return rests(lane, at: date) ? .throttled : nil
  }

  func isClosed(_ lane: Lane, at date: Date) -> Bool {
    guard let closure = closed[lane] else { return false }
    return closure.until.map { $0.milliseconds > date.milliseconds } ?? true
  }

  func rests(_ lane: Lane, at date: Date) -> Bool {
    (rests[lane]?.until.milliseconds ?? 0) > date.milliseconds
  }

  mutating func open(at date: Date) -> OpeningReport {
    var report = OpeningReport()
    latestDate = .max
    settleClock(at: date)
    forgetOpenLanes(at: date)
    for id in rows.index.numbers {
      guard let row = rows[id] else { continue }
      if row.isUnreadable { rows[id]?.isUnreadable = false }
      guard row.token != nil else { continue }
      report.recovered += 1
      rows[id]?.giveBack()
      rows[id]?.operation.lostRuns += 1
      noteAttempt(of: id, nil, .sentUnknown, at: date)
      if row.operation.lostRuns + 1 >= OperationStateMachine.maximumLostRuns {
        bury(id, .crashed, .holdKey, at: date)
        report.quarantined += 1
      }
    }
    report.isBalanced = ledger.isBalanced
    return report
  }

  mutating func lease(_ id: Int64) -> LeasedOperation? {
    guard var row = rows[id] else { return nil }
    let token = (tokens[id] ?? 0) + 1
    tokens[id] = token
    row.operation.state = .leased
    row.isHeld = false
    row.token = token
    rows[id] = row
    return LeasedOperation(
      lease: Lease(id: row.operation.id, row: id, token: token), operation: row.operation)
  }

  /// A row is gone for good: no number is given twice.
  mutating func forget(_ id: Int64) {
    tokens[id] = nil
    ranks[id] = nil
    attempts[id] = nil
  }

  mutating func settle(_ lease: Lease, _ verdict: OperationVerdict, at date: Date) -> Bool {
    guard var row = rows[lease.row], row.token == lease.token else { return false }
    let operation = row.operation
    row.token = nil
    row.operation.attempts = verdict.attempts
    row.operation.unreachable = verdict.unreachable
    row.operation.effect = verdict.effect
    row.operation.failure = verdict.failure ?? operation.failure
    if !verdict.isUnbegun { row.operation.lostRuns = 0 }
    row.operation.state = .ready
    rows[lease.row] = row
    if let news = verdict.news { note(news, of: lease.row) }
    if let failure = verdict.failure {
      noteAttempt(of: lease.row, failure, verdict.effect, at: date)
    }
    let isGone = operation.isCancelled && verdict.isLost
    if verdict.outdatesRecord(isCancelled: operation.isCancelled) { outdateLatest(of: operation) }
    switch isGone ? .cancelled : verdict.next {
    case .done: remove(lease.row, as: .done, output: verdict.output, at: date)
    case .dropped: remove(lease.row, as: .dropped, at: date)
    case .cancelled: remove(lease.row, as: .cancelled, at: date)
    case .ready: break
    case .scheduled(let delay): postpone(lease.row, .scheduled, to: date, delay)
    case .waiting(let delay): postpone(lease.row, .waiting, to: date, delay)
    case .parked:
      rows[lease.row]?.operation.state = .parked
      rows[lease.row]?.isUnreadable = true
    case .conflicted(let remote, let fields):
      rows[lease.row]?.operation.state = .conflicted
      rows[lease.row]?.conflict = (remote, fields, date)
    case .dead(let reason, let followers):
      bury(lease.row, reason, followers, at: date)
    }
    if let closure = verdict.closesLane { close(operation.lane, closure, at: date) }
    return true
  }

  private mutating func noteAttempt(
    of id: Int64, _ failure: FailureNote?, _ effect: EffectCertainty, at date: Date
  ) {
    let number = (attempts[id]?.last?.number ?? 0) + 1
    let attempt = OperationAttempt(
      number: number, ended: Date(milliseconds: date.milliseconds), failure: failure?.brief,
      effect: effect)
    attempts[id] = ((attempts[id] ?? []) + [attempt]).suffix(OperationAttempt.maximumKept)
  }

  private mutating func postpone(
    _ id: Int64, _ state: OperationState, to date: Date, _ delay: Duration
  ) {
    rows[id]?.operation.state = state
    rows[id]?.operation.due = Date(milliseconds: date.milliseconds + delay.milliseconds)
    rows[id]?.wait = delay.milliseconds
  }

  mutating func leaveReceipt(
    of operation: StoredOperation, _ reason: OutboxReceipt.Reason, at date: Date
  ) {
    let kind = operation.type.kind.rawValue
    var receipt =
      receipts[[kind, reason.rawValue]]
      ?? OutboxReceipt(kind: kind, reason: reason, count: 0, bytes: 0, first: date, last: date)
    receipt.count += 1
    receipt.bytes += operation.payload.count
    receipt.last = max(receipt.last, date)
    receipts[[kind, reason.rawValue]] = receipt
  }
}

extension StoredOperation {
  /// The ordering key as stores compare it.
  var orderingBytes: Data? { orderingKey.map { Data($0.utf8) } }
}

// What a clock does that is set back.
extension InMemoryState {
  /// Something is written at a time of day.
  mutating func note(_ date: Date) { latestDate = max(latestDate, date.milliseconds) }

  /// A wait never lasts longer from now than it was meant to last: a clock that went back between
  /// two runs of the process, or during one, must not freeze anything.
  mutating func settleClock(at date: Date) {
    let now = date.milliseconds
    defer { latestDate = now }
    guard now < latestDate else { return }
    for id in rows.index.numbers {
      guard let row = rows[id] else { continue }
      if let due = row.operation.due, due.milliseconds > now + row.wait {
        rows[id]?.operation.due = Date(milliseconds: now + row.wait)
      }
      let jump = row.operation.enqueued.milliseconds - now
      guard jump > 0 else { continue }
      rows[id]?.rank -= jump
      rows[id]?.start = row.start.map { Date(milliseconds: $0.milliseconds - jump) }
      rows[id]?.operation.expires = row.operation.expires.map {
        Date(milliseconds: $0.milliseconds - jump)
      }
      rows[id]?.operation.enqueued = Date(milliseconds: now)
    }
    for (lane, closure) in closed {
      guard let until = closure.until, until.milliseconds > now + closure.wait else { continue }
      closed[lane]?.until = Date(milliseconds: now + closure.wait)
    }
    for (lane, rest) in rests where rest.until.milliseconds > now + rest.wait {
      rests[lane]?.until = Date(milliseconds: now + rest.wait)
    }
  }
}
