// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import Observation

/// How far an action is that a person chose about an error.
///
/// Whoever does the action reports; a screen shows it at the button, or beside it.
@MainActor @Observable
public final class ActionProgress {
  /// The action that is under way.
  public let action: RecoveryAction.ID
  /// How much of it is done, 0 to 1; nil where nobody knows.
  public private(set) var fraction: Double?

  init(_ action: RecoveryAction.ID) { self.action = action }

  /// Says how much is done.
  ///
  /// - Parameter fraction: 0 to 1; what is beyond is moved to the end, and what is no number means
  ///   that nobody knows.
  public func report(_ fraction: Double?) {
    self.fraction = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
  }
}
