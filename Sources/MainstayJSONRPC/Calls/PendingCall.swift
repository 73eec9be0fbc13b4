// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// One call somebody waits for: it is told once how that ended.
final class PendingCall: AlarmTarget {
  typealias Outcome = Result<JSONValue, AppError>

  private enum State {
    case waiting(CheckedContinuation<Outcome, Never>?)
    case ended(Outcome)
  }

  let ticket: CallsStateMachine.Ticket
  let request: JSONRPCRequest
  /// Nil for a notification.
  let id: JSONRPCID?
  let isRepeatable: Bool
  /// Whether it is sent in an array.
  let isOfBatch: Bool
  /// The reading of the clock when it was made.
  let start: Duration
  private let core: ClientCore
  /// Is told how it ended, before anything that arrived later is.
  private let ended: (@Sendable (Outcome) -> Void)?
  private let state = Locked(State.waiting(nil))

  init(
    ticket: CallsStateMachine.Ticket, request: JSONRPCRequest, id: JSONRPCID?, isRepeatable: Bool,
    isOfBatch: Bool, start: Duration, core: ClientCore, ended: (@Sendable (Outcome) -> Void)?
  ) {
    self.ticket = ticket
    self.request = request
    self.id = id
    self.isRepeatable = isRepeatable
    self.isOfBatch = isOfBatch
    self.start = start
    self.core = core
    self.ended = ended
  }

  /// Its time is over.
  func ring() { core.expire(ticket) }

  /// Ends the call; whoever comes second changes nothing.
  func end(_ outcome: Outcome) {
    let waiting = state.withLock { state -> State? in
      guard case .waiting = state else { return nil }
      defer { state = .ended(outcome) }
      return state
    }
    guard case .waiting(let continuation)? = waiting else { return }
    continuation?.resume(returning: outcome)
    ended?(outcome)
  }

  /// How it ended.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome: Outcome? = state.withLock { state in
        if case .ended(let outcome) = state { return outcome }
        state = .waiting(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
