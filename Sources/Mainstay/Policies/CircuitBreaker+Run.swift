// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

// A run that a breaker has admitted as a whole, such as that of a queue, makes calls behind the
// same breaker. They are part of what the run says: counted beside it, each failure would count
// twice, and a run that is the only probe would be refused its own call.
extension CircuitBreaker {
  /// A run that a breaker has admitted, and the tasks that were begun in it.
  ///
  /// Those may outlive it, so it says itself when it is over.
  private final class Run: Sendable {
    let breaker: CircuitBreaker
    let token: CircuitBreakerStateMachine.Token
    let outer: Run?
    private let isOver = Atomic<Bool>(false)

    init(_ breaker: CircuitBreaker, _ token: CircuitBreakerStateMachine.Token, inside outer: Run?) {
      self.breaker = breaker
      self.token = token
      self.outer = outer
    }

    func isOngoing(of breaker: CircuitBreaker) -> Bool {
      self.breaker === breaker && !isOver.load(ordering: .acquiring)
    }

    func end() { isOver.store(true, ordering: .releasing) }
  }

  private static let run = TaskLocal<Run?>(wrappedValue: nil)

  /// What the run around the current task was given by this breaker; nil where there is none.
  private var tokenOfRun: CircuitBreakerStateMachine.Token? {
    // Most breakers are around no runs, and a task-local takes longer than the rest.
    guard gate.surroundsRuns else { return nil }
    var run = Self.run.get()
    while let found = run, !found.isOngoing(of: self) { run = found.outer }
    return run?.token
  }

  /// A call of the run that is trying the dependency out: it needs no place of its own.
  ///
  /// - Returns: What the call is let through with; nil where it has to ask like any other. Once the
  ///   breaker has changed its state, it asks: what the run says does not count any more.
  func passOfProbingRun() -> Pass? {
    guard let token = tokenOfRun, token.slot != nil,
      guarded.withLock({ $0.machine.epoch == token.epoch })
    else { return nil }
    let own = CircuitBreakerStateMachine.Token(epoch: token.epoch, place: .outside)
    return Pass(token: own, began: nil, needsReading: false)
  }

  /// Whether a call ends inside of a run that says the same by its own end.
  func isSaidByRun(_ pass: Pass) -> Bool {
    guard pass.token.place == .regular, let token = tokenOfRun else { return false }
    return token.place == .regular && token.epoch == pass.token.epoch
  }

  /// Runs work whose calls behind the same breaker are part of one admitted call.
  ///
  /// - Parameters:
  ///   - token: What the call was given.
  ///   - work: What is run.
  /// - Returns: What the work returned.
  fileprivate func surround<T>(
    _ token: CircuitBreakerStateMachine.Token, _ work: () async throws -> T
  ) async rethrows -> T {
    gate.surroundRuns()
    let run = Run(self, token, inside: Self.run.get())
    defer { run.end() }
    return try await Self.run.withValue(run, operation: work)
  }
}

extension CircuitBreaker.Admission {
  /// Runs work that this admission stands for, as the run of a queue.
  ///
  /// Calls in it behind the same breaker are let through while the work is a probe, and none of
  /// them counts by itself: the end of this admission says how all of it went. Once the breaker has
  /// changed its state meanwhile, they are calls like all others.
  ///
  /// - Parameter work: What is run.
  /// - Returns: What the work returned.
  /// - Throws: What the work threw.
  package borrowing func surrounding<T>(_ work: () async throws -> T) async rethrows -> T {
    guard let (breaker, token) = held else { return try await work() }
    return try await breaker.surround(token, work)
  }
}
