// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// Keeps answers in the memory of one process: enough where one process serves, and nothing has to
/// survive it.
///
/// Where one more answer would be too much the oldest goes before its time, whoever sent its
/// request. The metric `mainstay.server.idempotency` counts it as `evicted`: a repetition of that
/// request would be handled again, so where it rises the bounds are too small.
public final class InMemoryIdempotencyStore: IdempotencyStore {
  private let machine: Locked<IdempotencyStateMachine>
  private let now: @Sendable () -> Duration

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - lifetime: How long answers are kept; more than zero, the default is a day.
  ///   - maximumCount: How many requests are remembered; 1 or more, the default is 10,000.
  ///   - maximumBytes: How large the answers may be together; 1 or more, the default is 64 MB.
  ///   - clock: What tells the time.
  public init<C: Clock<Duration>>(
    lifetime: Duration = .seconds(86_400), maximumCount: Int = 10_000,
    maximumBytes: Int = 64_000_000, clock: C = ContinuousClock()
  ) {
    let name = "InMemoryIdempotencyStore"
    precondition(lifetime > .zero, "\(name)(lifetime): it must be more than zero")
    precondition(maximumCount >= 1, "\(name)(maximumCount): it must be 1 or more")
    precondition(maximumBytes >= 1, "\(name)(maximumBytes): it must be 1 or more")
    machine = Locked(
      IdempotencyStateMachine(
        lifetime: lifetime, maximumCount: maximumCount, maximumBytes: maximumBytes))
    let start = clock.now
    now = { start.duration(to: clock.now) }
  }

  /// How many requests are remembered.
  public var count: Int { machine.withLock(\.count) }

  /// Begins a request.
  ///
  /// - Throws: `Rejection` where as many requests run as may be remembered.
  public func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict {
    let now = now()
    let (verdict, evicted) = machine.withLock { machine in
      (machine.begin(key, fingerprint, at: now), machine.takeEvicted())
    }
    IdempotentRun.count("evicted", evicted)
    guard let verdict else {
      throw Rejection(policy: "idempotency", reason: .limitReached, retryAfter: .seconds(1))
    }
    return verdict
  }

  /// Ends a request.
  public func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async {
    let now = now()
    let evicted = machine.withLock { machine in
      machine.end(key, claim, with: answer, at: now)
      return machine.takeEvicted()
    }
    IdempotentRun.count("evicted", evicted)
  }
}
