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

  struct Answer: Sendable {
    var fate: Fate
    /// Whether the operation is to be counted by its redacted name.
    var asksForOperation: Bool
    /// When what is counted is to be told by itself; only of the first that was suppressed.
    var closingDue: Duration?
    /// What a group had not told that left for this one.
    var leaving: Closing?
  }

  /// What was counted of a group that has fallen silent, and the newest that was kept of it.
  struct Closing: Sendable {
    var sample: Sample
    var suppressed: ErrorReport.Suppressed
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
    var answer = groups.see(sighting.key, at: sighting.date) { [settings] entry in
      entry.see(sighting, minute: minute, settings)
    }
    if var leaver = groups.leaver { answer.leaving = leaver.close() }
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

  /// What was counted and not told is told by itself.
  ///
  /// - Parameter now: The reading, by which groups have to have fallen silent; nil where nothing
  ///   comes any more.
  /// - Returns: What is told now, and when there is more.
  mutating func close(at now: Duration?) -> (closings: [Closing], next: Duration?) {
    var closings: [Closing] = []
    var next: Duration?
    groups.updateAll { entry in
      guard let due = entry.gate.due else { return }
      if now.map({ $0 >= due }) ?? true, let closing = entry.close() {
        closings.append(closing)
      } else {
        next = min(next ?? due, due)
      }
    }
    return (closings, next)
  }

  /// What was counted of a group and not told is told by itself.
  mutating func close(_ key: Key) -> Closing? {
    var closing: Closing?
    groups.update(key) { closing = $0.close() }
    return closing
  }

  /// Changes a group that is there.
  mutating func update(_ key: Key, _ change: (inout GroupBook<Key, Sample>.Entry) -> Void) {
    groups.update(key, change)
  }
}

extension GroupBook.Entry {
  /// Nil where there is nothing to tell, or nothing that tells it: a report of it is being made.
  fileprivate mutating func close() -> CaptureStateMachine<Key, Sample>.Closing? {
    guard let sample, let suppressed = gate.close() else { return nil }
    return .init(sample: sample, suppressed: suppressed)
  }

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
    let hasUntold = gate.suppressed != nil
    switch gate.ask(settings.limit, now: sighting.now, date: sighting.date) {
    case .suppressed:
      return .init(
        fate: .suppressed, asksForOperation: !isKnown, closingDue: hasUntold ? nil : gate.due)
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
    // `Int` has 32 bits on watches: there it ends in the year 6053.
    return Int(clamping: Int64(min(max(minutes, -1_100_000_000), 4_300_000_000)))
  }
}
