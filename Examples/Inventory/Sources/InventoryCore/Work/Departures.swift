// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// The last time at which a request of each work may have left.
///
/// When it was meant to be sent is not enough: it may have waited for its turn or for a connection.
/// It cannot have left after its run ended, nor, if that was in an earlier life of the process,
/// after this one began.
final class Departures: Sendable {
  private let start: Timestamp
  private let isShared: Bool
  private let ends = Locked<[UUID: Timestamp]>([:])

  /// - Parameters:
  ///   - start: When the app was opened.
  ///   - isShared: Whether other processes send too: when a run of theirs ended is not known here,
  ///     but it was before the work was met here first.
  init(since start: Timestamp, isShared: Bool = false) {
    (self.start, self.isShared) = (start, isShared)
  }

  /// A run of the work ended without success.
  func ended(_ work: UUID, at time: Timestamp) { ends.withLock { $0[work] = time } }

  /// Nothing more will be sent for the work.
  func forget(_ work: UUID) { ends.withLock { _ = $0.removeValue(forKey: work) } }

  /// How long it is ago.
  ///
  /// - Parameters:
  ///   - work: The work.
  ///   - sent: When it was last meant to be sent, by whatever process.
  ///   - now: The time of day.
  /// - Returns: How long at least.
  func age(of work: UUID, sent: Timestamp, at now: Timestamp) -> Duration {
    let last = ends.withLock { ends in
      if let end = ends[work], !isShared || end.milliseconds >= sent.milliseconds { return end }
      guard isShared else { return start }
      ends[work] = now
      return now
    }
    return .milliseconds(now.milliseconds - last.milliseconds)
  }
}
