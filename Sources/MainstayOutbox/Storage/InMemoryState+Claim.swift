// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension InMemoryState {
  mutating func claim(_ request: ClaimRequest, at date: Date) -> Claim {
    (unknown, looks) = ([:], 0)
    var claim = found(request, at: date)
    claim.unknown = unknown
    return claim
  }

  private mutating func found(_ request: ClaimRequest, at date: Date) -> Claim {
    // One that only enqueues does not judge what others can do.
    guard request.limit > 0, !request.types.isEmpty else { return Claim(operations: []) }
    let suspects = rows.index.suspects.filter { id in
      isOpen(id, request, at: date) && hasPlace(id, request) && mayRun(id, request)
    }
    guard suspects.isEmpty || request.passesSuspects else {
      let first = request.isAlone ? suspects.prefix(1) : []
      return Claim(operations: first.compactMap { lease($0) }, isExclusive: true)
    }
    let ready = openRuns(rows.index.ready, request, at: date)
    for run in ready where !request.types.contains(run.type) { park(run, at: date) }
    var left = request.limits
    let chosen = first(
      request.limit, of: ready.filter { request.types.contains($0.type) }, in: \.ready, &left,
      request, at: date, besides: Set(suspects))
    let restrained = openRuns(rows.index.restrained, request, at: date).filter { run in
      request.types.contains(run.type) && run.constraints.isDisjoint(with: request.unmet)
    }
    let taken = first(
      request.limit - chosen.count, of: restrained, in: \.restrained, &left, request, at: date)
    if chosen.isEmpty, taken.isEmpty, !request.passesSuspects,
      let suspect = restrainedSuspect(request, at: date)
    {
      let first = request.isAlone ? [suspect] : []
      return Claim(operations: first.compactMap { lease($0) }, isExclusive: true)
    }
    let all = (chosen + taken).sorted { ranks($0) < ranks($1) }
    return Claim(operations: all.compactMap { lease($0) })
  }

  /// The runs of which something may be leased, and those that no worker knows.
  private mutating func openRuns(
    _ runs: [InMemoryIndex.Run: SortedSet<InMemoryIndex.Place>], _ request: ClaimRequest,
    at date: Date
  ) -> [InMemoryIndex.Run] {
    looks += runs.count
    return runs.keys.filter { run in
      isOpen(run.lane, at: date, trying: request.tried)
        && !(paused.contains(run.type.kind) && request.types.contains(run.type))
    }
  }

  /// Sets a run aside that no worker knows.
  private mutating func park(_ run: InMemoryIndex.Run, at date: Date) {
    for place in rows.index.ready[run] ?? SortedSet() {
      looks += 1
      guard rows[place.number]?.isWanted(at: date) ?? false else { continue }
      rows[place.number]?.operation.state = .parked
      unknown[run.type, default: 0] += 1
    }
  }

  /// The oldest one that waits for constraints which hold here, and lost its last run.
  private mutating func restrainedSuspect(_ request: ClaimRequest, at date: Date) -> Int64? {
    rows.index.restrainedSuspects.first { id in
      isOpen(id, request, at: date) && hasPlace(id, request)
        && rows[id]?.operation.constraints.isDisjoint(with: request.unmet) ?? false
    }
  }

  /// Whether nothing but its constraints may keep an operation from being leased.
  private mutating func isOpen(_ id: Int64, _ request: ClaimRequest, at date: Date) -> Bool {
    looks += 1
    guard let row = rows[id] else { return false }
    return isOpen(row.operation.lane, at: date, trying: request.tried)
      && row.isWanted(at: date) && !paused.contains(row.operation.type.kind)
  }

  private func hasPlace(_ id: Int64, _ request: ClaimRequest) -> Bool {
    (rows[id]?.operation.type).map(request.mayRun) ?? false
  }

  /// The row of a run whose turn it is.
  private struct Turn: Comparable {
    let place: InMemoryIndex.Place
    let run: Int

    static func < (one: Self, other: Self) -> Bool {
      (one.place, one.run) < (other.place, other.run)
    }
  }

  /// Those of some runs that rank first, and no more of a type than have a worker to spare; what a
  /// constraint holds back on the way is set aside.
  ///
  /// Of a run whose turn does not come no more than its first row is looked at.
  private mutating func first(
    _ count: Int, of runs: [InMemoryIndex.Run],
    in index: KeyPath<InMemoryIndex, [InMemoryIndex.Run: SortedSet<InMemoryIndex.Place>]>,
    _ left: inout [PayloadType: Int], _ request: ClaimRequest, at date: Date,
    besides passed: Set<Int64> = []
  ) -> [Int64] {
    var turns = SortedSet<Turn>()
    for (number, run) in runs.enumerated() where left[run.type] != 0 {
      if let first = rows.index[keyPath: index][run]?.first {
        turns.insert(Turn(place: first, run: number))
      }
    }
    var found: [Int64] = []
    while found.count < count, let turn = turns.popFirst() {
      let (run, id) = (runs[turn.run], turn.place.number)
      guard left[run.type] != 0 else { continue }
      looks += 1
      if !passed.contains(id), rows[id]?.isWanted(at: date) ?? false, mayRun(id, request) {
        found.append(id)
        left[run.type]? -= 1
      }
      if let next = rows.index[keyPath: index][run]?.first(after: turn.place) {
        turns.insert(Turn(place: next, run: turn.run))
      }
    }
    return found
  }

  private func ranks(_ id: Int64) -> (Int64, Int64) { (rows[id]?.rank ?? 0, id) }

  /// Sets aside what a constraint holds back.
  private mutating func mayRun(_ id: Int64, _ request: ClaimRequest) -> Bool {
    guard let constraints = rows[id]?.operation.constraints else { return false }
    guard constraints.isDisjoint(with: request.unmet) else {
      rows[id]?.operation.state = .waiting
      rows[id]?.isHeld = true
      return false
    }
    return true
  }
}
