// SPDX-License-Identifier: Apache-2.0

/// Keeps what a person sees from flickering: what is better is shown after a while, what is worse
/// after a longer one, and both later and later where they take turns.
struct ConnectivityDamper: Sendable {
  /// What a person can tell apart, the worst first.
  enum Grade: Int, Sendable, Comparable {
    case offline
    case portal
    case well

    init(_ standing: Connectivity.Standing) {
      switch standing {
      case .offline: self = .offline
      case .portal: self = .portal
      case .online, .unknown: self = .well
      }
    }

    static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
  }

  private let settings: ConnectivityStateMachine.Settings
  private(set) var shown = Grade.well
  private var actual = Grade.well
  private var due: Duration?
  /// When the grade changed within the last minute.
  private var flips: [Duration] = []

  init(_ settings: ConnectivityStateMachine.Settings) { self.settings = settings }

  /// When it shows something else, unless things change again.
  var nextWake: Duration? { due }

  /// How things stand now; ``shown`` follows when it has lasted long enough.
  mutating func step(_ grade: Grade, now: Duration, random: inout SplitMix64) {
    flips.removeAll { now - $0 >= .seconds(60) }
    if grade != actual {
      actual = grade
      // The hold is the longest possible long before.
      flips = flips.suffix(63) + [now]
      due = grade == shown ? nil : now + delay(grade > shown, &random)
    }
    if let end = due, now >= end {
      shown = actual
      due = nil
    }
  }

  private func delay(_ isBetter: Bool, _ random: inout SplitMix64) -> Duration {
    // People near each other lose the same network: their banners, and what hangs on them, spread.
    let spread = 1 + 2.0 / 3 * random.fraction()
    return grown(isBetter ? settings.upDelay.inSeconds : settings.downDelay.inSeconds * spread)
  }

  /// How long something worse has to last by now, without chance.
  var hold: Duration { grown(settings.downDelay.inSeconds) }

  private func grown(_ base: Double) -> Duration {
    let excess = min(max(0, flips.count - settings.calmFlips), 20)
    return min(.clamped(seconds: base * Double(1 << excess)), max(settings.maximumHold, .zero))
  }
}
