// SPDX-License-Identifier: Apache-2.0

/// Lets only so many calls run at the same time, so that one slow dependency cannot take all.
///
/// A call beyond the limit waits for a permit, if a place in the queue is free, or is refused at
/// once. Make one per dependency and share it among all who call that dependency:
///
/// ```swift
/// let bulkhead = Bulkhead("catalog", limit: 10, queue: 20, maximumWait: .seconds(2))
/// let book = try await bulkhead.run { try await api.book(isbn) }
/// ```
///
/// A permit that comes free goes straight to a waiter: the oldest first, so nobody is overtaken,
/// unless the ``Order`` says otherwise. A caller that is cancelled while it waits gets
/// `CancellationError`, and no permit is ever lost.
///
/// Waits are counted by `ContinuousClock`, which goes on while the device sleeps.
public final class Bulkhead: Policy, Sendable {
  /// Who gets a permit that comes free.
  public enum Order: String, Sendable, Hashable, Codable, CaseIterable {
    /// Who has waited longest; the default.
    case fifo
    /// Who has waited longest, but under overload who came last.
    ///
    /// It is overload while the oldest waiter has waited half of what it is willing to, or more:
    /// most of the old ones will give up anyway, and serving them first would make all late.
    case lifoUnderOverload
  }

  /// The name of the dependency, for events and messages.
  public let name: String

  let timeline: Timeline
  let audience: PolicyAudience
  let guarded: Locked<Guarded>
  private let reason: Rejection.Reason

  /// Makes a bulkhead from settings that stand in the code; one that is not legal stops the
  /// program.
  ///
  /// - Parameters:
  ///   - name: The name of the dependency, for events and messages; not blank.
  ///   - limit: How many calls may run at the same time; 1 or more.
  ///   - queue: How many may wait; zero to 1,000,000, the default is zero: nobody waits.
  ///   - maximumWait: How long a call waits at most; more than zero, cut to a year, the default is
  ///     10 s. The active ``Deadline`` may end it earlier.
  ///   - order: Who gets a permit that comes free; the default is who has waited longest.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public convenience init(
    _ name: String, limit: Int, queue: Int = 0, maximumWait: Duration = .seconds(10),
    order: Order = .fifo, clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil
  ) {
    let configuration = Configuration(
      name: name, limit: limit, queue: queue, maximumWait: maximumWait, order: order)
    do throws(ConfigurationError) {
      try self.init(validating: configuration, clock: clock, observer: observer)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Makes a bulkhead from settings that come from outside.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: The clock; the default is the continuous one.
  ///   - observer: Who is told about its events, besides the observer of the process.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public convenience init(
    validating configuration: Configuration, clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil
  ) throws(ConfigurationError) {
    self.init(
      configuration.name, try configuration.checked(named: nil), refusingWith: .bulkheadFull,
      timeline: Timeline(clock), audience: PolicyAudience(own: observer))
  }

  init(
    _ name: String, _ settings: BulkheadStateMachine.Settings,
    refusingWith reason: Rejection.Reason, timeline: Timeline, audience: PolicyAudience
  ) {
    self.name = name
    self.reason = reason
    self.timeline = timeline
    self.audience = audience
    guarded = Locked(Guarded(machine: BulkheadStateMachine(settings)))
  }

  /// How many calls run right now; more than the limit only after the limit was lowered.
  public var running: Int { guarded.withLock { $0.machine.running } }

  /// How many calls wait right now.
  public var waiting: Int { guarded.withLock { $0.machine.waiting } }

  /// How many calls may run at the same time.
  public var limit: Int { guarded.withLock { $0.machine.limit } }

  /// Runs an operation as soon as a permit is free, on the caller's actor.
  ///
  /// - Parameter operation: What is run; never run when the call is refused, or cancelled while it
  ///   waits.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw; ``Rejection`` with the reason `bulkheadFull`,
  ///   `waitedTooLong` or `deadlineTooClose`; `CancellationError` for a caller that was cancelled
  ///   while it waited.
  @inlinable
  public func run<T>(_ operation: () async throws -> T) async throws -> T {
    if takeIfFree() == nil { _ = try await takeInTurn() }
    defer { giveBack() }
    return try await operation()
  }

  /// Runs an operation as ``run(_:)`` does, after waiting for a permit for so long at most.
  package func run<T>(
    waitingAtMost limit: Duration, _ operation: () async throws -> T
  ) async throws -> T {
    if takeIfFree() == nil { _ = try await takeInTurn(within: limit) }
    defer { giveBack() }
    return try await operation()
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
    do { if takeIfFree() == nil { _ = try await takeInTurn() } } catch {
      return Outcome(ending: error)
    }
    defer { giveBack() }
    return await operation()
  }
}

// Permits that are held without a closure.
extension Bulkhead {
  /// The right to run one call; it goes back when it is released or dropped.
  public struct Permit: ~Copyable, Sendable {
    private var bulkhead: Bulkhead?

    fileprivate init(of bulkhead: Bulkhead) { self.bulkhead = bulkhead }

    /// Gives the permit back.
    public consuming func release() { bulkhead.take()?.giveBack() }

    deinit { bulkhead?.giveBack() }
  }

  /// Takes a permit if one is free, without waiting.
  ///
  /// - Returns: The permit; nil where none is free, which is told to nobody.
  public func tryAcquire() -> Permit? { takeIfFree() == nil ? nil : Permit(of: self) }

  /// Takes a permit as soon as one is free, on the caller's actor.
  ///
  /// - Returns: The permit.
  /// - Throws: ``Rejection`` or `CancellationError`, as ``run(_:)`` does.
  public func acquire() async throws -> Permit {
    if takeIfFree() == nil { _ = try await takeInTurn() }
    return Permit(of: self)
  }
}

// The shell: the lock is held for a few instructions, and waiters go on after it is released.
extension Bulkhead: WaitingRoom {
  struct Guarded {
    var machine: BulkheadStateMachine
    /// Whether somebody has set other settings than those it was made with.
    var isChanged = false
    var waiters: [UInt64: Waiter] = [:]
    var mailbox = EventMailbox()
  }

  /// Takes a permit if one is free.
  ///
  /// - Returns: How many run now, this caller included; nil where none is free.
  @usableFromInline
  func takeIfFree() -> Int? { guarded.withLock { $0.machine.takeIfFree() } }

  /// Takes a permit, after waiting for it if need be.
  ///
  /// This caller waits no longer than `limit`; nil is as long as the settings say.
  ///
  /// - Returns: How many run now, this caller included.
  @usableFromInline
  func takeInTurn(
    within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    try Task.checkCancellation()
    let now = timeline.now
    let timeLeft = Deadline.remaining ?? .aYear
    if timeLeft <= .zero { throw refuse(.deadlineTooClose) }
    typealias Asked = (answer: BulkheadStateMachine.Answer, waiter: Waiter?, willing: Duration)
    let (answer, waiter, willing): Asked = guarded.withLock { guarded in
      let maximum = guarded.machine.settings.maximumWait
      let willing = limit.map { min($0, maximum) } ?? maximum
      let answer = guarded.machine.wait(now: now, atMost: min(willing, timeLeft))
      guard case .waits(let id) = answer else { return (answer, nil, willing) }
      let waiter = Waiter(id: id, room: self)
      guarded.waiters[id] = waiter
      return (answer, waiter, willing)
    }
    guard let waiter else {
      if answer == .full { throw refuse(reason) }
      return running
    }
    switch await waiter.ending(
      alarm: (now + min(willing, timeLeft), timeline), isolation: isolation,
      cancelled: { self.cancel(waiter.id) })
    {
    case .granted: return try begin(since: now)
    case .expired: throw refuse(timeLeft < willing ? .deadlineTooClose : .waitedTooLong)
    case .cancelled: throw CancellationError()
    }
  }

  @usableFromInline
  func giveBack() {
    if guarded.withLock({ $0.machine.giveBackIfNobodyWaits() }) { return }
    let now = timeline.now
    let waiter: Waiter? = guarded.withLock { guarded in
      guarded.machine.giveBack(now: now).flatMap { guarded.waiters.removeValue(forKey: $0) }
    }
    waiter?.end(.granted)
  }

  func expire(_ id: UInt64) { leave(id)?.end(.expired(nil)) }

  private func cancel(_ id: UInt64) { leave(id)?.end(.cancelled) }

  private func leave(_ id: UInt64) -> Waiter? {
    guarded.withLock { guarded in
      guarded.machine.leave(id) ? guarded.waiters.removeValue(forKey: id) : nil
    }
  }

  /// A waiter was given its permit; whoever was cancelled in that moment passes it on.
  private func begin(since start: Duration) throws(CancellationError) -> Int {
    guard !Task.isCancelled else {
      giveBack()
      throw CancellationError()
    }
    tell { .waited(max(.zero, $0 - start)) }
    return running
  }
}

extension Bulkhead: PipelineStage {
  package var statefulParts: [(name: String, identity: ObjectIdentifier)] {
    [(name, ObjectIdentifier(self))]
  }

  package var isPristine: Bool {
    guarded.withLock { !$0.isChanged && $0.machine.running == 0 && $0.machine.waiting == 0 }
  }

  package var summaries: [StageSummary] {
    let settings = guarded.withLock { $0.machine.settings }
    let wait = settings.maximumWait
    let place =
      settings.queue == 0 ? "nobody waits" : "\(settings.queue) more wait up to \(wait.inWords)"
    return [
      StageSummary(
        .bulkhead, name: name, "lets \(settings.limit) calls run at the same time; \(place)",
        settings.queue == 0 ? .refuses : .delays(wait)
      ).running(by: timeline)
    ]
  }
}
