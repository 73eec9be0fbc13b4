// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Runs that ask for each other: whoever would close the circle runs by itself.
@Suite(.ends(withinMinutes: 2)) struct CoalesceCircleTests {
  private typealias Gate = BreakerBench.Gate

  /// A run that asks for another one as soon as all of them have begun; how many runs it saw,
  /// itself included.
  private func run(
    _ key: Int, of place: Coalesce<Int>, asking next: Int, of other: Coalesce<Int>, at gate: Gate
  ) async throws -> Int {
    try await place.run(key) {
      await gate.pass()
      return try await other.run(next) { 0 } + 1
    }
  }

  private func values(_ calls: [Task<Int, any Error>], _ gate: Gate) async throws -> [Int] {
    await gate.arrivals(atLeast: calls.count)
    gate.open()
    var values: [Int] = []
    for call in calls { values.append(try await call.value) }
    return values.sorted()
  }

  @Test(arguments: 1...4) func `a ring of runs gets its values`(count: Int) async throws {
    let (books, gate) = (Coalesce<Int>("books", clock: ManualClock()), Gate())
    let calls = (0..<count).map { key in
      Task { try await run(key, of: books, asking: (key + 1) % count, of: books, at: gate) }
    }
    #expect(try await values(calls, gate) == Array(1...count))
    #expect(books.runCount == 0 && books.callerCount == 0)
  }

  @Test func `so do two runs of two places`() async throws {
    let books = Coalesce<Int>("books", clock: ManualClock())
    let authors = Coalesce<Int>("authors", clock: ManualClock())
    let gate = Gate()
    let calls = [
      Task { try await run(1, of: books, asking: 1, of: authors, at: gate) },
      Task { try await run(1, of: authors, asking: 1, of: books, at: gate) },
    ]
    #expect(try await values(calls, gate) == [1, 2])
    #expect(books.runCount == 0 && authors.runCount == 0)
  }

  @Test func `who only waits for the same run as another one still shares it`() async throws {
    let books = Coalesce<Int>("books", clock: ManualClock())
    let (gate, last, runs) = (Gate(), Gate(), Log())
    let shared: @Sendable () async throws -> Int = {
      runs.add("ran")
      await last.pass()
      return 1
    }
    let leader = await started { try await books.run(0, shared) }
    await last.arrivals(atLeast: 1)
    let calls = (1...3).map { key in
      Task {
        try await books.run(key) {
          await gate.pass()
          return try await books.run(0, shared)
        }
      }
    }
    await gate.arrivals(atLeast: 3)
    gate.open()
    while books.callerCount < 7, !Task.isCancelled { await Task.yield() }
    last.open()
    for call in calls + [leader] { #expect(try await call.value == 1) }
    #expect(runs.lines.count == 1)
  }

  @Test func `answers of a cache that load each other arrive`() async throws {
    let (bench, gate) = (CacheBench(), Gate())
    let cache = bench.cache
    let calls = [("a", "b"), ("b", "a")].map { own, other in
      Task {
        try await cache.value(for: own) {
          await gate.pass()
          let inner = try await cache.value(for: other) { Novel(title: "alone") }
          return Novel(title: "\(own), \(inner.value.title)")
        }.value.title
      }
    }
    await gate.arrivals(atLeast: 2)
    gate.open()
    for call in calls { #expect(try await call.value.hasSuffix("alone")) }
  }
}
