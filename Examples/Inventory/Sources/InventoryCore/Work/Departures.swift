// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// The last time at which a request of each work may have left.
///
/// When it was meant to be sent is not enough: it may have waited for its turn or for a connection.
/// It cannot have left after its run ended, nor, if that was in an earlier life of the process,
/// after this one began.
///
/// How long that is ago is measured by a clock that nobody sets: the time of day may be put back
/// or forward meanwhile.
final class Departures: Sendable {
  private struct End: Sendable {
    /// By the clock.
    let instant: Duration
    /// By the time of day, to compare it with what another process wrote down.
    let stamp: Timestamp
  }

  private let timeline: Timeline
  private let start: Duration
  private let isShared: Bool
  private let ends = Locked<[UUID: End]>([:])

  /// The app is opened.
  ///
  /// - Parameters:
  ///   - timeline: The clock.
  ///   - isShared: Whether other processes send too: when a run of theirs ended is not known here,
  ///     but it was before the work was met here first.
  init(_ timeline: Timeline, isShared: Bool = false) {
    (self.timeline, self.isShared) = (timeline, isShared)
    start = timeline.now
  }

  /// A run of the work ended without success.
  func ended(_ work: UUID, at stamp: Timestamp) {
    let end = End(instant: timeline.now, stamp: stamp)
    ends.withLock { $0[work] = end }
  }

  /// Nothing more will be sent for the work.
  func forget(_ work: UUID) { ends.withLock { _ = $0.removeValue(forKey: work) } }

  /// How long it is ago.
  ///
  /// - Parameters:
  ///   - work: The work.
  ///   - sent: When it was last meant to be sent, by whatever process.
  ///   - stamp: The time of day.
  /// - Returns: How long at least.
  func age(of work: UUID, sent: Timestamp, at stamp: Timestamp) -> Duration {
    let now = timeline.now
    let last = ends.withLock { ends in
      if let end = ends[work], !isShared || end.stamp >= sent { return end.instant }
      guard isShared else { return start }
      // The other process may live in a later time of day.
      ends[work] = End(instant: now, stamp: max(stamp, sent))
      return now
    }
    return now - last
  }
}
