// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import TestSupport
import Testing

/// Policies that come and go while a process shares.
@Suite(.ends(withinMinutes: 2)) struct SharedForAWhileTests {
  private let clock = ManualClock()

  private func shared(over exchange: any PolicyExchange = OneNotice()) -> SharedPolicies {
    SharedPolicies(
      over: exchange, every: .milliseconds(500), clock: clock,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, chance: Chance(seed: 1))
  }

  private func breaker() -> CircuitBreaker {
    CircuitBreaker(
      "catalog", .consecutiveFailures(1), breakFor: .seconds(5), breakJitter: 0, clock: clock)
  }

  /// What somebody shared and keeps no longer.
  private struct Gone {
    weak var breaker: CircuitBreaker?
    weak var cooldown: Cooldown?
    weak var limiter: RateLimiter?
    weak var budget: RetryBudget?

    var isAll: Bool { breaker == nil && cooldown == nil && limiter == nil && budget == nil }
  }

  /// Shares some policies and looks, and keeps none of them.
  private func shareBriefly(in shared: SharedPolicies) async throws -> Gone {
    let breaker = breaker()
    let cooldown = Cooldown("catalog", clock: clock)
    let limiter = RateLimiter("catalog", .gcra(rate: 100, per: .seconds(1)), clock: clock)
    let budget = RetryBudget(clock: clock)
    shared.share(breaker)
    shared.share(cooldown)
    try shared.share(limiter) { .gcra(rate: 100, per: .seconds($0)) }
    try shared.share(budget)
    #expect(try await shared.look())
    #expect(breaker.state == .open(retryAfter: .seconds(5)))
    let gone = Gone(breaker: breaker, cooldown: cooldown, limiter: limiter, budget: budget)
    #expect(!gone.isAll)
    return gone
  }

  @Test func `what nobody else keeps is let go, and looks go on`() async throws {
    let shared = shared()
    let gone = try await shareBriefly(in: shared)
    #expect(gone.isAll)
    #expect(try await shared.look())
  }

  @Test func `one that takes the name of another that is gone hears what was said`()
    async throws
  {
    let shared = shared()
    _ = try await shareBriefly(in: shared)
    #expect(try await shared.look())
    let next = breaker()
    shared.share(next)
    #expect(try await shared.look())
    #expect(next.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `one that takes the name of an open one tells nobody that it is closed, and opens`()
    async throws
  {
    let exchange = OneNotice()
    let shared = shared(over: exchange)
    _ = try await shareBriefly(in: shared)
    // No look comes in between, as where a client is made anew.
    let next = breaker()
    shared.share(next)
    #expect(try await shared.look())
    #expect(exchange.told.withLock(\.self).isEmpty)
    #expect(next.state == .open(retryAfter: .seconds(5)))
  }

  @Test func `one that is shared once more is not told once more`() async throws {
    let exchange = OneNotice()
    let shared = shared(over: exchange)
    let breaker = breaker()
    shared.share(breaker)
    try breaker.admit().fail()
    #expect(try await shared.look())
    shared.share(breaker)
    #expect(try await shared.look())
    #expect(exchange.told.withLock(\.self) == [.opened(.seconds(5))])
  }

  /// Shares a breaker that opens, and keeps it no longer than a look.
  private func openBriefly(in shared: SharedPolicies) async throws -> Gone {
    let breaker = breaker()
    shared.share(breaker)
    try breaker.admit().fail()
    #expect(try await shared.look())
    return Gone(breaker: breaker)
  }

  @Test(arguments: [true, false])
  func `the next of that name hears what this process has said`(isSeenGone: Bool) async throws {
    let shared = shared(over: Echo())
    let gone = try await openBriefly(in: shared)
    #expect(gone.isAll)
    if isSeenGone { #expect(try await shared.look()) }
    let next = breaker()
    shared.share(next)
    #expect(try await shared.look())
    #expect(next.state == .open(retryAfter: .seconds(5)))
  }

  @Test(arguments: [true, false])
  func `one that has opened and closed since stays closed`(isAnswerLost: Bool) async throws {
    let exchange = Echo()
    let shared = shared(over: exchange)
    let breaker = breaker()
    shared.share(breaker)
    try breaker.admit().fail()
    exchange.losesAnswers.withLock { $0 = isAnswerLost }
    #expect(try await shared.look() == !isAnswerLost)
    exchange.losesAnswers.withLock { $0 = false }
    clock.advance(by: .seconds(6))
    try breaker.admit().succeed()
    #expect(try await shared.look())
    #expect(breaker.state == .closed)
  }
}

/// A place where one process is alone.
private final class Echo: PolicyExchange {
  private let rows = Locked<[SharingStateMachine.Name: SharingStateMachine.Heard]>([:])
  /// Whether what is told is left, and nobody gets to know it.
  let losesAnswers = Locked(false)

  func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice]
  ) async throws -> PolicyNews {
    let heard = rows.withLock { rows in
      for (name, notice) in told {
        rows[name] = SharingStateMachine.Heard(
          notice: notice, version: (rows[name]?.version ?? 0) + 1, isOwn: true)
      }
      return rows
    }
    if losesAnswers.withLock(\.self) { throw CertainLoss() }
    return PolicyNews(heard: heard)
  }

  func leave() async {}
}

private struct CertainLoss: Error {}

/// A place where another process has told of one break.
private final class OneNotice: PolicyExchange {
  /// What it was told.
  let told = Locked<[SharingStateMachine.Notice]>([])

  func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice]
  ) async throws -> PolicyNews {
    self.told.withLock { $0 += told.values }
    let name = SharingStateMachine.Name(kind: .breaker, name: "catalog")
    let heard = SharingStateMachine.Heard(
      notice: .opened(.seconds(5)), version: 1, isOwn: false)
    return PolicyNews(heard: [name: heard], members: 2)
  }

  func leave() async {}
}
