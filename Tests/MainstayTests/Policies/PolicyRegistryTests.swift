// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("P36")) struct PolicyRegistryTests {
  final class Box: Sendable {
    let registry = Locked<PolicyRegistry<String, CircuitBreaker>?>(nil)
    let log = Log()
  }

  struct Telling: PolicyObserver {
    let box: Box

    func observe(_ event: PolicyEvent) {
      box.log.add("\(event.what.name) \(box.registry.withLock { $0 }?.keys.count ?? 0)")
    }
  }

  private let clock = ManualClock()

  private func breakers(
    maximumCount: Int = 2, idleAfter: Duration? = nil, observer: (any PolicyObserver)? = nil
  ) -> PolicyRegistry<String, CircuitBreaker> {
    let clock = clock
    return PolicyRegistry(
      "hosts", maximumCount: maximumCount, idleAfter: idleAfter, clock: clock, observer: observer
    ) {
      CircuitBreaker($0, .consecutiveFailures(2), breakFor: .seconds(5), clock: clock)
    }
  }

  private func fail(
    _ registry: PolicyRegistry<String, CircuitBreaker>, _ key: String, times: Int
  ) async {
    for _ in 0..<times {
      await #expect(throws: AppError.self) {
        try await registry.run(key) { throw BreakerBench.down }
      }
    }
  }

  @Test func `one key always gets the same policy`() async throws {
    let registry = breakers()
    await fail(registry, "a", times: 2)
    await #expect(throws: Rejection.self) { try await registry.run("a") {} }
    try await registry.run("b") {}
    #expect(registry.keys == ["a", "b"])
    #expect(registry.kept("a")?.name == "a" && registry.kept("c") == nil)
  }

  @Test func `forgets the one that was used the longest ago`() async throws {
    let registry = breakers()
    for key in ["a", "b", "a", "c"] { try await registry.run(key) {} }
    #expect(registry.keys == ["a", "c"])
    #expect(registry.statistics.made == 3 && registry.statistics.forgotten == 1)
  }

  @Test func `never forgets a breaker that is open`() async throws {
    let registry = breakers()
    await fail(registry, "down", times: 2)
    for key in ["a", "b", "c"] { try await registry.run(key) {} }
    #expect(Set(registry.keys) == ["down", "c"])
    await #expect(throws: Rejection.self) { try await registry.run("down") {} }
  }

  @Test func `never forgets a breaker that counts failures`() async throws {
    let registry = breakers()
    await fail(registry, "shaky", times: 1)
    for key in ["a", "b"] { try await registry.run(key) {} }
    await fail(registry, "shaky", times: 1)
    await #expect(throws: Rejection.self) { try await registry.run("shaky") {} }
  }

  @Test func `never forgets a policy with a call on its way`() async throws {
    let registry = breakers(maximumCount: 1)
    let gate = BreakerBench.Gate()
    let call = Task { try await registry.run("busy") { await gate.pass() } }
    await gate.arrivals(atLeast: 1)
    let busy = registry.kept("busy")
    for key in ["a", "b", "c"] { try await registry.run(key) {} }
    #expect(busy != nil && registry.kept("busy") === busy)
    gate.open()
    try await call.value
    for key in ["d", "e"] { try await registry.run(key) {} }
    #expect(registry.keys == ["e"])
  }

  @Test func `gives a policy back however its call ends`() async throws {
    let registry = breakers(maximumCount: 1)
    await #expect(throws: CancellationError.self) {
      try await registry.run("a") { throw CancellationError() }
    }
    await #expect(throws: AppError.self) {
      try await registry.run("a") { throw AppError.http(status: 404) }
    }
    try await registry.run("b") {}
    #expect(registry.keys == ["b"])
  }

  @Test func `keeps more than the bound rather than forget, and says so once`() async throws {
    let recorder = EventRecorder()
    let registry = breakers(observer: recorder)
    for key in ["a", "b", "c", "d"] { await fail(registry, key, times: 2) }
    #expect(registry.statistics.count == 4 && registry.statistics.maximumCount == 2)
    #expect(BreakerBench.names(recorder.events) == ["registryOverflowed"])
    guard case .registryOverflowed(3, 2) = recorder.events.first?.what else {
      Issue.record("\(recorder.events)")
      return
    }
    // Once they are well again there is room, and the registry shrinks back.
    clock.advance(by: .seconds(60))
    for key in ["a", "b", "c", "d"] { try await registry.run(key) {} }
    try await registry.run("e") {}
    #expect(registry.keys == ["d", "e"])
  }

  @Test func `forgets what nobody used for long, though there is room`() async throws {
    let registry = breakers(maximumCount: 100, idleAfter: .seconds(60))
    try await registry.run("old") {}
    await fail(registry, "down", times: 2)
    clock.advance(by: .seconds(59))
    try await registry.run("young") {}
    #expect(registry.forgetIdle() == 0)
    clock.advance(by: .seconds(1))
    #expect(registry.forgetIdle() == 1)
    #expect(registry.keys == ["down", "young"])
    clock.advance(by: .seconds(60))
    try await registry.run("new") {}
    #expect(registry.keys == ["down", "new"])
  }

  @Test func `forgets whole pipelines by the breakers inside`() async throws {
    let registry = PolicyRegistry("hosts", maximumCount: 1, idleAfter: nil) { (host: String) in
      Pipeline(host) {
        Retry(maximumAttempts: 1)
        CircuitBreaker(host, .consecutiveFailures(1))
      }
    }
    _ = try? await registry.run("down") { throw BreakerBench.down }
    for key in ["a", "b"] { try await registry.run(key) {} }
    #expect(Set(registry.keys) == ["down", "b"])
  }

  @Test func `never forgets a retry whose budget was spent before time has filled it`()
    async throws
  {
    let clock = clock
    let registry = PolicyRegistry("hosts", maximumCount: 1, idleAfter: nil) { (_: String) in
      Retry(maximumAttempts: 20, backoff: .none, clock: clock)
    }
    let calls = Log()
    func fail() async {
      _ = try? await registry.run("down") {
        calls.add("call")
        throw BreakerBench.down
      }
    }
    await fail()
    #expect(calls.lines.count == 11)
    try await registry.run("a") {}
    // A budget made anew would have paid for ten more.
    await fail()
    #expect(calls.lines.count == 12)
    clock.advance(by: .seconds(10))
    for key in ["b", "c"] { try await registry.run(key) {} }
    #expect(registry.keys == ["c"])
  }

  @Test func `never forgets a hedge whose budget was spent`() async throws {
    let clock = clock
    let registry = PolicyRegistry("hosts", maximumCount: 1, idleAfter: nil) { (_: String) in
      Hedge(
        after: .fixed(.zero), maximumCopies: 10, safety: .safeToRepeat, clock: clock)
    }
    let gate = BreakerBench.Gate()
    let call = Task { try await registry.run("slow") { await gate.pass() } }
    await gate.arrivals(atLeast: 10)
    gate.open()
    try await call.value
    let slow = registry.kept("slow")
    try await registry.run("a") {}
    #expect(slow != nil && registry.kept("slow") != nil)
  }

  /// How many are kept for 1000 keys of one quick call each, at first and after a month.
  private func kept<P: Policy>(
    _ make: @escaping @Sendable (Int) -> P, idleAfter: Duration?
  ) async throws -> (first: Int, later: Int) {
    let registry = PolicyRegistry(
      "hosts", maximumCount: 10, idleAfter: idleAfter, clock: clock, make: make)
    for key in 0..<1000 {
      _ = try? await registry.run(key) { throw BreakerBench.down }
      try await registry.run(key) {}
    }
    let first = registry.statistics.count
    clock.advance(by: .seconds(30 * 86_400))
    registry.forgetIdle()
    for key in 1000..<1100 { try await registry.run(key) {} }
    return (first, registry.statistics.count)
  }

  @Test func `what hedges have learned keeps none of them`() async throws {
    let clock = clock
    let registry = PolicyRegistry("hosts", maximumCount: 10, clock: clock) { (_: Int) in
      Hedge(safety: .safeToRepeat, clock: clock)
    }
    for key in 0..<1000 { try await registry.run(key) { @Sendable in } }
    #expect(registry.statistics.count == 10)
    clock.advance(by: .seconds(30 * 86_400))
    #expect(registry.forgetIdle() == 10)
  }

  @Test func `an adaptive limit that has learned is kept for the idle time and no longer`()
    async throws
  {
    let clock = clock
    for idleAfter in [Duration.seconds(60), nil] {
      let (first, later) = try await kept(
        { AdaptiveLimit("\($0)", .aimd(), clock: clock) }, idleAfter: idleAfter)
      #expect(first == 1000, "all of them have moved")
      #expect(later <= 10)
    }
  }

  /// Whether a policy is still there after a crowd of others, for which nothing but other settings
  /// can be the reason.
  private func isKept<P: ConcurrentPolicy>(
    _ make: @escaping @Sendable (String) -> P, after change: (P) throws -> Void
  ) async throws -> Bool {
    let registry = PolicyRegistry(
      "hosts", maximumCount: 1, idleAfter: .seconds(60), clock: clock, make: make)
    try await registry.run("changed") { @Sendable in }
    try change(try #require(registry.kept("changed")))
    clock.advance(by: .seconds(7200))
    for key in ["a", "b"] { try await registry.run(key) { @Sendable in } }
    return registry.kept("changed") != nil
  }

  @Test(.requirement("P37")) func `settings that somebody has changed are never forgotten`()
    async throws
  {
    let clock = clock
    let breaker = { @Sendable in CircuitBreaker($0, clock: clock) }
    #expect(try await isKept(breaker) { $0.setMode(.disabled) })
    #expect(try await isKept(breaker) { try $0.update(.init(name: "changed", breakGrowth: 3)) })
    let bulkhead = { @Sendable in Bulkhead($0, limit: 3, clock: clock) }
    #expect(try await isKept(bulkhead) { try $0.setLimit(5) })
    #expect(try await isKept(bulkhead) { try $0.update(.init(name: "changed", limit: 5)) })
    let limiter = { @Sendable in
      RateLimiter($0, .tokenBucket(rate: 5, per: .seconds(1)), clock: clock)
    }
    #expect(try await isKept(limiter) { try $0.setKind(.tokenBucket(rate: 9, per: .seconds(1))) })
    let adaptive = { @Sendable in AdaptiveLimit($0, .aimd(), clock: clock) }
    #expect(
      try await isKept(adaptive) { try $0.update(.init(name: "changed", kind: .aimd(initial: 9))) })
    #expect(
      try await isKept({ Throttle($0, clock: clock) }) {
        try $0.update(.init(name: "changed", multiplier: 3))
      })
    #expect(
      try await isKept({ Cooldown($0, clock: clock) }) { try $0.update(.init(spread: .zero)) })
    #expect(
      try await isKept({ _ in Retry(clock: clock) }) { try $0.update(.init(maximumAttempts: 9)) })
    #expect(
      try await isKept({ _ in Hedge(clock: clock) }) { try $0.update(.init(maximumCopies: 9)) })
    #expect(
      try await isKept({ _ in Timeout(.seconds(1), clock: clock) }) {
        try $0.update(.init(limit: .seconds(9)))
      })
    #expect(
      try await isKept({ _ in Deadline(.seconds(1), clock: clock) }) {
        try $0.update(.init(limit: .seconds(9)))
      })
    #expect(
      try await isKept({ _ in Timeout.Abandoning(.seconds(1), clock: clock) }) {
        try $0.update(.init(limit: .seconds(9)))
      })
  }

  @Test(.requirement("P37")) func `the same settings again keep nothing`() async throws {
    let clock = clock
    #expect(
      try await !isKept({ CircuitBreaker($0, clock: clock) }) {
        $0.setMode(.enabled)
        try $0.update($0.configuration)
      })
    #expect(
      try await !isKept({ Bulkhead($0, limit: 3, clock: clock) }) {
        try $0.setLimit(3)
        try $0.update($0.configuration)
      })
    #expect(
      try await !isKept({ _ in Timeout(.seconds(1), clock: clock) }) {
        try $0.update($0.configuration)
      })
  }

  @Test func `a budget that is shared keeps no retry`() async throws {
    let budget = RetryBudget(minimumPerSecond: 0, initial: 2, clock: clock)
    let registry = PolicyRegistry("hosts", maximumCount: 1, idleAfter: nil) { (_: String) in
      Retry(maximumAttempts: 3, backoff: .none, budget: budget)
    }
    _ = try? await registry.run("down") { throw BreakerBench.down }
    try await registry.run("a") {}
    #expect(registry.keys == ["a"])
  }

  @Test func `keeps policies that run beside their caller`() async throws {
    let registry = PolicyRegistry("races") { (_: Int) in PipelineTests.Race() }
    let log = Log()
    #expect(
      try await registry.run(1) {
        log.add("ran")
        return 7
      } == 7)
    #expect(log.lines == ["ran", "ran"])
  }

  @Test func `many callers of one new key share one policy`() async throws {
    let registry = PolicyRegistry("shared", maximumCount: 4) { (key: Int) in
      CircuitBreaker("\(key)", .consecutiveFailures(8))
    }
    await withTaskGroup { group in
      for index in 0..<64 {
        group.addTask {
          for key in [index % 8, (index + 3) % 8] {
            _ = try? await registry.run(key) { await Task.yield() }
          }
        }
      }
    }
    #expect(registry.statistics.count <= 8)
    #expect(registry.statistics.made - registry.statistics.forgotten == registry.statistics.count)
    for key in 100..<140 { try await registry.run(key) {} }
    #expect(registry.statistics.count == 4)
  }

  @Test(.requirement("P35")) func `what makes and what observes may use the registry`() async throws
  {
    let box = Box()
    let registry = PolicyRegistry("hosts", maximumCount: 1, observer: Telling(box: box)) {
      (host: String) in
      box.log.add("\(host) \(box.registry.withLock { $0 }?.keys.count ?? 0)")
      return CircuitBreaker(host, .consecutiveFailures(1))
    }
    box.registry.withLock { $0 = registry }
    for key in ["a", "b"] { await fail(registry, key, times: 1) }
    #expect(box.log.lines == ["a 0", "b 1", "registryOverflowed 2"])
  }

  @Test(.requirement("P23", "T8")) func `settings from outside say everything that is wrong`()
    async throws
  {
    func decode(_ json: String) throws -> RegistryConfiguration {
      try JSONDecoder().decode(RegistryConfiguration.self, from: Data(json.utf8))
    }
    #expect(try decode("{}") == RegistryConfiguration())
    let settings = RegistryConfiguration(maximumCount: 3, idleAfter: nil)
    let json = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
    #expect(try decode(json) == settings)
    let wrong = try decode(#"{"maximumCount": -1, "idleAfter": 0}"#)
    let error = #expect(throws: ConfigurationError.self) {
      try PolicyRegistry("bad", validating: wrong) { (_: Int) in PassThrough() }
    }
    #expect(error?.violations.map(\.option) == ["maximumCount", "idleAfter"])
    let most = try PolicyRegistry("most", validating: decode(#"{"idleAfter": 1e300}"#)) {
      (_: Int) in PassThrough()
    }
    try await most.run(1) {}
    #expect(most.forgetIdle() == 0)
  }

  @Test(.requirement("P23", "T8")) func `illegal settings stop the program and name the range`()
    async
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = PolicyRegistry("bad", maximumCount: 0) { (_: Int) in PassThrough() }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("maximumCount: 0") && said.contains("1 or more"))
    await #expect(processExitsWith: .failure) {
      _ = PolicyRegistry("bad", idleAfter: .zero) { (_: Int) in PassThrough() }
    }
  }
}
