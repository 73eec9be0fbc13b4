// SPDX-License-Identifier: Apache-2.0

/// A time limit that is running: what everything inside it can ask for the time that is left.
@usableFromInline
final class ActiveLimit: Sendable {
  /// The innermost limit around the current task.
  @usableFromInline
  static let local = TaskLocal<ActiveLimit?>(wrappedValue: nil)

  static var current: ActiveLimit? { local.get() }

  /// The error that tells of this limit.
  let error: TimedOut
  /// The reading of the clock at which it ends.
  let end: Duration
  let timeline: Timeline
  private let parent: ActiveLimit?

  private enum State {
    case running(waiter: CheckedContinuation<Void, Never>?)
    case expired
    case finished
  }

  private let state = Locked(State.running(waiter: nil))

  init(error: TimedOut, end: Duration, timeline: Timeline, parent: ActiveLimit?) {
    self.error = error
    self.end = end
    self.timeline = timeline
    self.parent = parent
  }

  /// The limit that ends first, among this one and those around it on the same clock.
  var tightest: ActiveLimit {
    guard let outer = parent?.tightest, timeline.isComparable(to: outer.timeline) else {
      return self
    }
    return outer.end < end ? outer : self
  }

  /// How much time is left before the first of all limits ends; never negative.
  var remaining: Duration {
    let own = max(.zero, end - timeline.now)
    return parent.map { min(own, $0.remaining) } ?? own
  }

  /// The error for work that is not begun, because no time is left for it.
  var refusal: Rejection { Rejection(policy: error.policy, reason: .deadlineTooClose) }

  /// Whether this limit has ended the work inside.
  @usableFromInline
  var hasExpiredItself: Bool { state.withLock { if case .expired = $0 { true } else { false } } }

  /// Whether this limit, or one around it, has ended the work inside.
  var hasExpired: Bool { hasExpiredItself || parent?.hasExpired ?? false }
}

extension ActiveLimit: AlarmTarget {
  /// The work is done; whoever waits for it goes on.
  @usableFromInline
  func finish() { end(as: .finished) }

  /// The limit has ended, unless the work was done before.
  @usableFromInline
  package func ring() { end(as: .expired) }

  private func end(as ending: State) {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .running(let waiter) = state else { return nil }
      state = ending
      return waiter
    }
    waiter?.resume()
  }

  /// Whether the work is still going on inside its limit.
  @usableFromInline
  var isRunning: Bool { state.withLock { if case .running = $0 { true } else { false } } }

  /// Returns when the work is done or the limit has ended, on the caller's actor.
  @usableFromInline
  func waitWithAlarm(isolation: isolated (any Actor)? = #isolation) async {
    let alarm = timeline.alarms.add(due: end, target: self)
    await wait(isolation: isolation)
    timeline.alarms.remove(alarm)
  }

  private func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let isOver = state.withLock { state in
        guard case .running = state else { return true }
        state = .running(waiter: continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
