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
    var conflict: (remote: Data?, since: Date)?

    mutating func giveBack() {
      operation.state = .ready
      operation.effect = .sentUnknown
      token = nil
    }
  }

  let maximumPending: Int?
  var rows: [Int64: StoredRow] = [:]
  var dead: [Int64: DeadLetter] = [:]
  var closed: [Lane: (cause: LaneClosure.Cause, until: Date?)] = [:]
  private var tokens: [Int64: Int64] = [:]
  private var receipts: [[String]: OutboxReceipt] = [:]
  private var enqueued = 0

  init(maximumPending: Int?) { self.maximumPending = maximumPending }

  var sorted: [(key: Int64, value: StoredRow)] { rows.sorted { $0.key < $1.key } }

  func row(of id: OperationID) -> (key: Int64, value: StoredRow)? {
    rows.first { $0.value.operation.id == id }
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
      snapshot.count(operation.state, 1, laneIsOpen: isOpen(operation.lane, at: date))
    }
    snapshot.dead = dead.count
    snapshot.oldestAge = rows.values.map(\.operation.enqueued).min().map {
      .milliseconds(max(date.milliseconds - $0.milliseconds, 0))
    }
    return snapshot
  }

  func isOpen(_ lane: Lane, at date: Date) -> Bool {
    guard let closure = closed[lane] else { return true }
    return closure.until.map { $0 <= date } ?? false
  }

  mutating func open(at date: Date) -> OpeningReport {
    var report = OpeningReport()
    for (id, row) in sorted {
      if row.isUnreadable { rows[id]?.isUnreadable = false }
      guard row.token != nil else { continue }
      report.recovered += 1
      rows[id]?.giveBack()
      rows[id]?.operation.lostRuns += 1
      if row.operation.lostRuns + 1 >= OperationStateMachine.maximumLostRuns {
        bury(id, .crashed, holdsKey: true, at: date)
        report.quarantined += 1
      }
    }
    report.isBalanced = ledger.isBalanced
    return report
  }

  mutating func insert(
    _ new: NewOperation, at date: Date
  ) throws(OutboxError) -> OperationID {
    let all = rows.values.map(\.operation) + dead.values.map(\.operation)
    if let twin = all.first(where: { $0.idempotencyKey == new.idempotencyKey }) {
      guard twin.type == new.type, twin.payload == new.payload else {
        throw OutboxError(.keyReused, details: "the key \(new.idempotencyKey)")
      }
      return twin.id
    }
    if let maximumPending, rows.count >= maximumPending {
      throw OutboxError(.full, details: "the store holds \(maximumPending)")
    }
    enqueued += 1
    let mustWait = new.orderingKey.map { isTaken($0) } ?? false
    rows[Int64(enqueued)] = StoredRow(
      operation: StoredOperation(
        id: new.id, type: new.type, lane: new.lane, orderingKey: new.orderingKey,
        idempotencyKey: new.idempotencyKey, payload: new.payload,
        state: mustWait ? .blocked : .ready, effect: new.effect, enqueued: date,
        expires: new.timeToLive.map { date.addingTimeInterval($0.clamped.inSeconds) }))
    return new.id
  }

  private func isTaken(_ key: String) -> Bool {
    rows.values.contains { $0.operation.orderingKey == key } || isHeld(key)
  }

  private func isHeld(_ key: String) -> Bool {
    dead.values.contains { $0.holdsKey && $0.operation.orderingKey == key }
  }

  mutating func claim(_ request: ClaimRequest, at date: Date) -> Claim {
    let ready = sorted.filter {
      $0.value.operation.state == .ready && isOpen($0.value.operation.lane, at: date)
    }
    var known: [Int64] = []
    var suspects: [Int64] = []
    for (id, row) in ready where request.limit > 0 {
      if !request.types.contains(row.operation.type) {
        rows[id]?.operation.state = .parked
      } else if row.operation.lostRuns > 0 {
        suspects.append(id)
      } else {
        known.append(id)
      }
    }
    if !suspects.isEmpty { known = request.isAlone ? Array(suspects.prefix(1)) : [] }
    let leased = known.prefix(max(request.limit, 0)).compactMap { lease($0) }
    return Claim(operations: leased, isExclusive: !suspects.isEmpty)
  }

  private mutating func lease(_ id: Int64) -> LeasedOperation? {
    guard var row = rows[id] else { return nil }
    let token = (tokens[id] ?? 0) + 1
    tokens[id] = token
    row.operation.state = .leased
    row.token = token
    rows[id] = row
    return LeasedOperation(
      lease: Lease(id: row.operation.id, row: id, token: token), operation: row.operation)
  }

  mutating func settle(_ lease: Lease, _ verdict: OperationVerdict, at date: Date) -> Bool {
    guard var row = rows[lease.row], row.token == lease.token else { return false }
    let operation = row.operation
    row.token = nil
    row.operation.attempts = verdict.attempts
    row.operation.unreachable = verdict.unreachable
    row.operation.effect = verdict.effect
    row.operation.failure = verdict.failure ?? operation.failure
    row.operation.lostRuns = 0
    row.operation.state = .ready
    rows[lease.row] = row
    switch verdict.next {
    case .done: remove(lease.row, as: .done, at: date)
    case .ready: break
    case .scheduled(let delay): postpone(lease.row, .scheduled, to: date, delay)
    case .waiting(let delay): postpone(lease.row, .waiting, to: date, delay)
    case .parked:
      rows[lease.row]?.operation.state = .parked
      rows[lease.row]?.isUnreadable = true
    case .conflicted(let remote):
      rows[lease.row]?.operation.state = .conflicted
      rows[lease.row]?.conflict = (remote, date)
    case .dead(let reason, let holdsKey):
      bury(lease.row, reason, holdsKey: holdsKey, at: date)
      if !holdsKey { unblock(operation.orderingKey) }
    }
    if let closure = verdict.closesLane { close(operation.lane, closure, at: date) }
    return true
  }

  private mutating func postpone(
    _ id: Int64, _ state: OperationState, to date: Date, _ delay: Duration
  ) {
    rows[id]?.operation.state = state
    rows[id]?.operation.due = Date(milliseconds: date.milliseconds + delay.milliseconds)
  }

  mutating func remove(_ id: Int64, as reason: OutboxReceipt.Reason, at date: Date) {
    guard let row = rows.removeValue(forKey: id) else { return }
    leaveReceipt(of: row.operation, reason, at: date)
    unblock(row.operation.orderingKey)
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

  private mutating func bury(
    _ id: Int64, _ reason: DeadLetter.Reason, holdsKey: Bool, at date: Date
  ) {
    guard var operation = rows.removeValue(forKey: id)?.operation else { return }
    operation.state = .parked
    operation.unreachable = 0
    dead[id] = DeadLetter(operation: operation, reason: reason, since: date, holdsKey: holdsKey)
  }

  mutating func unblock(_ key: String?) {
    guard let key, !isHeld(key) else { return }
    let ids = rows.filter { $0.value.operation.orderingKey == key }
    guard ids.values.allSatisfy({ $0.operation.state == .blocked }), let first = ids.keys.min()
    else { return }
    rows[first]?.operation.state = .ready
  }
}
