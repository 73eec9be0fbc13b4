// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorMonitor {
  /// How long each of the counts of a trend is.
  public enum Span: String, Sendable, Hashable, CaseIterable, Codable {
    /// The latest 60 minutes.
    case minute
    /// The latest 24 hours.
    case hour
    /// The latest 30 days.
    case day
  }

  /// What is known of errors that are the same.
  public struct Group: Sendable, Identifiable {
    /// The name of the group.
    public let fingerprint: Fingerprint
    /// How often it was captured, whether it was told or suppressed.
    public let count: Int
    /// When it was first captured.
    public let firstSeen: Date
    /// When it was last captured.
    public let lastSeen: Date
    /// In which operations it was captured, and how often; 8 are known by name.
    public let operations: [String: Int]
    /// How often it was captured in operations that are not known by name.
    public let otherOperations: Int
    /// How often somebody or something tried to recover from it.
    public let recoveryAttempts: Int
    /// How often that worked.
    public let recoverySuccesses: Int
    /// What was counted since the last report and not told; nil where that is nothing.
    public let suppressed: ErrorReport.Suppressed?
    /// The newest report, without breadcrumbs and calls; nil until the first one is made.
    public let latest: ErrorReport?

    let trends: Trends
    let minute: Int
    let reading: Duration

    /// Its name.
    public var id: Fingerprint { fingerprint }

    /// The stable name of what went wrong, of the newest report; nil until there is one.
    public var code: ErrorCode? { latest?.code }

    /// What happened, in the words of the newest report; nil until there is one.
    public var title: String? { latest?.title }

    /// How often it was captured in each of the latest spans of time, the oldest first.
    public func trend(per span: Span) -> [Int] { trends.counts(per: span, until: minute) }

    /// The part of the attempts to recover from it that worked, in `0...1`; nil without any.
    public var recoveryRate: Double? {
      recoveryAttempts == 0 ? nil : Double(recoverySuccesses) / Double(recoveryAttempts)
    }
  }

  /// The newest reports, the newest first (D16).
  public var history: [ErrorReport] {
    memory.withLock { $0.history.newestFirst }.map(\.report)
  }

  /// Forgets the reports in the history; groups and counts stay (D22).
  public func clearHistory() { memory.withLock { $0.history.removeAll() } }

  /// The newest report of the group that was captured last, also where it was suppressed since
  /// (D15); nil while the history is empty.
  public var lastError: ErrorReport? {
    guard let newest = memory.withLock({ $0.history.newest }) else { return nil }
    let last = shards.compactMap { shard in shard.withLock { $0.groups.newestEntry } }
      .max { $0.reading < $1.reading }
    // The history knows more of it: what happened before, and the calls.
    guard let last, let sample = last.sample, sample.fingerprint != newest.fingerprint else {
      return newest.report
    }
    return history.first { $0.id == sample.id } ?? sample
  }

  /// What is known of the groups, the one captured last first.
  public var groups: [Group] {
    let minute = wallClock().wallMinute
    return shards.flatMap { shard in
      shard.withLock { $0.groups.newestFirst }
    }
    .map { Group($0, minute: minute) }
    .sorted { $0.reading > $1.reading }
  }

  /// What is known of a group; nil where it is not known.
  public func group(_ fingerprint: Fingerprint) -> Group? {
    let minute = wallClock().wallMinute
    let entry = shard(of: fingerprint).withLock { $0.groups.entry(fingerprint) }
    return entry.map { Group($0, minute: minute) }
  }

  /// The groups that were captured most often, the most frequent first (B39).
  ///
  /// - Parameter count: How many at most.
  /// - Returns: The groups; of equally frequent ones, the one captured last first.
  public func mostCommon(_ count: Int) -> [Group] {
    Array(groups.sorted { $0.count > $1.count }.prefix(max(0, count)))
  }

  /// How many errors were captured in each of the latest spans of time, the oldest first.
  ///
  /// - Parameter span: How long each span is: 60 minutes, 24 hours or 30 days.
  /// - Returns: The counts.
  public func trend(per span: Span) -> [Int] {
    let minute = wallClock().wallMinute
    let all = shards.map { shard in
      shard.withLock { $0.trends }.counts(per: span, until: minute)
    }
    return (all.first ?? []).indices.map { index in all.reduce(0) { $0 + $1[index] } }
  }

  /// The part of the attempts to recover from errors of a code that worked, in `0...1`, in whatever
  /// groups they are; nil without any, and for a code beyond the first 500 (A49).
  public func recoveryRate(of code: ErrorCode) -> Double? {
    recoveries.withLock { $0[code].rate }
  }
}

extension ErrorMonitor.Group {
  init(_ entry: GroupBook<Fingerprint, ErrorReport>.Entry, minute: Int) {
    self.init(
      fingerprint: entry.key, count: entry.count, firstSeen: entry.firstSeen,
      lastSeen: entry.lastSeen,
      operations: Dictionary(entry.operations.map { ($0.name, $0.count) }, uniquingKeysWith: +),
      otherOperations: entry.otherOperations, recoveryAttempts: entry.attempts,
      recoverySuccesses: entry.successes, suppressed: entry.suppressed, latest: entry.sample,
      trends: entry.trends, minute: minute, reading: entry.reading)
  }
}

extension ErrorMonitor.Group: Encodable {
  private enum CodingKeys: CodingKey {
    case fingerprint, count, firstSeen, lastSeen, operations, otherOperations, recoveryAttempts
    case recoverySuccesses, suppressed, latest, trends
  }

  /// Encodes what is known, with the trend per minute, hour and day.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(fingerprint, forKey: .fingerprint)
    try values.encode(count, forKey: .count)
    try values.encode(firstSeen.finite, forKey: .firstSeen)
    try values.encode(lastSeen.finite, forKey: .lastSeen)
    try values.encode(operations, forKey: .operations)
    try values.encode(otherOperations, forKey: .otherOperations)
    try values.encode(recoveryAttempts, forKey: .recoveryAttempts)
    try values.encode(recoverySuccesses, forKey: .recoverySuccesses)
    try values.encodeIfPresent(suppressed, forKey: .suppressed)
    try values.encodeIfPresent(latest, forKey: .latest)
    let all = ErrorMonitor.Span.allCases.map { ($0.rawValue, trend(per: $0)) }
    try values.encode(Dictionary(uniqueKeysWithValues: all), forKey: .trends)
  }
}
