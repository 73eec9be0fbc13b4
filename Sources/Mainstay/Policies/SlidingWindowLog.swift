// SPDX-License-Identifier: Apache-2.0

/// The calls of the last window, one by one; a call counts for exactly as long as the window is.
struct SlidingWindowLog: Sendable {
  private struct Entry {
    let time: Nanoseconds
    var cost: Int
    /// How much of the cost is of no call, but was kept back when the limit was raised.
    var keptBack = 0
  }

  let limit: Int
  private let window: Nanoseconds
  /// The oldest first, from `front` on.
  private var entries: [Entry] = []
  private var front = 0
  private var used = 0

  init(limit: Int, window: Nanoseconds) {
    self.limit = limit
    self.window = window
  }

  /// The same law before the first call.
  var emptied: SlidingWindowLog { SlidingWindowLog(limit: limit, window: window) }
  /// How many entries are kept, those included that have left the window.
  var entryCount: Int { entries.count }

  func earliest(_ cost: Int, from time: Nanoseconds) -> Nanoseconds {
    var excess = used + cost - limit
    var index = front
    var end = time
    // The log never runs out, since no call costs more than the limit.
    while excess > 0 {
      excess -= entries[index].cost
      end = max(end, entries[index].time + window)
      index += 1
    }
    return end
  }

  /// Takes over what counts at a reading under another limit or window.
  ///
  /// Each call goes on counting from when it began. What more the new limit would let through at
  /// once is kept back for a window. Where a lower limit forgets some, what was kept back goes
  /// first, the latest of it: so a limit that is changed to and fro is as it was. The oldest calls
  /// go next.
  ///
  /// - Parameters:
  ///   - other: The log until then; this one is empty.
  ///   - time: The reading, not before the latest call.
  mutating func take(from other: SlidingWindowLog, at time: Nanoseconds) {
    let counted = limit - min(other.free(at: time), limit)
    let shorter = min(window, other.window)
    entries = other.entries[other.front...].filter { $0.time + shorter > time }
    used = entries.reduce(0) { $0 + $1.cost }
    for index in entries.indices.reversed() where used > counted {
      let part = min(entries[index].keptBack, used - counted)
      entries[index].keptBack -= part
      forget(part, at: index)
    }
    for index in entries.indices where used > counted {
      forget(min(entries[index].cost - entries[index].keptBack, used - counted), at: index)
    }
    entries.removeAll { $0.cost == 0 }
    guard used < counted else { return }
    entries.append(Entry(time: time, cost: counted - used, keptBack: counted - used))
    used = counted
  }

  private mutating func forget(_ cost: Int, at index: Int) {
    entries[index].cost -= cost
    used -= cost
  }

  func free(at time: Nanoseconds) -> Int {
    let over = entries[front...].prefix { $0.time + window <= time }
    return limit - used + over.map(\.cost).reduce(0, +)
  }

  mutating func admit(_ cost: Int, at time: Nanoseconds) {
    while front < entries.endIndex, entries[front].time + window <= time {
      used -= entries[front].cost
      front += 1
    }
    if front == entries.endIndex {
      entries.removeAll(keepingCapacity: true)
      front = 0
    } else if front > max(32, entries.count / 2) {
      entries.removeFirst(front)
      front = 0
    }
    used += cost
    if let last = entries.indices.last, entries[last].time == time {
      entries[last].cost += cost
    } else {
      entries.append(Entry(time: time, cost: cost))
    }
  }
}
