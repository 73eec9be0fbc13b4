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
final class ProgressBoard: Sendable {
  private let current = Locked<[OperationID: OperationProgress]>([:])

  subscript(_ id: OperationID) -> OperationProgress? {
    get { current.withLock { $0[id] } }
    set { current.withLock { $0[id] = newValue } }
  }
}
