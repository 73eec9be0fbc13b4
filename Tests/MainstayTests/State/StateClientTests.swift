// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2)) struct StateClientTests {
  private static let positive = StateClient<Int>.Invariant("it is not negative") { $0 >= 0 }

  @Test func `a change is made, counted and told`() async throws {
    let client = StateClient("count", 0)
    let sum = try await client.update { state in
      state += 2
      return state * 10
    }
    #expect(sum == 20)
    #expect(await client.snapshot == Snapshot(version: 1, state: 2))
    var seen: [Snapshot<Int>] = []
    for await snapshot in await client.updates {
      seen.append(snapshot)
      if snapshot.version == 2 { break }
      try await client.update { $0 = 7 }
    }
    #expect(seen == [Snapshot(version: 1, state: 2), Snapshot(version: 2, state: 7)])
  }

  @Test func `a change that breaks an invariant does not happen, and says which`() async throws {
    let client = StateClient("balance", 3, invariants: [Self.positive])
    let error = await #expect(throws: AppError.self) { try await client.update { $0 -= 5 } }
    #expect(error?.code == AppError.Client.changeRefused("").appError.code)
    #expect(error?.kind == .validation && error?.severity == .warning, "nothing is damaged")
    #expect(error?.details?.contains("balance: it is not negative") == true)
    #expect(await client.snapshot == Snapshot(version: 0, state: 3))
  }

  @Test func `a change that throws does not happen, and its error is kept`() async throws {
    struct Odd: Error {}
    let client = StateClient("count", 1)
    let known = await #expect(throws: AppError.self) {
      try await client.update { state in
        state = 9
        throw AppError.Client.invalidState("closed").appError
      }
    }
    #expect(known?.code == AppError.Client.invalidState("").appError.code)
    let unknown = await #expect(throws: AppError.self) {
      try await client.update { state in
        state = 9
        throw Odd()
      }
    }
    #expect(unknown?.code == AppError.Client.updateFailed(Odd()).appError.code)
    #expect(unknown?.cause(as: Odd.self) != nil)
    let cancelled = await #expect(throws: AppError.self) {
      try await client.update { _ in throw CancellationError() }
    }
    #expect(cancelled?.isCancellation == true)
    #expect(await client.snapshot == Snapshot(version: 0, state: 1))
  }

  @Test func `an invariant that nothing satisfies is a clear error`() {
    let never = StateClient<Int>.Invariant("nothing is right") { _ in false }
    let error = #expect(throws: AppError.self) {
      try StateClient(validating: "odd", 1, invariants: [never])
    }
    #expect(error?.code == AppError.Framework.stateCorruption("").appError.code)
    #expect(error?.details?.contains("nothing is right") == true)
  }

  @Test func `a first state that breaks an invariant stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = StateClient("odd", -1, invariants: [.init("positive") { $0 > 0 }])
    }
  }

  @Test(.requirement("A11")) func `going back keeps what it replaces`() async throws {
    let client = StateClient("draft", "empty", history: 3)
    try await client.update { $0 = "sound" }
    await client.markKnownGood()
    try await client.update { $0 = "typed for an hour" }
    let replaced = await client.restoreKnownGood()
    #expect(replaced == Snapshot(version: 2, state: "typed for an hour"))
    #expect(await client.snapshot == Snapshot(version: 3, state: "sound"))
    #expect(await client.olderSnapshots.map(\.version) == [2, 1, 0])
    // And forth again.
    try await client.restore(replaced)
    #expect(await client.snapshot == Snapshot(version: 4, state: "typed for an hour"))
    #expect(await client.olderSnapshots.map(\.version) == [3, 2, 1])
    #expect(await client.knownGood.state == "sound")
  }

  @Test func `what is brought back must be sound too`() async throws {
    let client = StateClient("count", 1, history: 0, invariants: [Self.positive])
    let error = await #expect(throws: AppError.self) {
      try await client.restore(Snapshot(version: 7, state: -1))
    }
    #expect(error?.code == AppError.Client.changeRefused("").appError.code)
    #expect(await client.state == 1)
    try await client.update { $0 = 2 }
    #expect(await client.olderSnapshots.isEmpty)
  }

  @Test func `eight writers lose and reorder nothing, and versions have no gaps`() async throws {
    let client = StateClient("log", [Int](), history: 1_000)
    let watched = await client.updates
    let watcher = Task {
      var versions: [UInt64] = []
      for await snapshot in watched {
        versions.append(snapshot.version)
        #expect(snapshot.state.count == Int(snapshot.version))
        if snapshot.version == 800 { break }
      }
      return versions
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for turn in 0..<100 { try await client.update { $0.append(writer * 1_000 + turn) } }
        }
      }
      try await group.waitForAll()
    }
    let snapshot = await client.snapshot
    #expect(snapshot.version == 800 && snapshot.state.count == 800)
    for writer in 0..<8 {
      let own = snapshot.state.filter { $0 / 1_000 == writer }
      #expect(own == (0..<100).map { writer * 1_000 + $0 })
    }
    #expect(await client.olderSnapshots.map(\.version) == (0..<800).reversed().map(UInt64.init))
    let versions = await watcher.value
    #expect(versions == versions.sorted() && Set(versions).count == versions.count)
    #expect(versions.last == 800)
  }

  @Test func `whoever stops watching is forgotten, and the end is told`() async throws {
    let client = StateClient("count", 0)
    do { for await _ in await client.updates { break } }
    while await client.listenerCount > 0, !Task.isCancelled { await Task.yield() }
    let rest = await client.updates
    await client.end()
    try await client.update { $0 = 1 }
    var seen: [Int] = []
    for await snapshot in rest { seen.append(snapshot.state) }
    #expect(seen == [0])
    var late: [Int] = []
    for await snapshot in await client.updates { late.append(snapshot.state) }
    #expect(late == [1])
  }

  @Test(.requirement("A7")) func `what runs under one name runs once, and leaves nothing behind`()
    async throws
  {
    let client = StateClient("library", [String]())
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let calls = Log()
    let runs = await started(3) { _ in
      try await client.perform("load") {
        calls.add("called")
        for await _ in gate { break }
        return "book"
      } then: { state, book in
        state.append(book)
      }
    }
    #expect(client.runCount == 1)
    open.yield()
    for run in runs { try await run.value }
    #expect(calls.lines == ["called"])
    #expect(await client.snapshot == Snapshot(version: 1, state: ["book"]))
    #expect(client.runCount == 0)
  }

  @Test(.requirement("T19")) func `what a run returns that everybody has left changes nothing`()
    async throws
  {
    final class Token: Sendable {}
    let client = StateClient("library", [String]())
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    var token: Token? = Token()
    weak let kept = token
    let left = await started { [token] in
      try await client.perform("load") {
        // It does not heed that it is cancelled.
        await Task { for await _ in gate { break } }.value
        return "old"
      } then: { state, book in
        withExtendedLifetime(token) { state = [book] }
      }
    }
    token = nil
    left.cancel()
    let error = await #expect(throws: AppError.self) { try await left.value }
    #expect(error?.isCancellation == true && client.runCount == 0)
    try await client.perform("load") {
      "new"
    } then: { state, book in
      state = [book]
    }
    open.yield()
    // The run has ended when nothing of it is kept.
    while kept != nil, !Task.isCancelled { await Task.yield() }
    #expect(await client.snapshot == Snapshot(version: 1, state: ["new"]))
  }

  @Test func `all that is run without a policy is repeated from one budget`() async {
    let client = StateClient("count", 0)
    let calls = Log()
    for _ in 0..<200 {
      await #expect(throws: AppError.self) {
        try await client.perform("save") { () -> Int in
          calls.add("called")
          // As good as nothing is waited for, and each attempt would be followed by two more.
          throw AppError.http(status: 429, retryAfter: .nanoseconds(1))
        } then: { state, value in
          state = value
        }
      }
    }
    // 10 tokens at first, a fifth for each call, and one for each second that this takes.
    #expect(calls.lines.count >= 200 + 10 && calls.lines.count < 3 * 200)
  }

  @Test(.requirement("A7"), arguments: ["exhausted", "thrown", "cancelled", "refused"])
  func `however it ends, nothing of it is remembered`(end: String) async throws {
    let client = StateClient("count", 0, invariants: [Self.positive])
    let retry = Retry(maximumAttempts: 3, backoff: .constant(.zero, jitter: .none))
    let calls = Log()
    let run = Task {
      try await client.perform("save", by: retry) {
        calls.add("called")
        switch end {
        case "exhausted": throw AppError.http(status: 503, isRepeatable: true)
        case "thrown": throw AppError.http(status: 404)
        case "cancelled": withUnsafeCurrentTask { $0?.cancel() }
        default: break
        }
        try Task.checkCancellation()
        return -1
      } then: { state, value in
        state = value
      }
    }
    await #expect(throws: AppError.self) { try await run.value }
    #expect(calls.lines.count == (end == "exhausted" ? 3 : 1))
    #expect(client.runCount == 0)
    #expect(await client.snapshot == Snapshot(version: 0, state: 0))
  }
}
