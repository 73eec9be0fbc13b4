// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Something that happened, or has not yet.
public final class Flag: Sendable {
  private let value = Atomic(false)

  /// It has not happened yet.
  public init() {}

  /// Whether it has happened.
  public var isRaised: Bool { value.load(ordering: .acquiring) }

  /// It happens.
  public func raise() { value.store(true, ordering: .releasing) }
}
