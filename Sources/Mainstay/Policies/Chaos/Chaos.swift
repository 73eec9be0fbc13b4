// SPDX-License-Identifier: Apache-2.0

/// Disturbs some calls on purpose, to show that the rest of the app bears it.
///
/// ```swift
/// let catalog = Pipeline("catalog") {
///   Retry()
///   Timeout(.seconds(2))
///   Chaos(.latency(.seconds(5)), rate: 0.1)
/// }
/// ```
///
/// Put it innermost: what stands outside of it cannot tell the disturbance from one of the
/// dependency. It does nothing in a release build unless it is made by
/// ``init(enabledInRelease:_:rate:when:name:clock:seed:observer:)``.
public struct Chaos: Policy {
  /// Whether this build of the package disturbs calls without being told to: true in debug builds.
  public static var isOnByDefault: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// Whether calls may be disturbed at all.
  public let isEnabled: Bool

  let disturbance: Disturbance
  let rate: Double
  let condition: @Sendable () -> Bool
  let timeline: Timeline
  private let chance: Chance
  private let audience: PolicyAudience
  private var name: String?

  /// Makes a disturbance for debug builds; in a release build it does nothing.
  ///
  /// - Parameters:
  ///   - disturbance: What is done to a call.
  ///   - rate: Which part of the calls is disturbed; 0 to 1, the default is 0.01.
  ///   - condition: Whether calls are disturbed just now; asked for each call, always by default.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock of the latency; the default is the continuous one.
  ///   - seed: Makes the choice of calls repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    _ disturbance: Disturbance, rate: Double = 0.01,
    when condition: @escaping @Sendable () -> Bool = { true }, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    self.init(
      isEnabled: Self.isOnByDefault, disturbance, rate, condition, name, clock, seed, observer)
  }

  /// Makes a disturbance that may also work in release builds, such as on a staging system.
  ///
  /// - Parameters:
  ///   - enabledInRelease: Whether it works, in any build.
  ///   - disturbance: What is done to a call.
  ///   - rate: Which part of the calls is disturbed; 0 to 1, the default is 0.01.
  ///   - condition: Whether calls are disturbed just now; asked for each call, always by default.
  ///   - name: The name, for events; the default is that of the pipeline.
  ///   - clock: The clock of the latency; the default is the continuous one.
  ///   - seed: Makes the choice of calls repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    enabledInRelease: Bool, _ disturbance: Disturbance, rate: Double = 0.01,
    when condition: @escaping @Sendable () -> Bool = { true }, name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    self.init(
      isEnabled: enabledInRelease, disturbance, rate, condition, name, clock, seed, observer)
    isForReleases = enabledInRelease
  }

  private var isForReleases = false

  private init(
    isEnabled: Bool, _ disturbance: Disturbance, _ rate: Double,
    _ condition: @escaping @Sendable () -> Bool, _ name: String?, _ clock: some Clock<Duration>,
    _ seed: UInt64?, _ observer: (any PolicyObserver)?
  ) {
    precondition(
      (0...1).contains(rate), "Chaos(rate: \(rate)) is not legal: it must be 0 to 1")
    self.isEnabled = isEnabled
    self.disturbance = disturbance
    self.rate = rate
    self.condition = condition
    self.name = name
    timeline = Timeline(clock)
    chance = Chance(seed: seed)
    audience = PolicyAudience(own: observer)
  }

  /// Runs an operation, disturbed or not.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    guard let disturbance = draw() else { return try await operation() }
    // Two steps, since no outcome at all would pass for an optional one that is nil.
    if let made = try await inject(disturbance), let outcome = made as? T {
      tell("outcome")
      return outcome
    }
    return try await operation()
  }

  /// Runs an operation that says how it ended, disturbed or not; a call that is left alone costs
  /// no throw.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    guard let disturbance = draw() else { return await operation() }
    do {
      if let made = try await inject(disturbance), let value = made as? T {
        tell("outcome")
        return .success(value)
      }
    } catch {
      return Outcome(ending: error)
    }
    return await operation()
  }

  /// What is done to this call; nil where it is left alone.
  @usableFromInline
  func draw() -> Disturbance? {
    guard isEnabled, rate > 0, chance.fraction() < rate, condition() else { return nil }
    return disturbance
  }

  /// Disturbs a call.
  ///
  /// - Returns: What the call returns without being made; nil where it is made.
  @usableFromInline
  func inject(_ disturbance: Disturbance) async throws -> (any Sendable)? {
    try Task.checkCancellation()
    switch disturbance.kind {
    case .latency(let range): try await delay(by: range)
    case .lateError(let range, let make):
      try await delay(by: range)
      tell("error")
      throw make()
    case .error(let make):
      tell("error")
      throw make()
    // Told by who knows whether it fits the call, which else is left alone.
    case .outcome(let make): return make()
    case .behavior(let act):
      tell("behavior")
      try await act()
    }
    return nil
  }

  private func delay(by range: ClosedRange<Duration>) async throws {
    let (shortest, longest) = (range.lowerBound.inSeconds, range.upperBound.inSeconds)
    let delay = Duration.clamped(seconds: shortest + (longest - shortest) * chance.fraction())
    tell("latency of \(delay.inWords)")
    try await timeline.sleep(until: timeline.now + delay)
  }

  @usableFromInline
  func tell(_ what: String) {
    guard !audience.isEmpty else { return }
    audience.tell(
      PolicyEvent(policy: name ?? "chaos", what: .chaosInjected(what), reading: timeline.now))
  }
}

extension Chaos: PipelineStage {
  // Its latency is that of a slow dependency, which knows nothing of deadlines.
  package var heedsDeadline: Bool { false }

  package var summaries: [StageSummary] {
    let share = (rate * 1000).rounded() / 10
    let words = isEnabled ? "disturbs \(share) % of the calls: \(disturbance)" : "does nothing"
    var summary = StageSummary(.chaos, name: name, words, .refuses)
    if isEnabled, rate > 0 {
      switch disturbance.kind {
      case .latency(let range), .lateError(let range, _):
        summary.effect = .delays(range.upperBound)
      case .behavior: summary.effect = .unknown
      case .error, .outcome: break
      }
    }
    summary.disturbsReleases = isForReleases && rate > 0
    return [summary.running(by: timeline)]
  }

  package func placed(_ placement: StagePlacement) -> Chaos {
    var copy = self
    copy.name = name ?? placement.pipeline
    return copy
  }
}
