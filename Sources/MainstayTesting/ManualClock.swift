// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// A clock that stands still until a test moves it.
///
/// It counts who waits for it, so a test waits for the waiters that it expects instead of guessing
/// with yields:
///
/// ```swift
/// let clock = ManualClock()
/// async let result = retry.run { try await flaky() }
/// await clock.waiters(atLeast: 1)
/// clock.advance(by: .seconds(1))
/// ```
///
/// A waiter is a task that sleeps on the clock, or an alarm of a policy that is set: a limit that
/// runs, or a caller in the queue of a bulkhead. Where both are there, a bound tells a short wait
/// from a long limit: `waiters(atLeast: 1, within: .seconds(1))`. A rate limiter sets one alarm for
/// its next turn, however many callers wait for theirs.
///
/// A test that expects one waiter too many ends with its time limit, which cancels its task. A line
/// on standard error then says where it waited, for what, and who waited for the clock.
///
/// A sleeper is a task that sleeps, whoever began it. The alarms of one policy share sleepers: one
/// of them waits for several alarms, and sleeps on when they were taken back.
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
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelledEarly: Set<UInt64> = []
    var watchers: [UInt64: Watcher] = [:]
    /// Who sets alarms on the clock.
    var followed: [ObjectIdentifier: Followed] = [:]

    mutating func newID() -> UInt64 {
      nextID += 1
      return nextID
    }

    /// Takes out the watchers who have what they expect.
    ///
    /// - Parameter waits: What all wait still; nil where only the sleepers are known.
    /// - Returns: What wakes them.
    mutating func takeMet(_ waits: [Duration]?) -> [CheckedContinuation<String?, Never>] {
      let count = sleepers.count
      let met = watchers.filter { $0.value.expectation.isMet(sleepers: count, waits: waits) }
      for id in met.keys { watchers[id] = nil }
      return met.values.map(\.continuation)
    }
  }

  private struct Sleeper {
    let until: Instant
    /// Whether it sleeps for the alarms of a policy, which are counted themselves.
    let isForAlarms: Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Followed {
    weak var alarms: Alarms?
  }

  private struct Watcher {
    let expectation: Expectation
    /// Is given what was there where that is not what was expected.
    let continuation: CheckedContinuation<String?, Never>
  }

  private enum Expectation {
    case sleepers(Int)
    case waiters(Int, within: Duration?)

    func isMet(sleepers: Int, waits: [Duration]?) -> Bool {
      switch self {
      case .sleepers(let count): return sleepers >= count
      case .waiters(let count, let bound):
        guard let waits else { return false }
        return waits.count(where: { wait in bound.map { wait <= $0 } ?? true }) >= count
      }
    }

    /// What is expected, behind "until".
    var words: String {
      switch self {
      case .sleepers(let count): "at least \(count) slept on the clock"
      case .waiters(let count, nil): "at least \(count) waited for the clock"
      case .waiters(let count, let bound?):
        "at least \(count) waited for the clock, each for \(bound) at most"
      }
    }
  }

  private let state = Locked(State())

  /// Makes a clock that reads zero.
  public init() {}

  /// The reading.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step; zero, since it is moved by hand.
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep on the clock; of those for the alarms of a policy, one may stand for
  /// several alarms or for none that is left.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the next sleeper wakes; nil where nobody sleeps.
  public var nextWakeUp: Duration? {
    state.withLock { state in
      state.sleepers.values.map(\.until).min().map { state.now.duration(to: $0) }
    }
  }

  /// How long each waiter still waits, the shortest wait first: each task that sleeps, and each
  /// alarm of a policy that was not taken back.
  public var waits: [Duration] {
    let (own, followed) = state.withLock { state in
      let own = state.sleepers.values.filter { !$0.isForAlarms }
      return (own.map { state.now.duration(to: $0.until) }, state.followed.values.map(\.alarms))
    }
    // What is due already rings in a moment, and waits for nothing.
    let alarms = followed.flatMap { $0?.waits ?? [] }.filter { $0 > .zero }
    return (own + alarms).sorted()
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
    tellWatchers()
  }

  /// Moves the clock as while the device sleeps: time passes in the world, and no work is done.
  ///
  /// - Parameter duration: How long the device sleeps; more than zero.
  public func sleepDevice(for duration: Duration) {
    state.withLock { $0.asleep += duration }
    advance(by: duration)
  }

  /// Returns as soon as at least this many tasks sleep on the clock, or the own task is cancelled.
  ///
  /// Those who wait for a policy may share a sleeper; each is counted by
  /// ``waiters(atLeast:within:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func sleepers(
    atLeast count: Int, fileID: String = #fileID, line: Int = #line
  ) async {
    await watch(for: .sleepers(count), fileID, line)
  }

  /// Returns as soon as at least this many wait for the clock, or the own task is cancelled.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - bound: The longest wait that is counted, such as one that is longer than all waits between
  ///     attempts and shorter than a time limit; the default, nil, counts all.
  ///   - fileID: The caller's file; leave it out.
  ///   - line: The caller's line; leave it out.
  public func waiters(
    atLeast count: Int, within bound: Duration? = nil, fileID: String = #fileID, line: Int = #line
  ) async {
    await watch(for: .waiters(count, within: bound), fileID, line)
  }

  private func watch(for expectation: Expectation, _ fileID: String, _ line: Int) async {
    let id = state.withLock { $0.newID() }
    let found = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
        let watcher = Watcher(expectation: expectation, continuation: continuation)
        state.withLock { $0.watchers[id] = watcher }
        tellWatchers()
        // The handler may have run before the watcher was there.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
    guard let found else { return }
    UnmetWait.ended(fileID, line, until: expectation.words, found: found)
  }

  private func leave(_ id: UInt64) {
    // Looked at now: those who wait in the same task are about to be cancelled as well.
    let (sleepers, waits) = (sleeperCount, waits)
    guard let watcher = state.withLock({ $0.watchers.removeValue(forKey: id) }) else { return }
    let isMet = watcher.expectation.isMet(sleepers: sleepers, waits: waits)
    watcher.continuation.resume(returning: isMet ? nil : Self.found(sleepers, waits))
  }

  /// Who waits for the clock, as a sentence.
  private static func found(_ sleepers: Int, _ waits: [Duration]) -> String {
    let longest = waits.count > 10 ? ", and more" : ""
    let times = waits.prefix(10).map { "\($0)" }.joined(separator: ", ") + longest
    let waiters = waits.isEmpty ? "Nobody waited" : "\(waits.count) waited, for \(times)"
    return "\(waiters); \(sleepers) slept."
  }

  /// Something has changed, so somebody may have what was expected; outside of all locks.
  private func tellWatchers() {
    guard state.withLock({ !$0.watchers.isEmpty }) else { return }
    let waits = waits
    for watcher in state.withLock({ $0.takeMet(waits) }) { watcher.resume(returning: nil) }
  }

  /// Sleeps until the clock has been moved to a reading.
  ///
  /// - Parameters:
  ///   - deadline: The reading.
  ///   - tolerance: Not heeded: a sleeper wakes exactly then.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { $0.newID() }
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
      case sleep([CheckedContinuation<String?, Never>])
    }
    let isForAlarms = Alarms.isSleeping.get()
    let next: Next = state.withLock { state in
      if state.cancelledEarly.remove(id) != nil { return .cancelled }
      if deadline <= state.now { return .wake }
      state.sleepers[id] = Sleeper(
        until: deadline, isForAlarms: isForAlarms, continuation: continuation)
      return .sleep(state.takeMet(nil))
    }
    switch next {
    case .wake: continuation.resume()
    case .cancelled: continuation.resume(throwing: CancellationError())
    case .sleep(let watchers):
      for watcher in watchers { watcher.resume(returning: nil) }
      tellWatchers()
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

extension ManualClock: AlarmCountingClock {
  package func follow(_ alarms: Alarms) {
    state.withLock { $0.followed[ObjectIdentifier(alarms)] = Followed(alarms: alarms) }
  }

  package func alarmsEnded(_ id: ObjectIdentifier) {
    state.withLock { _ = $0.followed.removeValue(forKey: id) }
  }

  package func alarmWasAdded() { tellWatchers() }
}
