// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What is known about the attempts of one request, by whatever policies they were made.
final class SendBook: Sendable {
  /// The one of the request that the task works on, where that must not be repeated.
  static let current = TaskLocal<SendBook?>(wrappedValue: nil)

  private struct State: Sendable {
    var machine: SendStateMachine
    var failure: AppError?
    var changed: [String] = []
    /// The file that was first sent, if the body is one.
    var stamp: FileStamp?
  }

  private let state: Locked<State>
  private let body: HTTPMessageBody?
  /// Whose turn it was when the call began; nil for a client without a sign-in.
  let person: Int?

  init(isRepeatable: Bool, body: HTTPMessageBody?, person: Int?) {
    state = Locked(State(machine: SendStateMachine(isRepeatable: isRepeatable)))
    self.body = body
    self.person = person
  }

  var isRepeatable: Bool { state.withLock { $0.machine.isRepeatable } }

  /// Whether no other attempt goes out: the outcome is unknown, and must not be found out by
  /// sending again, or nothing is left of the body.
  var isOver: Bool {
    if body?.isSpent == true { return true }
    return state.withLock { !$0.machine.isRepeatable && $0.machine.mayHaveArrived }
  }

  /// Whether what was asked for may have happened, or may be happening, though the call failed.
  var mayHaveEffect: Bool { state.withLock { $0.machine.mayHaveEffect } }

  /// Whether the service has failed at an attempt, and may have done before what was asked for.
  var hasFailed: Bool { state.withLock { $0.machine.hasFailed } }

  /// Whether an attempt has arrived, or may have, or is under way.
  var hasArrived: Bool { state.withLock { $0.machine.hasArrived || $0.machine.underWay > 0 } }

  /// The addresses where something is, or may be, other than before.
  var changed: [String] { state.withLock { $0.changed } }

  func change(at address: WireAddress) {
    state.withLock { state in
      if !state.changed.contains(address.text) { state.changed.append(address.text) }
    }
  }

  /// Heeds that an attempt is about to send a file; another one must send the same.
  func send(_ stamp: FileStamp) throws {
    let first = state.withLock { state in
      if state.stamp == nil { state.stamp = stamp }
      return state.stamp
    }
    guard first == stamp else { throw HTTPMessageBody.changed }
  }

  /// Begins an attempt.
  ///
  /// - Returns: Its number, from 1.
  /// - Throws: Why nothing is sent.
  func begin(for client: String) throws -> Int {
    let isSpent = body?.isSpent == true
    let (admission, number, failure) = state.withLock { state in
      (state.machine.begin(isSpent: isSpent), state.machine.attempts, state.failure)
    }
    switch admission {
    case .granted: return number
    case .refusedAsCopy: throw Rejection(policy: client, reason: .mayHaveArrived)
    case .refusedAsRepetition:
      throw failure ?? Rejection(policy: client, reason: .mayHaveArrived)
    case .refusedAsSpent: throw failure ?? HTTPMessageBody.spent
    }
  }

  func end(_ ending: SendStateMachine.Ending, failure: AppError? = nil) {
    state.withLock { state in
      state.machine.end(ending)
      // What is told to later attempts that are refused; nil where a time limit ended it.
      state.failure = failure
    }
  }
}

extension Retry.Condition {
  /// By the error's disposition, and not where the next attempt would wait for its turn only to be
  /// refused: after a time limit that has left the outcome unknown, or once the body is spent.
  ///
  /// The break of a circuit is waited for where it ends soon: it is there so that calls fail fast.
  static let unlessOver = Retry.Condition { error, disposition in
    if SendBook.current.get()?.isOver == true { return .never }
    if case .rejected(let wait?) = disposition, wait > longestBreak, error.isOfCircuit {
      return .never
    }
    return disposition.retry
  }

  private static let longestBreak = Duration.seconds(2)
}

extension Error {
  /// Whether a breaker that is open refused, here or where a token was asked for.
  fileprivate var isOfCircuit: Bool {
    let refusal = self as? Rejection ?? (self as? AppError)?.cause(as: Rejection.self)
    let name = refusal?.reason.rawValue ?? (self as? AppError)?.metadata["policy.reason"]
    return name == Rejection.Reason.circuitOpen.rawValue
  }
}

extension Rejection.Reason {
  /// The request may have arrived already, and must not be sent twice.
  public static let mayHaveArrived = Rejection.Reason("mayHaveArrived")
}
