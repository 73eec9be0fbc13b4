// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What becomes of a leased operation: the effect that a store performs in one transaction.
public struct OperationVerdict: Sendable, Equatable {
  /// Where the operation goes.
  public enum Next: Sendable, Equatable {
    /// It is finished.
    case done
    /// It may run again at once, if its lane is open.
    case ready
    /// It runs again after this time, following a failure.
    case scheduled(after: Duration)
    /// It runs again after this time; it was never tried.
    case waiting(after: Duration)
    /// No worker of this build can read it.
    case parked
    /// Somebody has to decide; the document of the other side is kept.
    case conflicted(remote: Data?)
    /// It is given up; what becomes of those behind it under the same ordering key.
    case dead(DeadLetter.Reason, followers: Worker.AfterDeadLetter)
    /// Somebody cancelled it, and it is gone.
    case cancelled
  }

  /// Where the operation goes.
  public var next: Next
  /// The attempts counted from now on.
  public var attempts: Int
  /// The runs in a row that could not reach the network.
  public var unreachable: Int
  /// Whether the effect may have happened.
  public var effect: EffectCertainty
  /// What went wrong; nil keeps what was noted before.
  public var failure: FailureNote?
  /// The lane is closed with it.
  public var closesLane: LaneClosure?

  /// Makes a verdict.
  public init(
    _ next: Next, attempts: Int = 0, unreachable: Int = 0, effect: EffectCertainty = .notSent,
    failure: FailureNote? = nil, closesLane: LaneClosure? = nil
  ) {
    self.next = next
    self.attempts = attempts
    self.unreachable = unreachable
    self.effect = effect
    self.failure = failure
    self.closesLane = closesLane
  }
}

/// Why nothing of a lane runs, and for how long.
public struct LaneClosure: Sendable, Equatable {
  /// Who closed it.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app paused it.
    case paused
    /// A person has to do something first.
    case needsUser
    /// The other side asked to slow down.
    case throttled
  }

  /// Who closed it.
  public let cause: Cause
  /// For how long; nil until it is resumed.
  public let duration: Duration?

  /// Makes a closure.
  public init(_ cause: Cause, for duration: Duration? = nil) {
    self.cause = cause
    self.duration = duration
  }
}
