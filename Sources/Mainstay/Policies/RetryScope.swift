// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a ``Retry`` knows about those around it.
///
/// Three layers that make four attempts each would be 64 calls (P16). So the attempts are made by
/// one of them:
///
/// - Stages of one pipeline know where they stand; those inside run the operation once.
/// - Elsewhere, the inner one makes its attempts in the first attempt of the outer one, and its
///   error says how many they were, so that the outer one counts them as its own.
/// - From its second attempt on, the outer one sets a mark, and those inside run the operation
///   once. The mark is task-local: it goes through nested pipelines, calls and child tasks. It ends
///   with the attempt, also for a task that was begun there and goes on.
///
/// The first attempt is not marked, since the mark would cost five times as much as the rest of a
/// call that succeeds.
package enum RetryScope {
  /// What goes on around the current task, and around all tasks that are begun in it.
  ///
  /// Those may outlive it, so it says itself when it is over.
  private final class Span<Value: Sendable>: Sendable {
    let value: Value
    private let outer: Span?
    private let isOver = Atomic<Bool>(false)

    init(_ value: Value, inside outer: Span?) {
      self.value = value
      self.outer = outer
    }

    /// This one, or the innermost around it that is not over.
    var goingOn: Span? {
      var span: Span? = self
      while let found = span, found.isOver.load(ordering: .acquiring) { span = found.outer }
      return span
    }

    func end() { isOver.store(true, ordering: .releasing) }
  }

  private static let attempt = TaskLocal<Span<Int>?>(wrappedValue: nil)

  /// Which attempt of a ``Retry`` the current task works on, from the second one on; else nil.
  static var currentAttempt: Int? { attempt.get()?.goingOn?.value }

  /// Whether the current task works on the second attempt of a ``Retry``, or a later one.
  static var isInside: Bool { currentAttempt != nil }

  private static let work = TaskLocal<Span<Work>?>(wrappedValue: nil)

  /// What surrounds the current task where a queue runs it.
  struct Work: Sendable {
    let budget: RetryBudget?
    let end: (reading: Duration, timeline: Timeline)?

    /// How much time an inner retry has; never negative, nil where nothing ends it.
    var remaining: Duration? { end.map { max(.zero, $0.reading - $0.timeline.now) } }
  }

  static var current: Work? { work.get()?.goingOn?.value }

  /// Runs an operation as an attempt of a ``Retry``.
  ///
  /// - Parameters:
  ///   - number: Which attempt it is; 2 or more.
  ///   - operation: What is run.
  /// - Returns: What the operation returned.
  static func retrying<T>(
    _ number: Int, _ operation: () async throws -> T
  ) async rethrows -> T {
    let span = Span(number, inside: attempt.get()?.goingOn)
    defer { span.end() }
    return try await attempt.withValue(span, operation: operation)
  }

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
    let span = Span(Work(budget: budget, end: end), inside: work.get()?.goingOn)
    defer { span.end() }
    return try await attempt.withValue(nil) {
      try await work.withValue(span, operation: operation)
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
      work.withValue(nil) { attempt.withValue(nil, operation: begin) }
    }
  }
}
