// SPDX-License-Identifier: Apache-2.0

/// Where an operation stands; <doc:OperationLifecycle> says what moves it on.
public enum OperationState: String, Sendable, Hashable, Codable, CaseIterable {
  /// May run now, if its lane is open.
  case ready
  /// Runs again at a known time, after a failure.
  case scheduled
  /// Follows another operation with the same ordering key.
  case blocked
  /// A policy of the app refused it for now.
  case waiting
  /// A worker has it.
  case leased
  /// This build has no worker for it, or cannot read its payload.
  case parked
  /// Somebody else changed the same thing; somebody has to decide.
  case conflicted
  /// It was given up, and somebody has to decide: see ``DeadLetter``.
  case dead
}

/// Whether an operation's effect has happened, as far as anybody knows.
public enum EffectCertainty: String, Sendable, Hashable, Codable, CaseIterable {
  /// It has not: nothing has left, or nobody was reached.
  case notSent
  /// Nobody knows; the other side is asked before anything is sent again.
  case sentUnknown
  /// It has not: the other side answered, and did nothing.
  case refused
  /// It has.
  case applied

  /// Whether sending it cannot repeat the effect.
  package var isSafe: Bool { self == .notSent || self == .refused }
}

/// What the other side says about an effect whose outcome was unknown.
public enum Reconciliation: String, Sendable, Hashable, Codable, CaseIterable {
  /// It happened: the operation is done.
  case applied
  /// It did not happen: it may be sent again.
  case notApplied
  /// The other side does not know either: it is asked again later.
  case unknown
}
