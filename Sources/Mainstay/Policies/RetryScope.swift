// SPDX-License-Identifier: Apache-2.0

/// What a ``Retry`` knows about those around it.
///
/// Three layers that make four attempts each would be 64 calls (P16), so a ``Retry`` inside of
/// another one runs once. The mark is task-local: it goes through nested pipelines, calls and child
/// tasks.
@usableFromInline
package enum RetryScope {
  /// Whether the current task works on an attempt of a ``Retry``.
  @usableFromInline
  static let inside = TaskLocal<Bool>(wrappedValue: false)

  private static let work = TaskLocal<Work?>(wrappedValue: nil)

  /// What surrounds the current task where a queue runs it.
  struct Work: Sendable {
    let budget: RetryBudget
    let end: Duration
    let timeline: Timeline

    /// How much time an inner retry has; never negative.
    var remaining: Duration { max(.zero, end - timeline.now) }
  }

  static var current: Work? { work.get() }

  /// Runs an operation for a queue that makes attempts of its own.
  ///
  /// A ``Retry`` inside takes what it spends from the queue's budget, and begins no attempt that
  /// does not end before the reading.
  ///
  /// - Parameters:
  ///   - budget: The budget of the queue.
  ///   - end: The reading of the clock at which a retry inside ends: half of the lease.
  ///   - timeline: The clock.
  ///   - operation: What is run.
  /// - Returns: What the operation returned.
  package static func worker<T>(
    budget: RetryBudget, until end: Duration, on timeline: Timeline,
    _ operation: () async throws -> T
  ) async rethrows -> T {
    // The queue's attempt is not an attempt of a `Retry` that encloses the whole queue.
    try await inside.withValue(false) {
      try await work.withValue(
        Work(budget: budget, end: end, timeline: timeline), operation: operation)
    }
  }
}
