// SPDX-License-Identifier: Apache-2.0

/// Cancels an attempt that takes longer than its limit.
///
/// It is cooperative: the operation is cancelled and waited for, and what it returns in spite of
/// that is kept. Where the operation ends as cancelled, ``TimedOut`` is thrown; its own error is
/// kept, and a cancellation by the caller wins over the limit. Place it innermost, inside ``Retry``
/// and ``CircuitBreaker``; for the time of all attempts together there is ``Deadline``.
///
/// The clock is `ContinuousClock`, which goes on while the device sleeps.
public struct Timeout: Policy {
  let limit: TimeLimit
  /// How it is kept where it is up to this one to end the operation.
  private let way: PlacedLimit.Way
  @usableFromInline let placed: PlacedLimit

  /// Makes a limit for each attempt.
  ///
  /// - Parameters:
  ///   - limit: How long an attempt may take; more than zero, cut to a year.
  ///   - disposition: What may be done once it has passed: `transient`, the default, or
  ///     `unknownOutcome` for a call that may have had its effect and must not simply be repeated.
  ///   - name: The name, for events and messages; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    _ limit: Duration, disposition: Disposition = .transient(), name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) {
    self.limit = TimeLimit(
      "Timeout", limit, scope: .attempt, disposition: disposition, name: name, clock: clock,
      observer: observer)
    way = .enforced
    placed = PlacedLimit(alone: self.limit)
  }

  private init(_ limit: TimeLimit, _ placement: StagePlacement?, _ way: PlacedLimit.Way) {
    self.limit = limit
    self.way = way
    placed =
      placement.map { PlacedLimit(limit, $0, way) } ?? PlacedLimit(alone: limit, way)
  }

  /// The same limit, for operations that end by themselves in time, as ``HeededLimit`` says.
  package var heeded: Timeout { Timeout(limit, nil, .heeded) }

  /// The same limit, whose end moves while parts go or come, as ``Patience`` says.
  ///
  /// - Parameter silence: How long nothing may move after something has; more than zero, cut to a
  ///   year.
  /// - Returns: The limit.
  package func patient(silence: Duration) -> Timeout {
    Timeout(limit, nil, .patient(silence: silence.clamped))
  }

  /// Whether it ends when it says, so that limits around it need not see to it.
  private var isFixed: Bool { if case .patient = way { false } else { true } }

  /// Runs an operation and cancels it when the limit, or an active ``Deadline``, has passed.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await placed.run(operation)
  }
}

extension Timeout: PipelineStage {
  package var timeLimit: Timeline? { isFixed ? limit.timeline : nil }
  package var bareLimit: TimeLimit? { isFixed ? limit : nil }
  package var isPristine: Bool { !limit.terms.wereChanged }

  package func placed(_ placement: StagePlacement) -> Timeout {
    Timeout(limit.named(ifNone: placement.pipeline), placement, way)
  }
}

/// Ends a call when all its attempts and the waiting between them take too long together.
///
/// Everything inside knows the time that is left (``remaining``), so an attempt that could not
/// begin in time is not waited for. Place it outside of ``Retry``. In a pipeline that also has a
/// ``Timeout`` both limits share one child task per attempt. Where a limit inside says that a call
/// may have had its effect, the deadline that ends it says so too.
public struct Deadline: Policy {
  let limit: TimeLimit
  @usableFromInline let placed: PlacedLimit

  /// Makes a limit for all attempts together.
  ///
  /// - Parameters:
  ///   - limit: How long the call may take in all; more than zero, cut to a year.
  ///   - disposition: What may be done once it has passed: `transient`, the default, or
  ///     `unknownOutcome` for a call that may have had its effect and must not simply be repeated.
  ///   - name: The name, for events and messages; the default is that of the pipeline.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    _ limit: Duration, disposition: Disposition = .transient(), name: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) {
    self.limit = TimeLimit(
      "Deadline", limit, scope: .total, disposition: disposition, name: name, clock: clock,
      observer: observer)
    placed = PlacedLimit(alone: self.limit)
  }

  private init(_ limit: TimeLimit, _ placement: StagePlacement) {
    self.limit = limit
    placed = PlacedLimit(limit, placement)
  }

  /// How much time the current task has left before the first limit around it ends; nil without
  /// one.
  public static var remaining: Duration? { ActiveLimit.current?.remaining }

  /// Runs an operation and ends it when the limit has passed.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await placed.run(operation)
  }
}

extension Deadline: PipelineStage {
  package var timeLimit: Timeline? { limit.timeline }

  package var bareLimit: TimeLimit? { limit }

  package var isPristine: Bool { !limit.terms.wereChanged }

  package func placed(_ placement: StagePlacement) -> Deadline {
    Deadline(limit.named(ifNone: placement.pipeline), placement)
  }
}
