// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decides about each captured error whether it is told, and keeps the counts.
///
/// It knows an error by its group, and comes after the ``DuplicateFilter``; it has no clock, no
/// lock, and never looks into an error.
struct CaptureStateMachine<Key: Hashable & Sendable, Sample: Sendable>: Sendable {
  /// Settings that were checked before.
  struct Settings: Sendable {
    var limit: FloodGate.Limit?
    var maximumGroups: Int
    /// How long after a stack of a group no other is taken.
    var tracePause = Duration.seconds(60)
  }

  /// One captured error.
  struct Sighting: Sendable {
    var key: Key
    /// What was being done, as it was said; it may hold anything.
    var operation: String?
    /// Whether a stack would be taken.
    var wantsTrace: Bool
    var now: Duration
    var date: Date
  }

  /// What becomes of it.
  enum Fate: Sendable, Equatable {
    /// Its group has had its share.
    case suppressed
    case told(after: ErrorReport.Suppressed?, takesTrace: Bool)
  }

  struct Answer: Sendable, Equatable {
    var fate: Fate
    /// Whether the operation is to be counted by its redacted name.
    var asksForOperation: Bool
  }

  private let settings: Settings
  private(set) var groups: GroupBook<Key, Sample>
  private(set) var trends = Trends()
  private(set) var dropped: [ErrorReport.DropReason: Int] = [:]
  private var suppressions = 0

  init(_ settings: Settings) {
    self.settings = settings
    groups = GroupBook(capacity: settings.maximumGroups)
  }

  /// An error was captured.
  mutating func capture(_ sighting: Sighting) -> Answer {
    let minute = sighting.date.wallMinute
    trends.add(minute: minute)
    let answer = groups.see(sighting.key, at: sighting.date) { [settings] entry in
      entry.see(sighting, minute: minute, settings)
    }
    if answer.fate == .suppressed { suppressions += 1 }
    return answer
  }

  /// An error was left out before it came to its group.
  mutating func drop(_ reason: ErrorReport.DropReason) { dropped[reason, default: 0] += 1 }

  /// All that was left out, by reason.
  var losses: [ErrorReport.DropReason: Int] {
    var all = dropped
    if suppressions > 0 { all[.suppressed] = suppressions }
    return all
  }

  /// Changes a group that is there.
  mutating func update(_ key: Key, _ change: (inout GroupBook<Key, Sample>.Entry) -> Void) {
    groups.update(key, change)
  }
}

extension GroupBook.Entry {
  fileprivate mutating func see(
    _ sighting: CaptureStateMachine<Key, Sample>.Sighting, minute: Int,
    _ settings: CaptureStateMachine<Key, Sample>.Settings
  ) -> CaptureStateMachine<Key, Sample>.Answer {
    count += 1
    firstSeen = min(firstSeen, sighting.date)
    lastSeen = sighting.date
    reading = sighting.now
    trends.add(minute: minute)
    let isKnown = sighting.operation.map { count(knownOperation: $0) } ?? true
    switch gate.ask(settings.limit, now: sighting.now, date: sighting.date) {
    case .suppressed:
      return .init(fate: .suppressed, asksForOperation: !isKnown)
    case .passes(let suppressed):
      let takesTrace = sighting.wantsTrace && sighting.now >= tracedUntil ?? sighting.now
      if takesTrace {
        tracedUntil = min(sighting.now, .latestReading) + settings.tracePause
      }
      return .init(
        fate: .told(after: suppressed, takesTrace: takesTrace), asksForOperation: !isKnown)
    }
  }
}

extension Date {
  /// The minute since 1970 that the date lies in, cut to what calendars know.
  var wallMinute: Int {
    let minutes = (timeIntervalSince1970 / 60).rounded(.down)
    guard minutes.isFinite else { return 0 }
    return Int(min(max(minutes, -1_100_000_000), 4_300_000_000))
  }
}
