// SPDX-License-Identifier: Apache-2.0

/// Holds all calls to one service back while it asks to be left alone.
///
/// When one call is answered with "too many requests", everybody else would get the same answer:
/// so all of them wait until the time that the service named, and then go on spread out, not all
/// at once. Make one per origin and share it among all who call that origin:
///
/// ```swift
/// let cooldown = Cooldown("api.example.com")
/// let book = try await cooldown.run { try await api.book(isbn) }
/// ```
///
/// What counts is the error's ``Disposition``: `throttled`. A call that would wait longer than it
/// is willing to, or beyond the active ``Deadline``, is refused at once. An app that calls many
/// origins keeps its cooldowns in ``Cooldowns``.
///
/// Time is counted by `ContinuousClock`, which goes on while the device sleeps.
public final class Cooldown: Policy, Sendable {
  /// The origin, for events and messages.
  public let name: String

  private let settings: CooldownStateMachine.Settings
  private let timeline: Timeline
  private let audience: PolicyAudience
  private let guarded: Locked<Guarded>

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
  ///   - clock: The clock; the default is the continuous one.
  ///   - seed: Makes the spread repeatable, for tests; the default is a new seed.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, withoutHint: Duration = .seconds(1), maximum: Duration = .seconds(300),
    maximumWait: Duration = .seconds(10), spread: Duration = .seconds(1),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil,
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      withoutHint: withoutHint, maximum: maximum, maximumWait: maximumWait, spread: spread)
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
    self.settings = settings
    self.timeline = timeline
    self.audience = audience
    guarded = Locked(
      Guarded(machine: CooldownStateMachine(settings), random: SplitMix64(seed: seed)))
  }

  /// How long calls are held back from now on; nil while all is well.
  public var remaining: Duration? {
    let now = timeline.now
    return guarded.withLock { $0.machine.remaining(now: now) }
  }

  /// How many calls wait right now.
  public var waiting: Int { guarded.withLock { $0.waiting } }

  /// Runs an operation, after the cooldown if there is one, on the caller's actor.
  ///
  /// - Parameter operation: What is run; never run when the call is refused or cancelled.
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

  /// Holds calls back, such as after an answer that asked for it without being an error.
  ///
  /// - Parameter duration: For how long; nil for the time that is waited without a hint. A
  ///   cooldown that lasts longer already is not shortened.
  public func begin(for duration: Duration? = nil) {
    let now = timeline.now
    let isHeard = !audience.isEmpty
    let delivers = guarded.withLock { guarded in
      guard let lasting = guarded.machine.begin(duration, now: now), isHeard else { return false }
      guarded.mailbox.post(.cooldownBegan(key: name, for: lasting), of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }
}

// The shell: the lock is held for a few instructions, and never while somebody waits.
extension Cooldown {
  private struct Guarded {
    var machine: CooldownStateMachine
    var random: SplitMix64
    var waiting = 0
    var mailbox = EventMailbox()
  }

  @usableFromInline
  var isWell: Bool { guarded.withLock { $0.machine.isWell } }

  /// Whether nothing is lost when it is forgotten.
  func isOver(now: Duration) -> Bool {
    guarded.withLock { $0.machine.remaining(now: now) } == nil
  }

  /// Returns when the call may run; it asks again after each wait, since others may have been told
  /// to wait for longer.
  @usableFromInline
  func waitUntilWell(isolation: isolated (any Actor)? = #isolation) async throws {
    let start = timeline.now
    let willing = min(settings.maximumWait, Deadline.timeToWait ?? .aYear)
    while true {
      try Task.checkCancellation()
      let now = timeline.now
      let answer = guarded.withLock { guarded in
        let fraction = guarded.random.fraction()
        let answer = guarded.machine.ask(
          now: now, atMost: willing - max(.zero, now - start), fraction: fraction)
        if case .waits = answer { guarded.waiting += 1 }
        return answer
      }
      switch answer {
      case .runs: return told(waitedSince: start, now: now)
      case .refused(let retryAfter): throw refuse(retryAfter)
      case .waits(let until):
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
    let disposition = Classification.disposition(of: error)
    if case .throttled = disposition { begin(for: disposition.retryAfter) }
  }

  private func told(waitedSince start: Duration, now: Duration) {
    if now > start { tell(.waited(now - start), at: now) }
  }

  private func refuse(_ retryAfter: Duration) -> Rejection {
    let rejection = Rejection(policy: name, reason: .coolingDown, retryAfter: retryAfter)
    tell(.rejected(rejection), at: timeline.now)
    return rejection
  }

  private func tell(_ what: PolicyEvent.What, at now: Duration) {
    guard !audience.isEmpty else { return }
    let delivers = guarded.withLock { guarded in
      guarded.mailbox.post(what, of: name, at: now)
      return guarded.mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  private func deliver() {
    audience.deliver { guarded.withLock { $0.mailbox.takeForDelivery() } }
  }
}

extension Cooldown: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool { remaining == nil }

  package var summaries: [StageSummary] {
    let wait = settings.maximumWait.inWords
    return [
      StageSummary(
        .cooldown, name: name, "holds calls back for up to \(wait) when the service asks for it",
        .delays(settings.maximumWait))
    ]
  }
}
