// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// Where the rows of an in-memory store stand, so that no call looks at those that it has nothing
/// to do with.
///
/// It says the same as the rows do, and follows each change of one. The indexes of a file are its
/// model: a row is only in those that somebody would look for it in.
struct InMemoryIndex: Equatable {
  /// Where a row stands among others: by a number, and by its own where that is the same.
  struct Place: Hashable, Comparable {
    let value: Int64
    let number: Int64

    static func < (one: Self, other: Self) -> Bool {
      (one.value, one.number) < (other.value, other.number)
    }
  }

  /// What rows have in common that are leased in the order of their ranks.
  struct Run: Hashable {
    let lane: Lane
    let type: PayloadType
    /// What they wait for; nothing for those that are ready.
    var constraints: Set<OperationConstraint> = []
  }

  /// A unique key, which is that of one kind.
  struct UniqueName: Hashable {
    let kind: OperationKind
    let key: Data
  }

  private(set) var numbers = SortedSet<Int64>()
  private(set) var ids: [OperationID: Int64] = [:]
  private(set) var keys: [IdempotencyKey: Int64] = [:]
  private(set) var uniqueNames: [UniqueName: Int64] = [:]
  /// Those of an ordering key.
  private(set) var queues: [Data: SortedSet<Int64>] = [:]
  /// Those that are not blocked, of which an ordering key has one at most.
  private(set) var heads: [Data: Int64] = [:]
  /// What is ready, by rank.
  private(set) var ready: [Run: SortedSet<Place>] = [:]
  /// What is ready and lost its last run.
  private(set) var suspects = SortedSet<Int64>()
  /// What waits for constraints, by rank.
  private(set) var restrained: [Run: SortedSet<Place>] = [:]
  /// What waits for constraints and lost its last run.
  private(set) var restrainedSuspects = SortedSet<Int64>()
  /// What is parked for want of a worker.
  private(set) var parked: [PayloadType: SortedSet<Int64>] = [:]
  /// What is scheduled since the network could not be reached.
  private(set) var unreached = SortedSet<Int64>()
  private(set) var leased = SortedSet<Int64>()
  /// What waits for a time, by that.
  private(set) var due = SortedSet<Place>()
  /// What is not wanted for ever, by its end.
  private(set) var expiring = SortedSet<Place>()
  /// What may go where there is no room, by importance.
  private(set) var expendable = SortedSet<Place>()
  private(set) var bytes = 0

  /// A row was added, changed, or taken out.
  mutating func change(
    _ number: Int64, from old: InMemoryState.StoredRow?, to new: InMemoryState.StoredRow?
  ) {
    let (old, new) = (old.map { Marks($0, number) }, new.map { Marks($0, number) })
    bytes += (new?.bytes ?? 0) - (old?.bytes ?? 0)
    numbers.move(old.map { _ in number }, new.map { _ in number })
    ids.move(old?.id, new?.id, number)
    keys.move(old?.key, new?.key, number)
    uniqueNames.move(old?.uniqueName, new?.uniqueName, number)
    queues.move(old?.queue, new?.queue, number)
    heads.move(old?.head, new?.head, number)
    ready.move(old?.ready, old?.rank, new?.ready, new?.rank)
    suspects.move(old?.suspect, new?.suspect)
    restrained.move(old?.restrained, old?.rank, new?.restrained, new?.rank)
    restrainedSuspects.move(old?.restrainedSuspect, new?.restrainedSuspect)
    parked.move(old?.parked, new?.parked, number)
    unreached.move(old?.unreached, new?.unreached)
    leased.move(old?.leased, new?.leased)
    due.move(old?.due, new?.due)
    expiring.move(old?.expires, new?.expires)
    expendable.move(old?.importance, new?.importance)
  }
}

/// Where a row stands in each index; nil in those that it is not in.
private struct Marks {
  typealias Place = InMemoryIndex.Place

  let id: OperationID
  let key: IdempotencyKey
  let bytes: Int
  let rank: Place
  var uniqueName: InMemoryIndex.UniqueName?
  var queue: Data?
  var head: Data?
  var ready: InMemoryIndex.Run?
  var suspect: Int64?
  var restrained: InMemoryIndex.Run?
  var restrainedSuspect: Int64?
  var parked: PayloadType?
  var unreached: Int64?
  var leased: Int64?
  var due: Place?
  var expires: Place?
  var importance: Place?

  init(_ row: InMemoryState.StoredRow, _ number: Int64) {
    let operation = row.operation
    (id, key, bytes) = (operation.id, operation.idempotencyKey, operation.payload.count)
    rank = Place(value: row.rank, number: number)
    uniqueName = row.uniqueKey.map { .init(kind: operation.type.kind, key: $0) }
    queue = row.orderingKey
    head = operation.state == .blocked ? nil : queue
    if operation.state == .ready {
      ready = .init(lane: operation.lane, type: operation.type)
      suspect = operation.lostRuns > 0 ? number : nil
    }
    if row.isHeld {
      if operation.lostRuns > 0 {
        restrainedSuspect = number
      } else {
        restrained = .init(
          lane: operation.lane, type: operation.type, constraints: operation.constraints)
      }
    }
    if operation.state == .parked, !row.isUnreadable { parked = operation.type }
    unreached = operation.state == .scheduled && operation.unreachable > 0 ? number : nil
    leased = row.token == nil ? nil : number
    due = operation.due.map { Place(value: $0.milliseconds, number: number) }
    expires = operation.expires.map { Place(value: $0.milliseconds, number: number) }
    if operation.isExpendable {
      importance = Place(value: Int64(operation.priority.rawValue), number: number)
    }
  }
}

extension SortedSet {
  fileprivate mutating func move(_ old: Element?, _ new: Element?) {
    guard old != new else { return }
    if let old { remove(old) }
    if let new { insert(new) }
  }
}

extension Dictionary {
  fileprivate mutating func move(_ old: Key?, _ new: Key?, _ number: Int64) where Value == Int64 {
    guard old != new else { return }
    if let old, self[old] == number { self[old] = nil }
    if let new { self[new] = number }
  }

  fileprivate mutating func move<Element>(
    _ old: Key?, _ new: Key?, _ element: Element
  ) where Value == SortedSet<Element> {
    move(old, element, new, element)
  }

  fileprivate mutating func move<Element>(
    _ old: Key?, _ oldElement: Element?, _ new: Key?, _ newElement: Element?
  ) where Value == SortedSet<Element> {
    guard old != new || oldElement != newElement else { return }
    if let old, let oldElement { remove(oldElement, from: old) }
    if let new, let newElement { self[new, default: SortedSet()].insert(newElement) }
  }

  mutating func remove<Element>(
    _ element: Element, from key: Key
  ) where Value == SortedSet<Element> {
    self[key]?.remove(element)
    if self[key]?.isEmpty ?? false { self[key] = nil }
  }
}
