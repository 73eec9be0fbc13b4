// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// How operations leave the queue, and what waited for them.
extension InMemoryState {
  private enum End {
    case done
    case givenUp
    case gone
  }

  mutating func remove(
    _ id: Int64, as reason: OutboxReceipt.Reason, output: Data? = nil, at date: Date
  ) {
    guard let row = rows.removeValue(forKey: id) else { return }
    forget(id)
    leaveReceipt(of: row.operation, reason, at: date)
    keepOutcome(of: row.operation.id, reason, output, at: date)
    tell(of: id, [.done, .dropped].contains(reason) ? .done : .gone, at: date)
    unblock(row.orderingKey, at: date)
    forgetLatest(of: row.operation)
  }

  private mutating func forgetLatest(of operation: StoredOperation) {
    guard let key = operation.orderingBytes else {
      latest[Self.record(of: operation)] = nil
      return
    }
    if rows.index.queues[key] == nil, dead.queues[key] == nil {
      latest[Self.record(of: operation)] = nil
    }
  }

  /// What the other side has of a record may be something else by now.
  mutating func outdateLatest(of operation: StoredOperation) {
    let record = Self.record(of: operation)
    latest[record] = latest[record]?.outdated
  }

  /// Drops what has expired and was not sent.
  mutating func expire(at date: Date) {
    // Who expired first goes first, since what needs it may be given up by that.
    let expired = rows.index.expiring.prefix { $0.value <= date.milliseconds }.filter { place in
      guard let row = rows[place.number] else { return false }
      return row.token == nil && row.conflict == nil && !row.isWanted(at: date)
    }
    for place in expired { remove(place.number, as: .expired, at: date) }
  }

  /// Drops what has expired, and then what is expendable, until a newcomer has room.
  ///
  /// - Parameters:
  ///   - new: The newcomer.
  ///   - date: The time of day.
  ///   - holder: The one whose place it takes, which may expire meanwhile; nil, the default, for
  ///     none.
  /// - Returns: False where it has none; what is expendable is dropped only where that is enough.
  mutating func makeRoom(
    for new: NewOperation, at date: Date, replacing holder: Int64? = nil
  ) -> Bool {
    let old = holder.flatMap { rows[$0]?.operation.payload.count }
    // What is no larger than what it replaces needs no room, and a replacement takes no place.
    if let old, new.payload.count <= old { return true }
    var freed = (rows: old.map { _ in rows.count } ?? 0, bytes: old ?? 0)
    if isFitting(new, without: freed) { return true }
    guard new.payload.count <= limits.maximumBytes ?? .max else { return false }
    expire(at: date)
    if let holder, rows[holder] == nil { return makeRoom(for: new, at: date) }
    if isFitting(new, without: freed) { return true }
    var victims: [Int64] = []
    for id in rows.index.expendable.lazy.map(\.number) {
      guard id != holder, let row = rows[id], isExpendable(id, row, for: new) else { continue }
      victims.append(id)
      freed = (freed.rows + 1, freed.bytes + row.operation.payload.count)
      guard isFitting(new, without: freed) else { continue }
      for victim in victims { remove(victim, as: .evicted, at: date) }
      return true
    }
    return false
  }

  private func isExpendable(_ id: Int64, _ row: StoredRow, for new: NewOperation) -> Bool {
    let operation = row.operation
    return operation.isExpendable && operation.effect.isSafe && !operation.isCancelled
      && ![.leased, .conflicted].contains(operation.state)
      && (!new.wishes.isExpendable || operation.priority <= new.wishes.priority)
      && !needs.isNeeded(id)
      && new.wishes.dependencies?.ids.contains(operation.id) != true
  }

  private func isFitting(
    _ new: NewOperation, without freed: (rows: Int, bytes: Int) = (0, 0)
  ) -> Bool {
    rows.count - freed.rows < limits.maximumPending ?? .max
      && rows.index.bytes - freed.bytes + new.payload.count <= limits.maximumBytes ?? .max
  }

  mutating func bury(
    _ id: Int64, _ reason: DeadLetter.Reason, _ followers: Worker.AfterDeadLetter, at date: Date
  ) {
    guard let key = rows[id]?.orderingKey else {
      move(id, reason, holdsKey: followers == .holdKey, at: date)
      return tell(of: id, .givenUp, at: date)
    }
    move(id, reason, holdsKey: followers == .holdKey, at: date)
    tell(of: id, .givenUp, at: date)
    if followers == .dropFollowers {
      let followers = (rows.index.queues[key] ?? SortedSet()).filter { follower in
        guard let operation = rows[follower]?.operation else { return false }
        return operation.state == .blocked && operation.effect.isSafe
      }
      for follower in followers { remove(follower, as: .followed, at: date) }
    }
    if followers != .holdKey { unblock(key, at: date) }
  }

  private mutating func move(
    _ id: Int64, _ reason: DeadLetter.Reason, holdsKey: Bool, at date: Date
  ) {
    guard let row = rows.removeValue(forKey: id) else { return }
    var operation = row.operation
    ranks[id] = row.rank
    operation.state = .dead
    operation.unreachable = 0
    operation.isCancelled = false
    dead[id] = DeadLetter(operation: operation, reason: reason, since: date, holdsKey: holdsKey)
  }

  mutating func discard(_ id: OperationID, at date: Date) -> Bool {
    guard let (number, letter) = dead.letter(of: id) else { return false }
    dead[number] = nil
    forget(number)
    leaveReceipt(of: letter.operation, .discarded, at: date)
    keepOutcome(of: id, .discarded, nil, at: date)
    tell(of: number, .gone, at: date)
    if letter.holdsKey, !letter.operation.effect.isSafe { outdateLatest(of: letter.operation) }
    unblock(letter.operation.orderingBytes, at: date)
    forgetLatest(of: letter.operation)
    return true
  }

  mutating func giveUp(_ id: Int64, at date: Date) {
    rows[id]?.operation.failure = .dependencyFailed
    move(id, .dependencyFailed, holdsKey: true, at: date)
  }

  private mutating func tell(of id: Int64, _ end: End, at date: Date) {
    if end != .givenUp { needs[id] = nil }
    var ends = [(id, end)]
    while let (id, end) = ends.popLast() {
      for dependent in needs.dependents[id] ?? SortedSet() {
        guard let policy = needs[dependent]?[id] else { continue }
        let passes = end == .done || policy == .runAnyway
        if passes || end == .gone { needs[dependent]?[id] = nil }
        if passes {
          release(dependent, at: date)
        } else if end == .gone || policy == .giveUp, rows[dependent] != nil {
          giveUp(dependent, at: date)
          ends.append((dependent, .givenUp))
        }
      }
    }
  }

  mutating func unblock(_ key: Data?, at date: Date) {
    guard let key else { return }
    if let first = rows.index.queues[key]?.first { release(first, at: date) }
  }

  /// Lets a blocked operation pass, unless something still stands before it.
  mutating func release(_ id: Int64, at date: Date) {
    guard let row = rows[id], row.operation.state == .blocked, needs[id]?.isEmpty ?? true else {
      return
    }
    if let key = row.orderingKey {
      guard !isHeld(key), rows.index.queues[key]?.first == id, rows.index.heads[key] == nil
      else { return }
    }
    let start = row.start.flatMap { $0 > date ? $0 : nil }
    rows[id]?.operation.state = start == nil ? .ready : .scheduled
    rows[id]?.operation.due = start
    rows[id]?.wait = start.map { $0.milliseconds - date.milliseconds } ?? 0
  }

  mutating func cancel(_ id: OperationID, at date: Date) -> Cancellation? {
    guard let (number, row) = row(of: id) else { return nil }
    let isRunning = row.operation.state == .leased
    if !isRunning, row.operation.effect.isSafe {
      remove(number, as: .cancelled, at: date)
      return .cancelled
    }
    if [.parked, .conflicted].contains(row.operation.state) {
      // Nobody here can ask what became of it. Of a conflict it is known what came after it.
      if row.operation.state == .parked { outdateLatest(of: row.operation) }
      remove(number, as: .cancelled, at: date)
      return .mayHaveHappened
    }
    rows[number]?.operation.isCancelled = true
    rows[number]?.operation.constraints = []
    rows[number]?.operation.due = nil
    rows[number]?.start = nil
    rows[number]?.isHeld = false
    if [.scheduled, .waiting].contains(row.operation.state) {
      rows[number]?.operation.state = .ready
    }
    return isRunning ? .stopping : .mayHaveHappened
  }
}
