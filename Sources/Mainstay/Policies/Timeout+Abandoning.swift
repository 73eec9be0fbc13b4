// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Timeout {
  /// Gives an attempt up at its limit without waiting for its end: for operations that are deaf to
  /// cancellation, such as a call into a library that blocks.
  ///
  /// The operation is cancelled all the same, and runs on if it does not heed that, with whatever
  /// it holds and with its effect. What it returns later is discarded. ``stillRunning`` counts the
  /// operations that were given up and have not ended; where it grows, the service is being called
  /// without end. Wherever the operation heeds its cancellation, use ``Timeout``.
  ///
  /// Since the operation may outlive its caller it has to be `Sendable`: this is no ``Policy``, and
  /// a pipeline with it takes only such operations.
  ///
  /// ```swift
  /// let report = Pipeline("report") {
  ///   Timeout.Abandoning(.seconds(10))
  /// }
  /// ```
  public struct Abandoning: ConcurrentPolicy {
    var limit: TimeLimit
    private let abandoned = AbandonedCount()

    /// Makes a limit after which an attempt is given up.
    ///
    /// - Parameters:
    ///   - limit: How long an attempt may take; more than zero, cut to a year.
    ///   - disposition: What may be done once it has passed: `unknownOutcome`, the default, since
    ///     the operation goes on, or `transient` for one that is safe to repeat meanwhile.
    ///   - name: The name, for events and messages; the default is that of the pipeline.
    ///   - clock: The clock; the default is the continuous one.
    ///   - observer: Who is told about its events, besides the observer of the process.
    public init(
      _ limit: Duration, disposition: Disposition = .unknownOutcome, name: String? = nil,
      clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
    ) {
      self.limit = TimeLimit(
        "Timeout.Abandoning", limit, scope: .attempt, disposition: disposition, name: name,
        clock: clock, observer: observer)
    }

    /// How many operations were given up and still run.
    public var stillRunning: Int { abandoned.count }

    /// Runs an operation beside its caller, and leaves it at the limit, at an active ``Deadline``,
    /// or when the caller is cancelled.
    public func runSendable<T: Sendable>(
      _ operation: @escaping @Sendable () async throws -> T
    ) async throws -> T {
      try Task.checkCancellation()
      let active = try limit.begin(
        leavesOutcomeUnknown: limit.terms.leavesOutcomeUnknown)
      let run = AbandonableRun<T>(within: active, abandoned)
      let limit = limit
      let task = ActiveLimit.local.withValue(active) {
        Task {
          let result: Result<T, any Error>
          do { result = .success(try await operation()) } catch { result = .failure(error) }
          guard let stillRunning = run.finish(result) else { return }
          limit.tell(.abandonedEnded(stillRunning: stillRunning))
        }
      }
      let alarm = active.limit.timeline.alarms.add(due: active.end, target: run)
      let ending = await withTaskCancellationHandler {
        await run.ending()
      } onCancel: {
        run.leave(.callerLeft)
      }
      active.limit.timeline.alarms.remove(alarm)
      return try give(ending, of: task, active)
    }

    private func give<T>(
      _ ending: AbandonableRun<T>.Ending, of task: Task<Void, Never>, _ active: ActiveLimit
    ) throws -> T {
      switch ending {
      case .finished(let result): return try result.get()
      case .callerLeft:
        task.cancel()
        active.endedFromOutside()
        throw CancellationError()
      case .expired:
        task.cancel()
        // The caller's cancellation wins where both came at once.
        guard !Task.isCancelled else {
          active.endedFromOutside()
          throw CancellationError()
        }
        let error = active.error
        active.limit.tell(.timedOut(error))
        limit.tell(.abandoned(stillRunning: stillRunning))
        throw error
      }
    }
  }
}

extension Timeout.Abandoning: PipelineStage {
  package var timeLimit: Timeline? { limit.timeline }

  package var isPristine: Bool { !limit.terms.wereChanged && stillRunning == 0 }

  package var summaries: [StageSummary] {
    let words = "leaves what is inside after \(limit.duration.inWords), without waiting for its end"
    return [limit.summary(.abandoningTimeout, words)]
  }

  package func placed(_ placement: StagePlacement) -> Timeout.Abandoning {
    var copy = self
    copy.limit = limit.named(ifNone: placement.pipeline)
    return copy
  }
}

/// How many operations were given up and still run.
private final class AbandonedCount: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  func add(_ change: Int) -> Int { value.add(change, ordering: .relaxed).newValue }
}

/// One run of an operation that its caller may leave behind.
private final class AbandonableRun<T: Sendable>: AlarmTarget {
  enum Ending: Sendable {
    case finished(Result<T, any Error>)
    case expired
    case callerLeft
  }

  private enum State {
    case running(caller: CheckedContinuation<Ending, Never>?)
    case ended(Ending)
  }

  /// Who gets what the operation ended with.
  private enum Reader {
    case caller(CheckedContinuation<Ending, Never>?)
    case nobody(stillRunning: Int, isTold: Bool)
  }

  private let state = Locked(State.running(caller: nil))
  private let limit: ActiveLimit
  private let abandoned: AbandonedCount

  init(within limit: ActiveLimit, _ abandoned: AbandonedCount) {
    self.limit = limit
    self.abandoned = abandoned
  }

  /// How it ended for the caller; returns as soon as that is known.
  func ending() async -> Ending {
    await withCheckedContinuation { continuation in
      let known: Ending? = state.withLock { state in
        if case .ended(let ending) = state { return ending }
        state = .running(caller: continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// The operation is done.
  ///
  /// - Returns: How many still run, where it had been given up at its limit.
  func finish(_ result: Result<T, any Error>) -> Int? {
    let reader: Reader = state.withLock { state in
      switch state {
      case .running(let caller):
        state = .ended(.finished(result))
        return .caller(caller)
      case .ended(let ending):
        let isTold = if case .expired = ending { true } else { false }
        return .nobody(stillRunning: abandoned.add(-1), isTold: isTold)
      }
    }
    switch reader {
    case .caller(let caller):
      caller?.resume(returning: .finished(result))
      return nil
    case .nobody(let stillRunning, let isTold): return isTold ? stillRunning : nil
    }
  }

  /// The limit has passed.
  func ring() {
    // First, so that a policy inside that sees the cancellation knows whose it is.
    limit.ring()
    leave(.expired)
  }

  /// The caller does not wait any longer.
  func leave(_ ending: Ending) {
    if case .callerLeft = ending { limit.leave() }
    let caller: CheckedContinuation<Ending, Never>? = state.withLock { state in
      guard case .running(let caller) = state else { return nil }
      state = .ended(ending)
      _ = abandoned.add(1)
      return caller
    }
    caller?.resume(returning: ending)
  }
}
