// SPDX-License-Identifier: Apache-2.0

/// Until when a ``Cooldown`` holds calls back.
///
/// It has no clock, no lock and no chance of its own. It is well, or it cools down until a reading,
/// which only ever moves further away: a shorter request never shortens a longer one. A reading
/// that is not later than the latest one means that no time has passed.
struct CooldownStateMachine: Sendable {
  /// Settings that were checked before; durations lie in `0...aYear`.
  struct Settings: Sendable, Equatable {
    var withoutHint = Duration.seconds(1)
    var maximum = Duration.seconds(300)
    var maximumWait = Duration.seconds(10)
    var spread = Duration.seconds(1)
    var queue = 1_000
  }

  /// What becomes of a call.
  enum Answer: Sendable, Equatable {
    case runs
    /// It asks again at this reading.
    case waits(until: Duration)
    case refused(retryAfter: Duration)
  }

  /// What was promised before they were changed stays (P37).
  var settings: Settings
  /// Nil while all is well.
  private(set) var until: Duration?
  private var latest = Duration.seconds(Int64.min / 2)
  /// Later readings are cut to this, so that no sum overflows.
  private static let latestReading = Duration.seconds(Int64.max / 2)

  init(_ settings: Settings) { self.settings = settings }
}

extension CooldownStateMachine {
  /// Whether calls go through without a look at the clock.
  var isWell: Bool { until == nil }

  /// A call wants to run.
  ///
  /// - Parameters:
  ///   - now: The reading.
  ///   - wait: How long it is willing to wait at most.
  ///   - fraction: Where in the spread it wakes up, a random number in `0..<1`.
  ///   - others: How many wait before it; the default is zero, as for one that has waited already.
  /// - Returns: What becomes of it.
  mutating func ask(
    now: Duration, atMost wait: Duration, fraction: Double, behind others: Int = 0
  ) -> Answer {
    guard let remaining = remaining(now: now) else { return .runs }
    let own = Duration.clamped(seconds: settings.spread.inSeconds * fraction)
    guard remaining + own <= wait, others < settings.queue else {
      return .refused(retryAfter: remaining)
    }
    return .waits(until: latest + remaining + own)
  }

  /// The service asked to be left alone.
  ///
  /// - Parameters:
  ///   - hint: For how long; nil where it did not say.
  ///   - now: The reading.
  /// - Returns: For how long everybody waits from now on; nil where that changes nothing.
  mutating func begin(_ hint: Duration?, now: Duration) -> Duration? {
    let remaining = remaining(now: now) ?? .zero
    let asked = min(max(hint ?? settings.withoutHint, .zero), settings.maximum)
    guard asked > remaining else { return nil }
    until = latest + asked
    return asked
  }

  /// How long it lasts; nil while all is well.
  mutating func remaining(now: Duration) -> Duration? {
    latest = max(latest, min(now, Self.latestReading))
    guard let until else { return nil }
    guard until > latest else {
      self.until = nil
      return nil
    }
    return until - latest
  }
}
