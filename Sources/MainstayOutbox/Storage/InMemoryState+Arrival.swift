// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension InMemoryState {
  mutating func insert(
    _ new: NewOperation, at date: Date
  ) throws(OutboxError) -> OperationID {
    if let twin = operation(keyed: new.idempotencyKey) {
      guard twin.type == new.type, twin.payload == new.payload else {
        throw OutboxError(.keyReused, details: "the key \(new.idempotencyKey)")
      }
      return twin.id
    }
    if let coalescing = new.wishes.coalescing { return try coalesce(new, coalescing, at: date) }
    guard let key = new.wishes.uniqueKey, let (number, holder) = holder(of: key, new.type.kind)
    else { return try add(new, after: nil, at: date) }
    let isUntouched =
      ![.leased, .conflicted].contains(holder.operation.state)
      && holder.operation.effect == .notSent && !holder.operation.isCancelled
    switch key.ifTaken {
    case .keep: return holder.operation.id
    case .reject: throw OutboxError(.duplicate, details: "\(new.type.kind) “\(key.value)”")
    case .replace where isUntouched && new.mayReplace:
      return try replace(number, with: new, at: date)
    case .replace, .append: return try add(new, after: number, at: date)
    }
  }

  /// Whether none of several newcomers can be refused, so that nothing has to be taken back.
  func takesAll(_ new: [NewOperation]) -> Bool {
    var keys: Set<IdempotencyKey> = []
    let isFree = new.allSatisfy { new in
      new.wishes.coalescing == nil && new.wishes.uniqueKey?.ifTaken != .reject
        && keys.insert(new.idempotencyKey).inserted && operation(keyed: new.idempotencyKey) == nil
    }
    return isFree && rows.count + new.count <= limits.maximumPending ?? .max
      && new.reduce(bytes) { $0 + $1.payload.count } <= limits.maximumBytes ?? .max
  }

  func operation(keyed key: IdempotencyKey) -> StoredOperation? {
    rows.index.keys[key].flatMap { rows[$0]?.operation }
      ?? dead.keys[key].flatMap { dead[$0]?.operation }
  }

  func last(of key: String) -> (key: Int64, value: StoredRow)? {
    rows.index.queues[Data(key.utf8)]?.last.flatMap { number in rows[number].map { (number, $0) } }
  }

  private mutating func coalesce(
    _ new: NewOperation, _ coalescing: NewOperation.Coalescing, at date: Date
  ) throws(OutboxError) -> OperationID {
    guard let key = new.orderingKey, let (number, row) = last(of: key),
      row.operation.id == coalescing.earlier, row.operation.payload == coalescing.expected,
      row.operation.type == new.type, row.operation.effect == .notSent,
      [.ready, .scheduled, .blocked, .waiting].contains(row.operation.state),
      !row.operation.isCancelled,
      isPlain(row, as: new), needs[number]?.isEmpty ?? true, isFitting(coalescing),
      coalescing.payload != nil || !needs.isNeeded(number)
    else { throw OutboxError(.changedMeanwhile, details: "\(coalescing.earlier)") }
    enqueued += 1
    if let payload = coalescing.payload {
      leaveReceipt(of: row.operation, .coalesced, at: date)
      rows[number]?.operation.payload = payload
      rows[number]?.operation.idempotencyKey = new.idempotencyKey
      // How far a run came says nothing about another payload.
      rows[number]?.operation.checkpoint = nil
      return coalescing.earlier
    }
    leaveReceipt(of: self.row(of: new, at: date).operation, .coalesced, at: date)
    keepOutcome(of: new.id, .coalesced, nil, at: date)
    remove(number, as: .coalesced, at: date)
    return new.id
  }

  /// Whether it has no wishes that would be those of a newcomer, too.
  private func isPlain(_ row: StoredRow, as new: NewOperation) -> Bool {
    row.uniqueKey == nil && row.operation.expires == nil && row.operation.constraints.isEmpty
      && row.operation.timeout == nil
      && row.operation.priority == new.wishes.priority
      && row.operation.isExpendable == new.wishes.isExpendable
  }

  /// Whether there is room for what two operations come to; nothing is dropped for it.
  private func isFitting(_ coalescing: NewOperation.Coalescing) -> Bool {
    let growth = (coalescing.payload?.count ?? 0) - coalescing.expected.count
    guard growth > 0, let most = limits.maximumBytes else { return true }
    return bytes + growth <= most
  }

  private func holder(
    of key: EnqueueOptions.UniqueKey, _ kind: OperationKind
  ) -> (key: Int64, value: StoredRow)? {
    let name = InMemoryIndex.UniqueName(kind: kind, key: Data(key.value.utf8))
    return rows.index.uniqueNames[name].flatMap { number in rows[number].map { (number, $0) } }
  }

  private mutating func replace(
    _ number: Int64, with new: NewOperation, at date: Date
  ) throws(OutboxError) -> OperationID {
    let size = rows[number]?.operation.payload.count ?? 0
    guard makeRoom(for: new, at: date, replacing: number) else {
      throw limits.refusal(of: new, by: "a store in memory", rows.count - 1, bytes - size)
    }
    // It may have expired for that.
    guard let old = rows[number] else { return try add(new, after: nil, at: date) }
    leaveReceipt(of: old.operation, .replaced, at: date)
    enqueued += 1
    var row = row(of: new, at: date)
    row.rank = min(row.rank, old.rank)
    let isBlocked = old.operation.state == .blocked
    row.operation = StoredOperation(
      id: old.operation.id, type: new.type, lane: old.operation.lane,
      orderingKey: old.operation.orderingKey, idempotencyKey: new.idempotencyKey,
      payload: new.payload, state: isBlocked ? .blocked : row.operation.state,
      due: isBlocked ? nil : row.operation.due, enqueued: old.operation.enqueued,
      expires: row.operation.expires, priority: new.wishes.priority,
      constraints: new.wishes.constraints, isExpendable: new.wishes.isExpendable,
      timeout: row.operation.timeout)
    rows[number] = row
    replaceBase(by: new, number)
    return old.operation.id
  }

  private var bytes: Int { rows.index.bytes }

  private mutating func add(
    _ new: NewOperation, after holder: Int64?, at date: Date
  ) throws(OutboxError) -> OperationID {
    guard makeRoom(for: new, at: date) else {
      throw limits.refusal(of: new, by: "a store in memory", rows.count, bytes)
    }
    enqueued += 1
    lastRow += 1
    let number = lastRow
    var row = row(of: new, at: date)
    var needed: [Int64: EnqueueOptions.Dependencies.IfGivenUp] = [:]
    // It may have made room for the newcomer.
    if let holder, rows[holder] != nil {
      needed[holder] = .runAnyway
      rows[holder]?.uniqueKey = nil
    }
    var mustGiveUp = false
    let wanted = new.wishes.dependencies
    for id in wanted?.ids ?? [] {
      if let other = rows.index.ids[id] { needed[other] = wanted?.ifGivenUp }
      guard let letter = dead.ids[id], let policy = wanted?.ifGivenUp, policy != .runAnyway
      else { continue }
      needed[letter] = policy
      mustGiveUp = mustGiveUp || policy == .giveUp
    }
    let follows = row.orderingKey.map { isTaken($0) } ?? false
    if follows || !needed.isEmpty { (row.operation.state, row.operation.due) = (.blocked, nil) }
    keepBase(of: new)
    rows[number] = row
    if !needed.isEmpty { needs[number] = needed }
    if mustGiveUp { giveUp(number, at: date) }
    return new.id
  }

  /// Keeps what the first change of a record began with, before it is there itself.
  private mutating func keepBase(of new: NewOperation) {
    guard let base = new.wishes.base, let key = new.orderingKey, last(of: key) == nil,
      dead.queues[Data(key.utf8)] == nil
    else { return }
    let record = Self.record(keyed: key)
    latest[record] = latest[record] ?? base
  }

  /// What took the place of the first change of a record begins with something else: so do those
  /// behind it, where nothing was heard since.
  private mutating func replaceBase(by new: NewOperation, _ number: Int64) {
    guard let base = new.wishes.base, let key = new.orderingKey,
      rows.index.queues[Data(key.utf8)]?.first == number
    else { return }
    let record = Self.record(keyed: key)
    if latest[record]?.isBeginning == true { latest[record] = base }
  }

  private func row(of new: NewOperation, at date: Date) -> StoredRow {
    let delay = new.wishes.delay?.milliseconds ?? 0
    let start = delay > 0 ? Date(milliseconds: date.milliseconds + delay) : nil
    let operation = StoredOperation(
      id: new.id, type: new.type, lane: new.lane, orderingKey: new.orderingKey,
      idempotencyKey: new.idempotencyKey, payload: new.payload,
      state: start == nil ? .ready : .scheduled, effect: new.effect, due: start, enqueued: date,
      expires: new.timeToLive.map { date.addingTimeInterval($0.clamped.inSeconds) },
      priority: new.wishes.priority, constraints: new.wishes.constraints,
      isExpendable: new.wishes.isExpendable,
      timeout: new.wishes.timeout.map { .milliseconds($0.milliseconds) })
    return StoredRow(
      operation: operation, rank: date.milliseconds + new.wishes.handicap.milliseconds,
      start: start, wait: delay, uniqueKey: new.wishes.uniqueKey.map { Data($0.value.utf8) })
  }

  private func isTaken(_ key: Data) -> Bool {
    rows.index.queues[key] != nil || isHeld(key)
  }

  func isHeld(_ key: Data) -> Bool { dead.holders[key] != nil }
}
