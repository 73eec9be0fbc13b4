// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutboxPostgres
import MainstayTesting
import TestSupport
import Testing

/// Callers that share statements.
@Suite(.requirement("O28", "O29"), .ends(withinMinutes: 2)) struct GatheringTests {
  /// A server that answers each statement when it is told to.
  private final class Server: Sendable {
    private struct State {
      var statements: [[Int]] = []
      var open: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    var statements: [[Int]] { state.withLock { $0.statements } }

    func send(_ items: [Int]) async throws -> [Result<Int, any Error>] {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          state.statements.append(items)
          state.open[state.statements.count] = continuation
        }
        arrivals.continuation.yield()
      }
      return items.map { .success($0 * 2) }
    }

    /// Returns when one more statement is there.
    func arrival() async { for await _ in arrivals.stream { return } }

    /// Answers a statement, the first being number 1.
    func answer(_ statement: Int) {
      let waiting = state.withLock { $0.open.removeValue(forKey: statement) }
      waiting?.resume()
    }
  }

  private let server = Server()
  private let clock = ManualClock()
  private let log = Log()
  private let gathering: Gathering<Int, Int>

  init() {
    gathering = Gathering(patience: .milliseconds(20), timeline: Timeline(clock)) { _ in 1 }
  }

  /// Lets callers come one after the other; all of them wait when it returns.
  private func come(_ items: ClosedRange<Int>) async -> [Task<Int, any Error>] {
    await started(items.count) { [gathering, server] number in
      try await gathering.submit(items.lowerBound + number) { shared, _ in
        try await server.send(shared)
      }
    }
  }

  /// Lets those go who look after statements.
  private func end() async {
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(20))
  }

  @Test func `while few wait one statement is on its way at a time`() async throws {
    var callers = await come(0...0)
    await server.arrival()
    callers += await come(1...15)
    #expect(server.statements == [[0]])
    server.answer(1)
    await server.arrival()
    #expect(server.statements.map { $0.sorted() } == [[0], Array(1...15)])
    server.answer(2)
    for (number, caller) in callers.enumerated() { #expect(try await caller.value == number * 2) }
    await end()
  }

  @Test func `where many wait a second statement leaves beside the first`() async throws {
    var callers = await come(0...0)
    await server.arrival()
    let many = 1...FlightsStateMachine.enough
    callers += await come(many)
    await server.arrival()
    #expect(server.statements.map { $0.sorted() } == [[0], Array(many)])
    server.answer(2)
    server.answer(1)
    for (number, caller) in callers.enumerated() { #expect(try await caller.value == number * 2) }
    await end()
  }

  @Test(.requirement("O9"))
  func `nobody waits for a statement that takes long, as where somebody holds its rows`()
    async throws
  {
    let held = await come(0...0)
    await server.arrival()
    let others = await come(1...2)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(19))
    #expect(server.statements == [[0]])
    clock.advance(by: .milliseconds(1))
    await server.arrival()
    server.answer(2)
    for (number, caller) in others.enumerated() {
      #expect(try await caller.value == (number + 1) * 2)
    }
    // The clock stands still: it is known to be late.
    let late = await come(3...3)
    await server.arrival()
    server.answer(3)
    #expect(try await late[0].value == 6)
    server.answer(1)
    #expect(try await held[0].value == 0)
  }

  private static let locked = PostgresError(.timeout, sqlState: "55P03", "It is held.")

  /// Callers whose statements leave one at a time; one of these waits until all callers are there.
  private struct Callers: Sendable {
    var gathering = Gathering<Int, Int>(maximumFlights: 1) { _ in 1 }
    /// The statement that waits, as it is written down.
    var held = "[0] brief"
    /// Where statements are written down.
    let log: Log
    let answer: @Sendable ([Int], LockPatience) throws -> [Result<Int, any Error>]
    private let gate = Countdown(1)

    func submit(_ item: Int) async throws -> Int {
      try await gathering.submit(item) { items, patience in
        let statement = "\(items) \(patience)"
        log.add(statement)
        if statement == held { await gate.passed() }
        return try answer(items, patience)
      }
    }

    /// Lets one come, and others while the statement waits, which goes on after all else is done.
    func come(
      _ first: Int, then others: [Int], meanwhile: () async throws -> Void = {}
    ) async throws {
      let holder = await started { try await submit(first) }
      await eventually { log.lines.contains(held) }
      let callers = await started(others.count) { try await submit(others[$0]) }
      try await meanwhile()
      gate.count()
      #expect(try await holder.value == first)
      for (item, caller) in zip(others, callers) { #expect(try await caller.value == item) }
    }
  }

  @Test func `who is tried alone after a statement that met a lock waits for next to no time`()
    async throws
  {
    let callers = Callers(log: log) { items, patience in
      if items.contains(1) && patience != .full { throw Self.locked }
      return items.map { .success($0) }
    }
    try await callers.come(0, then: [1, 2])
    #expect(
      log.lines.sorted()
        == ["[0] brief", "[1, 2] brief", "[1] full", "[1] none", "[2] none"])
  }

  @Test func `what of a statement was kept is not sent once more with the rest`() async throws {
    let callers = Callers(log: log) { items, _ in
      let refusal = PostgresError(.statement, sqlState: "23514", "It is refused.")
      return items.map { $0 > 1 && items.count > 1 ? .failure(refusal) : .success($0) }
    }
    try await callers.come(0, then: [1, 2, 3])
    #expect(log.lines == ["[0] brief", "[1, 2, 3] brief", "[2] none", "[3] none"])
  }

  @Test func `those that wait for locks are tried once more where that takes too long`()
    async throws
  {
    let callers = Callers(held: "[0] full", log: log) { [log] items, patience in
      if patience == .full && items != [0] {
        throw PostgresError(.timeout, sqlState: "57014", "It took too long.")
      }
      if patience != .full && items != [3] && !log.lines.contains("[1, 2] full") {
        throw Self.locked
      }
      return items.map { .success($0) }
    }
    try await callers.come(0, then: [1, 2]) {
      // One flight goes after the other: those before it have met their lock.
      let answer = try await callers.submit(3)
      #expect(answer == 3)
    }
    #expect(log.lines.suffix(3) == ["[1, 2] full", "[1] none", "[2] none"])
  }

  @Test func `a statement takes no more bytes than it may, and one item in any case`()
    async throws
  {
    let gathering = Gathering<Int, Int>(maximumCount: 3, maximumBytes: 10, maximumFlights: 1) { $0 }
    let callers = Callers(gathering: gathering, held: "[1] brief", log: log) { items, _ in
      items.map { .success($0) }
    }
    try await callers.come(1, then: [4, 4, 4, 20, 1, 1, 1, 1])
    #expect(
      log.lines
        == ["[1]", "[4, 4]", "[4]", "[20]", "[1, 1, 1]", "[1]"].map { "\($0) brief" })
  }

  /// What a statement ends with after a time, and whether those behind it hear of that.
  private static let stalls: [(PostgresError, Duration, Bool)] = [
    (PostgresError(.timeout, sqlState: "57014", "It took too long."), .seconds(1), true),
    (PostgresError(.timeout, "Nobody answered."), .seconds(12), true),
    (PostgresError(.lost, mayHaveHappened: true, "It broke."), .seconds(10), true),
    (PostgresError(.lost, mayHaveHappened: true, "It broke."), .seconds(1), false),
  ]

  @Test(arguments: stalls)
  func `where the server stands still, those left behind hear of it as well`(
    _ error: PostgresError, _ time: Duration, isHeard: Bool
  ) async throws {
    let gathering = Gathering<Int, Int>(
      maximumCount: 2, maximumFlights: 1, timeline: Timeline(clock)
    ) { _ in 1 }
    let gates = [Countdown(1), Countdown(1)]
    let submit: @Sendable (Int) async throws -> Int = { [log] item in
      try await gathering.submit(item) { items, _ in
        log.add("\(items)")
        let statement = log.lines.count
        guard statement <= gates.count else { return items.map { .success($0) } }
        await gates[statement - 1].passed()
        if statement == 2 { throw error }
        return items.map { .success($0) }
      }
    }
    let first = await started { try await submit(0) }
    await eventually { log.lines == ["[0]"] }
    let others = await started(7) { try await submit($0 + 1) }
    gates[0].count()
    #expect(try await first.value == 0)
    await eventually { log.lines.count == 2 }
    clock.advance(by: time)
    gates[1].count()
    var failures: [PostgresError] = []
    for other in others {
      let outcome = await other.result
      if case .failure(let error as PostgresError) = outcome { failures.append(error) }
    }
    #expect(failures.count == (isHeard ? 7 : 2))
    // Those behind it were never sent.
    #expect(failures.count { $0.mayHaveHappened } <= 2)
  }

  @Test func `where the server is away, those left behind hear of it with the batch`()
    async throws
  {
    let gathering = Gathering<Int, Int>(maximumCount: 2, maximumFlights: 1) { _ in 1 }
    let away = PostgresError(.unreachable, "No server answers.")
    let gates = [Countdown(1), Countdown(1)]
    let submit: @Sendable (Int) async throws -> Int = { [log] item in
      try await gathering.submit(item) { items, _ in
        log.add("\(items)")
        let statement = log.lines.count
        if statement <= gates.count {
          await gates[statement - 1].passed()
          throw away
        }
        return items.map { .success($0) }
      }
    }
    let first = await started { try await submit(0) }
    await eventually { log.lines == ["[0]"] }
    let others = await started(7) { try await submit($0 + 1) }
    gates[0].count()
    await #expect(throws: away) { try await first.value }
    await eventually { log.lines.count == 2 }
    // This one comes after the second statement has left, and has not waited for any yet.
    let last = await started { try await submit(8) }
    gates[1].count()
    for other in others { await #expect(throws: away) { try await other.value } }
    #expect(try await last.value == 8)
    #expect(log.lines.count == 3)
  }
}
