// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension InMemoryState {
  mutating func promote(_ types: Set<PayloadType>, at date: Date) -> Duration? {
    settleClock(at: date)
    forgetOpenLanes(at: date)
    let now = date.milliseconds
    while let first = rows.index.due.first, first.value <= now, var row = rows[first.number] {
      (row.operation.state, row.operation.due) = (.ready, nil)
      rows[first.number] = row
    }
    for type in types {
      for id in rows.index.parked[type] ?? SortedSet() { rows[id]?.operation.state = .ready }
    }
    expire(at: date)
    let ends = rows.index.expiring.first(after: InMemoryIndex.Place(value: now, number: .max))
    let times =
      [rows.index.due.first, ends].compactMap { $0?.value }
      + (closed.values.compactMap(\.until) + rests.values.map(\.until)).map(\.milliseconds)
    return times.filter { $0 > now }.min().map { .milliseconds($0 - now) }
  }

  /// What closed lanes until now is over.
  mutating func forgetOpenLanes(at date: Date) {
    let now = date.milliseconds
    closed = closed.filter { $1.until.map { $0.milliseconds > now } ?? true }
    rests = rests.filter { $1.until.milliseconds > now }
  }

  mutating func reconsider() {
    let held = rows.index.restrained.values.flatMap { $0.map(\.number) }
    for id in held + rows.index.restrainedSuspects {
      rows[id]?.isHeld = false
      rows[id]?.operation.state = .ready
    }
  }

  mutating func expedite(_ delay: Duration, at date: Date) {
    let later = Date(milliseconds: date.milliseconds + delay.milliseconds)
    for id in rows.index.unreached {
      guard let row = rows[id] else { continue }
      if row.operation.priority < .normal, delay > .zero {
        if let due = row.operation.due, due > later {
          rows[id]?.operation.due = later
          rows[id]?.wait = delay.milliseconds
        }
        continue
      }
      rows[id]?.operation.state = .ready
      rows[id]?.operation.due = nil
      rows[id]?.operation.unreachable = 0
    }
  }

  mutating func close(_ lane: Lane, _ closure: LaneClosure, at date: Date) {
    let wait = closure.duration?.milliseconds ?? 0
    let until = Date(milliseconds: date.milliseconds + wait)
    if closure.rest != nil {
      if rests[lane].map({ $0.until < until }) ?? true { rests[lane] = (until, wait) }
      return
    }
    if isClosed(lane, at: date), let present = closed[lane] {
      guard present.cause.strength <= closure.cause.strength else { return }
    }
    closed[lane] = (closure.cause, closure.duration == nil ? nil : until, wait)
  }

  func lanes(closedFor cause: LaneClosure.Cause, at date: Date) -> [Lane] {
    let found =
      cause == .throttled
      ? rests.keys.filter { rests($0, at: date) }
      : closed.keys.filter { isClosed($0, at: date) && closed[$0]?.cause == cause }
    return found.sorted { $0.rawValue < $1.rawValue }
  }

  mutating func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) {
    if cause == nil || closed[lane]?.cause == cause { closed[lane] = nil }
    if cause == nil || cause == .throttled { rests[lane] = nil }
  }

  mutating func redrive(_ id: OperationID, at date: Date) -> Bool {
    guard let (number, letter) = dead.letter(of: id) else { return false }
    dead[number] = nil
    let old = letter.operation
    // It may be from before the clock was set back.
    let jump = max(old.enqueued.milliseconds - date.milliseconds, 0)
    let operation = StoredOperation(
      id: old.id, type: old.type, lane: old.lane, orderingKey: old.orderingKey,
      idempotencyKey: old.idempotencyKey, payload: old.payload, state: .blocked,
      effect: old.effect, failure: old.failure,
      enqueued: jump > 0 ? Date(milliseconds: date.milliseconds) : old.enqueued,
      priority: old.priority,
      constraints: old.constraints, isExpendable: old.isExpendable, merges: old.merges,
      checkpoint: old.checkpoint, timeout: old.timeout)
    let rank = ranks.removeValue(forKey: number) ?? 0
    rows[number] = StoredRow(operation: operation, rank: rank - jump)
    release(number, at: date)
    // It may have held back one that stands before it, which was redriven earlier.
    unblock(old.orderingBytes, at: date)
    return true
  }

  mutating func learn(
    _ id: OperationID, _ news: RecordNews, _ fields: [FieldConflict]
  ) -> Bool {
    guard let (number, row) = row(of: id), row.token == nil, row.operation.effect.isSafe else {
      return false
    }
    note(news, of: number)
    guard let conflict = row.conflict else { return true }
    rows[number]?.conflict = fields.isEmpty ? nil : (news.latest, fields, conflict.since)
    if fields.isEmpty { rows[number]?.operation.state = .ready }
    return true
  }

  /// Keeps what the other side has of the record, and the key under which it is sent anew.
  mutating func note(_ news: RecordNews, of number: Int64) {
    guard let operation = rows[number]?.operation else { return }
    latest[Self.record(of: operation)] = news.latest
    rows[number]?.operation.merges = news.merges
    if let key = news.idempotencyKey {
      rows[number]?.operation.idempotencyKey = key
      rows[number]?.operation.checkpoint = nil
    }
  }

  mutating func resolve(
    _ id: OperationID, with resolution: StoredResolution, at date: Date
  ) -> Bool {
    guard let (number, row) = row(of: id), row.operation.state == .conflicted else { return false }
    switch resolution {
    case .dropped: remove(number, as: .dropped, at: date)
    case .replaced(let payload, let key, let version):
      rows[number]?.conflict = nil
      let type = row.operation.type
      rows[number]?.operation.type = PayloadType(
        kind: type.kind, version: version ?? type.version)
      rows[number]?.operation.payload = payload
      rows[number]?.operation.idempotencyKey = key
      rows[number]?.operation.attempts = 0
      rows[number]?.operation.unreachable = 0
      rows[number]?.operation.effect = .notSent
      rows[number]?.operation.merges = 0
      rows[number]?.operation.checkpoint = nil
      // What somebody has decided is sent, however long that took.
      rows[number]?.operation.expires = nil
      rows[number]?.operation.state = .ready
    }
    return true
  }
}
