// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP

/// The steps of the chain that were asked for on one connection.
///
/// Whoever waits for one may leave: the server answers it in any case, and goes on by that. So the
/// next one who asks on the same connection takes that answer, and no block is lost.
final class OgmiosSteps: Sendable {
  typealias Outcome = Result<JSONValue, any Error>
  /// Asks for the next step, and is told how that ended; what it returns gives the question up.
  typealias Ask = (_ ended: @escaping @Sendable (Outcome) -> Void) -> @Sendable () -> Void

  private typealias GiveUp = @Sendable () -> Void
  private typealias Waiting = CheckedContinuation<Void, any Error>

  private struct State {
    var machine = OgmiosLookAheadStateMachine<JSONValue>()
    /// What gives up the questions of this round.
    var open: [UInt64: GiveUp] = [:]
    /// How the last round failed.
    var failure: (round: UInt64, error: any Error)?
    var waiting: [UInt64: Waiting] = [:]
    var last: UInt64 = 0

    mutating func newNumber() -> UInt64 {
      last += 1
      return last
    }

    /// Everything of a round that is over.
    mutating func leaveRound() -> [GiveUp] {
      defer { open = [:] }
      return Array(open.values)
    }

    mutating func wake() -> [Waiting] {
      defer { waiting = [:] }
      return Array(waiting.values)
    }
  }

  private let state = Locked(State())

  /// Whether the server may still go on by a question, be it one that was given up.
  var isAsking: Bool { state.withLock { $0.machine.asked > 0 || $0.machine.hasStrays } }

  /// Asks for as many steps as may be on their way.
  ///
  /// - Parameters:
  ///   - limit: How many may be asked for and not taken.
  ///   - ask: Asks for one.
  /// - Returns: The round that the next step belongs to.
  func ask(upTo limit: Int, _ ask: Ask) -> UInt64 {
    let (round, numbers) = state.withLock { state in
      let count = state.machine.ask(upTo: limit)
      let numbers = (0..<count).map { _ in state.newNumber() }
      for number in numbers { state.open[number] = {} }
      return (state.machine.round, numbers)
    }
    for number in numbers {
      guard state.withLock({ $0.open[number] != nil }) else { continue }
      let giveUp = ask { [self] outcome in ended(outcome, number, round) }
      let isOver = state.withLock { state in
        guard state.machine.round == round else { return true }
        if state.open[number] != nil { state.open[number] = giveUp }
        return false
      }
      if isOver { giveUp() }
    }
    return round
  }

  private func ended(_ outcome: Outcome, _ number: UInt64, _ round: UInt64) {
    let (given, woken) = state.withLock { state -> ([GiveUp], [Waiting]) in
      state.open[number] = nil
      switch outcome {
      case .success(let answer):
        state.machine.answered(answer, in: round)
        return ([], state.wake())
      case .failure(let error):
        guard state.machine.failed(in: round, Self.failure(error)) else { return ([], []) }
        state.failure = (round, error)
        return (state.leaveRound(), state.wake())
      }
    }
    for giveUp in given { giveUp() }
    for continuation in woken { continuation.resume() }
  }

  /// What an error says about the connection; a queue that is full says nothing about it.
  private static func failure(
    _ error: any Error
  ) -> OgmiosLookAheadStateMachine<JSONValue>.Failure {
    guard let error = error as? OgmiosError else { return .refused }
    return switch error.kind {
    case .http, .websocket: .lost
    case .response: error.hasEndedConnection ? .lost : .refused
    case .invalidResponse: error.isOfOneAnswer ? .refused : .unreadable
    case .timeout, .invalidFormat, .invalidMethod: .refused
    }
  }

  /// Whether there is something to take, or a round is over.
  func isReady(_ round: UInt64) -> Bool {
    state.withLock { $0.machine.isReady(round) }
  }

  /// Waits until there is something to take, or a round is over.
  func ready(_ round: UInt64) async throws {
    let number = state.withLock { $0.newNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Whoever is cancelled later is found among those that wait.
        let now = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.machine.isReady(round) { return .success(()) }
          state.waiting[number] = continuation
          return nil
        }
        if let now { continuation.resume(with: now) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?
        .resume(throwing: CancellationError())
    }
  }

  /// Takes the next step.
  ///
  /// - Parameter round: The round in which it was asked for.
  /// - Returns: The step; nil where nobody knows any more where the server is, or it is to be asked
  ///   anew.
  /// - Throws: Why that round failed, once all steps before are taken.
  func take(_ round: UInt64) throws -> JSONValue? {
    try state.withLock { state in
      if let answer = state.machine.take() { return answer }
      if let failure = state.failure, failure.round == round { throw failure.error }
      return nil
    }
  }

  /// Whether the server may be anywhere, as all steps before are taken.
  var isAstray: Bool {
    state.withLock { $0.machine.isAstray && $0.machine.answers.isEmpty }
  }

  /// A step was told to the caller.
  func told() { state.withLock { $0.machine.told() } }

  /// A new connection is where the caller is.
  func connectionChanged() {
    let woken = state.withLock { state in
      state.machine.connectionChanged() ? state.wake() : []
    }
    for continuation in woken { continuation.resume() }
  }

  /// Nobody wants the steps any more.
  func drop() {
    let (given, woken) = state.withLock { state -> ([GiveUp], [Waiting]) in
      state.machine.drop()
      return (state.leaveRound(), state.wake())
    }
    for giveUp in given { giveUp() }
    for continuation in woken { continuation.resume() }
  }
}
