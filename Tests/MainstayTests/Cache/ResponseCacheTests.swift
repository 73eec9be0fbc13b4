// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite struct ResponseCacheTests {
  @Test func `what is fresh is given without asking`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)))
    #expect(try await bench.ask("one") == CachedValue(Novel(title: "one"), .fresh))
    bench.clock.advance(by: .seconds(59))
    #expect(try await bench.ask("two") == CachedValue(Novel(title: "one"), .fresh))
    bench.clock.advance(by: .seconds(1))
    #expect(try await bench.ask("two") == CachedValue(Novel(title: "two"), .fresh))
    #expect(bench.asked.lines.count == 2)
    #expect(bench.recorder.cacheNames == ["cacheMissed", "cacheHit", "cacheMissed"])
  }

  @Test(.requirement("C10", "O39"))
  func `a failing service is answered for by what is kept, marked stale with age and cause`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)))
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(100))
    let answer = try await bench.ask(CacheBench.down())
    #expect(answer.value.title == "one")
    #expect(answer.freshness.age == .seconds(100))
    #expect(answer.freshness.cause?.httpStatus == 503)
    #expect(!answer.freshness.isFresh && !answer.hasLocalChanges)
    let event = try #require(bench.recorder.events.last)
    guard case .staleServed("a", .seconds(100), let error) = event.what else {
      Issue.record("\(event.what)")
      return
    }
    #expect((error as? AppError)?.httpStatus == 503)
    #expect(event.what.severity == .warning)
  }

  @Test(.requirement("C10"))
  func `where nothing is kept the original error is thrown`() async {
    struct Odd: Error, Equatable { let id: Int }
    let bench = CacheBench(CachePolicy(onlyFor: .anythingButCancellation))
    await #expect(throws: Odd(id: 7)) { try await bench.ask(CacheBench.fail(Odd(id: 7))) }
    #expect(bench.recorder.events.isEmpty)
  }

  @Test(.requirement("O39")) func `staleness is bounded: beyond it the error is thrown`()
    async throws
  {
    let bench = CacheBench(
      CachePolicy(freshFor: .seconds(60), staleIfError: .within(.seconds(40))))
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(100))
    #expect(try await bench.ask(CacheBench.down()).freshness.age == .seconds(100))
    bench.clock.advance(by: .nanoseconds(1))
    await #expect(throws: AppError.self) { try await bench.ask(CacheBench.down()) }
    #expect(await bench.cache.cached("a", as: Novel.self) == nil)
    // One call may be content with more.
    let patient = CachePolicy(staleIfError: .always)
    #expect(try await bench.ask(CacheBench.down(), policy: patient).value.title == "one")
  }

  @Test(.requirement("O39")) func `the bound holds when the answer is given, not when it is asked`()
    async throws
  {
    let bench = CacheBench(
      CachePolicy(freshFor: .seconds(60), staleIfError: .within(.seconds(40))))
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(100))
    let gate = BreakerBench.Gate()
    let call = Task {
      try await bench.cache.value(for: "a", as: Novel.self) {
        await gate.pass()
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await gate.arrivals(atLeast: 1)
    bench.clock.advance(by: .seconds(1))
    gate.open()
    await #expect(throws: AppError.self) { try await call.value }
  }

  @Test(
    .requirement("O39"),
    arguments: [
      (AppError.http(status: 401), false), (.http(status: 403), false), (.http(status: 400), false),
      (.http(status: 500, isRepeatable: true), true), (.http(status: 429), true),
      (.http(status: 408), true),
    ])
  func `an answer of the service is not overruled by an old one`(
    error: AppError, isServed: Bool
  ) async throws {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    let answer = try? await bench.ask(CacheBench.fail(error))
    #expect((answer != nil) == isServed)
    // It may be served later: the answer was about who asks, not about what is kept.
    #expect(try await bench.ask(CacheBench.down()).value.title == "one")
  }

  @Test func `a refusal and a time limit are answered for as well`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    let rejection = Rejection(policy: "breaker", reason: .circuitOpen)
    let refused = try await bench.ask(CacheBench.fail(rejection))
    #expect(refused.freshness.cause?.kind == .rejected)
  }

  @Test(.requirement("O39")) func `what does not exist any more is not shown as if it did`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    await #expect(throws: AppError.self) {
      try await bench.ask(CacheBench.fail(AppError.http(status: 404)))
    }
    #expect(bench.store.count == 0)
    await #expect(throws: AppError.self) { try await bench.ask(CacheBench.down()) }
    // Whoever wants it nevertheless keeps it.
    let policy = CachePolicy(freshFor: .zero, onlyFor: .anythingButCancellation)
    _ = try await bench.ask("two")
    let answer = try await bench.ask(
      CacheBench.fail(AppError.http(status: 410)), policy: policy)
    #expect(answer.value.title == "two" && bench.store.count == 1)
  }

  @Test func `an error that nobody has classified is not taken for an outage, and told once`()
    async throws
  {
    struct Odd: Error {}
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    for _ in 0..<2 {
      await #expect(throws: Odd.self) { try await bench.ask(CacheBench.fail(Odd())) }
    }
    #expect(bench.recorder.cacheNames == ["cacheMissed", "unclassified"])
  }

  @Test func `what failed is never kept`() async throws {
    let bench = CacheBench()
    await #expect(throws: AppError.self) { try await bench.ask(CacheBench.down()) }
    #expect(bench.store.count == 0)
    #expect(try await bench.ask("one").value.title == "one")
  }

  @Test(.requirement("P21")) func `a cancellation is neither answered for nor kept nor told`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .zero, onlyFor: .anythingButCancellation))
    _ = try await bench.ask("one")
    bench.recorder.clear()
    await #expect(throws: CancellationError.self) {
      try await bench.ask(CacheBench.fail(CancellationError()))
    }
    let gate = BreakerBench.Gate()
    let waiting = Task {
      try await bench.cache.value(for: "a", as: Novel.self) {
        await gate.pass()
        return Novel(title: "two")
      }
    }
    await gate.arrivals(atLeast: 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open()
    #expect(bench.recorder.events.isEmpty)
    let before = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await bench.ask("three")
    }
    await #expect(throws: CancellationError.self) { try await before.value }
    #expect(bench.asked.lines.count == 2)
  }

  @Test func `a deadline around it is answered for, since nobody lost interest`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    let (gate, clock) = (BreakerBench.Gate(), ManualClock())
    let hasty = Task {
      try await Deadline(.seconds(1), clock: clock).run {
        try await bench.cache.value(for: "a", as: Novel.self) {
          await gate.pass()
          return Novel(title: "two")
        }
      }
    }
    await gate.arrivals(atLeast: 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    let answer = try await hasty.value
    #expect(answer.value.title == "one" && answer.freshness.cause?.kind == .timeout)
    gate.open()
  }

  @Test func `a hundred callers cause one load`() async throws {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    let calls = (0..<100).map { _ in
      Task {
        try await bench.cache.value(for: "a", as: Novel.self) {
          bench.asked.add("a")
          await gate.pass()
          return Novel(title: "one")
        }
      }
    }
    await gate.arrivals(atLeast: 1)
    gate.open()
    for call in calls { #expect(try await call.value.value.title == "one") }
    #expect(bench.asked.lines.count == 1)
  }

  @Test func `whoever looked before a load had ended, and comes after it, begins no other`()
    async throws
  {
    let store = SlowCacheStore(slow: [1])
    let cache = ResponseCache("books", of: .everybody, in: store)
    let late = Task { try await cache.value(for: "a") { "two" } }
    await store.gate.arrivals(atLeast: 1)
    #expect(try await cache.value(for: "a") { "one" }.value == "one")
    store.gate.open()
    #expect(try await late.value.value == "one")
  }

  @Test(.requirement("P21")) func `a cancellation inside of a deadline is still a cancellation`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    _ = try await bench.ask("one")
    await #expect(throws: CancellationError.self) {
      try await Deadline(.seconds(1), clock: ManualClock()).run {
        try await bench.ask(CacheBench.fail(CancellationError()))
      }
    }
  }

  @Test func `a refresh asks although something fresh is kept`() async throws {
    let bench = CacheBench()
    _ = try await bench.ask("one")
    let answer = try await bench.cache.refresh("a", as: Novel.self) { Novel(title: "two") }
    #expect(answer == CachedValue(Novel(title: "two"), .fresh))
    #expect(try await bench.ask("three").value.title == "two")
    let failed = try await bench.cache.refresh("a", as: Novel.self) {
      throw AppError.http(status: 503, isRepeatable: true)
    }
    // Whoever pulled learns that it failed, though what is there would be fresh enough.
    #expect(failed.value.title == "two" && failed.freshness.cause?.httpStatus == 503)
    #expect(try await bench.ask("three").freshness == .fresh)
  }

  @Test func `a value that may be nothing is kept as such`() async throws {
    let bench = CacheBench()
    for _ in 0..<2 {
      let answer = try await bench.cache.value(for: "a") { () -> Novel? in
        bench.asked.add("asked")
        return nil
      }
      #expect(answer == CachedValue(nil, .fresh))
    }
    #expect(bench.asked.lines.count == 1)
  }

  @Test func `another type under the same key is not there`() async throws {
    let bench = CacheBench()
    _ = try await bench.ask("one")
    #expect(await bench.cache.cached("a", as: String.self) == nil)
    #expect(try await bench.cache.value(for: "a") { "text" }.value == "text")
    #expect(await bench.cache.cached("a", as: Novel.self) == nil)
  }

  @Test func `a fallback of a pipeline is answered from what is kept`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    await bench.cache.keep(Novel(title: "one"), for: "a")
    let pipeline = Pipeline("catalog") { Retry(maximumAttempts: 1) }
    let book = try await pipeline.run {
      throw AppError.http(status: 503, isRepeatable: true)
    } fallback: { error in
      try await bench.cache.fallback(for: "a", as: Novel.self, after: error).value
    }
    #expect(book.title == "one")
    await #expect(throws: CancellationError.self) {
      try await bench.cache.fallback(for: "a", as: Novel.self, after: CancellationError())
    }
  }

  @Test(arguments: [
    "", "\0", "k\0ey", "e\u{301}", "\u{1F600}", String(repeating: "x", count: 9_999),
  ])
  func `keys of any text work`(key: String) async throws {
    let bench = CacheBench()
    _ = try await bench.ask("one", key: key)
    #expect(await bench.cache.cached(key, as: Novel.self)?.value.title == "one")
    #expect(await bench.cache.cached(key + "\u{E9}", as: Novel.self) == nil)
    #expect(await bench.cache.cached("\u{E9}", as: Novel.self) == nil)
  }
}
