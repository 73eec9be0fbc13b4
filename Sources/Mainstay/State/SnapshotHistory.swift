// SPDX-License-Identifier: Apache-2.0

/// The states that a client had, the newest and the last that was known to be good among them.
@usableFromInline
struct SnapshotHistory<State: Sendable>: Sendable {
  /// What the state is.
  @usableFromInline var current: Snapshot<State>
  /// What one goes back to.
  private(set) var knownGood: Snapshot<State>
  /// How many older ones are kept.
  @usableFromInline let capacity: Int
  // A ring: once it is full, the newest takes the place of the oldest.
  @usableFromInline var ring: [Snapshot<State>] = []
  @usableFromInline var oldest = 0

  init(_ first: Snapshot<State>, capacity: Int) {
    current = first
    knownGood = first
    self.capacity = capacity
  }

  /// Makes a state the newest.
  @inlinable
  mutating func accept(_ state: State) {
    keep(current)
    // No app makes so many changes: a thousand each second, it lasts for half a billion years.
    current = Snapshot(version: current.version &+ 1, state: state)
  }

  mutating func markKnownGood() { knownGood = current }

  /// Those before the newest, which are still kept; the youngest first.
  var older: [Snapshot<State>] { (ring[oldest...] + ring[..<oldest]).reversed() }

  @inlinable
  mutating func keep(_ snapshot: Snapshot<State>) {
    guard capacity > 0 else { return }
    guard ring.count == capacity else { return ring.append(snapshot) }
    ring[oldest] = snapshot
    oldest = oldest + 1 == capacity ? 0 : oldest + 1
  }
}
