// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// A dependency whose latency and failures follow curves over time and load, and which remembers
/// every call.
///
/// On a ``ManualClock`` a test plays an outage through in no time, the same in every run:
///
/// ```swift
/// let service = ScriptedDependency(
///   latency: .constant(0.05), failures: .steps([(.seconds(10), 1), (.seconds(40), 0)]),
///   clock: clock, seed: 7)
/// try await pipeline.run { try await service.call() }
/// ```
///
/// After that `service.calls` has each attempt.
public final class ScriptedDependency: Sendable {
  /// One call, as the dependency saw it.
  public struct Call: Sendable, Hashable {
    /// How a call stands.
    public enum Ending: Sendable, Hashable {
      /// It has not ended.
      case running
      /// It was answered.
      case succeeded
      /// It failed by the script.
      case failed
      /// Its caller went away.
      case cancelled
    }

    /// When it began, since the dependency was made.
    public let began: Duration
    /// When it ended; nil while it runs.
    public internal(set) var ended: Duration?
    /// How many calls ran when it began, itself included.
    public let concurrency: Int
    /// How it stands.
    public internal(set) var ending = Ending.running
  }

  private struct State {
    var calls: [Call] = []
    var running = 0
    var peak = 0
  }

  private let latency: ScriptedCurve
  private let failures: ScriptedCurve
  private let error: @Sendable () -> any Error
  private let timeline: Timeline
  private let start: Duration
  private let chance: Chance
  private let state = Locked(State())

  /// Makes a dependency.
  ///
  /// - Parameters:
  ///   - latency: How many seconds a call takes; negative counts as zero, the default is zero.
  ///   - failures: Which part of the calls fails; cut to 0 to 1, the default is none.
  ///   - error: What a failing call throws; made anew for each. The default is an HTTP 503.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the choice of failing calls repeatable.
  public init(
    latency: ScriptedCurve = .constant(0), failures: ScriptedCurve = .constant(0),
    error: @escaping @autoclosure @Sendable () -> any Error = AppError.http(
      status: 503, isRepeatable: true),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64
  ) {
    self.latency = latency
    self.failures = failures
    self.error = error
    timeline = Timeline(clock)
    start = timeline.now
    chance = Chance(seed: seed)
  }

  /// All calls so far, in the order in which they began.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// How many calls run.
  public var running: Int { state.withLock { $0.running } }

  /// The most calls that ran at the same time.
  public var peak: Int { state.withLock { $0.peak } }

  /// Calls the dependency: waits as long as the script says, then returns or fails.
  ///
  /// - Throws: The scripted error, or `CancellationError` as soon as the caller is cancelled.
  public func call() async throws {
    let began = timeline.now - start
    let (index, moment) = state.withLock { state in
      state.running += 1
      state.peak = max(state.peak, state.running)
      state.calls.append(Call(began: began, concurrency: state.running))
      return (
        state.calls.endIndex - 1,
        ScriptedCurve.Moment(
          time: began, call: state.calls.count, concurrency: state.running)
      )
    }
    let fails = chance.fraction() < failures.value(moment)
    let delay = Duration.clamped(seconds: latency.value(moment))
    do {
      try Task.checkCancellation()
      if delay > .zero { try await timeline.sleep(until: start + began + delay) }
    } catch {
      end(index, .cancelled)
      throw error
    }
    end(index, fails ? .failed : .succeeded)
    if fails { throw error() }
  }

  private func end(_ index: Int, _ ending: Call.Ending) {
    let ended = timeline.now - start
    state.withLock { state in
      state.running -= 1
      state.calls[index].ended = ended
      state.calls[index].ending = ending
    }
  }
}

/// A number that changes with time and load: the latency or the failures of a
/// ``ScriptedDependency``.
public struct ScriptedCurve: Sendable {
  /// What a number may depend on.
  public struct Moment: Sendable, Hashable {
    /// The time since the dependency was made.
    public let time: Duration
    /// Which call it is, counted from 1.
    public let call: Int
    /// How many calls run, this one included.
    public let concurrency: Int

    /// Makes a moment.
    public init(time: Duration, call: Int, concurrency: Int) {
      self.time = time
      self.call = call
      self.concurrency = concurrency
    }
  }

  /// The number at a moment.
  public let value: @Sendable (Moment) -> Double

  /// Makes a curve of your own.
  public init(_ value: @escaping @Sendable (Moment) -> Double) { self.value = value }

  /// The same number always.
  public static func constant(_ value: Double) -> ScriptedCurve { ScriptedCurve { _ in value } }

  /// A number that jumps.
  ///
  /// - Parameters:
  ///   - steps: From when on it has which value, in any order.
  ///   - first: The value before all of them; the default is zero.
  /// - Returns: The curve.
  public static func steps(
    _ steps: [(from: Duration, value: Double)], first: Double = 0
  ) -> ScriptedCurve {
    let sorted = steps.sorted { $0.from < $1.from }
    return ScriptedCurve { moment in sorted.last { $0.from <= moment.time }?.value ?? first }
  }

  /// A number that goes evenly from one value to another, and stays there.
  ///
  /// - Parameters:
  ///   - first: The value before and at the beginning.
  ///   - last: The value at the end and after.
  ///   - span: When it begins and when it ends.
  /// - Returns: The curve.
  public static func ramp(
    from first: Double, to last: Double, during span: ClosedRange<Duration>
  ) -> ScriptedCurve {
    ScriptedCurve { moment in
      if moment.time <= span.lowerBound { return first }
      if moment.time >= span.upperBound { return last }
      let part = (moment.time - span.lowerBound) / (span.upperBound - span.lowerBound)
      return first + (last - first) * part
    }
  }

  /// A number that grows in proportion to the load beyond what the dependency can bear.
  ///
  /// - Parameters:
  ///   - capacity: How many calls at the same time it bears; 1 or more.
  ///   - value: The value up to there; twice that for twice as many calls.
  /// - Returns: The curve.
  public static func overload(beyond capacity: Int, _ value: Double) -> ScriptedCurve {
    precondition(
      capacity >= 1,
      "ScriptedCurve.overload(beyond: \(capacity)) is not legal: it must be 1 or more")
    return ScriptedCurve { moment in
      value * max(1, Double(moment.concurrency) / Double(capacity))
    }
  }
}
