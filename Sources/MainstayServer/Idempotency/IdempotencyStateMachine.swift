// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The requests with an idempotency key that one process remembers.
///
/// What runs is never forgotten, unless nobody has ended it for as long as answers are kept. Of
/// what was answered the oldest goes first.
struct IdempotencyStateMachine: Sendable {
  private enum Entry {
    case running(claim: UInt64, fingerprint: Data, since: Duration)
    case answered(StoredAnswer, fingerprint: Data, at: Duration)
  }

  let lifetime: Duration
  let maximumCount: Int
  let maximumBytes: Int

  private var entries: [String: Entry] = [:]
  /// The keys in the order in which they were answered, the oldest first; some may have gone.
  private(set) var order: [(key: String, at: Duration)] = []
  private var first = 0
  private var claims: UInt64 = 0
  private(set) var bytes = 0
  /// How many answers went before their time, and were not told of yet.
  private var evicted = 0

  init(lifetime: Duration, maximumCount: Int, maximumBytes: Int) {
    self.lifetime = lifetime
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
  }

  var count: Int { entries.count }

  /// Begins a request; nil where as many run as may be remembered.
  mutating func begin(
    _ key: String, _ fingerprint: Data, at now: Duration
  ) -> IdempotencyVerdict? {
    expire(at: now)
    switch entries[key] {
    case .answered(let answer, fingerprint, _): return .replay(answer)
    case .running(_, fingerprint, let since) where now - since < lifetime: return .running
    case .answered: return .mismatch
    case .running(_, let other, let since) where other != fingerprint && now - since < lifetime:
      return .mismatch
    case .running, nil: break
    }
    if entries[key] == nil, entries.count >= maximumCount, !evictOldest() { return nil }
    claims += 1
    entries[key] = .running(claim: claims, fingerprint: fingerprint, since: now)
    return .handle(claim: claims)
  }

  /// Ends a request; an answer that does not fit at all is kept without its body.
  mutating func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?, at now: Duration) {
    guard case .running(claim, let fingerprint, _)? = entries[key] else { return }
    guard var answer else {
      entries[key] = nil
      return
    }
    if answer.weight > maximumBytes {
      answer = StoredAnswer(status: answer.status, fields: answer.fields, body: nil)
    }
    entries[key] = .answered(answer, fingerprint: fingerprint, at: now)
    order.append((key, now))
    bytes += answer.weight
    while bytes > maximumBytes, evictOldest() {}
  }

  /// How many answers had to make room since this was asked last.
  mutating func takeEvicted() -> Int {
    defer { evicted = 0 }
    return evicted
  }

  private mutating func expire(at now: Duration) {
    while first < order.count, now - order[first].at >= lifetime { forgetOldest() }
  }

  /// Forgets the oldest answer before its time; false where there is none.
  private mutating func evictOldest() -> Bool {
    guard forgetOldest() else { return false }
    evicted += 1
    return true
  }

  /// Forgets the oldest answer; false where there is none.
  @discardableResult
  private mutating func forgetOldest() -> Bool {
    guard first < order.count else { return false }
    let oldest = order[first]
    first += 1
    if first > 64, first * 2 > order.count {
      order.removeFirst(first)
      first = 0
    }
    if case .answered(let answer, _, _)? = entries.removeValue(forKey: oldest.key) {
      bytes -= answer.weight
    }
    return true
  }
}

extension StoredAnswer {
  /// About what the answer takes in memory, in bytes.
  var weight: Int {
    200 + (body?.count ?? 0) + fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}
