// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

extension InMemoryState {
  mutating func claim(_ request: ClaimRequest, at date: Date) -> Claim {
    unknown = [:]
    var claim = found(request, at: date)
    claim.unknown = unknown
    return claim
  }

  private mutating func found(_ request: ClaimRequest, at date: Date) -> Claim {
    // One that only enqueues does not judge what others can do.
    guard request.limit > 0, !request.types.isEmpty else { return Claim(operations: []) }
    var ready = rows.filter { id, row in
      row.operation.state == .ready && isOpen(row.operation.lane, at: date, trying: request.tried)
        && row.isWanted(at: date) && !(isPaused(id) && isKnown(id, request))
    }
    let lost = ready.filter { $0.value.operation.lostRuns > 0 }.keys.sorted()
    let suspects = lost.filter { hasPlace($0, request) && mayRun($0, request) }
    if request.passesSuspects { for id in suspects { ready[id] = nil } }
    guard suspects.isEmpty || request.passesSuspects else {
      let first = request.isAlone ? suspects.prefix(1) : []
      return Claim(operations: first.compactMap { lease($0) }, isExclusive: true)
    }
    for id in ready.keys where !isKnown(id, request) { _ = mayRun(id, request) }
    let chosen = first(of: ready.keys.filter { isKnown($0, request) }, request)
    let held = restrained(request, at: date)
    let lostBefore = held.filter { rows[$0]?.operation.lostRuns != 0 }
    let taken = self.chosen(
      among: held.filter { !lostBefore.contains($0) }, request, besides: chosen)
    if chosen.isEmpty, taken.isEmpty, !request.passesSuspects,
      let suspect = lostBefore.filter({ hasPlace($0, request) }).min()
    {
      let first = request.isAlone ? [suspect] : []
      return Claim(operations: first.compactMap { lease($0) }, isExclusive: true)
    }
    let all = (chosen + taken).sorted { ranks($0) < ranks($1) }
    return Claim(operations: all.compactMap { lease($0) })
  }

  /// What waits for constraints that hold here, which another process may have set aside.
  private func restrained(_ request: ClaimRequest, at date: Date) -> [Int64] {
    rows.filter { id, row in
      row.isHeld && isKnown(id, request) && row.isWanted(at: date)
        && isOpen(row.operation.lane, at: date, trying: request.tried) && !isPaused(id)
        && row.operation.constraints.isDisjoint(with: request.unmet)
    }.map(\.key)
  }

  private func isKnown(_ id: Int64, _ request: ClaimRequest) -> Bool {
    (rows[id]?.operation.type).map(request.types.contains) ?? false
  }

  private func hasPlace(_ id: Int64, _ request: ClaimRequest) -> Bool {
    (rows[id]?.operation.type).map(request.mayRun) ?? false
  }

  private func isPaused(_ id: Int64) -> Bool {
    (rows[id]?.operation.type.kind).map(paused.contains) ?? false
  }

  /// Those that rank first, and no more of a type than have a worker to spare; what a constraint
  /// holds back on the way is set aside.
  private mutating func first(of ids: [Int64], _ request: ClaimRequest) -> [Int64] {
    var (found, left): ([Int64], [PayloadType: Int]) = ([], request.limits)
    for id in ids.sorted(by: { ranks($0) < ranks($1) }) where found.count < request.limit {
      guard let type = rows[id]?.operation.type, left[type] != 0, mayRun(id, request) else {
        continue
      }
      found.append(id)
      left[type]? -= 1
    }
    return found
  }

  /// Those that rank first, and no more of a type than have a worker to spare beside others that
  /// are leased as well.
  private func chosen(
    among ids: [Int64], _ request: ClaimRequest, besides others: [Int64]
  ) -> [Int64] {
    var counts: [PayloadType: Int] = [:]
    for id in others { if let type = rows[id]?.operation.type { counts[type, default: 0] += 1 } }
    return ids.sorted { ranks($0) < ranks($1) }.filter { id in
      guard let type = rows[id]?.operation.type else { return false }
      counts[type, default: 0] += 1
      return counts[type, default: 0] <= request.limits[type] ?? .max
    }.prefix(request.limit - others.count).map { $0 }
  }

  private func ranks(_ id: Int64) -> (Int64, Int64) { (rows[id]?.rank ?? 0, id) }

  /// Sets aside what no worker knows, and what a constraint holds back.
  private mutating func mayRun(_ id: Int64, _ request: ClaimRequest) -> Bool {
    guard let operation = rows[id]?.operation else { return false }
    guard isKnown(id, request) else {
      rows[id]?.operation.state = .parked
      unknown[operation.type, default: 0] += 1
      return false
    }
    guard operation.constraints.isDisjoint(with: request.unmet) else {
      rows[id]?.operation.state = .waiting
      rows[id]?.isHeld = true
      return false
    }
    return true
  }
}
