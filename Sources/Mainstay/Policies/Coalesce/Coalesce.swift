// SPDX-License-Identifier: Apache-2.0

/// Lets callers that ask for the same thing at the same time share one run.
///
/// ```swift
/// let books = Coalesce<String>("books")
/// let book = try await books.run(isbn) { try await api.book(isbn) }
/// ```
///
/// The first caller of a key begins the run, those that come before it has ended wait for it, and
/// all get the same value or the same error. Nothing is kept afterwards: the next caller begins a
/// new run. A caller that is cancelled leaves at once; the run is cancelled when all have left.
///
/// The run belongs to nobody: it goes on when the caller that began it has left, and the
/// ``Deadline`` of a caller ends that caller's waiting, not the run. Nor is it an attempt of a
/// ``Retry`` or a queue around that caller: a retry inside makes all of its own. Other task-local
/// values, such as the ``IdempotencyKey``, are those of the caller that began it.
public final class Coalesce<Key: Hashable & Sendable>: Sendable {
  /// The name, for events.
  public let name: String

  /// Runs of different types never mix, though their keys are the same.
  private struct TypedKey: Hashable, Sendable {
    let key: Key
    let type: ObjectIdentifier
  }

  private typealias Waiter = CheckedContinuation<any Sendable, any Error>

  private struct Guarded {
    var machine = CoalesceStateMachine<TypedKey, Waiter>()
    var runs: [UInt64: Task<Void, Never>] = [:]
  }

  private let guarded = Locked(Guarded())
  private let timeline: Timeline
  private let audience: PolicyAudience

  /// Makes a place where runs are shared.
  ///
  /// - Parameters:
  ///   - name: The name, for events.
  ///   - clock: The clock of its events; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    _ name: String, clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil
  ) {
    self.name = name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
  }

  /// How many runs are on their way.
  public var runCount: Int { guarded.withLock { $0.machine.flightCount } }

  /// How many callers wait for them.
  public var callerCount: Int { guarded.withLock { $0.machine.callerCount } }

  /// Runs an operation, or waits for the run that is on its way for the same key.
  ///
  /// A call from inside its own run, which would wait for itself, runs by itself. So does the one
  /// that would close a circle of runs that wait for each other, also over several of these.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on: calls with equal keys get the same answer.
  ///   - operation: What is run, beside its caller.
  /// - Returns: What the shared run returned.
  /// - Throws: What the shared run threw, or `CancellationError` for a caller that is cancelled.
  public func run<T: Sendable>(
    _ key: Key, _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let key = TypedKey(key: key, type: ObjectIdentifier(T.self))
    let caller = guarded.withLock { $0.machine.nextID() }
    let inside = CoalescedRuns.current
    defer {
      guarded.withLock { $0.machine.forget(caller) }
      inside.endWait(of: caller, at: self)
    }
    let value = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        join(key, caller, inside, waiter) { try await operation() }
      }
    } onCancel: {
      leave(caller)
    }
    if value is WaitForItself { return try await operation() }
    guard let value = value as? T else {
      preconditionFailure("a run for \(T.self) ended with another type")
    }
    return value
  }
}

// The lock is held for a few instructions; tasks are begun and callers are woken outside of it.
extension Coalesce {
  /// What a call gets that would wait for itself; no caller of it does.
  private struct WaitForItself: Sendable {}

  private func join(
    _ key: TypedKey, _ caller: UInt64, _ inside: CoalescedRuns, _ waiter: Waiter,
    _ operation: @escaping @Sendable () async throws -> any Sendable
  ) {
    let joining = guarded.withLock { guarded -> CoalesceStateMachine<TypedKey, Waiter>.Joining? in
      if let flight = guarded.machine.flight(of: key),
        !inside.beginWait(of: caller, for: flight, at: self)
      {
        return nil
      }
      return guarded.machine.join(key, caller: caller, waiter: waiter)
    }
    switch joining {
    case nil: waiter.resume(returning: WaitForItself())
    case .gone: waiter.resume(throwing: CancellationError())
    case .follows: break
    case .leads(let flight): begin(flight, operation)
    }
  }

  private func begin(
    _ flight: UInt64, _ operation: @escaping @Sendable () async throws -> any Sendable
  ) {
    let inside = CoalescedRuns.current.with(flight, of: self)
    // Whoever began the run may leave before the others: neither its deadline nor its attempts are
    // those of the run.
    let task = RetryScope.outlivingCaller {
      CoalescedRuns.local.withValue(inside) {
        Task { [self] in
          let result: Result<any Sendable, any Error>
          do { result = .success(try await operation()) } catch { result = .failure(error) }
          end(flight, result)
        }
      }
    }
    // The run may have ended, or everybody may have left, before this line.
    let isOver = guarded.withLock { guarded in
      guard guarded.machine.isFlying(flight) else { return true }
      guarded.runs[flight] = task
      return false
    }
    if isOver { task.cancel() }
  }

  private func end(_ flight: UInt64, _ result: Result<any Sendable, any Error>) {
    let waiters = guarded.withLock { guarded in
      guarded.runs[flight] = nil
      return guarded.machine.end(flight)
    }
    tellShared(waiters.count - 1)
    for waiter in waiters { waiter.resume(with: result) }
  }

  private func leave(_ caller: UInt64) {
    let (waiter, run) = guarded.withLock { guarded in
      let leaving = guarded.machine.leave(caller)
      return (
        leaving.waiter, leaving.cancelledFlight.flatMap { guarded.runs.removeValue(forKey: $0) }
      )
    }
    run?.cancel()
    waiter?.resume(throwing: CancellationError())
  }

  private func tellShared(_ count: Int) {
    guard count > 0, !audience.isEmpty else { return }
    let now = timeline.now
    for _ in 0..<count {
      audience.tell(PolicyEvent(policy: name, what: .coalesced, reading: now))
    }
  }
}
