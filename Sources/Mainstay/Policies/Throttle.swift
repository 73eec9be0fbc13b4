// SPDX-License-Identifier: Apache-2.0

/// Does not even send a part of the calls while the dependency refuses many of them.
///
/// Refusing costs a dependency almost as much as answering, so a crowd of clients can keep it down
/// by being refused. Each client therefore compares how many calls it made of late with how many
/// were accepted, and refuses the excess itself, by chance. A few always go through, and once they
/// are accepted their number doubles with each window. Make one per dependency and share it:
///
/// ```swift
/// let throttle = Throttle("catalog")
/// let book = try await throttle.run { try await api.book(isbn) }
/// ```
///
/// A call is accepted when the dependency answered it, were it with "not found". It is not when the
/// dependency asked to slow down, failed, or took too long. A cancellation by the caller and the
/// refusal of another policy say nothing, and such a call is not counted. A call that is on its way
/// counts when it has ended, so a burst of calls is no overload.
///
/// Source: Google, "Site Reliability Engineering" (2016), chapter 21, "Client-side throttling".
public final class Throttle: Policy, Sendable {
  /// The name of the dependency, for events and messages.
  public let name: String

  let timeline: Timeline
  let audience: PolicyAudience
  private let guarded: Locked<Guarded>

  private struct Guarded {
    var machine: ThrottleStateMachine
    /// Whether the settings are others than those it was made with.
    var isChanged = false
    var random: SplitMix64
    var mailbox = EventMailbox()
  }

  /// Makes a throttle from settings that stand in the code; one that is not legal stops the
  /// program.
  ///
  /// - Parameters:
  ///   - name: The name of the dependency, for events and messages; not blank.
  ///   - multiplier: How many calls are sent for each that is accepted; 1 to 100, the default is 2.
  ///     With less, a client takes longer to notice that the dependency is well again.
  ///   - window: How far it looks back; more than zero, cut to a year, the default is two minutes.
  ///   - minimumRequests: How many calls have to end in the window before any is refused; 0 or
  ///     more, the default is 10.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes chance repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, multiplier: Double = 2, window: Duration = .seconds(120),
    minimumRequests: Int = 10, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, multiplier: multiplier, window: window, minimumRequests: minimumRequests)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock, seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a throttle from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes chance repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil, observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    let settings = try configuration.checked(named: nil)
    name = configuration.name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    guarded = Locked(
      Guarded(
        machine: ThrottleStateMachine(settings, now: timeline.now),
        random: SplitMix64(seed: seed ?? .random(in: .min ... .max))))
  }

  /// The settings in force; the span of time is cut to what is useful.
  public var configuration: Configuration {
    let settings = guarded.withLock { $0.machine.settings }
    return Configuration(
      name: name, multiplier: settings.multiplier, window: settings.window,
      minimumRequests: settings.minimumRequests)
  }

  /// Goes on with other settings.
  ///
  /// What is known of the calls of late stays, but for a window of another length, which begins
  /// empty.
  ///
  /// - Parameter configuration: The settings; the name has to be that of the throttle.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    let settings = try configuration.checked(named: name)
    let now = timeline.now
    guarded.withLock { guarded in
      if guarded.machine.settings != settings { guarded.isChanged = true }
      guarded.machine.update(settings, now: now)
    }
    tell { _ in .settingsChanged }
  }

  /// How likely the next call is refused right now; 0 to 1, and never 1.
  public var rejectionProbability: Double {
    let now = timeline.now
    return guarded.withLock { guarded in
      guarded.machine.advance(to: now)
      return guarded.machine.probability
    }
  }

  /// Runs an operation, unless the call is refused.
  ///
  /// - Parameter operation: What is run; never run when the call is refused.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, or ``Rejection`` with the reason `throttled`.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    let admission = try admit()
    let value: T
    do {
      value = try await operation()
    } catch {
      fail(admission, with: error)
      throw error
    }
    succeed(admission)
    return value
  }

  /// Runs an operation that says how it ended, as ``run(_:)`` does; nothing is thrown or allocated
  /// for a refusal.
  ///
  /// - Parameter operation: What is run; never run when the call is refused.
  /// - Returns: How the operation ended, or what the policy decided.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    let admission: Admission
    do throws(Rejection) { admission = try admit() } catch { return .rejected(error) }
    let outcome = await operation()
    settle(admission, by: outcome)
    return outcome
  }
}

extension Throttle {
  /// A call that was sent.
  @usableFromInline
  struct Admission: Sendable {
    let token: ThrottleStateMachine.Token
    /// How many time limits had passed when the call began.
    let expiries = ActiveLimit.expiryCount
  }

  @usableFromInline
  func admit() throws(Rejection) -> Admission {
    let now = timeline.now
    let token = guarded.withLock { guarded in
      guarded.machine.admit(now: now) { guarded.random.fraction() }
    }
    if let token { return Admission(token: token) }
    // When it makes sense to ask again is up to chance, so nobody can say.
    throw refuse(.throttled)
  }

  @usableFromInline
  func succeed(_ admission: Admission) {
    guarded.withLock { $0.machine.accepted(admission.token) }
  }

  @usableFromInline
  func fail(_ admission: Admission, with error: any Error) {
    settle(admission, by: Classification.verdict(on: error, since: admission.expiries))
  }

  @usableFromInline
  func settle<T, Failure>(_ admission: Admission, by outcome: Outcome<T, Failure>) {
    settle(admission, by: Classification.verdict(on: outcome, since: admission.expiries))
  }

  private func settle(_ admission: Admission, by verdict: Disposition.BreakerVerdict) {
    switch verdict {
    case .success: guarded.withLock { $0.machine.accepted(admission.token) }
    case .neutral: guarded.withLock { $0.machine.forget(admission.token) }
    case .failure, .cooldown: guarded.withLock { $0.machine.refused(admission.token) }
    }
  }
}

extension Throttle: ObservedPolicy {
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T {
    guarded.withLock { body(&$0.mailbox) }
  }
}

extension Throttle: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool {
    let now = timeline.now
    return guarded.withLock { guarded in
      guarded.machine.advance(to: now)
      return !guarded.isChanged && guarded.machine.requests == 0
    }
  }

  package var summaries: [StageSummary] {
    [
      StageSummary(
        .throttle, name: name, "refuses some calls while the dependency refuses many", .refuses
      ).running(by: timeline)
    ]
  }
}
