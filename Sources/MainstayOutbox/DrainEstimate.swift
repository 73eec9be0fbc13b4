// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// How long it takes until nothing waits any more, as far as the past can tell.
///
/// It counts what can run, runs, or follows those; not what waits for a time, a person or a fact.
public struct DrainEstimate: Sendable, Hashable, Codable {
  /// The likely time.
  public let likely: Duration
  /// It takes at least this long, nineteen times of twenty, if all goes on as it did.
  public let shortest: Duration
  /// It takes at most this long, nineteen times of twenty, if all goes on as it did.
  public let longest: Duration

  /// Makes an estimate; for stores and tests.
  public init(likely: Duration, shortest: Duration, longest: Duration) {
    self.likely = likely
    self.shortest = shortest
    self.longest = longest
  }
}

extension DrainEstimate: CustomStringConvertible {
  /// The likely time in the largest unit that fits, such as `about 8 s`.
  public var description: String {
    let seconds = likely.inSeconds
    if seconds < 1 { return "less than 1 s" }
    if seconds < 90 { return "about \(Int(seconds.rounded())) s" }
    if seconds < 5400 { return "about \(Int((seconds / 60).rounded())) min" }
    return "about \(Int((seconds / 3600).rounded())) h"
  }
}

/// Measures how many operations end well in the time in which any of them run.
///
/// Time in which nothing runs does not count, and old times count less: half after thirty seconds
/// of work.
package struct DrainRate: Sendable, Equatable {
  /// After how many seconds of work a measurement counts half.
  private static let halfLife = 30.0
  /// Fewer ends say nothing.
  private static let minimum = 2.0
  /// More than a day is no estimate.
  private static let longest = 86_400.0

  private var ended = 0.0
  private var worked = 0.0
  /// Since when something runs.
  private var since: Duration?
  private var running = 0

  package init() {}

  /// A run began.
  package mutating func began(at now: Duration) {
    count(until: now)
    running += 1
    since = now
  }

  /// A run ended.
  package mutating func ended(well: Bool, at now: Duration) {
    count(until: now)
    running = max(running - 1, 0)
    since = running > 0 ? now : nil
    if well { ended += 1 }
  }

  private mutating func count(until now: Duration) {
    guard let since, now > since else { return }
    let span = (now - since).clamped.inSeconds
    let rest = exp2(-span / Self.halfLife)
    ended *= rest
    worked = worked * rest + span
    self.since = now
  }

  /// How long it takes to work off so many; nil where too little is known, and for more than a day.
  ///
  /// The counts of a Poisson process vary by their root, so few measurements give a wide span.
  package func estimate(_ count: Int, at now: Duration) -> DrainEstimate? {
    var rate = self
    rate.count(until: now)
    guard count > 0, rate.ended >= Self.minimum, rate.worked > 0 else { return nil }
    let seconds = Double(count) * rate.worked / rate.ended
    guard seconds <= Self.longest else { return nil }
    let spread = 1.96 / rate.ended.squareRoot()
    let slowest = spread < 0.9 ? seconds / (1 - spread) : seconds * 10
    return DrainEstimate(
      likely: .clamped(seconds: seconds), shortest: .clamped(seconds: seconds / (1 + spread)),
      longest: .clamped(seconds: slowest))
  }
}
