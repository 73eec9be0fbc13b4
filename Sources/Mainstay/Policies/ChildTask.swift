// SPDX-License-Identifier: Apache-2.0

/// Runs operations in a child task that can be cancelled apart from its caller.
@usableFromInline
enum ChildTask {
  /// Runs an operation on its caller's actor and cancels it when its limit ends.
  ///
  /// Returns when the operation has returned, never before: whoever wants to leave a deaf operation
  /// behind says so explicitly. An operation that does not suspend costs no alarm.
  ///
  /// - Returns: What became of the operation; a value that was made is never thrown away.
  @inlinable
  static func run<T>(
    within limit: ActiveLimit, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> T
  ) async -> Result<T, any Error> {
    let slot = Slot<T>()
    await withoutActuallyEscaping(operation) { operation in
      let box = Unchecked(operation)
      await withDiscardingTaskGroup(isolation: isolation) { group in
        // `isolation` is captured, so that the child inherits its caller's actor.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
          group.addImmediateTask {
            _ = isolation
            await perform(box, into: slot, within: limit)
          }
        } else {
          group.addTask {
            _ = isolation
            await perform(box, into: slot, within: limit)
          }
        }
        guard limit.isRunning else { return }
        await limit.waitWithAlarm(isolation: isolation)
        if limit.hasExpiredItself { group.cancelAll() }
      }
    }
    return slot.result ?? .failure(CancellationError())
  }

  @inlinable
  static func perform<T>(
    _ operation: Unchecked<() async throws -> T>, into slot: Slot<T>, within limit: ActiveLimit
  ) async {
    do { slot.result = .success(try await operation.value()) } catch {
      slot.result = .failure(error)
    }
    limit.finish()
  }

  // The two boxes carry an operation and its result, neither of which need be Sendable, into the
  // child task and back. That is safe because
  // - the group waits for the child before it returns, so nothing outlives the caller's frame;
  // - the child runs on the caller's actor where there is one, and the caller is suspended while it
  //   runs, so the two never run side by side;
  // - the slot is written before `finish()` takes the limit's lock and read after the group has
  //   ended.
  @usableFromInline
  struct Unchecked<T>: @unchecked Sendable {
    @usableFromInline nonisolated(unsafe) let value: T
    @inlinable
    init(_ value: T) { self.value = value }
  }

  @usableFromInline
  final class Slot<T>: @unchecked Sendable {
    @usableFromInline nonisolated(unsafe) var result: Result<T, any Error>?
    @inlinable
    init() {}
  }
}
