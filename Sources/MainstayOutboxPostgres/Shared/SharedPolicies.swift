// SPDX-License-Identifier: Apache-2.0

package import Logging
public import Mainstay

/// Policies that several processes have in common through one PostgreSQL database.
///
/// A breaker that opens in one process opens in all of them, and one that a successful call closes
/// closes everywhere; a pause that a service asked for holds for all. A limit of rate and a budget
/// for repetitions are divided among the processes that are there.
///
/// What is shared is shared for as long as somebody else keeps it: it is let go here as well then.
///
/// Each call is still decided in its own process, without a look at the database: news travel
/// within about ``init(at:schema:every:pooled:logger:)``'s interval, and while the database is away
/// each process goes by what it knows.
///
/// ```swift
/// let shared = SharedPolicies(at: address)
/// shared.share(breaker)
/// shared.share(cooldown)
/// try shared.share(limiter) { members in
///   .gcra(rate: 100, per: .seconds(members), burst: 10)
/// }
/// try shared.share(budget)
/// await shared.run()
/// ```
public final class SharedPolicies: Sendable {
  private struct Part: Sendable {
    /// Which one of those that had its name.
    let number: Int
    /// The one that is shared.
    weak var policy: (any AnyObject & Sendable)?
    /// By which part of it a break that others have told is lengthened at most.
    let jitter: @Sendable () -> Double
    /// Nil once the policy is gone.
    let condition: @Sendable () -> SharingStateMachine.Condition?
    let obey: @Sendable (SharingStateMachine.Command) -> Void
  }

  /// How a part was as it was asked.
  private struct Seen {
    let number: Int
    let condition: SharingStateMachine.Condition
  }

  private struct Known: Sendable {
    weak var budget: RetryBudget?
  }

  private struct State {
    var machine = SharingStateMachine()
    var parts: [SharingStateMachine.Name: Part] = [:]
    var lastNumber = 0
    /// Each by what it divides: a limit that is divided by two would be a part of a part.
    var limits: [ObjectIdentifier: any DividedLimit] = [:]
    var budgets: [ObjectIdentifier: Known] = [:]
    var count: MemberCount
    var isConnected = false
  }

  private let state: Locked<State>
  private let exchange: any PolicyExchange
  private let pace: Backoff
  private let interval: Duration
  private let clock: any Clock<Duration>
  private let logger: Logger
  private let chance: Chance

  package init(
    over exchange: any PolicyExchange, every interval: Duration, clock: any Clock<Duration>,
    logger: Logger, chance: Chance = Chance()
  ) {
    self.chance = chance
    self.exchange = exchange
    self.interval = interval
    self.clock = clock
    self.logger = logger
    let pause = max(interval, .seconds(30))
    pace = .exponential(from: interval, to: pause, jitter: .equal)
    state = Locked(State(count: MemberCount(pause: pause, interval: interval)))
  }

  /// How many processes share, as far as is known; 1 or more.
  public var members: Int { state.withLock(\.count.members) }

  /// Whether the last look at the database succeeded.
  public var isConnected: Bool { state.withLock(\.isConnected) }

  /// Shares whether a breaker is open, with the breakers of that name in other processes.
  ///
  /// One that was isolated by hand, or is disabled, neither tells nor hears. A break that others
  /// have told is lengthened by chance, up to the breaker's `breakJitter`. So not all processes
  /// probe at the same moment, and who comes later goes by what the first one found out.
  ///
  /// One that takes the name of another that was shared here goes by what was last said about it.
  public func share(_ breaker: CircuitBreaker) {
    add(breaker, .init(kind: .breaker, name: breaker.name)) { [weak breaker] in
      breaker?.configuration.breakJitter ?? 0
    } condition: { [weak breaker] in
      guard let breaker else { return nil }
      guard breaker.configuration.mode == .enabled else { return .aside }
      return switch breaker.state {
      case .closed: .closed
      case .halfOpen: .trying
      case .open(let left): left > .zero ? .open(left) : .trying
      case .isolated: .aside
      }
    } obey: { [weak breaker] command in
      switch command {
      case .open(let duration): breaker?.open(for: duration)
      case .close: breaker?.close()
      }
    }
  }

  /// Shares a pause, with the cooldowns of that name in other processes.
  public func share(_ cooldown: Cooldown) {
    // Its calls are spread as they begin.
    add(cooldown, .init(kind: .cooldown, name: cooldown.name)) {
      0
    } condition: { [weak cooldown] in
      guard let cooldown else { return nil }
      return cooldown.remaining.map { .open($0) } ?? .closed
    } obey: { [weak cooldown] command in
      if case .open(let duration) = command { cooldown?.begin(for: duration) }
    }
  }

  /// Divides a limit of rate among the processes that are there; for one that is shared already,
  /// what is said last holds.
  ///
  /// - Parameters:
  ///   - limiter: The limit of this process.
  ///   - part: What the limit is for each of so many processes, such as
  ///     `.gcra(rate: 100, per: .seconds(members))` for 100 calls a second in all. Where somebody
  ///     sets another kind, it is asked at the next look, and what it says holds again.
  /// - Throws: `ConfigurationError` where the limit of a single process is not legal.
  public func share(
    _ limiter: RateLimiter, dividedAs part: @escaping @Sendable (_ members: Int) -> RateLimiter.Kind
  ) throws(ConfigurationError) {
    try divide(
      Division { [weak limiter] in
        limiter?.configuration.kind
      } into: { _, members in
        part(members)
      } set: { [weak limiter] kind throws(ConfigurationError) in
        try limiter?.setKind(kind)
      }, of: limiter)
  }

  /// Divides a budget for repetitions among the processes that are there.
  ///
  /// Calls pay into it where they are made, as before. What each second pays in, and how much it
  /// holds, is divided: all processes together may repeat as much as one with the whole budget.
  /// Each one keeps room for the dearest repetition, without which it could never make one. Sharing
  /// one budget again changes nothing, so each part of a service that is given it may do so.
  ///
  /// - Parameter budget: The budget of this process, whose settings say what all may have. So do
  ///   those that it is given later: they are divided at the next look.
  /// - Throws: `ConfigurationError` for `RetryBudget.unlimited`.
  public func share(_ budget: RetryBudget) throws(ConfigurationError) {
    // What it is by then may be a part, and no part is divided again.
    let id = ObjectIdentifier(budget)
    let isNew = state.withLock { state in
      // Another one may have been in its place, and be gone.
      guard state.budgets[id]?.budget !== budget else { return false }
      state.budgets[id] = Known(budget: budget)
      return true
    }
    guard isNew else { return }
    do throws(ConfigurationError) {
      try divide(
        Division { [weak budget] in
          budget?.configuration
        } into: { whole, members in
          whole.divided(by: members)
        } set: { [weak budget] part throws(ConfigurationError) in
          try budget?.update(part)
        }, of: budget)
    } catch {
      state.withLock { $0.budgets[id] = nil }
      throw error
    }
  }

  private func divide(
    _ limit: some DividedLimit, of object: AnyObject
  ) throws(ConfigurationError) {
    _ = try limit.divide(by: members)
    state.withLock { $0.limits[ObjectIdentifier(object)] = limit }
  }

  private func add(
    _ policy: any AnyObject & Sendable, _ name: SharingStateMachine.Name,
    jitter: @escaping @Sendable () -> Double,
    condition: @escaping @Sendable () -> SharingStateMachine.Condition?,
    obey: @escaping @Sendable (SharingStateMachine.Command) -> Void
  ) {
    // Compared outside the lock: the one before may end with this look at it.
    let before = state.withLock { $0.parts[name] }
    if before?.policy === policy { return }
    state.withLock { state in
      // What is known is of the one before: that this one is closed where that one was open is
      // no news, since nobody has learnt anything.
      state.machine.drop(name)
      state.lastNumber += 1
      state.parts[name] = Part(
        number: state.lastNumber, policy: policy, jitter: jitter, condition: condition, obey: obey)
    }
  }
}

extension SharedPolicies {
  /// Tells and hears until the task is cancelled, and returns then.
  ///
  /// In a service group a service runs it inside of `cancelWhenGracefulShutdown`. A database that
  /// cannot be reached is asked again, less and less often, up to every 30 seconds.
  public func run() async {
    var failures = 0
    // Nothing but a cancellation is thrown, and that is the end as it should be.
    while let succeeded = try? await look() {
      failures = succeeded ? 0 : failures + 1
      let pause =
        failures == 0 ? interval : pace.delay(attempt: failures, fraction: chance.fraction())
      guard (try? await clock.sleep(for: pause)) != nil else { break }
    }
    await exchange.leave()
  }

  /// One look; false where it failed.
  package func look() async throws -> Bool {
    let told = tellings()
    do {
      take(try await exchange.exchange(told))
      divide()
      return true
    } catch {
      if error.isCancellation || Task.isCancelled { throw CancellationError() }
      lose(told, because: error)
      // Somebody may have set another limit meanwhile.
      divide()
      return false
    }
  }

  /// What others are to be told.
  private func tellings() -> [SharingStateMachine.Name: SharingStateMachine.Notice] {
    let conditions = conditions()
    return state.withLock { state in
      conditions.reduce(into: [:]) { told, entry in
        let (name, seen) = entry
        // Another one may have taken the name since it was asked.
        guard state.parts[name]?.number == seen.number else { return }
        told[name] = state.machine.look(at: name, seen.condition)
      }
    }
  }

  /// How the policies are now; they are asked outside the lock, and those that are gone forgotten.
  private func conditions() -> [SharingStateMachine.Name: Seen] {
    let parts = state.withLock(\.parts)
    let conditions = parts.compactMapValues { part in
      part.condition().map { Seen(number: part.number, condition: $0) }
    }
    guard conditions.count < parts.count else { return conditions }
    state.withLock { state in
      for (name, part) in parts where conditions[name] == nil {
        // There may be another one of that name by now.
        guard state.parts[name]?.number == part.number else { continue }
        state.parts[name] = nil
        state.machine.drop(name)
      }
    }
    return conditions
  }

  /// Does what others say.
  private func take(_ news: PolicyNews) {
    let conditions = conditions()
    let shares = state.withLock(\.parts).mapValues { $0.jitter() * chance.fraction() }
    let commands = state.withLock { state in
      let commands: [(Part, SharingStateMachine.Command)] = news.heard.compactMap { name, heard in
        // One that has taken the name since hears it at the next look.
        guard let part = state.parts[name], let seen = conditions[name],
          part.number == seen.number,
          let command = state.machine.hear(
            name, heard, while: seen.condition, lengthenedBy: shares[name] ?? 0)
        else { return nil }
        return (part, command)
      }
      state.count.see(news.members)
      state.isConnected = true
      return commands
    }
    for (part, command) in commands { part.obey(command) }
  }

  /// Gives this process its part of each limit.
  private func divide() {
    let (limits, members) = state.withLock { ($0.limits, $0.count.members) }
    for (id, limit) in limits {
      do throws(ConfigurationError) {
        if try limit.divide(by: members) { continue }
        state.withLock { state in
          // There may be another one in its place by now.
          guard state.limits[id] === limit else { return }
          state.limits[id] = nil
          if state.budgets[id]?.budget == nil { state.budgets[id] = nil }
        }
      } catch {
        logger.warning("A limit was not divided by \(members): \(error)")
      }
    }
  }

  /// What was to be told is told at the next look, as it is then.
  private func lose(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice], because error: any Error
  ) {
    let isNew = state.withLock { state in
      for (name, notice) in told { state.machine.forget(name, told: notice) }
      state.count.lose()
      defer { state.isConnected = false }
      return state.isConnected
    }
    if isNew { logger.warning("Policies are not shared for now: \(error)") }
  }
}

extension RetryBudget.Configuration {
  /// The part of one of several processes.
  fileprivate func divided(by members: Int) -> Self {
    var part = self
    // Less than a thousandth of a token in a second is nothing, and no budget may never fill again.
    let least = ratio < 0.001 ? 0.001 : 0
    part.minimumPerSecond = max(minimumPerSecond / Double(members), least)
    let dearest =
      [
        costs.transient, costs.timedOut, costs.throttled, costs.unknownOutcome, costs.hedge, 1,
      ].max() ?? 1
    part.capacity = max(capacity / members, Int(dearest.rounded(.up)))
    part.initial = initial.map { min($0, part.capacity) }
    return part
  }
}
