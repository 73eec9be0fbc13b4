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
    /// Whether it is critical: of those and of milder ones, each have a limit of their own.
    var isCritical = false
    /// Whether it is told though its group has had its share, since nothing may come after it.
    var isLastWord = false
    var now: Duration
    var date: Date
  }

  /// What becomes of it.
  enum Fate: Sendable, Equatable {
    /// Its group has had its share.
    case suppressed
    /// The same, of errors of which nobody is told.
    case suppressedUnheard
    case told(after: ErrorReport.Suppressed?, takesTrace: Bool)
  }

  struct Answer: Sendable {
    var fate: Fate
    /// Whether the operation is to be counted by its redacted name.
    var asksForOperation: Bool
    /// When what is counted is to be told by itself; only of the first that was suppressed.
    var closingDue: Duration?
    /// What a group had not told that left for this one.
    var leaving: [Closing] = []
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
    if var leaver = groups.leaver { _ = leaver.close(at: nil, into: &answer.leaving) }
    if answer.fate == .suppressed || answer.fate == .suppressedUnheard { suppressions += 1 }
    return answer
  }

  /// An error was left out before it came to its group, or nobody is told of it.
  mutating func drop(_ reason: ErrorReport.DropReason) {
    dropped.add(1, for: reason)
  }

  /// All that was left out, by reason.
  var losses: [ErrorReport.DropReason: Int] {
    var all = dropped
    if suppressions > 0 { all[.suppressed, default: 0] += suppressions }
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
      guard let due = entry.close(at: now, into: &closings) else { return }
      next = min(next ?? due, due)
    }
    return (closings, next)
  }

  /// One that was let out is not kept, since the app says so.
  ///
  /// - Parameters:
  ///   - key: Its group.
  ///   - isCritical: Whether it was critical when it was captured.
  ///   - suppressed: What it carried, which is still to be told.
  /// - Returns: When that is to be told by itself; nil where there is nothing.
  mutating func discard(
    _ key: Key, isCritical: Bool, carrying suppressed: ErrorReport.Suppressed?
  ) -> Duration? {
    var due: Duration?
    groups.update(key) { due = $0.drop(isCritical: isCritical, carrying: suppressed) }
    return due
  }

  /// Changes a group that is there.
  mutating func update(_ key: Key, _ change: (inout GroupBook<Key, Sample>.Entry) -> Void) {
    groups.update(key, change)
  }
}

extension GroupBook.Door {
  typealias Closing = CaptureStateMachine<Key, Sample>.Closing

  /// Tells what was counted where its time has come; nil for the reading means that it has.
  ///
  /// - Returns: When there is more to tell; nil for never.
  fileprivate mutating func close(at now: Duration?, into closings: inout [Closing]) -> Duration? {
    guard let due else { return nil }
    let isDue = now.map { $0 >= due } ?? true
    // Where nobody is told of what comes now, what is owed does not wait for its end.
    guard isDue || isDropped else { return due }
    // Without a sample nothing tells it so far: a report of it is being made.
    guard sample != nil || isDropped else { return due }
    if let suppressed = takeUntold(), let sample {
      closings.append(Closing(sample: sample, suppressed: suppressed))
    }
    return nil
  }

  fileprivate mutating func ask(
    _ sighting: CaptureStateMachine<Key, Sample>.Sighting, _ limit: FloodGate.Limit?
  ) -> (answer: FloodGate.Answer, closingDue: Duration?) {
    let hasUntold = gate.suppressed != nil
    let answer = gate.ask(
      limit, now: sighting.now, date: sighting.date, mustPass: sighting.isLastWord)
    guard case .passes(let counted) = answer else { return (answer, hasUntold ? nil : gate.due) }
    return (.passes(after: letOut(after: counted)), nil)
  }
}

extension GroupBook.Entry {
  /// Tells what was counted and not told, of critical ones and of milder ones.
  fileprivate mutating func close(
    at now: Duration?, into closings: inout [CaptureStateMachine<Key, Sample>.Closing]
  ) -> Duration? {
    let dues = (mild.close(at: now, into: &closings), critical.close(at: now, into: &closings))
    guard let first = dues.0 else { return dues.1 }
    return min(first, dues.1 ?? first)
  }

  fileprivate mutating func ask(
    _ sighting: CaptureStateMachine<Key, Sample>.Sighting, _ limit: FloodGate.Limit?
  ) -> (answer: FloodGate.Answer, closingDue: Duration?) {
    guard sighting.isCritical else { return mild.ask(sighting, limit) }
    let asked = critical.ask(sighting, limit)
    // Whoever may be told of it may be told of milder ones, and nobody may be left to do so.
    guard sighting.isLastWord, case .passes(let untold) = asked.answer else { return asked }
    let milder = mild.takeUntold()
    return (.passes(after: untold?.adding(milder) ?? milder), nil)
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
    let (answer, closingDue) = ask(sighting, settings.limit)
    switch answer {
    case .suppressed:
      let isUnheard = sighting.isCritical ? critical.isDropped : mild.isDropped
      return .init(
        fate: isUnheard ? .suppressedUnheard : .suppressed, asksForOperation: !isKnown,
        closingDue: closingDue)
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
