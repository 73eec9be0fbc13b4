// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Mainstay

/// What was deleted, kept long enough for every device to hear of it.
///
/// A deletion is a write with a stamp like any other. Devices that were away for longer than the
/// ``horizon`` says may have missed one, so they take everything anew instead of the changes.
///
/// How long it is remembered counts from when this side heard of it, not from its stamp: who
/// deletes something offline may tell it weeks later, and all others hear of it after that.
///
/// What is remembered goes away by ``purge(at:)`` alone.
public struct Tombstones: Sendable, Hashable, Codable {
  /// How a device comes up to date.
  public enum SyncPlan: Sendable, Hashable {
    /// By the changes since it last did.
    case changes(since: Date)
    /// By a full list.
    ///
    /// What its pending operations were made from may be gone, so each of them is merged with what
    /// the list says before it is sent, and never sent as if it were new.
    case fullSnapshot
  }

  private enum CodingKeys: CodingKey {
    case retention, horizon, latest, stamps, heard
  }

  private struct Deletion: Sendable, Hashable {
    var stamp: HybridLogicalClock.Stamp
    var heard: Date
  }

  /// How long a deletion is remembered.
  public let retention: Duration
  /// Since when every deletion that this side heard of is remembered, for all devices to be told;
  /// it never goes back.
  public private(set) var horizon: Date?
  /// The latest date that this side's clock has shown here: it may have been set back since.
  private var latest: Date?
  private var deletions: [String: Deletion] = [:]

  /// Makes an empty memory.
  ///
  /// - Parameters:
  ///   - retention: How long a deletion is remembered; more than zero, cut to a year, the default
  ///     is 90 days. It is made as long as the longest of the others.
  ///   - offlinePeriod: How long a device may be away without taking everything anew.
  ///   - timeToLive: How long a queued operation may wait.
  ///   - idempotencyWindow: How long the other side knows a repeated operation.
  public init(
    retention: Duration = .seconds(90 * 86_400), offlinePeriod: Duration = .zero,
    timeToLive: Duration = .zero, idempotencyWindow: Duration = .zero
  ) {
    precondition(
      retention > .zero, "retention: \(retention) is not legal: it must be more than zero")
    self.retention = max(retention, offlinePeriod, timeToLive, idempotencyWindow).clamped
  }

  /// How many deletions are remembered.
  public var count: Int { deletions.count }

  /// When a record was deleted; nil where no deletion is remembered.
  public subscript(record: String) -> HybridLogicalClock.Stamp? { deletions[record]?.stamp }

  /// When this side heard that a record was deleted; nil where no deletion is remembered.
  ///
  /// Devices that last synchronised before that are told.
  public func heard(_ record: String) -> Date? { deletions[record]?.heard }

  /// Remembers a deletion; of two of the same record, the later one.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - stamp: When it was deleted.
  ///   - date: When this side heard of it, by its own clock; the default is now. Of a clock that
  ///     was set back, the latest date counts that it has shown here.
  public mutating func delete(
    _ record: String, at stamp: HybridLogicalClock.Stamp, heard date: Date = Date()
  ) {
    let heard = seen(date)
    guard let known = deletions[record] else {
      deletions[record] = Deletion(stamp: stamp, heard: heard)
      return
    }
    // Hearing the same again tells nobody anything new.
    guard stamp > known.stamp else { return }
    deletions[record] = Deletion(stamp: stamp, heard: max(known.heard, heard))
  }

  /// Forgets the deletion of a record that was written later.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - stamp: When it was written.
  /// - Returns: False where the deletion came later, and so stands.
  public mutating func revive(_ record: String, at stamp: HybridLogicalClock.Stamp) -> Bool {
    guard let deleted = self[record] else { return true }
    guard stamp > deleted else { return false }
    deletions[record] = nil
    return true
  }

  /// Forgets what was heard longer ago than it has to be remembered, and moves the horizon.
  ///
  /// - Parameter date: The time of day; one that was set back moves nothing.
  /// - Returns: How many deletions are forgotten.
  public mutating func purge(at date: Date) -> Int {
    seen(date)
    let bound = date.addingTimeInterval(-retention.inSeconds)
    let next = max(horizon ?? bound, bound)
    horizon = next
    let before = count
    deletions = deletions.filter { $0.value.heard >= next }
    return before - count
  }

  /// Notes that a device comes up to date, before what it is told is read.
  ///
  /// Give it the date that is returned, and take that for `lastSync` in ``plan(lastSync:at:)``: no
  /// deletion that is heard of later has an earlier date, also where the clock is set back.
  ///
  /// - Parameter date: The time of day, by the clock of this side; the default is now.
  /// - Returns: The date, or the latest one that this side's clock has shown here.
  public mutating func synchronised(at date: Date = Date()) -> Date { seen(date) }

  /// How a device comes up to date.
  ///
  /// - Parameters:
  ///   - lastSync: When it last did, by the clock of this side: see ``synchronised(at:)``; nil for
  ///     never.
  ///   - date: The time of day, by the clock of this side; the default is now. Who comes from
  ///     later than that takes everything anew, since the clock was set back.
  /// - Returns: By a full list, if it may have missed a deletion.
  public func plan(lastSync: Date?, at date: Date = Date()) -> SyncPlan {
    guard let lastSync, lastSync <= max(date, latest ?? date) else { return .fullSnapshot }
    if let horizon, lastSync < horizon { return .fullSnapshot }
    return .changes(since: lastSync)
  }

  /// The date, or the latest one before it where the clock was set back.
  @discardableResult
  private mutating func seen(_ date: Date) -> Date {
    let next = max(date, latest ?? date)
    latest = next
    return next
  }
}

extension Tombstones {
  /// Decodes a memory; one that was encoded before it knew when it had heard of a deletion takes
  /// the stamp for that, and the latest of these dates for what its clock has shown.
  ///
  /// - Throws: `DecodingError` also where the retention is not more than zero.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let retention = try values.decodeSeconds(.retention) ?? .zero
    guard retention > .zero else {
      throw DecodingError.dataCorruptedError(
        forKey: .retention, in: values, debugDescription: "retention must be more than zero")
    }
    self.init(retention: retention)
    horizon = try values.decodeIfPresent(Date.self, forKey: .horizon)
    let stamps = try values.decode([String: HybridLogicalClock.Stamp].self, forKey: .stamps)
    let heard = try values.decodeIfPresent([String: Date].self, forKey: .heard) ?? [:]
    for (record, stamp) in stamps {
      deletions[record] = Deletion(stamp: stamp, heard: heard[record] ?? stamp.date)
    }
    let purged = horizon?.addingTimeInterval(retention.inSeconds)
    let known = [purged].compactMap(\.self) + deletions.values.map(\.heard)
    latest = try values.decodeIfPresent(Date.self, forKey: .latest) ?? known.max()
  }

  /// Encodes the memory, the retention as a number of seconds.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeSeconds(retention, .retention)
    try values.encodeIfPresent(horizon, forKey: .horizon)
    try values.encodeIfPresent(latest, forKey: .latest)
    try values.encode(deletions.mapValues(\.stamp), forKey: .stamps)
    try values.encode(deletions.mapValues(\.heard), forKey: .heard)
  }
}
