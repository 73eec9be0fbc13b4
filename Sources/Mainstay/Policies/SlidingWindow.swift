// SPDX-License-Identifier: Apache-2.0

/// What became of the latest calls, or of those of the latest time.
///
/// A window over a count keeps one byte per call in a ring. A window over a time keeps ten sums,
/// each for a tenth of that time. So a call leaves the window after nine tenths of it at the
/// earliest and all of it at the latest. Totals are kept by adding what comes and taking away what
/// leaves. Storage is allocated once, when the window is made.
///
/// It has no clock: `now` is a reading within `±Int64.max / 2` seconds. A reading that is not later
/// than the latest one means that no time has passed (P12).
struct SlidingWindow: Sendable, Hashable {
  /// How many calls there were, how many of them failed, and how many took too long.
  struct Totals: Sendable, Hashable {
    var calls = 0
    var failures = 0
    var slow = 0

    static func -= (left: inout Totals, right: Totals) {
      left.calls -= right.calls
      left.failures -= right.failures
      left.slow -= right.slow
    }

    mutating func add(isFailure: Bool, isSlow: Bool) {
      calls += 1
      if isFailure { failures += 1 }
      if isSlow { slow += 1 }
    }
  }

  /// How many parts a window over a time has.
  static let bucketCount = 10

  let span: CircuitBreaker.Window

  /// The sums over the whole window, as of the latest reading that it was given.
  private(set) var totals = Totals()

  /// What became of each call, at the place where the next one goes; empty for a time.
  private var ring: [UInt8] = []
  private var next = 0

  /// The sums of each part; empty for a count.
  private var buckets: [Totals] = []
  private var current = 0
  private var width = Duration.zero
  /// When the current part ends; nil before the first reading.
  private(set) var currentEnd: Duration?

  /// Makes an empty window.
  ///
  /// - Parameter span: A count of 1 or more, or a time of more than zero.
  init(over span: CircuitBreaker.Window) {
    self.span = span
    switch span {
    case .count(let size):
      ring = Array(repeating: 0, count: size)
    case .time(let length):
      buckets = Array(repeating: Totals(), count: Self.bucketCount)
      width = max(length / Self.bucketCount, Duration(attoseconds: 1))
    }
  }

  /// Whether time has to be known to keep the window up to date.
  var needsReading: Bool { ring.isEmpty }

  /// Adds a call, and takes away what it pushes out.
  mutating func record(isFailure: Bool, isSlow: Bool, at now: Duration) {
    if needsReading {
      expire(now)
      buckets[current].add(isFailure: isFailure, isSlow: isSlow)
    } else {
      if totals.calls == ring.count { totals -= Self.totals(of: ring[next]) }
      ring[next] = (isFailure ? 1 : 0) | (isSlow ? 2 : 0)
      next = next + 1 == ring.count ? 0 : next + 1
    }
    totals.add(isFailure: isFailure, isSlow: isSlow)
  }

  /// The sums, without what has left the window by now.
  mutating func totals(at now: Duration) -> Totals {
    if needsReading { expire(now) }
    return totals
  }

  /// Forgets everything.
  mutating func clear() {
    totals = Totals()
    currentEnd = nil
    for index in buckets.indices { buckets[index] = Totals() }
  }

  /// What the window holds, the oldest first: one element per call, or per part of the time.
  var contents: [Totals] {
    if needsReading {
      return (1...Self.bucketCount).map { buckets[(current + $0) % Self.bucketCount] }
    }
    return (0..<totals.calls).map { offset in
      Self.totals(of: ring[(next + ring.count - totals.calls + offset) % ring.count])
    }
  }

  private static func totals(of outcome: UInt8) -> Totals {
    Totals(calls: 1, failures: Int(outcome & 1), slow: Int(outcome >> 1))
  }

  /// Takes away the parts that lie a whole window back; all of them after a gap that long (P9).
  private mutating func expire(_ now: Duration) {
    guard let end = currentEnd else { return currentEnd = now + width }
    guard now >= end else { return }
    let steps = (now - end).attoseconds / width.attoseconds + 1
    guard steps < Self.bucketCount else {
      clear()
      return currentEnd = now + width
    }
    for _ in 0..<steps {
      current = current + 1 == Self.bucketCount ? 0 : current + 1
      totals -= buckets[current]
      buckets[current] = Totals()
    }
    currentEnd = end + width * steps
  }
}
