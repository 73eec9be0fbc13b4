// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

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
    /// Somebody has to decide; the document of the other side is kept, and what could not be
    /// merged.
    case conflicted(remote: Data?, fields: [FieldConflict] = [])
    /// There is nothing left to do: the other side's version stands.
    case dropped
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
  /// Whether its worker was never called: then nothing was learnt about what made an earlier run
  /// end with its process.
  public var isUnbegun = false
  /// What the worker returned, encoded.
  public var output: Data?
  /// What was learnt about the record that the operation changes.
  ///
  /// What is done without news, and what leaves with an effect that may have happened, outdates
  /// what a store kept of the record: the other side may have another version since then. The
  /// stores of this library keep its version as a condition; one of your own may forget it.
  public var news: RecordNews?

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

  /// Whether the operation leaves, or waits for somebody, and the other side may have another
  /// version of its record then than what is kept: what follows must not be compared with that.
  ///
  /// - Parameter isCancelled: Whether somebody has cancelled it meanwhile.
  /// - Returns: Whether what a store keeps of the record is outdated.
  package func outdatesRecord(isCancelled: Bool) -> Bool {
    guard news == nil else { return false }
    switch next {
    case .done: return true
    case .dropped, .cancelled, .conflicted: return !effect.isSafe
    case .dead(_, let followers): return followers != .holdKey && !effect.isSafe
    case .parked: return isCancelled && !effect.isSafe
    case .ready, .scheduled, .waiting: return false
    }
  }

  /// Whether an operation that somebody has cancelled is gone with this end: nothing came of the
  /// run, or nobody here can ask what did.
  package var isLost: Bool {
    switch next {
    case .parked, .conflicted: true
    case .done: false
    default: effect.isSafe
    }
  }

  /// Whether it is the end, and nothing else, as that of nearly every run.
  package var isCompletion: Bool {
    next == .done && failure == nil && news == nil && closesLane == nil
  }
}

/// What a run has learnt about the record that its operation changes.
public struct RecordNews: Sendable, Equatable {
  /// What the other side has, encoded; kept as long as something that changes the record waits.
  public var latest: Data
  /// The key under which the operation is sent from now on, where what is sent is another; nil
  /// keeps the present one.
  public var idempotencyKey: IdempotencyKey?
  /// How many times in a row the other side was faster.
  public var merges: Int

  /// Makes news.
  public init(latest: Data, idempotencyKey: IdempotencyKey? = nil, merges: Int = 0) {
    self.latest = latest
    self.idempotencyKey = idempotencyKey
    self.merges = merges
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
  ///
  /// A lane that rests for a time, since the other side asked for that, does so besides whatever
  /// else closes it. Of other causes the strongest stays: `paused`, then `needsUser`.
  public let cause: Cause
  /// For how long; nil until it is resumed.
  public let duration: Duration?

  /// Makes a closure.
  public init(_ cause: Cause, for duration: Duration? = nil) {
    self.cause = cause
    self.duration = duration
  }
}

extension LaneClosure {
  /// For how long the lane rests, whatever else closes it; nil where this is another cause.
  package var rest: Duration? { cause == .throttled ? duration : nil }
}

extension LaneClosure.Cause {
  /// A weaker cause does not take the place of a stronger one that is in force.
  package var strength: Int {
    switch self {
    case .throttled: 0
    case .needsUser: 1
    case .paused: 2
    }
  }
}
