// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds all calls to one service back while it asks to be left alone.
///
/// When one call is answered with "too many requests", everybody else would get the same answer. So
/// all of them wait until the time that the service named, and then go on spread out, not all at
/// once. Make one per origin and share it among all who call that origin:
///
/// ```swift
/// let cooldown = Cooldown("api.example.com")
/// let book = try await cooldown.run { try await api.book(isbn) }
/// ```
///
/// What counts is the error's ``Disposition``: `throttled`. A call that would wait longer than it
/// is willing to, or beyond the active ``Deadline``, is refused at once; so is one that finds as
/// many waiting as the queue has places. An app that calls many
/// origins keeps its cooldowns in ``Cooldowns``.
///
/// Time is counted by `ContinuousClock`, which goes on while the device sleeps.
public final class Cooldown: Policy, Sendable {
  /// The origin, for events and messages.
  public let name: String

  let timeline: Timeline
  let audience: PolicyAudience
  private let guarded: Locked<Guarded>
  /// Whether calls have to ask the machine; written under the lock.
  private let isCooling = Atomic(false)

  /// Makes a cooldown from settings that stand in the code; one that is not legal stops the
  /// program.
  ///
  /// - Parameters:
  ///   - name: The origin, for events and messages; not blank.
  ///   - withoutHint: How long everybody waits where the service did not say; zero or more, cut to
  ///     a year, the default is 1 s.
  ///   - maximum: The longest wait that a service may ask for, longer ones are cut to it; more than
  ///     zero, cut to a year, the default is 5 minutes.
  ///   - maximumWait: How long a call waits at most; zero or more, cut to a year, the default is
  ///     10 s.
  ///   - spread: Over which time those who wait go on, each at a moment of its own; zero or more,
  ///     cut to a year, the default is 1 s.
  ///   - queue: How many calls wait at the same time at most; 0 to 1,000,000, the default is 1,000.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the spread repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, withoutHint: Duration = .seconds(1), maximum: Duration = .seconds(300),
    maximumWait: Duration = .seconds(10), spread: Duration = .seconds(1), queue: Int = 1_000,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      withoutHint: withoutHint, maximum: maximum, maximumWait: maximumWait, spread: spread,
      queue: queue)
    do throws(ConfigurationError) {
      try self.init(
        name, validating: configuration, clock: clock, seed: seed, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a cooldown from settings that come from outside.
  ///
  /// - Parameters:
  ///   - name: The origin, for events and messages; not blank.
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the spread repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public convenience init(
    _ name: String, validating configuration: Configuration,
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    self.init(
      name, try configuration.checked(name: name), timeline: Timeline(clock),
      seed: seed ?? .random(in: .min ... .max), audience: PolicyAudience(own: observer))
  }

  init(
    _ name: String, _ settings: CooldownStateMachine.Settings, timeline: Timeline, seed: UInt64,
    audience: PolicyAudience
  ) {
    self.name = name
    self.timeline = timeline
    self.audience = audience
    guarded = Locked(
      Guarded(machine: CooldownStateMachine(settings), random: SplitMix64(seed: seed)))
  }

  /// How long calls are held back from now on; nil while all is well.
  public var remaining: Duration? {
    let now = timeline.now
    return change { $0.machine.remaining(now: now) }
  }

  /// How many calls wait right now.
  public var waiting: Int { guarded.withLock { $0.waiting } }

  /// Runs an operation, after the cooldown if there is one, on the caller's actor.
  ///
  /// - Parameter operation: What is run; never run when the call is refused, or cancelled while it
  ///   waits.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw; ``Rejection`` with the reason `coolingDown` and the time
  ///   to come back; `CancellationError` for a caller that was cancelled while it waited.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    if !isWell { try await waitUntilWell() }
    do { return try await operation() } catch {
      learn(from: error)
      throw error
    }
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
    do { if !isWell { try await waitUntilWell() } } catch { return Outcome(ending: error) }
    let outcome = await operation()
    if case .success = outcome { return outcome }
    learn(from: outcome)
    return outcome
  }

  /// Holds calls back, such as after an answer that asked for it without being an error.
  ///
  /// - Parameter duration: For how long; nil for the time that is waited without a hint. A
  ///   cooldown that lasts longer already is not shortened.
  public func begin(for duration: Duration? = nil) {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let delivers = change { guarded in
      guard let lasting = guarded.machine.begin(duration, now: now), isHeard else { return false }
      guarded.mailbox.post(.cooldownBegan(key: name, for: lasting), of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  /// The settings in force; spans of time are cut to what is useful.
  public var configuration: Configuration {
    let settings = guarded.withLock { $0.machine.settings }
    return Configuration(
      withoutHint: settings.withoutHint, maximum: settings.maximum,
      maximumWait: settings.maximumWait, spread: settings.spread, queue: settings.queue)
  }

  /// Goes on with other settings.
  ///
  /// A cooldown that has begun lasts as long as before, since that was promised to those who were
  /// refused, and those who wait are willing to wait as long as they were.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    update(try configuration.checked(name: nil))
  }

  func update(_ settings: CooldownStateMachine.Settings) {
    guarded.withLock { guarded in
      if guarded.machine.settings != settings { guarded.isChanged = true }
      guarded.machine.settings = settings
    }
    tell { _ in .settingsChanged }
  }
}

// The shell: the lock is held for a few instructions, and never while somebody waits.
extension Cooldown {
  private struct Guarded {
    var machine: CooldownStateMachine
    /// Whether the settings are others than those it was made with.
    var isChanged = false
    var random: SplitMix64
    var waiting = 0
    var mailbox = EventMailbox()
  }

  @usableFromInline
  var isWell: Bool { !isCooling.load(ordering: .acquiring) }

  /// Changes the machine under the lock, and tells those who do not lock it.
  private func change<T: Sendable>(_ move: (inout Guarded) -> T) -> T {
    guarded.withLock { guarded in
      let result = move(&guarded)
      isCooling.store(!guarded.machine.isWell, ordering: .releasing)
      return result
    }
  }

  /// Whether nothing is lost when it is forgotten.
  func isOver(now: Duration) -> Bool {
    change { $0.machine.remaining(now: now) } == nil
  }

  /// Returns when the call may run; it asks again after each wait, since others may have been told
  /// to wait for longer.
  @usableFromInline
  func waitUntilWell(isolation: isolated (any Actor)? = #isolation) async throws {
    let start = timeline.now
    let maximumWait = guarded.withLock { $0.machine.settings.maximumWait }
    let willing = min(maximumWait, Deadline.timeToWait ?? .aYear)
    // Who has waited keeps its place, where the service asks for longer meanwhile.
    var hasPlace = false
    while true {
      try Task.checkCancellation()
      let now = timeline.now
      let answer = change { guarded in
        let fraction = guarded.random.fraction()
        let answer = guarded.machine.ask(
          now: now, atMost: willing - max(.zero, now - start), fraction: fraction,
          behind: hasPlace ? 0 : guarded.waiting)
        if case .waits = answer { guarded.waiting += 1 }
        return answer
      }
      switch answer {
      case .runs:
        if now > start { tell { _ in .waited(now - start) } }
        return
      case .refused(let retryAfter): throw refuse(.coolingDown, retryAfter: retryAfter)
      case .waits(let until):
        hasPlace = true
        let waiter = Waiter()
        let ending = await waiter.ending(alarm: (until, timeline), isolation: isolation) {
          waiter.end(.cancelled)
        }
        guarded.withLock { $0.waiting -= 1 }
        guard ending == .granted, !Task.isCancelled else { throw CancellationError() }
      }
    }
  }

  @usableFromInline
  func learn(from error: any Error) {
    guard !Classification.isElsewhere(error) else { return }
    learn(from: Classification.disposition(of: error))
  }

  @usableFromInline
  func learn<T, Failure>(from outcome: Outcome<T, Failure>) {
    if case .failure(let error) = outcome { return learn(from: error) }
    if let disposition = Classification.disposition(of: outcome) { learn(from: disposition) }
  }

  private func learn(from disposition: Disposition) {
    guard case .throttled = disposition else { return }
    // A time that is none, or has passed, says as little as no time: calls of all at once are what
    // the service has just refused.
    begin(for: disposition.retryAfter.flatMap { $0 > .zero ? $0 : nil })
  }
}

extension Cooldown: ObservedPolicy {
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T {
    guarded.withLock { body(&$0.mailbox) }
  }
}

extension Cooldown: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool { remaining == nil && guarded.withLock { !$0.isChanged } }

  package var summaries: [StageSummary] {
    let wait = configuration.maximumWait
    return [
      StageSummary(
        .cooldown, name: name,
        "holds calls back for up to \(wait.inWords) when the service asks for it", .delays(wait)
      ).refusingWithTime().running(by: timeline)
    ]
  }
}
