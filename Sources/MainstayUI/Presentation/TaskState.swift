// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What a screen shows of one piece of work: nothing yet, loading, a value, nothing at all, or an
/// error.
public enum TaskState<Value> {
  /// Nothing has been run, or it was cleared.
  case idle
  /// A run is under way; the value of the run before stays on screen.
  case loading(previous: Value?)
  /// The newest run returned.
  case loaded(Value)
  /// The newest run returned, and there is nothing to show.
  case empty
  /// The newest run failed; the value of the run before stays on screen.
  case failed(AppError, previous: Value?)
}

extension TaskState: Equatable where Value: Equatable {}
extension TaskState: Sendable where Value: Sendable {}
