// SPDX-License-Identifier: Apache-2.0

#if MAINSTAY_TSAN
  import Foundation
#else
  public import Synchronization
#endif

/// A value behind a lock: the only lock of the package.
///
/// Hold it for as long as it takes to change the value, and for nothing else: no `await`, no I/O
/// and no code of the user's inside. Nothing inside wakes or cancels a task, or yields to a stream.
/// A task's cancellation handlers run under a lock of that task, without which nobody can wake it,
/// so that a handler which waits for this lock would wait for ever.
///
/// It is `Mutex`, or `pthread_mutex_t` when built with `-DMAINSTAY_TSAN`, because thread sanitizer
/// on Linux does not see into `Mutex` and reports races that are none.
///
/// Other modules compile it into their own code: a generic call that is not specialised costs more
/// than the lock.
@usableFromInline
package struct Locked<Value>: ~Copyable, Sendable {
  #if MAINSTAY_TSAN
    private final class Storage: @unchecked Sendable {
      let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      var value: Value

      init(_ value: Value) {
        self.value = value
        lock.initialize(to: pthread_mutex_t())
        precondition(pthread_mutex_init(lock, nil) == 0, "pthread_mutex_init failed")
      }

      deinit {
        pthread_mutex_destroy(lock)
        lock.deinitialize(count: 1)
        lock.deallocate()
      }
    }

    private let storage: Storage

    package init(_ value: sending Value) { storage = Storage(value) }

    package borrowing func withLock<T, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending T
    ) throws(E) -> sending T {
      pthread_mutex_lock(storage.lock)
      defer { pthread_mutex_unlock(storage.lock) }
      return try body(&storage.value)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    package init(_ value: sending Value) { mutex = Mutex(value) }

    @inlinable
    package borrowing func withLock<T, E: Error>(
      _ body: (inout sending Value) throws(E) -> sending T
    ) throws(E) -> sending T {
      try mutex.withLock(body)
    }
  #endif
}
