// SPDX-License-Identifier: Apache-2.0

/// A time limit that those directly inside keep by themselves, so that no child task is made for
/// it.
///
/// Only a task can be cancelled, so a limit runs its operation in a child task. For an operation
/// that waits for a network that costs a change of threads, much more than all other policies
/// together. Whoever has a time limit of its own, such as a client of HTTP, gives it what is
/// ``remaining``, and says by ``end()`` that it has ended; whatever else waits goes through
/// ``enforce(_:)``. Outside of ``Timeout/heeded`` nothing is to be kept.
@usableFromInline
package enum HeededLimit {
  @usableFromInline
  static var current: ActiveLimit? {
    guard let limit = ActiveLimit.current, limit.isHeeded else { return nil }
    return limit
  }

  /// How much time is left by the clock of the limit, zero or more; nil where there is nothing to
  /// keep.
  ///
  /// Limits around it on another clock end their own child tasks: their time may go another way,
  /// and whoever ended here for them would name this limit.
  package static var remaining: Duration? { current?.remainingOnItsClock }

  /// The time is over, and what was going on has been ended for it.
  ///
  /// - Returns: What is thrown: the limit makes its own error of it.
  package static func end() -> CancellationError {
    current?.ring()
    return CancellationError()
  }

  /// Runs a part that does not end in time by itself, in a child task where there is something to
  /// keep.
  ///
  /// - Parameters:
  ///   - isolation: Where it runs: by default where its caller does.
  ///   - operation: What is run, and cancelled when the time is over.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw.
  @inlinable
  package static func enforce<T>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> T
  ) async throws -> T {
    guard let limit = current else { return try await operation() }
    let part = ActiveLimit(partOf: limit)
    do {
      return try await ChildTask.run(within: part, isolation: isolation, operation)
    } catch {
      if part.hasExpiredItself { limit.ring() }
      throw error
    }
  }
}
