// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// A clock that stands still until a test moves it.
///
/// It counts who sleeps on it, so a test waits for the sleepers that it expects instead of guessing
/// with yields:
///
/// ```swift
/// let clock = ManualClock()
/// async let result = retry.run { try await flaky() }
/// await clock.sleepers(atLeast: 1)
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: Clock, Sendable {
  /// A reading of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let offset: Duration

    /// Makes a reading from the time since the clock was made.
    public init(offset: Duration) { self.offset = offset }

    /// The reading that is later by a duration, or earlier by a negative one.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from this reading to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the left reading is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var asleep = Duration.zero
    var nextID: UInt64 = 0
    var sleepers: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] =
      [:]
    var cancelledEarly: Set<UInt64> = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// Makes a clock that reads zero.
  public init() {}

  /// The reading.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step; zero, since it is moved by hand.
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep on the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the next sleeper wakes; nil where nobody sleeps.
  public var nextWakeUp: Duration? {
    state.withLock { state in
      state.sleepers.values.map(\.until).min().map { state.now.duration(to: $0) }
    }
  }

  /// Moves the clock and wakes whoever has slept long enough, the earliest first.
  ///
  /// - Parameter duration: How far; a negative duration moves it back, which a policy must survive.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
    }
    for (_, sleeper) in due { sleeper.continuation.resume() }
  }

  /// Moves the clock as while the device sleeps: time passes in the world, and no work is done.
  ///
  /// - Parameter duration: How long the device sleeps; more than zero.
  public func sleepDevice(for duration: Duration) {
    state.withLock { $0.asleep += duration }
    advance(by: duration)
  }

  /// Returns as soon as at least this many tasks sleep on the clock.
  public func sleepers(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Sleeps until the clock has been moved to a reading.
  ///
  /// - Parameters:
  ///   - deadline: The reading.
  ///   - tolerance: Not heeded: a sleeper wakes exactly then.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    defer { state.withLock { _ = $0.cancelledEarly.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(id, until: deadline, continuation)
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func begin(
    _ id: UInt64, until deadline: Instant, _ continuation: CheckedContinuation<Void, any Error>
  ) {
    enum Next {
      case wake
      case cancelled
      case sleep([CheckedContinuation<Void, Never>])
    }
    let next: Next = state.withLock { state in
      if state.cancelledEarly.remove(id) != nil { return .cancelled }
      if deadline <= state.now { return .wake }
      state.sleepers[id] = (deadline, continuation)
      let count = state.sleepers.count
      let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= count }
      return .sleep(ready)
    }
    switch next {
    case .wake: continuation.resume()
    case .cancelled: continuation.resume(throwing: CancellationError())
    case .sleep(let watchers): for watcher in watchers { watcher.resume() }
    }
  }

  private func cancel(_ id: UInt64) {
    let sleeper = state.withLock { state in
      let sleeper = state.sleepers.removeValue(forKey: id)
      // The handler may run before the sleep has begun.
      if sleeper == nil { state.cancelledEarly.insert(id) }
      return sleeper
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}

extension ManualClock: SleepCountingClock {
  package var timeAsleep: Duration { state.withLock { $0.asleep } }
}
