// SPDX-License-Identifier: Apache-2.0

/// Which level an app is at, and when it may change: the pure part of ``DegradationController``.
///
/// | State | What it is |
/// |---|---|
/// | resting | the level is the one that the facts ask for |
/// | falling | they ask for less; it follows as soon as the last change is a dwell ago |
/// | rising | they ask for more; it follows when they have done so for the rise delay, too |
struct DegradationStateMachine: Sendable {
  struct Settings: Sendable, Hashable {
    /// How long a level stays at least.
    var dwell: Duration
    /// How long more has to be possible before it is offered.
    var riseDelay: Duration
  }

  let plan: DegradationPlan
  let settings: Settings
  private(set) var level: FeatureLevel
  /// What is missing, as far as the plan asks.
  private(set) var missing: Set<DegradationPlan.NeedID> = []
  private(set) var latest: Duration
  /// When the level changed last; nil while it never did.
  private var lastChange: Duration?
  /// Since when more is possible, and the least that was possible all that time; nil while it is
  /// not.
  private var better: (since: Duration, least: FeatureLevel)?

  init(_ plan: DegradationPlan, _ settings: Settings, now: Duration) {
    self.plan = plan
    self.settings = settings
    level = .full
    latest = now
  }

  /// Why not everything works: what is missing; what was missing where that has just passed.
  private(set) var reasons: [DegradationPlan.Need] = []

  /// The level that the facts ask for.
  private var target: FeatureLevel { plan.level(missing: missing) }

  /// When the level changes, unless the facts do; nil where it is the right one.
  var nextWake: Duration? {
    let free = lastChange.map { $0 + settings.dwell } ?? latest
    if target < level { return max(free, latest) }
    return better.map { max(free, $0.since + settings.riseDelay, latest) }
  }

  /// Says what is missing now.
  ///
  /// - Parameters:
  ///   - missing: All that is missing.
  ///   - now: The reading of the clock; one before the last counts as the last.
  /// - Returns: The change of level that this makes at once; nil for none.
  mutating func update(
    missing: Set<DegradationPlan.NeedID>, now: Duration
  ) -> (from: FeatureLevel, to: FeatureLevel)? {
    // What was due meanwhile comes first: who is woken late is no reason to change late.
    let due = wake(now: now)
    self.missing = missing
    if target <= level {
      better = nil
    } else {
      better = (better?.since ?? latest, min(better?.least ?? target, target))
    }
    let change = wake(now: now)
    explain()
    guard let due, let change else { return due ?? change }
    return due.from == change.to ? nil : (due.from, change.to)
  }

  /// Time has passed.
  ///
  /// - Parameter now: The reading of the clock; one before the last counts as the last.
  /// - Returns: The change of level; nil for none.
  mutating func wake(now: Duration) -> (from: FeatureLevel, to: FeatureLevel)? {
    latest = max(latest, now)
    guard let due = nextWake, due <= latest else { return nil }
    let from = level
    // It rises to what has been possible all the time, and no further.
    level = better?.least ?? target
    better = target > level ? (latest, target) : nil
    lastChange = latest
    explain()
    return (from, level)
  }

  private mutating func explain() {
    guard level < .full else { return reasons = [] }
    let present = plan.reasons(missing: missing)
    if !present.isEmpty { reasons = present }
  }
}
