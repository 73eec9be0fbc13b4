// SPDX-License-Identifier: Apache-2.0

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
    private let abandoned = AbandonedOperations()

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
      let run = AbandonableRun<T>(within: active, abandoned, of: limit)
      let task = ActiveLimit.local.withValue(active) {
        Task {
          let result: Result<T, any Error>
          do { result = .success(try await operation()) } catch { result = .failure(error) }
          run.finish(result)
        }
      }
      let alarm = active.limit.timeline.alarms.add(due: active.end, target: run)
      let ending = await withTaskCancellationHandler {
        await run.ending()
      } onCancel: {
        run.leave()
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
        // That it was left behind is told in any case, after the limit where that is told.
        defer { abandoned.deliver(to: limit) }
        // The caller's cancellation wins where both came at once.
        guard !Task.isCancelled else {
          active.endedFromOutside()
          throw CancellationError()
        }
        let error = active.error
        active.limit.tell(.timedOut(error))
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

/// The operations that were given up and still run.
///
/// Observers are told of those that were left at the limit alone, so these are counted apart.
/// Counts and events change under one lock, so that the last event says how many there are.
private final class AbandonedOperations: Sendable {
  private struct Known {
    var leftAtLimit = 0
    var leftByCaller = 0
    var mailbox = EventMailbox()
  }

  private let known = Locked(Known())

  var count: Int { known.withLock { $0.leftAtLimit + $0.leftByCaller } }

  func leftByCaller() { known.withLock { $0.leftByCaller += 1 } }
  func endedLeftByCaller() { known.withLock { $0.leftByCaller -= 1 } }

  func leftAtLimit(of limit: TimeLimit, at reading: Duration) {
    change(limit, at: reading) { known in
      known.leftAtLimit += 1
      return .abandoned(stillRunning: known.leftAtLimit)
    }
  }

  func endedLeftAtLimit(of limit: TimeLimit, at reading: Duration) {
    change(limit, at: reading) { known in
      known.leftAtLimit -= 1
      return .abandonedEnded(stillRunning: known.leftAtLimit)
    }
  }

  private func change(
    _ limit: TimeLimit, at reading: Duration, _ move: (inout Known) -> PolicyEvent.What
  ) {
    let isHeard = !limit.audience.isEmpty
    known.withLock { known in
      let event = move(&known)
      if isHeard { known.mailbox.post(event, of: limit.title, at: reading) }
    }
  }

  /// Tells what there is to tell, outside of the lock.
  func deliver(to limit: TimeLimit) {
    guard !limit.audience.isEmpty, known.withLock({ $0.mailbox.beginDelivery() }) else { return }
    limit.audience.deliver { [self] in known.withLock { $0.mailbox.takeForDelivery() } }
  }
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

  private let state = Locked(State.running(caller: nil))
  private let active: ActiveLimit
  private let abandoned: AbandonedOperations
  private let limit: TimeLimit

  init(within active: ActiveLimit, _ abandoned: AbandonedOperations, of limit: TimeLimit) {
    self.active = active
    self.abandoned = abandoned
    self.limit = limit
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
  func finish(_ result: Result<T, any Error>) {
    active.close()
    let before = state.withLock { state in
      let before = state
      if case .running = state { state = .ended(.finished(result)) }
      return before
    }
    switch before {
    case .running(let caller): caller?.resume(returning: .finished(result))
    case .ended(.callerLeft): abandoned.endedLeftByCaller()
    case .ended(.expired):
      abandoned.endedLeftAtLimit(of: limit, at: limit.timeline.now)
      abandoned.deliver(to: limit)
    case .ended(.finished): break
    }
  }

  /// The limit has passed.
  func ring() {
    // First, so that a policy inside that sees the cancellation knows whose it is.
    active.ring()
    let now = limit.timeline.now
    end(as: .expired) { abandoned.leftAtLimit(of: limit, at: now) }
  }

  /// The caller has gone away.
  func leave() {
    active.leave()
    end(as: .callerLeft) { abandoned.leftByCaller() }
  }

  /// The caller does not wait any longer.
  ///
  /// - Parameters:
  ///   - ending: Why.
  ///   - count: Counts the operation, under the same lock, so that it cannot end before that.
  private func end(as ending: Ending, _ count: () -> Void) {
    let caller: CheckedContinuation<Ending, Never>? = state.withLock { state in
      guard case .running(let caller) = state else { return nil }
      state = .ended(ending)
      count()
      return caller
    }
    caller?.resume(returning: ending)
  }
}
