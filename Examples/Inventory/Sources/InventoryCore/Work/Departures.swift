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
  private let ends = Locked<[UUID: Timestamp]>([:])

  /// - Parameter start: When the app was opened.
  init(since start: Timestamp) { self.start = start }

  /// A run of the work ended without success.
  func ended(_ work: UUID, at time: Timestamp) { ends.withLock { $0[work] = time } }

  /// Nothing more will be sent for the work.
  func forget(_ work: UUID) { ends.withLock { _ = $0.removeValue(forKey: work) } }

  /// How long it is ago.
  func age(of work: UUID, at now: Timestamp) -> Duration {
    let last = ends.withLock { $0[work] } ?? start
    return .milliseconds(now.milliseconds - last.milliseconds)
  }
}
