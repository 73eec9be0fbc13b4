// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets as many calls run at the same time as the service can take, and finds out how many that is.
///
/// A ``Bulkhead`` needs a number that nobody knows and that changes with every release of the
/// service. This one watches the answers: while they come as fast as ever the limit grows, and when
/// they get slower, or the service asks to slow down, it shrinks. Make one per dependency:
///
/// ```swift
/// let limit = AdaptiveLimit("catalog", .gradient2())
/// let book = try await limit.run { try await api.book(isbn) }
/// ```
///
/// What counts as a drop is read from the error: `throttled`, a time limit that passed, and a
/// failure of the service itself. Other errors, and cancellations, say nothing. Nor does a time
/// limit that left the call less time than answers take, such as after a long wait in the queue.
///
/// Time is measured by `ContinuousClock`.
public final class AdaptiveLimit: Policy, Sendable {
  /// The name of the dependency, for events and messages.
  public let name: String

  private let timeline: Timeline
  let permits: Bulkhead
  private let learned: Locked<Learned>
  /// The epoch of what was learned, for calls that begin; written under the lock.
  private let epoch = Atomic<UInt64>(0)

  private struct Learned {
    var algorithm: LimitAlgorithm
    var configuration: Configuration
    /// Whether the settings are others than those it was made with.
    var isChanged = false
    var random: SplitMix64
    var sleep: SleepWatch
  }

  /// Makes a limit from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - name: The name of the dependency, for events and messages; not blank.
  ///   - kind: How it learns; the default is `.gradient2()`.
  ///   - queue: How many calls may wait; zero to 1,000,000, the default is zero: nobody waits.
  ///   - maximumWait: How long a call waits at most; more than zero, cut to a year, the default is
  ///     10 s. The active ``Deadline`` may end it earlier.
  ///   - order: Who gets a place that comes free; the default is who has waited longest.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes what is left to chance repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, _ kind: Kind = .gradient2(), queue: Int = 0,
    maximumWait: Duration = .seconds(10), order: Bulkhead.Order = .fifo,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, kind: kind, queue: queue, maximumWait: maximumWait, order: order)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock, seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a limit from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes what is left to chance repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    let settings = try configuration.checked()
    name = configuration.name
    timeline = Timeline(clock)
    permits = Bulkhead(
      name, settings, refusingWith: .limitReached, timeline: timeline,
      audience: PolicyAudience(own: observer))
    learned = Locked(
      Learned(
        algorithm: LimitAlgorithm(configuration.kind), configuration: configuration,
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max)),
        sleep: SleepWatch(asleep: timeline.timeAsleep(at: timeline.now))))
  }

  /// How many calls may run at the same time, as far as is known now.
  public var limit: Int { permits.limit }

  /// How many calls run right now; more than the limit only after it shrank.
  public var running: Int { permits.running }

  /// How many calls wait right now.
  public var waiting: Int { permits.waiting }

  /// Runs an operation as soon as there is room for it, on the caller's actor.
  ///
  /// - Parameter operation: What is run; never run when the call is refused, or cancelled while it
  ///   waits.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw; ``Rejection`` with the reason `limitReached`,
  ///   `waitedTooLong` or `deadlineTooClose`; `CancellationError` for a caller that was cancelled
  ///   while it waited.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    var admission = tryAdmit()
    if admission == nil { admission = try await admitInTurn() }
    let value: T
    do { value = try await operation() } catch {
      fail(admission, with: error)
      throw error
    }
    succeed(admission)
    return value
  }

  /// Runs an operation that says how it ended, as ``run(_:)`` does.
  ///
  /// - Parameter operation: What is run; never run when the call is refused, or cancelled while it
  ///   waits.
  /// - Returns: How the operation ended, or what the policy decided.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    var admission = tryAdmit()
    do { if admission == nil { admission = try await admitInTurn() } } catch {
      return Outcome(ending: error)
    }
    let outcome = await operation()
    switch outcome {
    case .success: succeed(admission)
    case .failure(let error): fail(admission, with: error)
    case .rejected(let rejection): fail(admission, with: rejection.original)
    case .timedOut(let timedOut): fail(admission, with: timedOut)
    case .cancelled: fail(admission, with: CancellationError())
    }
    return outcome
  }
}

// What is done by hand.
extension AdaptiveLimit {
  /// The settings, as they were given.
  public var configuration: Configuration { learned.withLock { $0.configuration } }

  /// Goes on with other settings, without losing what was learned, who runs and who waits.
  ///
  /// The limit stays where it is, cut to the new bounds; `initial` says nothing any more. Another
  /// law begins to learn from there, the same one goes on. Calls that are on their way do not count
  /// then. For `queue` and `maximumWait` see ``Bulkhead/update(_:)``.
  ///
  /// - Parameter configuration: The settings; the name has to be that of the limit.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    let settings = try configuration.checked(named: name)
    learned.withLock { learned in
      if learned.configuration != configuration { learned.isChanged = true }
      learned.algorithm.update(configuration.kind)
      learned.configuration = configuration
      epoch.store(learned.algorithm.epoch, ordering: .releasing)
    }
    moveLimit(and: settings)
  }
}

// The calls: each takes a permit, and on its way back tells what it has seen.
extension AdaptiveLimit {
  /// A call that was let through.
  @usableFromInline
  struct Admission: Sendable {
    let start: Duration
    let inFlight: Int
    let epoch: UInt64
    /// How many time limits had passed when the call began.
    let expiries = ActiveLimit.expiryCount
  }

  @usableFromInline
  func tryAdmit() -> Admission? { permits.takeIfFree().map(admission) }

  @usableFromInline
  func admitInTurn(isolation: isolated (any Actor)? = #isolation) async throws -> Admission {
    admission(inFlight: try await permits.takeInTurn(isolation: isolation))
  }

  @usableFromInline
  func succeed(_ admission: Admission?) {
    if let admission { learn(from: admission) }
    permits.giveBack()
  }

  @usableFromInline
  func fail(_ admission: Admission?, with error: any Error) {
    // A failure that is no drop may be quicker or slower than an answer: its time says nothing.
    if let admission, let drop = Self.drop(error, since: admission.expiries) {
      learn(from: admission, drop)
    }
    permits.giveBack()
  }

  private func admission(inFlight: Int) -> Admission {
    Admission(
      start: timeline.now, inFlight: inFlight, epoch: epoch.load(ordering: .acquiring))
  }

  func learn(from admission: Admission, _ drop: Drop? = nil) {
    let now = timeline.now
    let sample = LimitAlgorithm.Sample(
      time: max(.zero, now - admission.start), inFlight: admission.inFlight,
      isDrop: drop != nil, wasCut: drop == .cut)
    let asleep = SleepWatch.mayHaveSlept(in: sample.time) ? timeline.timeAsleep(at: now) : nil
    let hasChanged = learned.withLock { learned in
      let hasSlept = learned.sleep.hasSlept(since: admission.start, now: now, asleep: asleep)
      // A drop says what it says, however long it took.
      if hasSlept, drop == nil { return false }
      let fraction = learned.random.fraction()
      let hasChanged = learned.algorithm.learn(
        sample, epoch: admission.epoch, now: now, fraction: fraction)
      if hasChanged { epoch.store(learned.algorithm.epoch, ordering: .releasing) }
      return hasChanged
    }
    if hasChanged { moveLimit() }
  }

  private func moveLimit(and other: BulkheadStateMachine.Settings? = nil) {
    permits.change(tells: other != nil) { settings in
      var settings = other ?? settings
      settings.limit = learned.withLock { $0.algorithm.limit }
      return settings
    }
  }

  /// Why a call says that the service had no room for it.
  enum Drop {
    /// It failed, or was asked to slow down.
    case refused
    /// A time limit of ours ended it.
    case cut
  }

  /// What an error says about the room that the service had for the call; nil for nothing.
  static func drop(_ error: any Error, since expiries: UInt64) -> Drop? {
    if error is TimedOut { return .cut }
    guard !Classification.isElsewhere(error) else { return nil }
    switch Classification.disposition(of: error) {
    case .throttled: return .refused
    case .cancelled:
      return Classification.verdict(on: error, since: expiries) == .failure ? .cut : nil
    case .transient, .unknownOutcome:
      let kind = (error as? AppError ?? ErrorMapping.current.map(error)).kind
      return [.timeout, .server, .throttled, .exhausted].contains(kind) ? .refused : nil
    case .permanent, .needsUser, .rejected, .unclassified: return nil
    }
  }
}

extension AdaptiveLimit: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  /// What it has learned is lost when it is forgotten, as long as that is not the limit at first.
  package var isPristine: Bool {
    isPristineWhenIdle && limit == learned.withLock { $0.configuration.kind.initial }
  }

  /// What a service could take when it was called last says little about now.
  package var isPristineWhenIdle: Bool {
    permits.isPristine && learned.withLock { !$0.isChanged }
  }

  package var summaries: [StageSummary] {
    permits.summaries.map { summary in
      var summary = summary
      summary.kind = .adaptiveLimit
      summary.words += "; the number follows the answers"
      return summary
    }
  }
}
