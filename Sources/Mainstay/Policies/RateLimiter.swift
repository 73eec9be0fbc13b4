// SPDX-License-Identifier: Apache-2.0

/// Lets only so many calls begin in a span of time.
///
/// A call beyond the limit is refused at once, with the time to come back, or waits for its turn
/// where it is willing to. Make one per quota and share it among all who use that quota:
///
/// ```swift
/// let limiter = RateLimiter("search", .tokenBucket(rate: 100, per: .seconds(1)))
/// let hits = try await limiter.run { try await api.search(words) }
/// ```
///
/// Turns are given in the order in which calls come, and the turn of each is known from the start.
/// A call that would wait longer than it is willing to, or beyond the active ``Deadline``, is
/// refused right away, as is one that would wait where as many wait as may. A caller that is
/// cancelled while it waits gives its turn back, and one that was cancelled before takes none.
///
/// Time is counted by `ContinuousClock`, which goes on while the device sleeps.
public final class RateLimiter: Policy, Sendable {
  /// The name of the quota, for events and messages.
  public let name: String

  let timeline: Timeline
  let audience: PolicyAudience
  private let guarded: Locked<Guarded>

  /// Makes a limiter from settings that stand in the code; one that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - name: The name of the quota, for events and messages; not blank.
  ///   - kind: How many calls may begin when.
  ///   - maximumWait: How long a call waits for its turn at most; zero or more, cut to a year, the
  ///     default is zero: nobody waits.
  ///   - queue: How many calls wait for their turns at the same time at most, those included that
  ///     have reserved one; 0 to 1,000,000, the default is 10,000.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, _ kind: Kind, maximumWait: Duration = .zero, queue: Int = 10_000,
    clock: some Clock<Duration> = ContinuousClock(), observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, kind: kind, maximumWait: maximumWait, queue: queue)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a limiter from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    try configuration.check()
    name = configuration.name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    guarded = Locked(
      Guarded(
        machine: RateLimiterStateMachine(configuration.kind), configuration: configuration))
  }

  /// How many calls wait for their turn right now.
  public var waiting: Int { guarded.withLock { $0.machine.waiting } }

  /// Runs an operation as soon as its turn has come, on the caller's actor.
  ///
  /// - Parameter operation: What is run; never run when the call is refused or cancelled.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw; ``Rejection`` with the reason `rateLimited` or
  ///   `deadlineTooClose` and the time to come back; `CancellationError` for a caller that was
  ///   cancelled before or while it waited.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    try await run(cost: 1, operation)
  }

  /// Runs an operation that costs more or less than others as soon as its turn has come.
  ///
  /// - Parameters:
  ///   - cost: How much of the limit it uses up; zero or less uses nothing up. What is more than
  ///     the whole burst, or the whole window, is refused with the reason `costTooHigh`.
  ///   - operation: What is run; never run when the call is refused or cancelled.
  /// - Returns: What the operation returned.
  /// - Throws: What ``run(_:)`` throws.
  @inlinable
  public func run<T>(cost: Int, _ operation: () async throws -> T) async throws -> T {
    // A turn that is of no use to its caller would be missing to others.
    try Task.checkCancellation()
    if let turn = try take(cost) { try await turn.wait() }
    return try await operation()
  }

  /// Runs an operation that says how it ended, as ``run(_:)`` does; nothing is thrown or allocated
  /// for a refusal.
  ///
  /// - Parameter operation: What is run; never run when the call is refused or cancelled.
  /// - Returns: How the operation ended, or what the policy decided.
  @inlinable
  public func outcome<T, Failure: Error>(
    of operation: () async -> Outcome<T, Failure>
  ) async -> Outcome<T, Failure> {
    if Task.isCancelled { return .cancelled }
    let turn: Turn?
    do throws(Rejection) { turn = try take(1) } catch { return .rejected(error) }
    do { try await turn?.wait() } catch { return Outcome(ending: error) }
    return await operation()
  }

  /// Sets how many calls may begin when, from now on.
  ///
  /// What is used up stays used up, as far as the new kind allows. Those who wait keep their place,
  /// but their turns may come earlier or later than they were promised. Who would wait longer than
  /// it is willing to, or beyond its ``Deadline``, is refused, with the time to come back.
  ///
  /// - Parameter kind: The new kind.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func setKind(_ kind: Kind) throws(ConfigurationError) {
    try Configuration(name: name, kind: kind).check()
    change { $0.kind = kind }
  }

  /// The settings, as they were given.
  public var configuration: Configuration { guarded.withLock { $0.configuration } }

  /// Goes on with other settings: ``setKind(_:)``, and those who come later wait as long as
  /// `maximumWait` says now, and where `queue` has room for them.
  ///
  /// - Parameter configuration: The settings; the name has to be that of the limiter.
  /// - Throws: ``ConfigurationError`` with everything that is not legal; nothing is changed then.
  public func update(_ configuration: Configuration) throws(ConfigurationError) {
    try configuration.check(named: name)
    change { $0 = configuration }
  }

  private func change(_ settings: (inout Configuration) -> Void) {
    let now = timeline.now
    let (waiters, refused, alarm, followers) = guarded.withLock { guarded in
      let before = guarded.configuration
      settings(&guarded.configuration)
      if guarded.configuration != before { guarded.isChanged = true }
      var refused: [Refused] = []
      if guarded.configuration.kind != before.kind { refused = guarded.changeKind(now) }
      return (
        takeTurns(&guarded, now), refused, guarded.newAlarm(),
        guarded.followers.compactMap(\.target)
      )
    }
    tell { _ in .settingsChanged }
    for waiter in waiters { waiter.end(.granted) }
    for (waiter, reason, wait) in refused {
      waiter.end(.expired(refuse(reason, retryAfter: wait)))
    }
    if let alarm { ring(at: alarm) }
    for follower in followers { follower.ring() }
  }

  /// Rings somebody after each change of the settings, for as long as it is there: whoever goes by
  /// the limit without waiting in its line.
  package func ringWhenChanged(_ target: some AlarmTarget) {
    guarded.withLock { guarded in
      guarded.followers.removeAll { $0.target == nil }
      guarded.followers.append(Follower(target: target))
    }
  }

  /// Lets a call through if that is possible right now.
  ///
  /// - Parameter cost: How much of the limit it uses up; zero or less uses nothing up.
  /// - Returns: Whether it may run; that it may not is told to nobody.
  public func tryAcquire(cost: Int = 1) -> Bool {
    let now = timeline.now
    return guarded.withLock { $0.machine.ask(cost: cost, now: now, atMost: .zero) } == .granted
  }

  /// How many calls would be let through right now, and nothing is used up by asking.
  ///
  /// - Parameter limit: How many are counted at most.
  /// - Returns: From 0 to the limit.
  package func available(atMost limit: Int) -> Int {
    let now = timeline.now
    return min(max(limit, 0), guarded.withLock { $0.machine.available(now: now) })
  }

  /// When a call that came now would have its turn; it takes none, and nobody is told.
  ///
  /// - Returns: In what time, zero for at once; nil for never.
  package func timeToTurn() -> Duration? {
    let now = timeline.now
    return guarded.withLock { $0.machine.timeToTurn(now: now) }
  }

  /// Takes a turn now, to be used later.
  ///
  /// - Parameters:
  ///   - cost: How much of the limit it uses up; zero or less uses nothing up.
  ///   - maximumWait: How far away the turn may be; the default is the limiter's own maximum. Below
  ///     zero counts as zero.
  /// - Returns: The turn; it is given back when it is dropped before it has come.
  /// - Throws: ``Rejection``, as ``run(_:)`` does.
  public func reserve(
    cost: Int = 1, maximumWait: Duration? = nil
  ) throws(Rejection) -> Reservation {
    Reservation(turn: try take(cost, atMost: maximumWait?.clamped))
  }
}

// The shell: the lock is held for a few instructions, and waiters go on after it is released.
extension RateLimiter {
  /// An alarm of a limiter, which knows for when it was set.
  private final class Bell: AlarmTarget {
    private let limiter: RateLimiter
    private let due: Duration

    init(of limiter: RateLimiter, due: Duration) {
      self.limiter = limiter
      self.due = due
    }

    func ring() { limiter.ring(due) }
  }

  private typealias Refused = (waiter: Waiter, reason: Rejection.Reason, retryAfter: Duration)

  private struct Follower {
    weak var target: (any AlarmTarget)?
  }

  private struct Guarded {
    var machine: RateLimiterStateMachine
    var configuration: Configuration
    /// Whether the settings are others than those it was made with.
    var isChanged = false
    /// Those who wait, and how much less than the longest wait their deadlines leave them.
    var waiters: [UInt64: (waiter: Waiter, slack: Duration)] = [:]
    /// Who is told of changes.
    var followers: [Follower] = []
    /// The due time of the alarm that rings first; nil where there is none.
    var alarm: Duration?
    var mailbox = EventMailbox()

    /// Goes on by the kind of the settings.
    ///
    /// - Returns: Who is not willing to wait for as long as that kind asks for.
    mutating func changeKind(_ now: Duration) -> [Refused] {
      machine.change(to: configuration.kind, now: now).compactMap { broken in
        guard let (waiter, slack) = waiters.removeValue(forKey: broken.id) else { return nil }
        return (waiter, broken.excess <= slack ? .deadlineTooClose : .rateLimited, broken.wait)
      }
    }

    /// Notes that an alarm is needed, where none rings in time for the next turn.
    mutating func newAlarm() -> Duration? {
      guard let next = machine.nextTurn, alarm.map({ next < $0 }) ?? true else { return nil }
      alarm = next
      return next
    }
  }

  /// Lets a call through, or gives it a turn.
  ///
  /// - Returns: Its turn; nil where it may run now.
  @usableFromInline
  func take(_ cost: Int, atMost own: Duration? = nil) throws(Rejection) -> Turn? {
    let now = timeline.now
    if guarded.withLock({ $0.machine.grant(cost, now: now) }) { return nil }
    return try takeLater(cost, atMost: own, now)
  }

  /// Gives a call its turn, where it cannot be let through at once.
  private func takeLater(
    _ cost: Int, atMost own: Duration?, _ now: Duration
  ) throws(Rejection) -> Turn? {
    let timeLeft = Deadline.timeToWait
    let (own, answer, waiter, alarm) = guarded.withLock { guarded in
      let isFull = guarded.machine.waiting >= guarded.configuration.queue
      let own = isFull ? .zero : own ?? guarded.configuration.maximumWait.clamped
      let willing = own > .zero ? min(own, timeLeft ?? own) : own
      let answer = guarded.machine.ask(cost: cost, now: now, atMost: willing)
      guard case .promised(let id, _) = answer else {
        return (own, answer, Waiter?.none, Duration?.none)
      }
      let waiter = Waiter(id: id)
      guarded.waiters[id] = (waiter, own - willing)
      return (own, answer, waiter, guarded.newAlarm())
    }
    if let alarm { ring(at: alarm) }
    switch answer {
    case .granted: return nil
    case .promised: return waiter.map { Turn(limiter: self, waiter: $0, start: now) }
    case .refused(let wait):
      let reason: Rejection.Reason =
        wait <= own ? .deadlineTooClose : .rateLimited
      throw refuse(reason, retryAfter: wait)
    case .never: throw refuse(.costTooHigh, retryAfter: nil)
    }
  }

  private func ring(_ due: Duration) {
    // The clock may have gone back since it was read for this alarm (P12).
    let now = max(timeline.now, due)
    let (waiters, alarm) = guarded.withLock { guarded in
      // An alarm that rings after an earlier one was set is of no use any more.
      if let alarm = guarded.alarm, alarm <= now { guarded.alarm = nil }
      return (takeTurns(&guarded, now), guarded.newAlarm())
    }
    for waiter in waiters { waiter.end(.granted) }
    if let alarm { ring(at: alarm) }
  }

  /// When a turn that was taken comes; nil where it has come, or is none any more.
  func turn(of id: UInt64) -> Duration? { guarded.withLock { $0.machine.turn(of: id) } }

  func giveBack(_ waiter: Waiter) {
    let now = timeline.now
    let (wasGivenBack, waiters, alarm) = guarded.withLock { guarded in
      let wasGivenBack = guarded.machine.giveBack(waiter.id, now: now)
      if wasGivenBack { guarded.waiters[waiter.id] = nil }
      return (wasGivenBack, takeTurns(&guarded, now), guarded.newAlarm())
    }
    if wasGivenBack { waiter.end(.cancelled) }
    for waiter in waiters { waiter.end(.granted) }
    if let alarm { ring(at: alarm) }
  }

  private func takeTurns(_ guarded: inout Guarded, _ now: Duration) -> [Waiter] {
    guarded.machine.takeTurns(now: now).compactMap {
      guarded.waiters.removeValue(forKey: $0)?.waiter
    }
  }

  private func ring(at due: Duration) {
    _ = timeline.alarms.add(due: due, target: Bell(of: self, due: due))
  }
}

extension RateLimiter: ObservedPolicy {
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T {
    guarded.withLock { body(&$0.mailbox) }
  }
}

extension RateLimiter: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool {
    let now = timeline.now
    return guarded.withLock { !$0.isChanged && $0.machine.isPristine(now: now) }
  }

  package var summaries: [StageSummary] {
    let configuration = configuration
    let maximumWait = configuration.maximumWait.clamped
    let wait = maximumWait > .zero ? "waits up to \(maximumWait.inWords)" : "does not wait"
    return [
      StageSummary(
        .rateLimiter, name: name, "lets \(configuration.kind.inWords), and \(wait)",
        maximumWait > .zero ? .delays(maximumWait) : .refuses
      ).refusingWithTime().running(by: timeline)
    ]
  }
}
