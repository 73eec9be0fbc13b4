// SPDX-License-Identifier: Apache-2.0

extension CircuitBreaker {
  /// Asks to be let through, for work that does not fit into the closure of ``run(_:)``, such as a
  /// connection or a delegate's callbacks.
  ///
  /// ```swift
  /// let admission = try breaker.admit()
  /// admission.succeed()
  /// ```
  ///
  /// It never waits, whatever ``HalfOpen/whileProbing`` says.
  ///
  /// - Returns: The call, which says how it ended by ``Admission/succeed()``,
  ///   ``Admission/fail(_:)`` or ``Admission/ignore()``.
  /// - Throws: ``Rejection`` with the reason `circuitOpen`, `circuitProbing` or `circuitIsolated`.
  public func admit() throws(Rejection) -> Admission {
    do throws(Rejection) {
      return Admission(of: self, pass: try enter())
    } catch {
      tellIfUntold(error)
      throw error
    }
  }

  /// One call that a breaker let through: it ends with exactly one verdict.
  ///
  /// An admission that is dropped says nothing about the dependency; where the call was a probe,
  /// its place is free again.
  public struct Admission: ~Copyable, Sendable {
    private var breaker: CircuitBreaker?
    private let pass: Pass

    fileprivate init(of breaker: CircuitBreaker, pass: Pass) {
      self.breaker = breaker
      self.pass = pass
    }

    /// Who let it through, and with what; nil once it has ended.
    var held: (breaker: CircuitBreaker, token: CircuitBreakerStateMachine.Token)? {
      breaker.map { ($0, pass.token) }
    }

    deinit { breaker?.settle(pass, .neutral) }

    /// The call succeeded.
    public consuming func succeed() { breaker.take()?.succeed(pass) }

    /// The call failed, whatever the reason.
    public consuming func fail() { breaker.take()?.settle(pass, .failure) }

    /// The call ended with an error, whose disposition says whether it counts.
    ///
    /// - Parameter error: The error.
    public consuming func fail(_ error: any Error) { breaker.take()?.fail(pass, with: error) }

    /// The call says nothing about the dependency, such as when it was cancelled.
    public consuming func ignore() { breaker.take()?.settle(pass, .neutral) }
  }
}
