// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// How much of a running operation is done.
public struct OperationProgress: Sendable, Hashable, Codable {
  /// From 0 to 1.
  public let fraction: Double
  /// A few words for people; nil where there are none.
  public let note: String?

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - fraction: From 0 to 1; others are cut to that, and what is no number is 0.
  ///   - note: A few words for people; nil, the default, for none.
  public init(fraction: Double, note: String? = nil) {
    self.fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
    self.note = note
  }
}

/// How much of each running operation is done, as their workers say.
///
/// A run is heard from its beginning to its end: what was given up on may go on for ever.
final class ProgressBoard: Sendable {
  private let current = Locked<[OperationID: (token: Int64, progress: OperationProgress?)]>([:])

  subscript(_ id: OperationID) -> OperationProgress? { current.withLock { $0[id]?.progress } }

  func begin(_ run: Lease) { current.withLock { $0[run.id] = (run.token, nil) } }

  /// Keeps what a run says; false where it is not heard any more.
  func report(_ progress: OperationProgress, by run: Lease) -> Bool {
    current.withLock { current in
      guard current[run.id]?.token == run.token else { return false }
      current[run.id]?.progress = progress
      return true
    }
  }

  func end(_ run: Lease) {
    current.withLock { current in
      if current[run.id]?.token == run.token { current[run.id] = nil }
    }
  }
}
