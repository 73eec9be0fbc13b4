// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#endif

/// A clock as the policies see it: a reading counted from a fixed start, and a sleep.
///
/// The live clock is `ContinuousClock`, which goes on while the device sleeps and never goes back:
/// breaks, waits and deadlines belong to the world. Readings of one clock type share a start, so a
/// deadline set by one policy can be read by another.
package struct Timeline: Sendable {
  /// Nil for the live clock.
  private let other: (any ErasedClock)?
  // Asked on every reading: looking whether `other` is nil would copy it.
  let isLive: Bool
  private let kind: ObjectIdentifier

  /// Calls back at a given reading; one for all users of the live clock.
  package let alarms: Alarms

  package static let live = Timeline()

  private init() {
    other = nil
    isLive = true
    kind = ObjectIdentifier(ContinuousClock.self)
    alarms = Alarms(clock: LiveClock())
  }

  package init(_ clock: some Clock<Duration>) {
    if clock is ContinuousClock {
      self = .live
    } else {
      let erased = ClockReading(clock)
      other = erased
      isLive = false
      kind = ObjectIdentifier(type(of: clock))
      alarms = Alarms(clock: erased)
    }
  }

  /// The time since the start of this clock's count.
  package var now: Duration {
    if isLive { LiveClock.reading } else { other?.now ?? LiveClock.reading }
  }

  /// A number that stays the same for a few milliseconds, for a fifth of what a reading costs; nil
  /// for a clock that is not live, and where the system has no such number.
  var tick: Int64? { isLive ? LiveClock.tick : nil }

  /// How long the device has slept by a reading of this clock, counted from a fixed moment; nil
  /// where the clock does not say.
  package func timeAsleep(at now: Duration) -> Duration? {
    guard let other else { return now - LiveClock.awakeStart.duration(to: .now) }
    return other.timeAsleep
  }

  /// Sleeps until a reading, at most a year; ends early with `CancellationError` when cancelled.
  ///
  /// A sleep of the system keeps its memory until it would have ended, also where it was cancelled,
  /// so sleeps by the live clock share the timer of its alarms.
  package func sleep(until reading: Duration) async throws {
    if let other { return try await other.sleep(until: reading) }
    try Task.checkCancellation()
    let waiter = Waiter()
    let ending = await waiter.ending(alarm: (min(reading, now + .aYear), self)) {
      waiter.end(.cancelled)
    }
    if ending == .cancelled { throw CancellationError() }
  }

  /// Whether both are counted from the same start.
  package func isComparable(to other: Timeline) -> Bool { kind == other.kind }
}

/// A clock without its type.
protocol ErasedClock: Sendable {
  var now: Duration { get }
  var timeAsleep: Duration? { get }
  /// Who counts the alarms that are set on it; nil for a clock that does not.
  var alarmCounter: (any AlarmCountingClock)? { get }
  func sleep(until reading: Duration) async throws
}

private struct LiveClock: ErasedClock {
  private static let start = ContinuousClock.now
  static let awakeStart = SuspendingClock.now

  static var reading: Duration {
    #if canImport(Glibc) && _pointerBitWidth(_64)
      // What `ContinuousClock` reads, without its calls through types whose size is not known. The
      // two words of `timespec` have no names here, since no public module defines them.
      var time = (seconds: 0, nanoseconds: 0)
      _ = withUnsafeMutablePointer(to: &time) { words in
        words.withMemoryRebound(to: timespec.self, capacity: 1) {
          clock_gettime(CLOCK_BOOTTIME, $0)
        }
      }
      let nanoseconds = Int128(time.seconds) &* 1_000_000_000 &+ Int128(time.nanoseconds)
      return Duration(attoseconds: nanoseconds &* 1_000_000_000)
    #else
      return start.duration(to: .now)
    #endif
  }

  /// When the system last looked at its clock, which it does 100 to 1,000 times in a second.
  static var tick: Int64? {
    #if canImport(Glibc) && _pointerBitWidth(_64)
      var time = (seconds: 0, nanoseconds: 0)
      _ = withUnsafeMutablePointer(to: &time) { words in
        words.withMemoryRebound(to: timespec.self, capacity: 1) {
          clock_gettime(CLOCK_MONOTONIC_COARSE, $0)
        }
      }
      return Int64(time.seconds) &* 1_000_000_000 &+ Int64(time.nanoseconds)
    #else
      return nil
    #endif
  }

  var now: Duration { Self.reading }
  var timeAsleep: Duration? { now - Self.awakeStart.duration(to: .now) }
  var alarmCounter: (any AlarmCountingClock)? { nil }

  func sleep(until reading: Duration) async throws {
    let now = now
    let latest = min(reading, now + .aYear)  // a sleep that is too long stops the program (P18)
    // By the instant after the reading, so that it never ends too early.
    try await ContinuousClock().sleep(until: .now.advanced(by: latest - now))
  }
}

private struct ClockReading<C: Clock<Duration>>: ErasedClock {
  let clock: C
  let start: C.Instant

  init(_ clock: C) {
    self.clock = clock
    start = ClockStarts.start(of: clock)
  }

  var now: Duration { start.duration(to: clock.now) }
  var timeAsleep: Duration? { (clock as? any SleepCountingClock)?.timeAsleep }
  var alarmCounter: (any AlarmCountingClock)? { clock as? any AlarmCountingClock }

  func sleep(until reading: Duration) async throws {
    let latest = min(reading, now + .aYear)
    try await clock.sleep(until: start.advanced(by: latest), tolerance: nil)
  }
}

/// The instant from which each clock type is counted: its reading when it was first used.
private enum ClockStarts {
  private static let starts = Locked<[ObjectIdentifier: any Sendable]>([:])

  static func start<C: Clock>(of clock: C) -> C.Instant {
    let now = clock.now  // outside of the lock: it is somebody else's code
    return starts.withLock { starts in
      if let start = starts[ObjectIdentifier(C.self)] as? C.Instant { return start }
      starts[ObjectIdentifier(C.self)] = now
      return now
    }
  }
}
