// SPDX-License-Identifier: Apache-2.0

/// What a ``Retry`` knows about those around it.
///
/// Three layers that make four attempts each would be 64 calls (P16). So the attempts are made by
/// one of them:
///
/// - Stages of one pipeline know where they stand; those inside run the operation once.
/// - Elsewhere, the inner one makes its attempts in the first attempt of the outer one, and its
///   error says how many they were, so that the outer one counts them as its own.
/// - From its second attempt on, the outer one sets a mark, and those inside run the operation
///   once. The mark is task-local: it goes through nested pipelines, calls and child tasks.
///
/// The first attempt is not marked, since the mark would cost five times as much as the rest of a
/// call that succeeds.
@usableFromInline
package enum RetryScope {
  /// Which attempt of a ``Retry`` the current task works on, from the second one on; else 0.
  @usableFromInline
  static let attempt = TaskLocal<Int>(wrappedValue: 0)

  /// Whether the current task works on the second attempt of a ``Retry``, or a later one.
  static var isInside: Bool { attempt.get() > 0 }

  private static let work = TaskLocal<Work?>(wrappedValue: nil)

  /// What surrounds the current task where a queue runs it.
  struct Work: Sendable {
    let budget: RetryBudget?
    let end: (reading: Duration, timeline: Timeline)?

    /// How much time an inner retry has; never negative, nil where nothing ends it.
    var remaining: Duration? { end.map { max(.zero, $0.reading - $0.timeline.now) } }
  }

  static var current: Work? { work.get() }

  /// Runs an operation for a queue that makes attempts of its own.
  ///
  /// - Parameters:
  ///   - budget: What a ``Retry`` inside spends from; nil for its own budget.
  ///   - end: The reading of a clock before which its last attempt begins, such as half of a lease
  ///     that runs out; nil where the lease does not.
  ///   - operation: What is run.
  /// - Returns: What the operation returned.
  package static func worker<T>(
    budget: RetryBudget?, until end: (reading: Duration, timeline: Timeline)? = nil,
    _ operation: () async throws -> T
  ) async rethrows -> T {
    // The queue's attempt is not an attempt of a `Retry` that encloses the whole queue.
    try await attempt.withValue(0) {
      try await work.withValue(Work(budget: budget, end: end), operation: operation)
    }
  }

  /// Begins work that goes on when its caller has gone, such as the loop of a queue.
  ///
  /// Neither a time limit around the caller, nor the attempt that it is in, nor what surrounds it
  /// in a queue is one of that work.
  ///
  /// - Parameter begin: Makes a task.
  /// - Returns: The task.
  package static func outlivingCaller<Success: Sendable>(
    _ begin: () -> Task<Success, Never>
  ) -> Task<Success, Never> {
    ActiveLimit.local.withValue(nil) {
      work.withValue(nil) { attempt.withValue(0, operation: begin) }
    }
  }
}
