// SPDX-License-Identifier: Apache-2.0

/// Runs operations in a child task that can be cancelled apart from its caller.
@usableFromInline
enum ChildTask {
  /// Runs an operation on its caller's actor and cancels it when its limit ends.
  ///
  /// Returns when the operation has returned, never before: whoever wants to leave a deaf operation
  /// behind says so explicitly. An operation that does not suspend costs no alarm.
  ///
  /// - Returns: What the operation returned; a value that was made is never thrown away.
  /// - Throws: What the operation threw.
  @inlinable @inline(__always)
  static func run<T>(
    within limit: ActiveLimit, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> T
  ) async throws -> T {
    let slot = Slot<T>()
    defer { slot.deallocate() }
    try await withoutActuallyEscaping(operation) { operation in
      let box = Unchecked(operation)
      try await withThrowingDiscardingTaskGroup(isolation: isolation) { group in
        // `isolation` is captured, so that the child inherits its caller's actor.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
          group.addImmediateTask {
            _ = isolation
            try await perform(box, into: slot, within: limit)
          }
        } else {
          group.addTask {
            _ = isolation
            try await perform(box, into: slot, within: limit)
          }
        }
        guard limit.isRunning else { return }
        await limit.waitWithAlarm(isolation: isolation)
        if limit.hasExpiredItself { group.cancelAll() }
      }
    }
    return slot.take()
  }

  @inlinable @inline(__always)
  static func perform<T>(
    _ operation: Unchecked<T>, into slot: Slot<T>, within limit: ActiveLimit
  ) async throws {
    defer { limit.finish() }
    try await ActiveLimit.local.withValue(limit) { slot.put(try await operation.run()) }
  }

  // The two boxes carry an operation and its value, neither of which need be Sendable, into the
  // child task and back. That is safe because
  // - the group waits for the child before it returns, so nothing outlives the caller's frame;
  // - the child runs on the caller's actor where there is one, and the caller is suspended while it
  //   runs, so the two never run side by side;
  // - the slot is written by the child alone, and read after the group has ended without an error,
  //   which it does only when the child has written.
  @usableFromInline
  struct Unchecked<T>: @unchecked Sendable {
    @usableFromInline nonisolated(unsafe) let run: () async throws -> T
    @inlinable
    init(_ run: @escaping () async throws -> T) { self.run = run }
  }

  /// A place for one value.
  ///
  /// A class or a captured variable would do the same, for more: the first asks for its generic
  /// metadata, the second is one frame more in each call.
  @usableFromInline
  struct Slot<T>: @unchecked Sendable {
    @usableFromInline nonisolated(unsafe) let place = UnsafeMutablePointer<T>.allocate(capacity: 1)
    @inlinable
    init() {}
    @inlinable
    func put(_ value: consuming sending T) { place.initialize(to: value) }
    @inlinable
    func take() -> T { place.move() }
    @inlinable
    func deallocate() { place.deallocate() }
  }
}
