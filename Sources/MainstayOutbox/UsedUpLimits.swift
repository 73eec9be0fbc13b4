// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The types of which no more may begin for now: by the limits of their workers, and by the rates
/// that other sides have taught.
struct UsedUpLimits {
  /// What holds a type back, for as long as the limit is what it was.
  private struct UsedUp {
    let end: Duration
    let kind: RateLimiter.Kind
  }

  private var limits: [PayloadType: UsedUp] = [:]
  private var rates: [OperationKind: LearnedRateStateMachine] = [:]

  /// When the first of them is over; nil where none is used up.
  ///
  /// - Parameter now: A time from before the last claim: what was too early for that may be due by
  ///   now, and nobody else would look for it.
  /// - Returns: When to look again.
  func next(at now: Duration) -> Duration? {
    (limits.values.map(\.end) + rates.values.compactMap { $0.nextStart(at: now) }).min()
  }

  /// Until when nothing of a type begins; nil where its limit is not used up.
  func end(of type: PayloadType, at now: Duration) -> Duration? {
    [limits[type]?.end, rates[type.kind]?.nextStart(at: now)].compactMap(\.self).max()
  }

  /// How many more of a worker's type may begin; nil for any number.
  ///
  /// What the limit of the worker does not let through is not leased in order to be given back. One
  /// is, since only a claim knows whether anything waits for that limit.
  ///
  /// - Parameters:
  ///   - worker: The worker.
  ///   - most: How many could begin otherwise.
  ///   - now: The time.
  /// - Returns: How many.
  func places(of worker: Worker, atMost most: Int, at now: Duration) -> Int? {
    guard limits[worker.type] == nil else { return 0 }
    let own = worker.gates.limiter.map { max($0.available(atMost: most), 1) }
    return [own, rates[worker.type.kind]?.places(at: now)].compactMap(\.self).min()
  }

  /// One of a kind began.
  mutating func began(_ kind: OperationKind, at now: Duration) {
    rates[kind, default: LearnedRateStateMachine()].began(at: now)
  }

  /// One ended, which may say how fast its kind may go on.
  mutating func ended(_ operation: StoredOperation, _ end: WorkerRun.Ended, at now: Duration) {
    let kind = operation.type.kind
    if let rest = end.rest {
      rates[kind, default: LearnedRateStateMachine()]
        .pushedBack(in: operation.lane, resting: rest, at: now)
    } else if end.signal == .succeeded {
      rates[kind, default: LearnedRateStateMachine()].succeeded(in: operation.lane, at: now)
    }
  }

  /// Whether the limit of a worker lets one more begin now; where it does not, nothing of its type
  /// is claimed until it does.
  mutating func admit(_ worker: Worker, on timeline: Timeline) -> Bool {
    guard let limiter = worker.gates.limiter else { return true }
    // Read first: where it changes meanwhile, the wait is not trusted.
    let kind = limiter.configuration.kind
    // So is the time: a wait must not begin anew while a thread is held up.
    let now = timeline.now
    guard !limiter.tryAcquire() else { return true }
    let wait = limiter.timeToTurn() ?? .aYear
    limits[worker.type] = UsedUp(
      end: now + max(wait, .milliseconds(1)).clamped, kind: kind)
    return false
  }

  /// Forgets the limits whose time is over, and those that are others by now.
  mutating func pass(_ workers: [PayloadType: Worker], on timeline: Timeline) {
    guard !limits.isEmpty else { return }
    let now = timeline.now
    limits = limits.filter { type, limit in
      limit.end > now && workers[type]?.gates.limiter?.configuration.kind == limit.kind
    }
  }
}
