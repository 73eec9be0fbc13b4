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

  mutating func remove(_ id: Int64, as reason: OutboxReceipt.Reason, at date: Date) {
    guard let row = rows.removeValue(forKey: id) else { return }
    leaveReceipt(of: row.operation, reason, at: date)
    tell(of: id, [.done, .dropped].contains(reason) ? .done : .gone, at: date)
    unblock(row.operation.orderingKey, at: date)
  }

  mutating func bury(
    _ id: Int64, _ reason: DeadLetter.Reason, _ followers: Worker.AfterDeadLetter, at date: Date
  ) {
    guard let key = rows[id]?.operation.orderingKey else {
      move(id, reason, holdsKey: followers == .holdKey, at: date)
      return tell(of: id, .givenUp, at: date)
    }
    move(id, reason, holdsKey: followers == .holdKey, at: date)
    tell(of: id, .givenUp, at: date)
    if followers == .dropFollowers {
      for (follower, row) in sorted
      where row.operation.orderingKey == key && row.operation.state == .blocked
        && row.operation.effect == .notSent
      {
        remove(follower, as: .followed, at: date)
      }
    }
    if followers != .holdKey { unblock(key, at: date) }
  }

  private mutating func move(
    _ id: Int64, _ reason: DeadLetter.Reason, holdsKey: Bool, at date: Date
  ) {
    guard let row = rows.removeValue(forKey: id) else { return }
    var operation = row.operation
    ranks[id] = row.rank
    operation.state = .parked
    operation.unreachable = 0
    operation.isCancelled = false
    dead[id] = DeadLetter(operation: operation, reason: reason, since: date, holdsKey: holdsKey)
  }

  mutating func discard(_ id: OperationID, at date: Date) -> Bool {
    guard let (number, letter) = dead.first(where: { $0.value.id == id }) else { return false }
    dead[number] = nil
    leaveReceipt(of: letter.operation, .discarded, at: date)
    tell(of: number, .gone, at: date)
    unblock(letter.operation.orderingKey, at: date)
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
      for (dependent, needed) in needs {
        guard let policy = needed[id] else { continue }
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

  mutating func unblock(_ key: String?, at date: Date) {
    guard let key else { return }
    let first = rows.filter { $0.value.operation.orderingKey == key }.keys.min()
    if let first { release(first, at: date) }
  }

  /// Lets a blocked operation pass, unless something still stands before it.
  mutating func release(_ id: Int64, at date: Date) {
    guard let row = rows[id], row.operation.state == .blocked, needs[id]?.isEmpty ?? true else {
      return
    }
    if let key = row.operation.orderingKey {
      let others = rows.filter { $0.value.operation.orderingKey == key }
      guard !isHeld(key), others.keys.min() == id,
        others.values.allSatisfy({ $0.operation.state == .blocked })
      else { return }
    }
    let start = row.start.flatMap { $0 > date ? $0 : nil }
    rows[id]?.operation.state = start == nil ? .ready : .scheduled
    rows[id]?.operation.due = start
  }

  mutating func cancel(_ id: OperationID, at date: Date) -> Cancellation? {
    guard let (number, row) = row(of: id) else { return nil }
    let isRunning = row.operation.state == .leased
    if !isRunning, row.operation.effect == .notSent {
      remove(number, as: .cancelled, at: date)
      return .cancelled
    }
    rows[number]?.operation.isCancelled = true
    rows[number]?.operation.constraints = []
    rows[number]?.operation.due = nil
    rows[number]?.conflict = nil
    rows[number]?.start = nil
    rows[number]?.isHeld = false
    if [.scheduled, .waiting, .conflicted].contains(row.operation.state) {
      rows[number]?.operation.state = .ready
    }
    return isRunning ? .stopping : .mayHaveHappened
  }
}
