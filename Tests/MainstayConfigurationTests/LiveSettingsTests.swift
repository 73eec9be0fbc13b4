// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import Mainstay
import MainstayConfiguration
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Policies that follow a configuration while they work.
@Suite(.ends(withinMinutes: 2)) struct LiveSettingsTests {
  private let provider = MutableInMemoryProvider(initialValues: [:])
  private let breaker = CircuitBreaker(
    "catalog", .consecutiveFailures(5), breakFor: .seconds(5), clock: ManualClock())
  private let bulkhead = Bulkhead("catalog", limit: 2, queue: 0)
  private let log = Log()

  /// Changes values while both policies follow them, each time until the change has been told.
  private func following(_ body: (MutableInMemoryProvider) async throws -> Void) async throws {
    let log = log
    let live = LiveSettings(
      ConfigReader(provider: provider), logger: log.logger { "\($0.level): \($0.message)" }
    )
    .applying("breakers.catalog", to: breaker)
    .applying("bulkheads.catalog", to: bulkhead)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await live.run() }
      try await body(provider)
      group.cancelAll()
    }
  }

  @Test func `a value that changes is taken at once, and the state stays`() async throws {
    try breaker.admit().fail()
    try await following { provider in
      provider.setValue(2, forKey: "breakers.catalog.tripRule.consecutiveFailures")
      await log.lines(atLeast: 1)
      #expect(breaker.configuration.tripRule == .consecutiveFailures(2))
      #expect(breaker.configuration.breakFor == .seconds(5))
      try breaker.admit().fail()
      #expect(throws: Rejection.self) { try breaker.admit().succeed() }
    }
    #expect(log.lines == ["notice: Took new settings of breakers.catalog"])
  }

  @Test func `a value that goes away leaves what the code says`() async throws {
    try await following { provider in
      provider.setValue(9, forKey: "bulkheads.catalog.limit")
      await log.lines(atLeast: 1)
      #expect(bulkhead.limit == 9)
      provider.setValue(nil, forKey: "bulkheads.catalog.limit")
      await log.lines(atLeast: 2)
      #expect(bulkhead.limit == 2)
    }
  }

  @Test func `a value that is not legal changes nothing, is told once, and others go on`()
    async throws
  {
    let refusal = """
      warning: Kept the old settings of breakers.catalog: CircuitBreaker(breakFor: -1.0 seconds \
      is not legal: it must be more than zero)
      """
    let taken = "notice: Took new settings of "
    try await following { provider in
      provider.setValue(-1, forKey: "breakers.catalog.breakFor")
      await log.lines(atLeast: 1)
      #expect(breaker.configuration.breakFor == .seconds(5))
      for limit in 3...5 {
        provider.setValue(.init(integerLiteral: limit), forKey: "bulkheads.catalog.limit")
        await log.lines(atLeast: limit - 1)
        #expect(bulkhead.limit == limit)
      }
      provider.setValue(3, forKey: "breakers.catalog.breakFor")
      await log.lines(atLeast: 5)
      #expect(breaker.configuration.breakFor == .seconds(3))
    }
    let moves = Array(repeating: taken + "bulkheads.catalog", count: 3)
    #expect(log.lines == [refusal] + moves + [taken + "breakers.catalog"])
  }

  @Test func `a policy that was changed elsewhere is left alone by other values`() async throws {
    try await following { provider in
      try bulkhead.setLimit(7)
      // The second change is told once all have heard of the first one.
      for seconds in 1...2 {
        provider.setValue(.init(integerLiteral: seconds), forKey: "breakers.catalog.breakFor")
        await log.lines(atLeast: seconds)
      }
      #expect(bulkhead.limit == 7)
      provider.setValue(9, forKey: "bulkheads.catalog.limit")
      await log.lines(atLeast: 3)
      #expect(bulkhead.limit == 9)
    }
    let taken = ["breakers", "breakers", "bulkheads"]
    #expect(log.lines == taken.map { "notice: Took new settings of \($0).catalog" })
  }

  @Test func `a group of which too little is set is told, and the old one holds`() async throws {
    try await following { provider in
      provider.setValue(50, forKey: "breakers.catalog.tripRule.minimumThroughput")
      await log.lines(atLeast: 1)
      #expect(breaker.configuration.tripRule == .consecutiveFailures(5))
    }
    let refusal = """
      warning: Kept the old settings of breakers.catalog: CircuitBreaker.Configuration(\
      breakers.catalog.tripRule: what is there is not legal: A rule is one of \
      consecutiveFailures, failureRate and slowCalls)
      """
    #expect(log.lines == [refusal])
  }

  @Test func `an outbox follows, and keeps what cannot change`() async throws {
    var settings = Outbox.Configuration()
    settings.maximumPending = 7
    settings.unmetConstraints = [.power]
    let outbox = try await Outbox(store: InMemoryStore(), configuration: settings) {}
    let log = log
    let live = LiveSettings(
      ConfigReader(provider: provider), logger: log.logger { "\($0.level): \($0.message)" }
    )
    .applying("outbox", to: outbox)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await live.run() }
      provider.setValue(9, forKey: "outbox.maximumConcurrency")
      await log.lines(atLeast: 1)
      provider.setValue("{\"photo\": 1}", forKey: "outbox.maximumConcurrencyOfKinds")
      await log.lines(atLeast: 2)
      #expect(outbox.configuration.maximumConcurrency == 9)
      #expect(outbox.configuration.maximumConcurrencyOfKinds == ["photo": 1])
      #expect(outbox.configuration.unmetConstraints == [.power])
      provider.setValue(true, forKey: "outbox.startsPaused")
      await log.lines(atLeast: 3)
      provider.setValue(nil, forKey: "outbox.startsPaused")
      provider.setValue(nil, forKey: "outbox.maximumConcurrency")
      await log.lines(atLeast: 4)
      #expect(outbox.configuration.maximumConcurrency == 4)
      group.cancelAll()
    }
    let taken = "notice: Took new settings of outbox"
    let refusal = """
      warning: Kept the old settings of outbox: Outbox(startsPaused: true is not legal: it counts \
      only when an outbox is opened; call pause() or resume() instead)
      """
    #expect(log.lines == [taken, taken, refusal, taken])
    await outbox.shutDown()
  }

  @Test func `following ends with its task, and nothing is taken any more`() async throws {
    try await following { _ in }
    provider.setValue(9, forKey: "bulkheads.catalog.limit")
    #expect(bulkhead.limit == 2)
    #expect(log.lines == [])
  }
}
