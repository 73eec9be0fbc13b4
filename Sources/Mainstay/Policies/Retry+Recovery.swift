// SPDX-License-Identifier: Apache-2.0

extension Retry {
  /// This retry, which mends what it can between two attempts.
  ///
  /// The step of the plan that fits the error runs before the wait. Where it succeeds, another
  /// attempt is made also after an error that says that none will help; where it throws, that is
  /// told as ``PolicyEvent/What/recoveryEnded(step:error:)`` and decides nothing else. After the
  /// last attempt no step is run.
  ///
  /// The step takes of the time that is left: where the wait after it would reach the ``Deadline``,
  /// or the end of `maximumElapsed`, the failure of the attempt is thrown. A caller that cancels
  /// meanwhile gets `CancellationError`.
  ///
  /// - Parameter plan: What is done about which errors.
  /// - Returns: The same retry with the plan.
  public func recovering(by plan: RecoveryPlan) -> Retry {
    var copy = self
    copy.recovery = plan
    return copy
  }
}
