// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// How fast the queue gets shorter, from what was finished lately; a value without a clock.
package struct DrainRate: Sendable, Equatable {
  /// What lies further back says nothing about now.
  package static let window = Duration.seconds(30)
  /// Fewer say nothing.
  package static let minimumCount = 3
  /// More than a day is no estimate.
  package static let maximum = Duration.seconds(86_400)
  /// How many are kept; a faster queue is measured over a shorter time.
  private static let capacity = 1000

  private var finished: [Duration] = []

  package init() {}

  /// An operation was finished.
  ///
  /// - Parameter now: The time of a monotonic clock.
  package mutating func finish(at now: Duration) {
    finished.append(now)
    if finished.count > Self.capacity { finished.removeFirst(finished.count - Self.capacity) }
  }

  /// How long it takes until nothing is left, if it goes on as it did lately.
  ///
  /// - Parameters:
  ///   - count: How many are left that go on by themselves.
  ///   - now: The time of the same clock.
  /// - Returns: The time; nil where too little was finished lately to tell, where nothing is left,
  ///   and where it would be more than a day.
  package func estimate(for count: Int, at now: Duration) -> Duration? {
    let recent = finished.filter { $0 <= now && now - $0 <= Self.window }
    guard count > 0, recent.count >= Self.minimumCount, let first = recent.min(), first < now
    else { return nil }
    // Up to now, not up to the last one: a queue that stands still gets slower and slower. The
    // first one only starts the time.
    let estimate = (now - first) / Double(recent.count - 1) * Double(count)
    return estimate <= Self.maximum ? estimate : nil
  }
}

/// Measures how fast the queue gets shorter.
final class DrainMeter: Sendable {
  private let rate = Locked(DrainRate())
  private let timeline: Timeline

  init(_ timeline: Timeline) { self.timeline = timeline }

  func finished() {
    let now = timeline.now
    rate.withLock { $0.finish(at: now) }
  }

  func estimate(for count: Int) -> Duration? {
    let now = timeline.now
    return rate.withLock { $0.estimate(for: count, at: now) }
  }
}
