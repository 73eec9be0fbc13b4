// SPDX-License-Identifier: Apache-2.0

import Logging
import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import TestSupport
import Testing

/// Breakers, cooldowns and limits of several processes, here over a place in memory.
@Suite(.ends(withinMinutes: 2)) struct SharedPoliciesTests {
  private let clock = ManualClock()
  private let board = Board()

  private func process(_ id: Int) -> SharedPolicies {
    SharedPolicies(
      over: Seat(board: board, id: id), every: .milliseconds(500), clock: clock,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      chance: Chance(seed: UInt64(id)))
  }

  private func breaker(_ name: String = "catalog") -> CircuitBreaker {
    CircuitBreaker(
      name, .consecutiveFailures(1), breakFor: .seconds(5), breakJitter: 0, clock: clock)
  }

  @Test func `a breaker that opens in one process opens in the other, and closes with it`()
    async throws
  {
    let (here, there) = (process(1), process(2))
    let (mine, other) = (breaker(), breaker())
    here.share(mine)
    there.share(other)
    try mine.admit().fail()
    #expect(try await here.look())
    #expect(try await there.look())
    #expect(other.state == .open(retryAfter: .seconds(5)))
    clock.advance(by: .seconds(6))
    try other.admit().succeed()
    #expect(other.state == .closed)
    #expect(try await there.look())
    #expect(try await here.look())
    #expect(mine.state == .closed)
  }

  @Test func `what was heard is not told on, so nobody opens anew for ever`() async throws {
    let (here, there) = (process(1), process(2))
    let (mine, other) = (breaker(), breaker())
    here.share(mine)
    there.share(other)
    try mine.admit().fail()
    for _ in 0..<5 {
      _ = try await (here.look(), there.look())
      clock.advance(by: .seconds(1))
    }
    #expect(board.version == 1)
    #expect(other.state != .open(retryAfter: .seconds(5)))
  }

  @Test(.requirement("P7")) func `processes that hear of one break do not all probe at once`()
    async throws
  {
    func jittery() -> CircuitBreaker {
      CircuitBreaker(
        "catalog", .consecutiveFailures(1), breakFor: .seconds(5), breakJitter: 0.2, clock: clock)
    }
    let (here, mine) = (process(0), jittery())
    here.share(mine)
    try mine.admit().fail()
    #expect(try await here.look())
    guard case .open(let told) = mine.state else {
      Issue.record("it is not open")
      return
    }
    let others = (1...10).map { (process($0), jittery()) }
    for (there, other) in others { there.share(other) }
    var breaks: Set<Duration> = []
    for (there, other) in others {
      #expect(try await there.look())
      guard case .open(let left) = other.state else { continue }
      breaks.insert(left)
    }
    #expect(breaks.count == 10)
    #expect(breaks.allSatisfy { $0 >= told && $0 <= told * 1.2 })
    for _ in 0..<3 {
      clock.advance(by: .seconds(1))
      for (there, _) in others { #expect(try await there.look()) }
    }
    #expect(board.version == 1, "what was lengthened is not told on")
  }

  @Test func `a pause that a service asked for holds for all`() async throws {
    let (here, there) = (process(1), process(2))
    let mine = Cooldown("catalog", spread: .zero, clock: clock)
    let other = Cooldown("catalog", spread: .zero, clock: clock)
    here.share(mine)
    there.share(other)
    mine.begin(for: .seconds(20))
    _ = try await (here.look(), there.look())
    #expect(other.remaining == .seconds(20))
  }

  @Test func `a limit of rate is divided among those who are there`() async throws {
    let (here, there) = (process(1), process(2))
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    try here.share(limiter) { .gcra(rate: 100, per: .seconds($0)) }
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(1)))
    _ = try await (there.look(), here.look())
    #expect(here.members == 2)
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(2)))
    board.leave(2)
    #expect(try await here.look())
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(1)))
  }

  @Test func `after an outage nobody takes the part of those who are not back yet`() async throws {
    let here = process(1)
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    try here.share(limiter) { .gcra(rate: 100, per: .seconds($0)) }
    _ = try await (process(2).look(), here.look())
    board.fail()
    #expect(try await !here.look())
    board.mend()
    board.leave(2)
    // Half a second apart: whoever asks again after 30 seconds is seen by the last of them.
    for _ in 0..<61 {
      #expect(try await here.look())
      #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(2)))
    }
    #expect(try await here.look())
    #expect(here.members == 1)
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(1)))
  }

  @Test func `after an outage a process that comes counts at once`() async throws {
    let here = process(1)
    _ = try await (process(2).look(), here.look())
    board.fail()
    #expect(try await !here.look())
    board.mend()
    board.leave(2)
    _ = try await (process(3).look(), process(4).look(), here.look())
    #expect(here.members == 3)
  }

  @Test func `a budget for repetitions is divided among those who are there`() async throws {
    let (here, there) = (process(1), process(2))
    let budget = RetryBudget(minimumPerSecond: 10, capacity: 50, initial: 40, clock: clock)
    try here.share(budget)
    #expect(budget.configuration.minimumPerSecond == 10 && budget.configuration.capacity == 50)
    _ = try await (there.look(), here.look())
    #expect(budget.configuration.minimumPerSecond == 5 && budget.configuration.capacity == 25)
    #expect(budget.configuration.ratio == 0.2, "calls are those of each process anyway")
    #expect(budget.available == 25)
    clock.advance(by: .seconds(60))
    #expect(budget.available == 25)
    board.leave(2)
    #expect(try await here.look())
    #expect(budget.configuration.minimumPerSecond == 10 && budget.configuration.capacity == 50)
    clock.advance(by: .seconds(1))
    #expect(budget.available == 35)
  }

  @Test func `a limit that is shared twice is divided once`() async throws {
    let (here, there) = (process(1), process(2))
    let budget = RetryBudget(minimumPerSecond: 10, capacity: 50, clock: clock)
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    try here.share(budget)
    try here.share(limiter) { .gcra(rate: 50, per: .seconds($0)) }
    _ = try await (there.look(), here.look())
    try here.share(budget)
    try here.share(limiter) { .gcra(rate: 100, per: .seconds($0)) }
    for _ in 1...3 {
      #expect(try await here.look())
      #expect(budget.configuration.capacity == 25)
      #expect(budget.configuration.minimumPerSecond == 5)
      #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(2)))
    }
    board.leave(2)
    #expect(try await here.look())
    #expect(budget.configuration.capacity == 50)
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(1)))
  }

  @Test func `a budget without a limit is never shared, however often that is asked`() {
    let here = process(1)
    for _ in 1...2 {
      #expect(throws: ConfigurationError.self) { try here.share(RetryBudget.unlimited) }
    }
  }

  @Test func `other settings of a limit that is divided are those of all together`() async throws {
    let (here, there) = (process(1), process(2))
    let budget = RetryBudget(minimumPerSecond: 10, capacity: 50, clock: clock)
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    try here.share(budget)
    try here.share(limiter) { .gcra(rate: 100, per: .seconds($0)) }
    _ = try await (there.look(), here.look())
    try budget.update(.init(minimumPerSecond: 30, capacity: 90))
    try limiter.setKind(.gcra(rate: 7, per: .seconds(1)))
    #expect(try await here.look())
    #expect(budget.configuration.minimumPerSecond == 15 && budget.configuration.capacity == 45)
    #expect(limiter.configuration.kind == .gcra(rate: 100, per: .seconds(2)))
    board.fail()
    try budget.update(.init(minimumPerSecond: 20, capacity: 40))
    #expect(try await !here.look())
    #expect(budget.configuration.minimumPerSecond == 10 && budget.configuration.capacity == 20)
    board.mend()
    _ = try await (process(3).look(), process(4).look(), here.look())
    #expect(here.members == 4)
    #expect(budget.configuration.minimumPerSecond == 5 && budget.configuration.capacity == 10)
  }

  @Test func `a part that is not legal is told once, and the limit stays`() async throws {
    let log = Log()
    let here = SharedPolicies(
      over: Seat(board: board, id: 1), every: .milliseconds(500), clock: clock,
      logger: log.logger { "\($0.message)" })
    let limiter = RateLimiter("catalog", .gcra(rate: 1, per: .seconds(1)), clock: clock)
    try here.share(limiter) { .gcra(rate: 2 - $0, per: .seconds(1)) }
    _ = try await process(2).look()
    for _ in 0..<3 { #expect(try await here.look()) }
    #expect(limiter.configuration.kind == .gcra(rate: 1, per: .seconds(1)))
    #expect(log.lines.count == 1)
    board.leave(2)
    _ = try await (here.look(), process(2).look(), here.look())
    #expect(log.lines.count == 2)
  }

  @Test func `a part of a budget has room for the dearest repetition, and fills in the end`()
    async throws
  {
    let (here, there) = (process(1), process(2))
    let budget = RetryBudget(
      ratio: 0, minimumPerSecond: 0.001, capacity: 5, costs: .init(timedOut: 4.5), clock: clock)
    try here.share(budget)
    _ = try await (there.look(), here.look())
    #expect(budget.configuration.capacity == 5 && budget.configuration.minimumPerSecond == 0.001)
    #expect(throws: ConfigurationError.self) { try here.share(.unlimited) }
  }

  @Test func `while the database is away each decides by itself, and then tells`() async throws {
    let (here, there) = (process(1), process(2))
    let (mine, other) = (breaker(), breaker())
    here.share(mine)
    there.share(other)
    board.fail()
    try mine.admit().fail()
    #expect(try await !here.look())
    #expect(try await !there.look())
    #expect(!here.isConnected)
    #expect(mine.state == .open(retryAfter: .seconds(5)))
    #expect(other.state == .closed)
    board.mend()
    clock.advance(by: .seconds(2))
    _ = try await (here.look(), there.look())
    #expect(here.isConnected)
    #expect(other.state == .open(retryAfter: .seconds(3)))
  }

  @Test func `a breaker that is isolated by hand keeps out of it`() async throws {
    let (here, there) = (process(1), process(2))
    let (mine, other) = (breaker(), breaker())
    here.share(mine)
    there.share(other)
    let isolation = other.isolate()
    try mine.admit().fail()
    _ = try await (here.look(), there.look())
    #expect(other.state == .isolated)
    isolation.end()
    #expect(other.state == .closed)
  }

  @Test func `looks go on at their pace, more slowly while they fail, and end well`()
    async throws
  {
    let here = process(1)
    board.fail()
    let running = Task { await here.run() }
    await clock.sleepers(atLeast: 1)
    for _ in 0..<8 {
      clock.advance(by: .seconds(30))
      await clock.sleepers(atLeast: 1)
    }
    #expect(board.looks == 9)
    board.mend()
    clock.advance(by: .seconds(30))
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(500))
    await clock.sleepers(atLeast: 1)
    #expect(board.looks == 11)
    running.cancel()
    // It fails nobody: a service group would take an error for that of a service.
    await running.value
    #expect(board.members.isEmpty)
  }
}

/// What all processes read and write.
private final class Board: Sendable {
  private struct State {
    var rows: [SharingStateMachine.Name: (SharingStateMachine.Notice, Int64, Int)] = [:]
    var members: Set<Int> = []
    var looks = 0
    var isAway = false
  }

  private let state = Locked(State())

  var version: Int64 { state.withLock { $0.rows.values.map(\.1).max() ?? 0 } }
  var members: Set<Int> { state.withLock(\.members) }
  var looks: Int { state.withLock(\.looks) }

  func fail() { state.withLock { $0.isAway = true } }
  func mend() { state.withLock { $0.isAway = false } }
  func leave(_ id: Int) { state.withLock { _ = $0.members.remove(id) } }

  func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice], by id: Int
  ) throws -> PolicyNews {
    try state.withLock { state in
      state.looks += 1
      if state.isAway { throw OutOfReach() }
      state.members.insert(id)
      for (name, notice) in told {
        state.rows[name] = (notice, (state.rows[name]?.1 ?? 0) + 1, id)
      }
      let heard = state.rows.mapValues { row in
        SharingStateMachine.Heard(notice: row.0, version: row.1, isOwn: row.2 == id)
      }
      return PolicyNews(heard: heard, members: state.members.count)
    }
  }
}

private struct OutOfReach: Error {}

/// The board as one process sees it.
private struct Seat: PolicyExchange {
  let board: Board
  let id: Int

  func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice]
  ) async throws -> PolicyNews {
    try board.exchange(told, by: id)
  }

  func leave() async { board.leave(id) }
}
