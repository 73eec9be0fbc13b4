// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// How soon an operation runs among others that are ready.
///
/// One that waits overtakes newer ones of the next higher priority after
/// ``Outbox/Configuration/ageing``: nothing waits for ever. Operations with the same ordering key
/// keep their order, whatever their priorities.
public enum OperationPriority: Int, Sendable, Hashable, Codable, CaseIterable {
  /// Whatever is left to do, such as logs.
  case lowest
  /// Work that nobody waits for, such as photographs.
  case low
  /// The default.
  case normal
  /// Work that somebody will look at soon.
  case high
  /// What a person has just asked for, and is looking at.
  case highest
}

extension OperationPriority: Comparable {
  /// Whether the first runs later.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

extension OperationPriority {
  /// How much older an operation has to be than one of the highest priority to run before it.
  package func handicap(ageing: Duration) -> Duration {
    (ageing.clamped * (Self.highest.rawValue - rawValue)).clamped
  }
}
