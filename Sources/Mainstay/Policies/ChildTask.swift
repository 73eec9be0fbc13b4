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
    try await withoutActuallyEscaping(operation) { operation in
      let work = Work(operation, slot, limit)
      try await withThrowingDiscardingTaskGroup(isolation: isolation) { group in
        // `isolation` is captured, so that the child inherits its caller's actor.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
          group.addImmediateTask {
            _ = isolation
            try await work.run()
          }
        } else {
          group.addTask {
            _ = isolation
            try await work.run()
          }
        }
        guard limit.isRunning else { return }
        await limit.waitWithAlarm(isolation: isolation)
        if limit.hasExpiredItself { group.cancelAll() }
      }
    }
    return slot.take()
  }

  // The two boxes carry an operation and its value, neither of which need be Sendable, into the
  // child task and back. That is safe because
  // - the group waits for the child before it returns, so nothing outlives the caller's frame;
  // - the child runs on the caller's actor where there is one, and the caller is suspended while it
  //   runs, so the two never run side by side;
  // - the slot is written by the child alone, and read after the group has ended without an error,
  //   which it does only when the child has written.
  @usableFromInline
  struct Work<T>: @unchecked Sendable {
    @usableFromInline nonisolated(unsafe) let operation: () async throws -> T
    @usableFromInline let slot: Slot<T>
    @usableFromInline let limit: ActiveLimit

    @inlinable @inline(__always)
    init(_ operation: @escaping () async throws -> T, _ slot: Slot<T>, _ limit: ActiveLimit) {
      self.operation = operation
      self.slot = slot
      self.limit = limit
    }

    @inlinable @inline(__always)
    func run() async throws {
      try await ActiveLimit.local.withValue(limit) {
        defer { limit.finish() }
        slot.put(try await operation())
      }
    }
  }

  /// A place for one value.
  ///
  /// It is plain memory, since a variable that is captured would be one frame more in each call,
  /// and a generic class is destroyed by way of its metadata. The tail of an object costs less than
  /// `allocate`, which aligns what needs no aligning.
  @usableFromInline
  struct Slot<T>: @unchecked Sendable {
    @usableFromInline let memory: Memory
    @usableFromInline nonisolated(unsafe) let place: UnsafeMutablePointer<T>

    @inlinable
    init() {
      let size = MemoryLayout<T>.size + MemoryLayout<T>.alignment
      memory = unsafeDowncast(Memory.create(minimumCapacity: size) { _ in }, to: Memory.self)
      place = memory.withUnsafeMutablePointerToElements {
        UnsafeMutableRawPointer($0).alignedUp(for: T.self).assumingMemoryBound(to: T.self)
      }
    }

    @inlinable
    func put(_ value: consuming T) { place.initialize(to: value) }

    @inlinable
    func take() -> T { withExtendedLifetime(memory) { place.move() } }
  }

  @usableFromInline
  final class Memory: ManagedBuffer<Void, UInt8> {}
}
