// SPDX-License-Identifier: Apache-2.0

/// Notices when the device slept, so that calls which ran meanwhile are not taken for slow ones: a
/// pure value (P13).
///
/// It compares how long the device had slept by now with what it knew before, whenever a call ends.
/// A call that began before it last noticed a sleep tells nothing about the dependency.
///
/// So after a sleep the first long call is lost as a sample, even where it began later. To know
/// that, each call would have to read a second clock when it begins, which costs more than one
/// sample is worth.
struct SleepWatch: Sendable {
  /// A shorter sleep makes no difference that matters, and two clocks are never read at once.
  static let tolerance = Duration.milliseconds(100)

  /// Whether a call took so long that the device may have slept meanwhile; only then is it worth a
  /// reading of a second clock.
  static func mayHaveSlept(in time: Duration) -> Bool { time > tolerance }

  private var asleep: Duration?
  private var latestSleep: Duration?

  /// - Parameter asleep: How long the device has slept by now; nil where the clock does not say.
  init(asleep: Duration?) { self.asleep = asleep }

  /// Whether the device slept while a call ran.
  ///
  /// - Parameters:
  ///   - start: The reading when the call began.
  ///   - now: The reading.
  ///   - asleep: How long the device has slept by now; nil where the clock does not say.
  /// - Returns: Whether the time that the call took says nothing.
  mutating func hasSlept(since start: Duration, now: Duration, asleep: Duration?) -> Bool {
    guard let asleep else { return false }
    if let known = self.asleep, asleep - known > Self.tolerance { latestSleep = now }
    self.asleep = max(asleep, self.asleep ?? asleep)
    return latestSleep.map { start < $0 } ?? false
  }
}

/// A clock that says how long the device has slept.
package protocol SleepCountingClock {
  /// How long the device has slept since some fixed moment; it only grows.
  var timeAsleep: Duration { get }
}
