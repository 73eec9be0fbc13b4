// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An operation that was given up, kept until somebody redrives or discards it.
public struct DeadLetter: Sendable, Identifiable {
  /// Why an operation was given up; the set is open.
  public struct Reason: RawRepresentable, Sendable, Hashable, Codable {
    /// The name of the reason.
    public let rawValue: String

    /// Makes a reason from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The other side refused it, and would refuse it again.
    public static let refused = Reason(rawValue: "refused")
    /// It failed as often as its worker allows.
    public static let attemptsUsedUp = Reason(rawValue: "attemptsUsedUp")
    /// It failed three times with an error that nobody has classified.
    public static let unclassified = Reason(rawValue: "unclassified")
    /// Several of its runs in a row ended with the death of the process.
    public static let crashed = Reason(rawValue: "crashed")
    /// Nobody could find out whether it had its effect.
    public static let outcomeUnknown = Reason(rawValue: "outcomeUnknown")
    /// The other side knows its idempotency key with another payload.
    public static let keyReused = Reason(rawValue: "keyReused")
    /// Something that had to be done before it was given up.
    public static let dependencyFailed = Reason(rawValue: "dependencyFailed")

    /// Every reason that the outbox itself has.
    package static let all: [Reason] = [
      .refused, .attemptsUsedUp, .unclassified, .crashed, .outcomeUnknown, .keyReused,
      .dependencyFailed,
    ]
  }

  /// The operation as it was given up.
  public let operation: StoredOperation
  /// Why it was given up.
  public let reason: Reason
  /// When it was given up.
  public let since: Date
  /// Whether operations with the same ordering key wait for a decision about it.
  public let holdsKey: Bool

  /// The identity of the operation.
  public var id: OperationID { operation.id }

  /// Why, in sentences for people: what went wrong last, and that it may have been done all the
  /// same where nobody knows.
  ///
  /// Where the process died, that went wrong last; the failure of the operation says with what
  /// an earlier run ended.
  public var message: String {
    let cause =
      reason == .crashed
      ? Self.crash : operation.failure?.message ?? "This was given up (\(reason.rawValue))."
    guard [.outcomeUnknown, .crashed].contains(reason) else { return cause }
    return cause + " It may have been done all the same: check before you try again."
  }

  /// What is said where ``OperationStateMachine/maximumLostRuns`` ended with their process.
  private static let crash = "The app ended three times in a row while this ran."

  /// Makes a dead letter; for stores.
  public init(operation: StoredOperation, reason: Reason, since: Date, holdsKey: Bool) {
    self.operation = operation
    self.reason = reason
    self.since = since
    self.holdsKey = holdsKey
  }
}

extension DeadLetter.Reason: CustomStringConvertible {
  /// The name of the reason.
  public var description: String { rawValue }
}
