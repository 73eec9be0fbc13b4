// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension InMemoryState {
  /// How many of the blocked ones wait for what can run alone.
  ///
  /// What else stands before one under its key, or is needed, holds it, and all that needs it.
  func following(at date: Date) -> Int {
    let blocked = Dictionary(
      uniqueKeysWithValues: rows.sorted.filter { $0.value.operation.state == .blocked })
    func isGoing(_ row: StoredRow) -> Bool {
      let operation = row.operation
      return operation.state == .leased
        || operation.state == .ready && isOpen(operation.lane, at: date)
          && !paused.contains(operation.type.kind)
    }
    let standing = rows.values.filter { $0.operation.state != .blocked && !isGoing($0) }
    let holding = dead.values.filter(\.holdsKey)
    let keys = Set(
      standing.compactMap(\.orderingKey) + holding.compactMap(\.operation.orderingBytes))
    var held = Set(blocked.filter { $1.orderingKey.map(keys.contains) ?? false }.keys)
    var dependents: [Int64: [Int64]] = [:]
    for (id, needed) in needs.all {
      for other in needed.keys {
        dependents[other, default: []].append(id)
        if blocked[other] == nil, !(rows[other].map(isGoing) ?? false) { held.insert(id) }
      }
    }
    var left = Array(held)
    while let next = left.popLast() {
      for id in dependents[next] ?? [] where held.insert(id).inserted { left.append(id) }
    }
    return blocked.count { !held.contains($0.key) }
  }

  /// What stands in the way of an operation, by the rules of ``claim(_:at:)``.
  func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>, at date: Date
  ) -> [Obstacle]? {
    guard let (number, row) = row(of: id) else { return nil }
    let operation = row.operation
    var found: [Obstacle] = []
    switch operation.state {
    case .leased: return [.running]
    case .scheduled, .waiting:
      if let due = operation.due { found.append(.notBefore(due, after: operation.failure)) }
    case .parked: found.append(row.isUnreadable ? .unreadable : .noWorker(operation.type))
    case .conflicted: found.append(.conflict)
    case .blocked: found += blockers(of: number, operation)
    case .ready, .dead: break
    }
    let lane = operation.lane
    if let closure = closed[lane], isClosed(lane, at: date) {
      found.append(.lane(lane, closure.cause, until: closure.until))
    }
    if let rest = rests[lane], rests(lane, at: date) {
      found.append(.lane(lane, .throttled, until: rest.until))
    }
    if paused.contains(operation.type.kind) { found.append(.kindPaused(operation.type.kind)) }
    if operation.isWaitingForClaim { found += suspects(besides: operation, unmet, at: date) }
    return found
  }

  private func blockers(of number: Int64, _ operation: StoredOperation) -> [Obstacle] {
    var found: [Obstacle] = []
    let needed = (needs[number] ?? [:]).keys.sorted()
    found += needed.compactMap { rows[$0].map { .needs($0.operation.id) } }
    found += needed.compactMap { dead[$0].map { .needsDeadLetter($0.id) } }
    guard let key = operation.orderingBytes else { return found }
    let earlier = rows.index.queues[key]?.first.flatMap { $0 < number ? $0 : nil }
    let before = [earlier, rows.index.heads[key]].compactMap(\.self).min()
    if let before, before != number, let row = rows[before] {
      found.append(.follows(row.operation.id))
    }
    let letters = (dead.holders[key] ?? SortedSet()).compactMap { dead[$0] }
    return found + letters.map { .followsDeadLetter($0.id) }
  }

  private func suspects(
    besides operation: StoredOperation, _ unmet: Set<OperationConstraint>, at date: Date
  ) -> [Obstacle] {
    let first = rows.index.suspects.lazy.compactMap { rows[$0] }.first { row in
      let suspect = row.operation
      return isOpen(suspect.lane, at: date)
        && !paused.contains(suspect.type.kind) && row.isWanted(at: date)
        && suspect.constraints.isDisjoint(with: unmet)
    }?.operation
    guard let first else { return [] }
    guard first.id == operation.id else { return [.letsPass(first.id)] }
    return rows.index.leased.isEmpty ? [] : [.runsAlone]
  }
}
