// SPDX-License-Identifier: Apache-2.0

// Arithmetic on `Duration` traps when it overflows, and so does a sleep that is too long: every
// duration that comes from outside passes through here first (T8, P18).

extension Duration {
  /// The longest useful duration; longer ones are cut to it.
  package static let aYear = Duration.seconds(365 * 86_400)

  /// Readings of a clock before and after these count as these, so that no sum with a pause
  /// overflows.
  static let (earliestReading, latestReading) = (
    Duration.seconds(Int64.min / 2), Duration.seconds(Int64.max / 2)
  )

  /// The duration cut to `0...aYear`.
  package var clamped: Duration { min(max(self, .zero), .aYear) }

  /// A number of seconds as a duration in `0...aYear`; what is not a number becomes zero.
  package static func clamped(seconds: Double) -> Duration {
    guard seconds > 0 else { return .zero }
    guard seconds < aYear.inSeconds else { return .aYear }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  /// The duration as a number of seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
