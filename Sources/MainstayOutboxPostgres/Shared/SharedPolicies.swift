// SPDX-License-Identifier: Apache-2.0

package import Logging
public import Mainstay

/// Policies that several processes have in common through one PostgreSQL database.
///
/// A breaker that opens in one process opens in all of them, and one that a successful call closes
/// closes everywhere; a pause that a service asked for holds for all. A limit of rate and a budget
/// for repetitions are divided among the processes that are there.
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
/// try await shared.run()
/// ```
public final class SharedPolicies: Sendable {
  private struct Part: Sendable {
    let condition: @Sendable () -> SharingStateMachine.Condition
    let obey: @Sendable (SharingStateMachine.Command) -> Void
  }

  private struct State {
    var machine = SharingStateMachine()
    var parts: [SharingStateMachine.Name: Part] = [:]
    var dividers: [@Sendable (Int) throws(ConfigurationError) -> Void] = []
    var members = 1
    var isConnected = false
  }

  private let state = Locked(State())
  private let exchange: any PolicyExchange
  private let pace: Backoff
  private let interval: Duration
  private let clock: any Clock<Duration>
  private let logger: Logger
  private let chance = Chance()

  package init(
    over exchange: any PolicyExchange, every interval: Duration, clock: any Clock<Duration>,
    logger: Logger
  ) {
    self.exchange = exchange
    self.interval = interval
    self.clock = clock
    self.logger = logger
    pace = .exponential(from: interval, to: max(interval, .seconds(30)), jitter: .equal)
  }

  /// How many processes share, as far as is known; 1 or more.
  public var members: Int { state.withLock(\.members) }

  /// Whether the last look at the database succeeded.
  public var isConnected: Bool { state.withLock(\.isConnected) }

  /// Shares whether a breaker is open, with the breakers of that name in other processes.
  ///
  /// One that was isolated by hand, or is disabled, neither tells nor hears.
  public func share(_ breaker: CircuitBreaker) {
    add(.init(kind: .breaker, name: breaker.name)) {
      guard breaker.configuration.mode == .enabled else { return .aside }
      return switch breaker.state {
      case .closed: .closed
      case .halfOpen: .trying
      case .open(let left): left > .zero ? .open(left) : .trying
      case .isolated: .aside
      }
    } obey: { command in
      switch command {
      case .open(let duration): breaker.open(for: duration)
      case .close: breaker.close()
      }
    }
  }

  /// Shares a pause, with the cooldowns of that name in other processes.
  public func share(_ cooldown: Cooldown) {
    add(.init(kind: .cooldown, name: cooldown.name)) {
      cooldown.remaining.map { .open($0) } ?? .closed
    } obey: { command in
      if case .open(let duration) = command { cooldown.begin(for: duration) }
    }
  }

  /// Divides a limit of rate among the processes that are there.
  ///
  /// - Parameters:
  ///   - limiter: The limit of this process.
  ///   - part: What the limit is for each of so many processes, such as
  ///     `.gcra(rate: 100, per: .seconds(members))` for 100 calls a second in all.
  /// - Throws: `ConfigurationError` where the limit of a single process is not legal.
  public func share(
    _ limiter: RateLimiter, dividedAs part: @escaping @Sendable (_ members: Int) -> RateLimiter.Kind
  ) throws(ConfigurationError) {
    let divide: @Sendable (Int) throws(ConfigurationError) -> Void = {
      members throws(ConfigurationError) in try limiter.setKind(part(members))
    }
    try divide(members)
    state.withLock { $0.dividers.append(divide) }
  }

  /// Divides a budget for repetitions among the processes that are there.
  ///
  /// Calls pay into it where they are made, as before. What each second pays in, and how much it
  /// holds, is divided: all processes together may repeat as much as one with the whole budget.
  /// Each one keeps room for the dearest repetition, without which it could never make one.
  ///
  /// - Parameter budget: The budget of this process, whose settings say what all may have.
  /// - Throws: `ConfigurationError` for `RetryBudget.unlimited`.
  public func share(_ budget: RetryBudget) throws(ConfigurationError) {
    let whole = budget.configuration
    let divide: @Sendable (Int) throws(ConfigurationError) -> Void = {
      members throws(ConfigurationError) in try budget.update(whole.divided(by: members))
    }
    try divide(members)
    state.withLock { $0.dividers.append(divide) }
  }

  private func add(
    _ name: SharingStateMachine.Name,
    _ condition: @escaping @Sendable () -> SharingStateMachine.Condition,
    obey: @escaping @Sendable (SharingStateMachine.Command) -> Void
  ) {
    state.withLock { $0.parts[name] = Part(condition: condition, obey: obey) }
  }
}

extension SharedPolicies {
  /// Tells and hears until the task is cancelled.
  ///
  /// A database that cannot be reached is asked again, less and less often, up to every 30 seconds.
  ///
  /// - Throws: `CancellationError` once the task is cancelled.
  public func run() async throws {
    var failures = 0
    do {
      while true {
        failures = try await look() ? 0 : failures + 1
        try await clock.sleep(
          for: failures == 0 ? interval : pace.delay(attempt: failures, fraction: chance.fraction())
        )
      }
    } catch {
      await exchange.leave()
      throw error
    }
  }

  /// One look; false where it failed.
  package func look() async throws -> Bool {
    let told = tellings()
    do {
      take(try await exchange.exchange(told))
      return true
    } catch {
      if error.isCancellation || Task.isCancelled { throw CancellationError() }
      lose(told, because: error)
      return false
    }
  }

  /// What others are to be told.
  private func tellings() -> [SharingStateMachine.Name: SharingStateMachine.Notice] {
    let conditions = conditions()
    return state.withLock { state in
      conditions.reduce(into: [:]) { $0[$1.key] = state.machine.look(at: $1.key, $1.value) }
    }
  }

  /// How the policies are now; they are asked outside the lock.
  private func conditions() -> [SharingStateMachine.Name: SharingStateMachine.Condition] {
    state.withLock(\.parts).mapValues { $0.condition() }
  }

  /// Does what others say.
  private func take(_ news: PolicyNews) {
    let conditions = conditions()
    let (commands, dividers) = state.withLock { state in
      let commands = news.heard.compactMap { name, heard in
        conditions[name].flatMap { state.machine.hear(name, heard, while: $0) }
          .flatMap { command in state.parts[name].map { ($0, command) } }
      }
      let isNew = state.members != news.members
      state.members = news.members
      state.isConnected = true
      return (commands, isNew ? state.dividers : [])
    }
    for (part, command) in commands { part.obey(command) }
    for divide in dividers {
      do throws(ConfigurationError) {
        try divide(news.members)
      } catch {
        logger.warning("A limit was not divided by \(news.members): \(error)")
      }
    }
  }

  /// What was to be told is told at the next look, as it is then.
  private func lose(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice], because error: any Error
  ) {
    let isNew = state.withLock { state in
      for (name, notice) in told { state.machine.forget(name, told: notice) }
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
