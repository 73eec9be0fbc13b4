// SPDX-License-Identifier: Apache-2.0

/// Remembers the newest identities, up to a number, to know one that comes again.
struct DuplicateFilter<ID: Hashable & Sendable>: Sendable {
  private var known: Set<ID> = []
  private var order: [ID] = []
  private var next = 0
  private let capacity: Int
  /// How often one came again.
  private(set) var duplicates = 0

  /// Makes an empty filter; a capacity below 1 becomes 1.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    // Growing beyond that is seldom needed, and then it is spread over many.
    let usual = min(self.capacity, 4_096)
    known.reserveCapacity(usual)
    order.reserveCapacity(usual)
  }

  /// How many it remembers.
  var count: Int { order.count }

  /// Whether an identity is new; from now on it is known, until so many others have come.
  mutating func isNew(_ id: ID) -> Bool {
    let isNew = remember(id)
    if !isNew { duplicates += 1 }
    return isNew
  }

  /// Knows an identity from now on, and counts nothing.
  ///
  /// - Returns: Whether it was not known.
  mutating func remember(_ id: ID) -> Bool {
    guard known.insert(id).inserted else { return false }
    if order.count < capacity {
      order.append(id)
    } else {
      known.remove(order[next])
      order[next] = id
      next = next + 1 == capacity ? 0 : next + 1
    }
    return true
  }
}
