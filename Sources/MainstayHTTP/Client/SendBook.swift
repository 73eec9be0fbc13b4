// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What is known about the attempts of one request, by whatever policies they were made.
final class SendBook: Sendable {
  /// The one of the request that the task works on, where that must not be repeated.
  static let current = TaskLocal<SendBook?>(wrappedValue: nil)

  private let state: Locked<(machine: SendStateMachine, failure: AppError?)>

  init(isRepeatable: Bool) { state = Locked((SendStateMachine(isRepeatable: isRepeatable), nil)) }

  var isRepeatable: Bool { state.withLock { $0.machine.isRepeatable } }

  /// Whether the outcome is unknown, and must not be found out by sending again.
  var isUnknown: Bool {
    state.withLock { !$0.machine.isRepeatable && $0.machine.mayHaveArrived }
  }

  /// Whether what was asked for may have happened, or may be happening, though the call failed.
  var mayHaveEffect: Bool { state.withLock { $0.machine.mayHaveEffect } }

  /// Begins an attempt.
  ///
  /// - Returns: Its number, from 1.
  /// - Throws: Why nothing is sent.
  func begin(for client: String) throws -> Int {
    let (admission, number, failure) = state.withLock { state in
      (state.machine.begin(), state.machine.attempts, state.failure)
    }
    switch admission {
    case .granted: return number
    case .refusedAsCopy: throw Rejection(policy: client, reason: .mayHaveArrived)
    case .refusedAsRepetition:
      throw failure ?? Rejection(policy: client, reason: .mayHaveArrived)
    }
  }

  func end(_ ending: SendStateMachine.Ending, failure: AppError? = nil) {
    state.withLock { state in
      state.machine.end(ending)
      // What is told to later attempts is why nobody knows; nil where a time limit ended it.
      if ending == .mayHaveArrived { state.failure = failure }
    }
  }
}

extension Retry.Condition {
  /// By the error's disposition, and not after a time limit that has left the outcome unknown: the
  /// next attempt would wait for its turn only to be refused.
  static let unlessUnknown = Retry.Condition { _, disposition in
    if SendBook.current.get()?.isUnknown == true { return .never }
    return disposition.retry
  }
}

extension Rejection.Reason {
  /// The request may have arrived already, and must not be sent twice.
  public static let mayHaveArrived = Rejection.Reason("mayHaveArrived")
}
