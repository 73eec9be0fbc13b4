// SPDX-License-Identifier: Apache-2.0

/// Policies composed in order around a call; the first listed is the outermost.
///
/// ```swift
/// let catalog = Pipeline("catalog") {
///   Deadline(.seconds(30))
///   Retry(maximumAttempts: 3)
///   CircuitBreaker("catalog", .consecutiveFailures(5), breakFor: .seconds(5))
///   Timeout(.seconds(10))
/// }
/// let book = try await catalog.run { try await api.book(isbn) }
/// ```
///
/// A pipeline is a value; what keeps state in it, such as a breaker, is shared by all its copies.
/// Make one per dependency and keep it: a pipeline that is made anew for each call forgets what it
/// learned.
public struct Pipeline<P: ConcurrentPolicy>: Sendable {
  /// The name, for events and messages.
  public let name: String

  @usableFromInline private(set) var policy: P
  @usableFromInline let reports: CallReports

  /// Makes a pipeline.
  ///
  /// Stops the program where one stateful stage stands in it twice: both places would count the
  /// same calls.
  ///
  /// - Parameters:
  ///   - name: The name, for events and messages.
  ///   - clock: The clock by which the length of calls is told; the default is the continuous one.
  ///     Stages have clocks of their own: in a test, give each the same.
  ///   - observer: Who is told how each call ended, besides the observer of the process. Stages
  ///     have observers of their own.
  ///   - stages: The policies, the outermost first.
  public init(
    _ name: String, clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil, @PipelineBuilder stages: () -> P
  ) {
    self.name = name
    reports = CallReports(name: name, clock: clock, observer: observer)
    policy = stages().placedIfStage(StagePlacement(pipeline: name))
    var seen: Set<ObjectIdentifier> = []
    for (part, identity) in policy.asStage?.statefulParts ?? [] {
      precondition(
        seen.insert(identity).inserted,
        "Pipeline \"\(name)\" contains \"\(part)\" twice; each stateful stage may stand in it once")
    }
  }

  /// Runs an operation that may run beside or beyond its caller under all stages.
  ///
  /// - Parameter operation: What is run.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, ``Rejection`` or ``TimedOut``.
  @_disfavoredOverload @inlinable
  public func run<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await runSendable(operation)
  }

  /// Runs an operation that may run beside or beyond its caller, and another one where it failed.
  ///
  /// - Parameters:
  ///   - operation: What is run under all stages.
  ///   - fallback: What is run instead, outside of them; never entered for cancellation.
  /// - Returns: What the operation returned, or the fallback.
  /// - Throws: The cancellation, or what the fallback threw.
  @_disfavoredOverload @inlinable
  public func run<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T,
    fallback: (any Error) async throws -> T
  ) async throws -> T {
    do {
      return try await runSendable(operation)
    } catch {
      if error.isCancellation { throw error }
      return try await fallback(error)
    }
  }
}

extension Pipeline where P: Policy {
  /// Runs an operation where its caller is, under all stages.
  ///
  /// - Parameter operation: What is run.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, ``Rejection`` or ``TimedOut``.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    guard let start = reports.begin() else { return try await policy.run(operation) }
    do {
      let value = try await policy.run(operation)
      reports.ended(nil, since: start)
      return value
    } catch {
      reports.ended(error, since: start)
      throw error
    }
  }

  /// Runs an operation where its caller is, and another one where it failed.
  ///
  /// - Parameters:
  ///   - operation: What is run under all stages.
  ///   - fallback: What is run instead, outside of them; never entered for cancellation.
  /// - Returns: What the operation returned, or the fallback.
  /// - Throws: The cancellation, or what the fallback threw.
  @inlinable
  public func run<T>(
    _ operation: () async throws -> T, fallback: (any Error) async throws -> T
  ) async throws -> T {
    do {
      return try await run(operation)
    } catch {
      if error.isCancellation { throw error }
      return try await fallback(error)
    }
  }

  /// Runs an operation where its caller is, under all stages, and returns how it ended.
  ///
  /// - Parameter operation: What is run; the type of its error is kept.
  /// - Returns: The value, the operation's own error, or what a policy decided.
  @inlinable
  public func outcome<T, Failure: Error>(
    _ operation: () async throws(Failure) -> T
  ) async -> Outcome<T, Failure> {
    await outcome(of: { () async -> Outcome<T, Failure> in
      do throws(Failure) {
        return .success(try await operation())
      } catch {
        return Outcome(ending: error)
      }
    })
  }

  /// Runs an operation that says how it ended under all stages, and says so in turn; so a pipeline
  /// can be a stage of another one.
  ///
  /// - Parameter operation: What is run.
  /// - Returns: How the operation ended, or what a policy decided.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    guard let start = reports.begin() else { return await policy.outcome(of: operation) }
    let outcome = await policy.outcome(of: operation)
    reports.ended(outcome, since: start)
    return outcome
  }
}

extension Pipeline: ConcurrentPolicy {
  /// Runs an operation under all stages; so a pipeline can be a stage of another one.
  @inlinable
  public func runSendable<T: Sendable>(
    _ operation: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    guard let start = reports.begin() else { return try await policy.runSendable(operation) }
    do {
      let value = try await policy.runSendable(operation)
      reports.ended(nil, since: start)
      return value
    } catch {
      reports.ended(error, since: start)
      throw error
    }
  }
}

extension Pipeline: Policy where P: Policy {}

extension Pipeline: PipelineStage {
  package var timeLimit: Timeline? { policy.asStage?.timeLimit }
  package var heedsDeadline: Bool { policy.asStage?.heedsDeadline ?? false }
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    policy.asStage?.statefulParts ?? []
  }
  /// A stage that has no name of its own goes by that of the pipeline, which need not be said.
  package var summaries: [StageSummary] {
    policy.summariesIfStage.map { summary in
      var summary = summary
      if summary.name == name, !summary.kind.isShared { summary.name = nil }
      return summary
    }
  }
  package var isPristine: Bool { policy.isPristineIfStage }
  package var isPristineWhenIdle: Bool { policy.isPristineWhenIdleIfStage }
  package var repeatsForThoseInside: Bool? { policy.asStage?.repeatsForThoseInside }
  package func budgetsPaid(around: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
    policy.asStage?.budgetsPaid(around: around) ?? around
  }

  /// Its stages go by its own name, and its time limits do not rely on those of another pipeline.
  package func placed(_ placement: StagePlacement) -> Pipeline {
    var copy = self
    copy.policy = policy.placedIfStage(
      StagePlacement(
        pipeline: name, isInsideRetry: placement.isInsideRetry,
        budgetsPaid: placement.budgetsPaid))
    return copy
  }
}
