// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs the Swift tasks that are made on one thread on that thread alone, first come, first served.
///
/// The runtime asks a hook of its own before it hands a job to its pool of threads. The hook set
/// here keeps what is enqueued by a thread that captures, and passes on everything else, so the
/// rest of the process goes on as ever. All jobs of a simulation are enqueued by its own thread:
/// they wait for each other, and for nothing else. `Task.yield` and sleeping on a clock of the
/// system go past the hook.
final class CapturedTasks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private var jobs: [UnownedJob] = []
  private var next = 0

  /// Where each thread keeps what captures its jobs; nothing on all others.
  private static let place: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, nil)
    precondition(failure == 0, "pthread_key_create failed with \(failure)")
    return key
  }()

  /// Whether the runtime has the hook; it stays for as long as the process lives.
  private static let isHooked: Bool = {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    _ = place
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      guard let captured = pthread_getspecific(CapturedTasks.place) else { return original(job) }
      Unmanaged<CapturedTasks>.fromOpaque(captured).takeUnretainedValue().jobs.append(job)
    }
    return true
  }()

  /// Whether the thread that asks is one whose jobs are captured.
  static var isCapturing: Bool { pthread_getspecific(place) != nil }

  /// Captures what the body makes; the body runs it with ``runUntilIdle(limit:)``.
  ///
  /// - Returns: Nil where this runtime does not let its jobs be captured.
  static func capturing<T>(_ body: (CapturedTasks) -> T) -> T? {
    guard isHooked else { return nil }
    let tasks = CapturedTasks()
    pthread_setspecific(place, Unmanaged.passUnretained(tasks).toOpaque())
    defer { pthread_setspecific(place, nil) }
    Task {}
    // Somebody else may have set another hook since.
    guard tasks.jobs.count == 1 else { return nil }
    _ = tasks.runUntilIdle(limit: 1)
    return body(tasks)
  }

  /// Runs jobs until none is left.
  ///
  /// - Returns: False where some are left after as many as the limit says.
  func runUntilIdle(limit: Int = 200_000) -> Bool {
    var count = 0
    while next < jobs.count {
      guard count < limit else { return false }
      count += 1
      let job = jobs[next]
      next += 1
      job.runSynchronously(on: Self.generic)
    }
    jobs.removeAll(keepingCapacity: true)
    next = 0
    return true
  }

  /// What stands for no executor in particular: two words of zero, as in the runtime.
  private static let generic = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
}
