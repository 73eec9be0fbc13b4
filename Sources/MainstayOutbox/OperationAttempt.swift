// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A run of an operation that did not end it.
public struct OperationAttempt: Sendable, Hashable, Codable, Identifiable {
  /// How many of them are remembered for each operation: the last ones.
  public static var maximumKept: Int { 10 }

  /// Which one it was, from 1; a redriven operation counts on.
  public let number: Int
  /// When it ended; of one whose process died, when that was found.
  public let ended: Date
  /// What went wrong, in English; nil where the process died.
  public let failure: FailureNote?
  /// What was known of the effect afterwards.
  public let effect: EffectCertainty

  /// The number.
  public var id: Int { number }

  /// Makes an attempt; for stores.
  public init(number: Int, ended: Date, failure: FailureNote?, effect: EffectCertainty) {
    self.number = number
    self.ended = ended
    self.failure = failure
    self.effect = effect
  }
}
